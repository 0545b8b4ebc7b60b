"""Front matter and body are told apart, in three formats."""

from __future__ import annotations

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from pressync.content.documents import split
from pressync.model.errors import Code


def problems(text: str) -> list[str]:
    return [str(problem) for problem in split("a.md", text).problems]


def test_toml_and_json_keys_have_their_lines() -> None:
    toml = split("a.md", '+++\na = 1\n"b c" = """\nx\n"""\n[extra]\nd = 2\n+++\n')
    json = split("a.md", '{\n"a": 1,\n"b c": {\n"d": 2}}\n')
    assert {key: given.line for key, given in toml.values.items()} == {"a": 2, "b c": 3, "extra": 6}
    assert {key: given.line for key, given in json.values.items()} == {"a": 2, "b c": 3}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\ntitle: A\n\nSome prose here: with a colon.\n\n---\nmore\n", 4),
        ("---\ntitle: A\n\n# A heading\n- an item\n\n---\nmore\n", 5),
        ("+++\ntitle = 'A'\n\nText.\n\n+++\nmore\n", 4),
    ],
)
def test_text_that_a_missing_fence_makes_front_matter_is_not_lost(text: str, line: int) -> None:
    (problem,) = split("a.md", text).problems
    assert (problem.line, problem.code) == (line, Code.FRONT_MATTER_UNCLOSED)
    assert problem.todo.endswith(f"if the text begins here, add the closing `{text[:3]}` above it")


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A\n\nnext key: 1\n---\n",
        "---\ntitle: A\n\nextra:\n  a key of words: 1\n---\n",
        '{"title": "A",\n\n"a key of words": 1}\n',
    ],
)
def test_a_key_of_several_words_or_below_a_blank_line_is_a_key(text: str) -> None:
    assert split("a.md", text).problems == ()


@pytest.mark.parametrize(
    "text", ["---\nA rule, and text.\n", "---", "+++\nplus\n", "{{< shortcode >}}\n", "{% raw %}"]
)
def test_markdown_that_looks_like_a_fence_is_markdown(text: str) -> None:
    assert split("a.md", text).body == text


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("\n---\ntitle: Secret\nstatus: draft\n---\ntext", 2, "empty lines"),
        ("\n \t\n\n  ---\n  draft: true\n  ---\n", 4, "empty lines"),
        (" ---\ntitle: Secret\n---\ntext", 1, "blanks"),
        ("\n+++\ndraft = true\n+++\ntext", 2, "empty lines"),
    ],
)
def test_front_matter_that_begins_late_is_not_published_as_text(text: str, line: int, what: str) -> None:
    (problem,) = split("a.md", text).problems
    assert (
        str(problem) == f"a.md:{line}: front matter must begin in the first line; delete the {what} before it"
    )


@pytest.mark.parametrize(
    ("fence", "right"),
    [
        ("--", "---"),
        ("-- ", "---"),
        ("\u2014", "---"),
        ("\u2014-", "---"),
        ("--- yaml", "---"),
        ("++", "+++"),
    ],
)
def test_front_matter_with_a_mistyped_fence_is_not_published_as_text(fence: str, right: str) -> None:
    sign = "=" if right == "+++" else ":"
    (problem,) = split("a.md", f"{fence}\nstatus{sign} 'draft'\n{fence[:2]}\ntext").problems
    what = f"'{fence.strip()}' does not begin front matter"
    assert str(problem) == f"a.md:1: {what}; write `{right}` in its place"


@pytest.mark.parametrize("text", ["--\nA text.\n--\n", "\u2014\nNote: this.\n\u2014\n", "--\ntitle: A\n"])
def test_dashes_without_a_known_key_or_an_end_are_text(text: str) -> None:
    assert split("a.md", text).body == text


@pytest.mark.parametrize(
    "text",
    [
        "\n---\n\nA rule, and prose.\n\n---\n\nMore.\n",
        "\n---\nA rule: with a colon.\n---\n",
        "\n---\ndate: of the rule\n\nProse, and: a: colon.\n\n---\n",
        "    ---\n    title: An example\n    ---\n",
        "\n---\n- title\n- status\n---\n",
    ],
)
def test_a_rule_below_a_blank_line_is_markdown(text: str) -> None:
    head = split("a.md", text)
    assert (head.problems, head.body) == ((), text.removeprefix("\n"))


@pytest.mark.parametrize(
    "text", ["---\n---\nText", "---\n# nothing yet\n---\nText", "+++\n+++\nText", "{}\nText"]
)
def test_front_matter_may_be_empty(text: str) -> None:
    head = split("a.md", text)
    assert (dict(head.values), head.body, head.problems) == ({}, "Text", ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "---\ntitle: x\nText\n",
            "a.md:1: front matter is never closed; add a line `---` after its last key",
        ),
        ("---\nJust text.\n---\n", "a.md:2: front matter has no keys; write `key: value` lines"),
        ("---\n\n\na: 1\nb: x: y\n---\n", "a.md:5: front matter is not YAML"),
        ("+++\na = 1\ntitle = x\n+++\n", "a.md:3: front matter is not TOML: Invalid value"),
        ("+++\na = 1\na = 2\n+++\n", "a.md:3: front matter is not TOML: Cannot overwrite a value"),
        ('{"a": 1,\n "b": }\n', "a.md:2: front matter is not JSON"),
        ('{"a": 1,\n "a": 2}\n', "a.md:1: the key 'a' is named twice"),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_line_in_the_file(text: str, said: str) -> None:
    [problem] = problems(text)
    assert problem.startswith(said)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("---\na: " + "x" * 300_000 + "\n---\n", "larger than 256 KiB"),
        ('{"a": "' + "x" * 300_000 + '"}', "larger than 256 KiB"),
        ("+++\na = " + "[" * 100_000 + "\n+++\n", "nested deeper"),
        ('{"a": ' + "[" * 100_000, "nested deeper"),
        ('{"a": ' + "[" * 60 + "]" * 60 + "}", "nested deeper"),
        ("+++\n" + "a." * 50_000 + "a = 1\n+++\n", "more than 1000 dots"),
        ("+++\na = " + "9" * 5000 + "\n+++\n", "thousands of digits"),
    ],
)
def test_bombs_are_problems(text: str, what: str) -> None:
    [problem] = problems(text)
    assert what in problem


@examples(
    st.text(alphabet="-+={}[]\"':#&*<|>!%@`\n\t ab1.\x85\u2028é", max_size=60),
    st.sampled_from(["---", "+++", "{"]),
)
def test_no_text_is_too_strange(text: str, fence: str) -> None:
    whole = f"{fence}\n{text}\n{fence}\nbody"
    head = split("a.md", whole)
    assert head.problems or whole.endswith(head.body)
    assert all(1 <= problem.line <= whole.count("\n") + 1 for problem in head.problems)

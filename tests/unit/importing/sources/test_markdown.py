"""Lists of attributes, titles and notes of other tools become what Markdown has, and code stays."""

from __future__ import annotations

import pytest

from pressync.importing.sources.item import Place, Remainder
from pressync.importing.sources.markdown import (
    alert,
    lines,
    of_headings,
    titled,
    with_code_titles,
    with_emoji,
)

HERE = Place("a.md", 10)


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("## Set up {#set-up}", "## Set up"),
        ("## Set up {#install}", '## <a id="install"></a>Set up'),
        ("## Path <small>1</small> { id=path }", '## <a id="path"></a>Path <small>1</small>'),
        ('## 4.9.1 <small>a</small> { id="4.9.1" }', '## <a id="4.9.1"></a>4.9.1 <small>a</small>'),
        ("# A `{x}` b", "# A `{x}` b"),
        ("```md\n## Set up {#install}\n```", "```md\n## Set up {#install}\n```"),
    ],
)
def test_the_target_of_links_stays(written: str, made: str) -> None:
    assert of_headings(written, HERE) == (made, ())


def test_a_class_is_named_with_its_line() -> None:
    text, left = of_headings("a\n\n## Set up {#install .wide}\n", HERE)
    assert text == 'a\n\n## <a id="install"></a>Set up\n'
    assert left == (Remainder("attribute list", Place("a.md", 12), "{#install .wide}"),)


@pytest.mark.parametrize(
    ("given", "body", "expected"),
    [
        ("A", "# B\n\nText", ("A", "# B\n\nText")),
        ("", "# B *x* {#b}\n\nText", ("B x", "Text")),
        ("", "Text\n\n# B\n", ("B", "Text\n\n# B\n")),
        ("", "## B\n", ("B", "## B\n")),
        ("", "Text", ("My page", "Text")),
    ],
)
def test_a_heading_that_is_the_title_leaves_the_text(
    given: str, body: str, expected: tuple[str, str]
) -> None:
    assert titled(given, body, "my-page") == expected
    assert titled("A", "# B\nText", "x", heading_wins=True) == ("B", "Text"), "as some tools show it"
    assert titled("A", "Text\n# B", "x", heading_wins=True) == ("A", "Text\n# B")


@pytest.mark.parametrize(
    ("word", "title", "head"),
    [
        ("Tip", "Tip", "> [!TIP]"),
        ("danger", "", "> [!CAUTION] Danger"),
        ("warning", "Mind the gap", "> [!WARNING] Mind the gap"),
        ("whatever", "", "> [!NOTE] Whatever"),
    ],
)
def test_a_kind_without_a_counterpart_keeps_its_word_as_the_title(word: str, title: str, head: str) -> None:
    assert alert(word, title, "Text").split("\n") == [head, "> Text"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\n````md\n```\n# b\n~~~~\n````\nc", ["a", "c"]),
        ("- ```\n  {x}\n  ```\n- b", ["- b"]),
        ("``` a ``` b\nc", ["``` a ``` b", "c"]),
        ("```\n    ```\n    a\n    ```\n```\nb", ["b"]),
        ("- a\n\n    ```\n    b\n\nc\n> > ```\n> > d\n> > ```\n> e", ["- a", "", "c", "> e"]),
    ],
    ids=[
        *("a fence ends with as many of the same characters", "code in a list is code"),
        *("a line of inline code opens nothing", "a fence that is indented further is code"),
        "a block ends with the list that holds it",
    ],
)
def test_lines_of_code_are_told_from_lines_of_text(text: str, plain: list[str]) -> None:
    assert [line for line, is_code in lines(text) if not is_code] == plain


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ('```yaml title="a_b.yml"\nx: 1\n```', "\n**a\\_b.yml**\n\n```yaml\nx: 1\n```"),
        ('````\n``` title="a"\n```\n````', None),
        ("```js\na\n// highlight-next-line\nb\n```", "```js\na\nb\n```"),
        ("// highlight-next-line", None),
    ],
)
def test_the_title_of_code_is_a_line_above_it(text: str, made: str | None) -> None:
    assert with_code_titles(text) == (made or text)


def test_codes_of_emoji_are_characters_outside_of_code_and_addresses() -> None:
    text = "I :heart: it `:x:` 10:20:30 :nobody:\n\n```\n:x:\n```"
    assert with_emoji(text) == text.replace(":heart:", "❤️")

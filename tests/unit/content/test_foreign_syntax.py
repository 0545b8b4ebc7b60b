"""Tests of text in the syntax of another tool: each is told with its line, and ordinary text is not."""

from __future__ import annotations

import re

import pytest
from tests.support.share import part

from pressync.content import foreign_syntax
from pressync.content.foreign_syntax import EMOJI_CODE
from pressync.content.render.markdown import to_html, with_places
from pressync.model.errors import Code
from pressync.model.interface import Kind
from pressync.model.records import Document


def warnings_of(markdown: str) -> list[tuple[int, Code]]:
    """Give line and code of each warning about a text."""
    page = Document("content/pages/a.md", "", Kind.PAGE, {}, markdown, 1)
    problems = list(foreign_syntax.problems(page, to_html(markdown), lambda: with_places(markdown)))
    assert all(problem.warning and problem.what and problem.todo for problem in problems)
    return [(problem.line, problem.code) for problem in problems]


@pytest.mark.parametrize(
    ("markdown", "code"),
    [
        ('{{< figure src="a.png" >}}', Code.HUGO_SHORTCODE),
        ('See [it]({{< ref "a.md" >}}).', Code.HUGO_SHORTCODE),
        ("{% include figure.html %}", Code.TEMPLATE_TAG),
        ("Hello {{ site.title }}!", Code.TEMPLATE_TAG),
        ('<img src="{{ site.url }}/a.png">', Code.TEMPLATE_TAG),
        ("## Title {#own-id}", Code.ATTRIBUTE_LIST),
        ("[Buy](a.md){ .button }", Code.ATTRIBUTE_LIST),
        ("import Tabs from '@theme/Tabs'", Code.MDX),
        ("<Tabs>\n\ntext\n\n</Tabs>", Code.MDX),
        ('A <Badge text="x" /> in a line', Code.MDX),
        ('!!! note "Title"\n\n    Text', Code.MKDOCS_BLOCK),
        ('=== "Tab"\n\n    Text', Code.MKDOCS_BLOCK),
        (":::note\nText\n:::", Code.DOCUSAURUS_ADMONITION),
        ("*[HTML]: Hyper Text", Code.KRAMDOWN),
        ("The sum $$x^2$$ is", Code.FORMULA),
        ("The sum $x^2 + y$ is", Code.FORMULA),
        ("\\begin{align}\na &= b\n\\end{align}", Code.FORMULA),
        ("See [[Another note|that]].", Code.WIKILINK),
        ("![[picture.png|300]]", Code.EMBED),
        ("A %%private%% word", Code.PERCENT_COMMENT),
        ("#recipe #bread/rye", Code.HASHTAG),
        ("> [!abstract] In short\n> Text", Code.CALLOUT),
        ("As [@doe99, p. 3] says", Code.CITATION),
        (":PROPERTIES:\n:ID: x\n:END:", Code.ORG_DRAWER),
        ("{/* a comment */}", Code.MDX),
        ("::youtube[Title]{id=x}", Code.DOCUSAURUS_ADMONITION),
        ("![a](b.png){width=50%}", Code.ATTRIBUTE_LIST),
        ("{# a comment #}", Code.TEMPLATE_TAG),
        ("[TOC]", Code.TYPED_MARKUP),
        ("A ==mark== of a pen", Code.TYPED_MARKUP),
        ("**bold **word", Code.TYPED_MARKUP),
        ("[text](a b.md)", Code.TYPED_MARKUP),
        ("A note[^1].", Code.TYPED_MARKUP),
        ("A note. ^[in the text]", Code.TYPED_MARKUP),
        ("| a |\n|---|---|", Code.TYPED_MARKUP),
        ("<div>\nRun `ls`.\n</div>", Code.TYPED_MARKUP),
        ('<img src="a" alt="b"c">', Code.TYPED_MARKUP),
        ("##Heading", Code.TYPED_MARKUP),
        ("I :heart: it", Code.KRAMDOWN),
    ],
)
def test_each_syntax_is_found_with_its_line_outside_of_code(markdown: str, code: Code) -> None:
    assert warnings_of(f"# Title\n\nA text.\n\n{markdown}\n")[:1] in ([(5, code)], [(6, code)])
    indented = "".join(f"    {line}\n" for line in markdown.split("\n"))
    assert warnings_of(f"````\n{markdown}\n````\n\n{indented}\n") == []


@pytest.mark.parametrize(
    "markdown",
    [
        "In code: `{{ x }}`, `{% y %}` and ``{{< z >}}``.",
        "The type `Vec<String>`, or Vec<String> in a text.",
        'import "fmt" in Go',
        "It is so!!! note that === is a sign.",
        "<!-- {{ hidden }} -->",
        "A smile :wink: that WordPress shows, 10:20:30, a::b::c, :ref:`x` and $$ or $5 and $6.",
        "> [!NOTE]\n> An alert of Markdown.",
        "Ask in #general or #rust-docs, see #12, C# and the colour #fff.",
        "[#channel](https://example.org)\n\n## #Rust2018",
        "$HOME/bin:$PATH, $A_B and $C, US$5^ and 5$, \\$x^2\\$.",
        r"\[[escaped]], \*\*stars\*\*, [a\](b.md), \<br> and &lt;br&gt;",
        "100%% of it, a [[1, 2], [3]] list, [[gallery]] and a[0][1].",
        "a == b and c==d==e, `x` and **/*.md or a/**.",
        '<a href="x" title="[[a]] $x^2$ **b**">a</a> and ![$x^2$](a.png)',
    ],
)
def test_other_text_is_not(markdown: str) -> None:
    assert warnings_of(markdown) == []


def test_a_line_is_told_once_with_its_number_in_the_file() -> None:
    markdown = "```\n{{ code }}\n```\n\nfirst `{{ c }}`\nthen {{ a }}\n\n<div>\n<p>\n{{ b }}\n</p>\n</div>\n"
    assert warnings_of(markdown) == [(6, Code.TEMPLATE_TAG), (10, Code.TEMPLATE_TAG)]
    assert warnings_of("Text with a #tag in it.") == []
    assert sorted(warnings_of("Text with a #tag in it.\n\n[[Note]]")) == [
        (1, Code.HASHTAG),
        (3, Code.WIKILINK),
    ]
    assert warnings_of("{{ a }} {{ b }} {{ c }}") == [(1, Code.TEMPLATE_TAG)]
    assert len(warnings_of("{{ a }}\n\n" * 300)) == 100


@pytest.mark.parametrize(
    ("language", "code"), [("mermaid", Code.DIAGRAM), ("PlantUML", Code.DIAGRAM), ("math", Code.FORMULA)]
)
def test_a_fence_that_another_tool_draws_is_told_and_other_code_is_not(language: str, code: Code) -> None:
    fences = f"Text\n\n``` {language} x\na\n```\n\n```python\n$x^2$ [[a]]\n```\n"
    assert warnings_of(fences) == [(3, code)]


HOSTILE = (
    *("{{<", "{{ ", "{% a", "{{ a\n", "{:a", "<Ab ", "\n!!! ", "\nimport a, ", "[[a", "$a_b ", "$$", "#a/"),
    *(" #a/a", "%%a", "**a", "[a](", "[a](.", "[a @", "==a", "`a", "|---", "{++", "\n#a ", "&lt;a", "\n%%"),
    *("\n> [!a", "$", "$a", "\\begin{a", ":::", "::a"),
)


@pytest.mark.parametrize("piece", part(HOSTILE, 15))
def test_hostile_text_in_a_foreign_syntax_takes_linear_time(piece: str) -> None:
    # Quadratic matching of this megabyte would outlast the test run's time limit by far.
    markdown = piece * (500_000 // len(piece))
    page = Document("a.md", "", Kind.PAGE, {}, markdown, 1)
    assert len(list(foreign_syntax.problems(page, f"<p>{markdown}</p>", lambda: f"<p>{markdown}</p>"))) <= 100


def test_an_emoji_code_is_told_from_other_text() -> None:
    for text in (":heart:", "a :+1: b", "(:man_shrugging:)", '":cherries:', ":wink2:"):
        assert re.search(EMOJI_CODE, text), text
    for text in (":wink:", "10:20:30", "a::b::c", "a:b:", ":Title:", ":role:`x`", ":a b:"):
        assert not re.search(EMOJI_CODE, text), text

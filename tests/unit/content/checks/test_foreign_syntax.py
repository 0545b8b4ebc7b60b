"""Text in the syntax of another tool is told of, and the same text in code is not."""

from __future__ import annotations

import pytest

from pressync.content.checks.foreign_syntax import find
from pressync.content.render.markdown import to_html, with_places
from pressync.model.interface import Kind
from pressync.model.problem_codes import Code
from pressync.model.records import Document


def found(markdown: str) -> list[tuple[int, Code]]:
    """Give line and code of each warning about a text."""
    page = Document("content/pages/a.md", "", Kind.PAGE, {}, markdown, 1)
    problems = list(find(page, to_html(markdown), lambda: with_places(markdown)))
    assert all(problem.warning and problem.what and problem.todo for problem in problems)
    return [(problem.line, problem.code) for problem in problems]


@pytest.mark.parametrize(
    ("markdown", "code"),
    [
        ('{{< figure src="a.png" >}}', Code.HUGO_SHORTCODE),
        ("{{% note %}}", Code.HUGO_SHORTCODE),
        ('See [it]({{< ref "a.md" >}}).', Code.HUGO_SHORTCODE),
        ("{% include figure.html %}", Code.TEMPLATE_TAG),
        ("{%- if x -%}", Code.TEMPLATE_TAG),
        ("Hello {{ site.title }}!", Code.TEMPLATE_TAG),
        ('{{ youtube(id="x") }}', Code.TEMPLATE_TAG),
        ("[home]({{site.url}}/home)", Code.TEMPLATE_TAG),
        ('<img src="{{ site.url }}/a.png">', Code.TEMPLATE_TAG),
        ("## Title {#own-id}", Code.ATTRIBUTE_LIST),
        ("A text.\n{: .note }", Code.ATTRIBUTE_LIST),
        ("* TOC\n{:toc}", Code.ATTRIBUTE_LIST),
        ("[Buy](a.md){ .button }", Code.ATTRIBUTE_LIST),
        ("import Tabs from '@theme/Tabs'", Code.MDX),
        ("import './style.css'", Code.MDX),
        ("export const x = 1", Code.MDX),
        ("<Tabs>\n\ntext\n\n</Tabs>", Code.MDX),
        ('A <Badge text="x" /> in a line', Code.MDX),
        ('!!! note "Title"\n\n    Text', Code.MKDOCS_BLOCK),
        ("??? tip\n\n    Text", Code.MKDOCS_BLOCK),
        ('=== "Tab"\n\n    Text', Code.MKDOCS_BLOCK),
        (":::note\nText\n:::", Code.DOCUSAURUS_ADMONITION),
        ("*[HTML]: Hyper Text", Code.KRAMDOWN),
        ("The sum $$x^2$$ is", Code.KRAMDOWN),
        ("I :heart: it", Code.KRAMDOWN),
        (":::warning[Title]\n\nText\n\n:::", Code.DOCUSAURUS_ADMONITION),
    ],
)
def test_each_syntax_is_found_with_its_line_outside_of_code(markdown: str, code: Code) -> None:
    assert found(f"# Title\n\nA text.\n\n{markdown}\n")[:1] in ([(5, code)], [(6, code)])
    indented = "".join(f"    {line}\n" for line in markdown.split("\n"))
    assert found(f"````\n{markdown}\n````\n\n{indented}\n") == []


@pytest.mark.parametrize(
    "markdown",
    [
        "In code: `{{ x }}`, `{% y %}` and ``{{< z >}}``.",
        "A set {1, 2}, a face :), a ratio 1:2, and {} or { }.",
        "The type `Vec<String>`, or Vec<String> in a text.",
        "<BR>, <P>a paragraph</P> and <a href='x.md'>a link</a>",
        "import is a word, and so is export.",
        'import "fmt" in Go',
        "It is so!!! note that === is a sign.",
        "<!-- {{ hidden }} -->",
        "<pre>{{ shown }}</pre>",
        "https://example.org/{{",
        "A smile :wink: that WordPress shows, 10:20:30, a::b::c, :ref:`x` and $$ or $5 and $6.",
        "- [a](https://example.org:8080/x:y:z)",
        "A price of {5.00} or {.5}",
        "> [!NOTE]\n> An alert of Markdown.",
    ],
)
def test_other_text_is_not(markdown: str) -> None:
    assert found(markdown) == []


def test_the_lines_are_those_of_the_file_also_after_code_and_in_raw_html() -> None:
    markdown = "```\n{{ code }}\n```\n\nfirst `{{ c }}`\nthen {{ a }}\n\n<div>\n<p>\n{{ b }}\n</p>\n</div>\n"
    assert found(markdown) == [(6, Code.TEMPLATE_TAG), (10, Code.TEMPLATE_TAG)]


def test_a_line_is_told_once_and_a_document_a_hundred_times_at_most() -> None:
    assert found("{{ a }} {{ b }} {{ c }}") == [(1, Code.TEMPLATE_TAG)]
    assert len(found("{{ a }}\n\n" * 300)) == 100


@pytest.mark.parametrize("piece", ["{{<", "{{ ", "{% a", "{{ a\n", "{:a", "<Ab ", "\n!!! ", "\nimport a, "])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    # Quadratic matching of this megabyte would outlast the test run's time limit by far.
    markdown = piece * (500_000 // len(piece))
    page = Document("a.md", "", Kind.PAGE, {}, markdown, 1)
    assert len(list(find(page, f"<p>{markdown}</p>", lambda: f"<p>{markdown}</p>"))) <= 100

"""Rendering: Markdown as GitHub's readers know it, the places of blocks and links, digests of the recipe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.content.render.links import Resolve, Unresolved
from pressync.content.render.markdown import to_html, with_places
from pressync.content.render.renderer import Rendered, Renderer
from pressync.model.interface import Kind
from pressync.model.records import Document

if TYPE_CHECKING:
    from collections.abc import Mapping


def document(body: str, *, path: str = "content/pages/a.md", body_line: int = 1) -> Document:
    return Document(
        path=path,
        blob="0" * 40,
        kind=Kind.PAGE,
        fields={"title": "A", "slug": "a"},
        body=body,
        body_line=body_line,
    )


def renderer(templates: Mapping[str, str] | None = None, *, content: str = "content") -> Renderer:
    return Renderer(templates or {}, templates_folder="templates", content=content)


def nothing_exists(_path: str) -> Unresolved:
    return Unresolved.MISSING


def render(body: str, *, resolve: Resolve = nothing_exists, body_line: int = 1) -> Rendered:
    return renderer().render(document(body, body_line=body_line), resolve=resolve)


def test_an_address_in_a_shortcode_is_no_link() -> None:
    text = '[embed width="1"]https://a.test/?b=1&c=2[/embed], [audio]http://a.test/x.mp3[/audio]. [x]http://a.b[/y]'
    content = render(f"{text}\n\n`{text}`").content
    assert content.startswith(
        '<p>[embed width="1"]https://a.test/?b=1&amp;c=2[/embed], [audio]http://a.test/x.mp3[/audio]. [x]<a '
    )
    assert content.count("<a ") == 1


def test_broken_links_are_warnings_at_their_lines_in_the_file() -> None:
    body = (
        "`[x](b.md)`\n"  # line 5 of the file
        "[x](b.md) and [b]\n"
        "\n"
        "- [x](b.md)\n"
        "  [x](b.md) [x](b.md)\n"
        "\n"
        "<p>\n"
        "<img src='c.png'></p>\n"
        "\n"
        "[b]: ../../../b.md\n"
    )
    result = render(body, body_line=5)
    assert [str(problem) for problem in result.problems] == [
        "content/pages/a.md:6: links to `b.md`, which does not exist; fix the link",
        "content/pages/a.md:6: links to `../../../b.md`, which is outside the repository; fix the link",
        "content/pages/a.md:8: links to `b.md`, which does not exist; fix the link",
        "content/pages/a.md:9: links to `b.md`, which does not exist; fix the link",
        "content/pages/a.md:12: links to `c.png`, which does not exist; add the file, or fix the link",
    ]
    assert all(problem.warning for problem in result.problems)
    assert result.links == ("content/pages/b.md",)


def test_a_template_that_fails_leaves_no_content_but_all_problems() -> None:
    result = renderer({"page.html": "{{ oops }}"}).render(document("[b](b.md)"), resolve=nothing_exists)
    assert result.content == ""
    assert result.links == ("content/pages/b.md",)
    assert [(problem.path, problem.warning) for problem in result.problems] == [
        ("content/pages/a.md", True),
        ("templates/page.html", False),
    ]


def test_half_a_character_is_a_problem_at_its_line() -> None:
    result = render("a\nb \ud800", body_line=4)
    assert result.content == ""
    assert str(result.problems[0]).startswith("content/pages/a.md:5: the text has half of a character")


def test_a_digest_changes_with_any_template_that_goes_into_the_page_and_with_nothing_else() -> None:
    one, other = renderer({"page.html": "x"}), renderer({"page.html": "x"})
    assert re.fullmatch("[0-9a-f]{20}", one.digest("page.html"))
    assert one.digest("page.html") == other.digest("page.html") == one.digest("page.html")

    def digest(base: str, other: str) -> str:
        sources = {"page.html": "{% extends 'base.html' %}", "base.html": base, "other.html": other}
        return renderer(sources).digest("page.html")

    assert digest("x", "y") != digest("X", "y")
    assert digest("x", "y") == digest("x", "Y")
    site = renderer({"page.html": "x"})
    others = (site.digest(""), renderer(content="docs").digest(""), blocks_renderer().digest(""))
    assert len({site.digest("page.html"), *others}) == 4


def blocks_renderer(templates: Mapping[str, str] | None = None) -> Renderer:
    return Renderer(templates or {}, templates_folder="templates", content="content", blocks=True)


def test_with_blocks_the_page_that_the_template_made_is_written_as_blocks() -> None:
    templates = {"page.html": "<nav>\n\n</nav>\n{{ content }}"}
    result = blocks_renderer(templates).render(document("[b](b.md)"), resolve=lambda _path: "https://b.test/")
    assert result.content == (
        "<!-- wp:html -->\n<nav>\n\n</nav>\n<!-- /wp:html -->\n\n"
        '<!-- wp:paragraph -->\n<p><a href="https://b.test/">b</a></p>\n<!-- /wp:paragraph -->'
    )
    assert result.links == ("content/pages/b.md",)


@given(st.text())
def test_any_text_renders_and_twice_the_same(body: str) -> None:
    assert render(body) == render(body)


PIECES = [
    *("[x](y.md)", "<a href=y.md>", '<img src="z"', "# ", "\n", "\n\n", "> ", "- ", "`", "```\n"),
    *("|", "<!--"),
]
PIECES += ["-->", "<script>", "</script>", "[^1]", "[^1]: ", ": ", "---\n", "a", " ", "    ", "<div>\n", "]("]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_every_broken_link_has_a_line_of_the_body(body: str) -> None:
    result = render(body)
    assert all(1 <= problem.line <= body.count("\n") + 1 for problem in result.problems)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>\n"),
        ("a\\\nb\r\nc", "<p>a<br />\nb\nc</p>\n"),
        ("\"a\" -- 'b'... &copy; AT&T <b>x</b>", "<p>&quot;a&quot; -- 'b'... © AT&amp;T <b>x</b></p>\n"),
        ("~~a~~", "<p><del>a</del></p>\n"),
        ("- [x] a", '<ul>\n<li><input type="checkbox" checked="" disabled="" /> a</li>\n</ul>\n'),
        ("www.example.org", '<p><a href="http://www.example.org">www.example.org</a></p>\n'),
        ("Term\n: text", "<dl>\n<dt>Term</dt>\n<dd>text</dd>\n</dl>\n"),
        ("```python\nx < 1\n```", '<pre><code class="language-python">x &lt; 1\n</code></pre>\n'),
        ("<script>alert(1)</script>", "<script>alert(1)</script>\n"),
        ("|a|b|\n|-|-:|\n|c|d|", '<td align="right">d</td>'),
        ("> [!NOTE]\n> a", '<p class="markdown-alert-title">Note</p>'),
        ("a[^1]\n\n[^1]: b", '<li id="fn-1">'),
    ],
)
def test_markdown_has_githubs_extensions_and_raw_html(markdown: str, html: str) -> None:
    assert html in to_html(markdown)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("## Our *team*", '<h2 id="our-team">Our <em>team</em></h2>\n'),
        ('# "A" & <b>b</b>', '<h1 id="a--b">&quot;A&quot; &amp; <b>b</b></h1>\n'),
        ("# A\n\n# A", '<h1 id="a">A</h1>\n<h1 id="a-1">A</h1>\n'),
        ("Été\n===", '<h1 id="été">Été</h1>\n'),
    ],
)
def test_a_heading_has_an_id_and_no_empty_link(markdown: str, html: str) -> None:
    assert to_html(markdown) == html


@pytest.mark.parametrize(
    "markdown", ["# A\n\n# A", "a *b*\n\n- c\n- [ ] d", "> e[^1]\n\n[^1]: f", "<b>g</b>\n\n|h|\n|-|"]
)
def test_places_are_all_that_a_body_with_places_has_more(markdown: str) -> None:
    assert re.sub(' data-sourcepos="[0-9:-]+"', "", with_places(markdown)) == to_html(markdown)

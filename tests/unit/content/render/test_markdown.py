"""Markdown as GitHub's readers know it, and the places that blocks are from."""

from __future__ import annotations

import re

import pytest

from pressync.content.render.markdown import to_html, with_places


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>\n"),
        ("a\\\nb", "<p>a<br />\nb</p>\n"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n"),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>\n"),
        ("---", "<hr />\n"),
        ("&copy; AT&T <b>x</b>", "<p>© AT&amp;T <b>x</b></p>\n"),
        ("\"a\" -- 'b'...", "<p>&quot;a&quot; -- 'b'...</p>\n"),
        ("a\r\nb", "<p>a\nb</p>\n"),
        ("", ""),
    ],
)
def test_markdown_is_commonmark(markdown: str, html: str) -> None:
    assert to_html(markdown) == html


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("~~a~~", "<p><del>a</del></p>\n"),
        ("- [x] a", '<ul>\n<li><input type="checkbox" checked="" disabled="" /> a</li>\n</ul>\n'),
        ("www.example.org", '<p><a href="http://www.example.org">www.example.org</a></p>\n'),
        ("Term\n: text", "<dl>\n<dt>Term</dt>\n<dd>text</dd>\n</dl>\n"),
        ("```python\nx < 1\n```", '<pre><code class="language-python">x &lt; 1\n</code></pre>\n'),
        ("<script>alert(1)</script>", "<script>alert(1)</script>\n"),
    ],
)
def test_markdown_has_githubs_extensions_and_raw_html(markdown: str, html: str) -> None:
    assert to_html(markdown) == html


@pytest.mark.parametrize(
    ("markdown", "part"),
    [
        ("|a|b|\n|-|-:|\n|c|d|", '<td align="right">d</td>'),
        ("> [!NOTE]\n> a", '<p class="markdown-alert-title">Note</p>'),
        ("a[^1]\n\n[^1]: b", '<li id="fn-1">'),
    ],
)
def test_markdown_has_tables_alerts_and_footnotes(markdown: str, part: str) -> None:
    assert part in to_html(markdown)


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


def test_a_block_is_placed_by_its_lines_and_columns() -> None:
    assert with_places("# A\n\nb\nc").splitlines()[1] == '<p data-sourcepos="3:1-4:1">b'


def test_half_a_character_is_told_by_an_error_and_not_replaced() -> None:
    for render in (to_html, with_places):
        with pytest.raises(UnicodeEncodeError):
            render("a\ud800")

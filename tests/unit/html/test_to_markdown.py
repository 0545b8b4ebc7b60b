"""HTML and the paragraphs of the classic editor as Markdown; and HTML that Markdown takes as it is.

`classic_bodies.json` holds texts and, beside each, the bytes that `wpautop` of WordPress 6.8 and 7.1 gave.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.share import part

from pressync.html import to_markdown
from pressync.html.normalize import normalized
from pressync.html.paragraphs import paragraphs
from pressync.html.to_markdown import InexpressibleError, MarkdownStyle, blocks, inline, lines_escaped, raw
from pressync.html.tree import parse

STYLE = MarkdownStyle(lambda address: address)


def said(html: str, style: MarkdownStyle = STYLE) -> str:
    return blocks(normalized(parse(html)), style)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>A <b>b</b></h2><p>c</p>", "## A **b**\n\nc"),
        ("<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"),
        ("<ul><li><p>a</p></li><li><p>b</p></li></ul>", "- a\n\n- b"),
        ('<ol start="3"><li>a</li><li>b</li></ol>', "3. a\n4. b"),
        ('<ul><li><input type="checkbox" checked disabled> a</li></ul>', "- [x] a"),
        ('<ul><li><p><input type="checkbox" disabled> a</p></li></ul>', "- [ ] a"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ('<pre><code class="language-js">a\n\n  b</code></pre>', "```js\na\n\n  b\n```"),
        ("<pre><code>```\n</code></pre>", "````\n```\n````"),
        ("<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>", "a\n: b\n\nc\n: d"),
        ("<dl><dt>a</dt><dd><p>b</p></dd></dl>", "a\n\n: b"),
        (
            (
                '<table><thead><tr><th>a</th><th align="right">b|c</th></tr></thead>'
                '<tbody><tr><td>1</td><td align="right">2</td></tr></tbody></table>'
            ),
            "| a | b\\|c |\n| --- | --: |\n| 1 | 2 |",
        ),
        (
            (
                '<div class="markdown-alert markdown-alert-note">'
                '<p class="markdown-alert-title">Note</p><p>a</p></div>'
            ),
            "> [!NOTE]\n> a",
        ),
        (
            (
                '<section class="footnotes"><ol><li id="fn-a">'
                '<p>x <a class="footnote-backref">↩</a></p></li></ol></section>'
            ),
            "[^a]: x",
        ),
    ],
)
def test_each_kind_of_block_has_its_form(html: str, markdown: str) -> None:
    assert said(html) == markdown


def test_markdown_stands_between_the_tags_of_what_it_has_no_word_for() -> None:
    html = "<details open><summary>S <b>b</b></summary><p>a</p><p>c</p></details>"
    assert said(html) == '<details open="">\n<summary>S **b**</summary>\n\na\n\nc\n\n</details>'


@pytest.mark.parametrize(
    "html",
    [
        "<form><input></form>",
        "<pre><code>a <b>b</b></code></pre>",
        "<table><tbody><tr><td>no head</td></tr></tbody></table>",
        '<ol start="x"><li>a</li></ol>',
        f'<ol start="{"9" * 5000}"><li>a</li></ol>',
    ],
)
def test_what_markdown_has_no_word_for_is_refused(html: str) -> None:
    with pytest.raises(InexpressibleError):
        said(html)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<div>\n\n<p>a</p>\n \n</div>\n", "<div>\n<p>a</p>\n</div>"),
        ("<pre>a\n\nb</pre>", "<pre>a\n\nb</pre>"),
        ("<div><pre>a\n\n\nb</pre></div>", "<div><pre>a\n&#10;&#10;b</pre></div>"),
        (
            "<!-- wp:shortcode -->\n[a]\n<!-- /wp:shortcode -->",
            "<!-- wp:shortcode -->[a]\n<!-- /wp:shortcode -->",
        ),
    ],
)
def test_html_is_written_without_the_blank_lines_that_would_end_it(source: str, written: str) -> None:
    assert raw(source) == written


def test_elements_without_an_end_are_searched_for_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    class Counted:
        def search(self, source: str, position: int) -> None:
            searched.append(len(source) - position)

    monkeypatch.setattr(
        to_markdown, "_ENDS", dict.fromkeys(("pre", "textarea", "script", "style"), Counted())
    )
    source = "<script>a\n\n<STYLE>\n" * 1_000
    assert raw(source) == source.replace("\n\n", "\n").strip()
    assert len(searched) == 2


USUAL = MarkdownStyle(lambda address: address.replace("https://site.test/about/", "about.md"))


def written(html: str, style: MarkdownStyle = USUAL) -> str:
    return inline(normalized(parse(html)), style)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("a <b>bold</b> <i>word</i> <s>gone</s>", "a **bold** *word* ~~gone~~"),
        ('<a href="https://site.test/about/" title="T">x</a>', '[x](about.md "T")'),
        ('<a href="https://a.test/?a=1&amp;b">https://a.test/?a=1&amp;b</a>', "<https://a.test/?a=1&b>"),
        ('<a href="mailto:a@b.test">a@b.test</a>', "<a@b.test>"),
        ('<a href="a (b).pdf">x</a>', "[x](<a (b).pdf>)"),
        ('<img src="a.png" alt="A [b]">', "![A \\[b\\]](a.png)"),
        ("<code>a `b` c</code>", "``a `b` c``"),
        ("<kbd>Ctrl</kbd> <span class='x'>y</span>", '<kbd>Ctrl</kbd> <span class="x">y</span>'),
        ('<a href="https://site.test/about/" rel="me">x</a>', '<a href="about.md" rel="me">x</a>'),
        ("2 * 3 &lt; 7 &amp; snake_case", "2 \\* 3 < 7 & snake_case"),
        ("&lt;b&gt; &amp;amp; *x* `y` \\*", "\\<b> \\&amp; \\*x\\* \\`y\\` \\\\\\*"),
    ],
)
def test_each_kind_of_markup_has_its_mark(html: str, markdown: str) -> None:
    assert written(html) == markdown
    thorough = MarkdownStyle(lambda address: address, thorough=True)
    assert written("[a]: www.x.test", thorough) == "\\[a\\]\\: www\\.x.test"
    with pytest.raises(InexpressibleError):
        written("a <ul><li>b</li></ul>")


@pytest.mark.parametrize("line", ["# a", "> a", "- a", "+ a", "1. a", "12) a", "---", "===", ": a", "| a |"])
def test_a_line_that_would_begin_another_block_is_escaped(line: str) -> None:
    escaped = lines_escaped(f"a\n{line}")
    assert escaped.replace("\\", "") == f"a\n{line}"
    assert escaped.count("\\") == 1
    for other in ("#a", "-a", "1.5", "a: b", "2024. was"):
        assert lines_escaped(other) == other.replace("2024.", "2024\\.")


BODIES: list[list[str]] = json.loads(Path(__file__).with_name("classic_bodies.json").read_text("utf-8"))
# Each of these begins something that an expression looks for, and never ends it.
OPENINGS = (
    *("<", "<!--", "<![CDATA[", "<pre", "<pre></pre>", "<div", "<div ", "<p>", "<p><li ", "<li\nx", "</p>"),
    *('<p><blockquote "', "<object </object>", "<param </object>", "<audio <source", "<video", " <track "),
    *(" <option", "<figcaption", "<style<script<svg<math", "<script>\n</script>", "<br ", "<br />", "a\n\n"),
    *("\n", " ", "\n ", "<br />\n", "[audio<source>"),
)


@pytest.mark.parametrize(("text", "shown"), BODIES)
def test_a_classic_body_becomes_what_wordpress_makes_of_it(text: str, shown: str) -> None:
    assert paragraphs(text) == shown


@given(
    st.lists(st.sampled_from(["<p>", "</p>", "word", "<em>a</em>", "\n\n", "<br>", "<ul><li>a</li></ul>"]))
)
def test_no_word_is_lost(parts: list[str]) -> None:
    text = " ".join(parts)
    assert paragraphs(text).count("word") == text.count("word")


@pytest.mark.parametrize("opening", part(OPENINGS, 6))
def test_a_hostile_text_takes_no_more_than_its_length(opening: str) -> None:
    # Were it quadratic, it would not come back.
    assert paragraphs("a" + opening * (100_000 // len(opening))).startswith(("<p>a", "a"))

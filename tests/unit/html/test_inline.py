"""Text with markup, written as people write Markdown."""

from __future__ import annotations

import pytest

from pressync.html.inline import InexpressibleError, MarkdownStyle, inline, lines_escaped
from pressync.html.normalize import normalized
from pressync.html.tree import parse

USUAL = MarkdownStyle(lambda address: address.replace("https://site.test/about/", "about.md"))


def said(html: str, style: MarkdownStyle = USUAL) -> str:
    return inline(normalized(parse(html)), style)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("a <b>bold</b> <i>word</i> <s>gone</s>", "a **bold** *word* ~~gone~~"),
        ("a<br>b", "a\\\nb"),
        ("one\ntwo", "one\ntwo"),
        ('<a href="https://site.test/about/" title="T">x</a>', '[x](about.md "T")'),
        ('<a href="https://a.test/?a=1&amp;b">https://a.test/?a=1&amp;b</a>', "<https://a.test/?a=1&b>"),
        ('<a href="mailto:a@b.test">a@b.test</a>', "<a@b.test>"),
        ('<a href="a (b).pdf">x</a>', "[x](<a (b).pdf>)"),
        ('<img src="a.png" alt="A [b]">', "![A \\[b\\]](a.png)"),
        ("<code>a `b` c</code>", "``a `b` c``"),
        ("<code>`</code>", "`` ` ``"),
        ("<kbd>Ctrl</kbd> <span class='x'>y</span>", '<kbd>Ctrl</kbd> <span class="x">y</span>'),
        ('<a href="https://site.test/about/" rel="me">x</a>', '<a href="about.md" rel="me">x</a>'),
        ("2 * 3 &lt; 7 &amp; snake_case", "2 \\* 3 < 7 & snake_case"),
        ("&lt;b&gt; &amp;amp; *x* `y` \\*", "\\<b> \\&amp; \\*x\\* \\`y\\` \\\\\\*"),
        ("a<!-- note -->b", "a<!-- note -->b"),
    ],
)
def test_each_kind_of_markup_has_its_mark(html: str, markdown: str) -> None:
    assert said(html) == markdown


def test_the_thorough_voice_escapes_all_that_could_be_markup() -> None:
    assert (
        said("[a]: www.x.test", MarkdownStyle(lambda address: address, thorough=True))
        == "\\[a\\]\\: www\\.x.test"
    )


@pytest.mark.parametrize("line", ["# a", "> a", "- a", "+ a", "1. a", "12) a", "---", "===", ": a", "| a |"])
def test_a_line_that_would_begin_another_block_is_escaped(line: str) -> None:
    escaped = lines_escaped(f"a\n{line}")
    assert escaped.replace("\\", "") == f"a\n{line}"
    assert escaped.count("\\") == 1


@pytest.mark.parametrize("line", ["#a", "-a", "1.5", "a: b", "2024. was"])
def test_a_line_that_only_looks_so_is_not(line: str) -> None:
    assert lines_escaped(line) == line.replace("2024.", "2024\\.")


def test_a_block_inside_a_line_cannot_be_said() -> None:
    with pytest.raises(InexpressibleError):
        said("a <ul><li>b</li></ul>")

"""Code that WordPress shows as it is written, what is no code to a browser, and shortcodes that run."""

from __future__ import annotations

import html
import re

import pytest

from pressync.html.shortcodes import (
    as_written,
    elements_for_references,
    escape_shortcodes,
    unescape_shortcodes,
)

# What WordPress 6.8 looks for when it shows a text (`get_shortcode_regex`, `WP_Embed::autoembed`).
SHORTCODE = re.compile(r"\[(\[?)(gallery|embed|my-form|ns:tag)(?![\w-])")
ADDRESS = re.compile(r"^(\s*)(https?://[^\s<>\"]+)(\s*)$", re.MULTILINE)


@pytest.mark.parametrize(
    "code",
    [
        "[gallery]",
        "[[gallery]]",
        "[embed]https://a.test/[/embed]",
        "a\n[my-form\n]\nb",
        "https://video.test/watch?v=1",
        '[gallery="1"]',
        "see\n  https://video.test/1  \nhttp://video.test/2\nend",
    ],
)
@pytest.mark.parametrize("tags", ["<code>", '<pre lang="x"><code>', "<PRE>"])
def test_code_holds_nothing_that_wordpress_looks_for_and_reads_the_same(code: str, tags: str) -> None:
    ends = tags.replace("<", "</").replace(' lang="x"', "")
    written = escape_shortcodes(tags + code + ends)
    inner = written.removeprefix(tags).removesuffix(ends)
    assert not SHORTCODE.search(inner)
    assert not ADDRESS.search(inner)
    assert html.unescape(written) == tags + code + ends
    assert unescape_shortcodes(written) == tags + code + ends


@pytest.mark.parametrize(
    "text",
    [
        "<p>[gallery]</p>",
        "<code>a[0] + b[i]</code>",
        "<code>see https://a.test/ for more</code>",
        '<pre><a href="[gallery]">x</a></pre>',
    ],
)
def test_what_is_no_code_or_harmless_goes_as_it_is(text: str) -> None:
    assert escape_shortcodes(text) == text


def test_a_code_element_ends_where_a_browser_ends_it() -> None:
    assert escape_shortcodes("<code>[gallery]<b>[gallery]</b></code>[gallery]") == (
        "<code>&#091;gallery]<b>&#091;gallery]</b></code>[gallery]"
    )
    assert escape_shortcodes("<code>[gallery]") == "<code>&#091;gallery]"
    assert escape_shortcodes("</code>[gallery]") == "</code>[gallery]"


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>const open = '<pre>'; const [first, second] = both</script>",
        "<style>/* <code> */ a[href] {}</style>",
        "<!-- <code> [gallery] <b -->",
        "<!--><!---><textarea><code></textarea>",
    ],
)
def test_what_looks_like_code_in_a_script_or_a_comment_is_none(hidden: str) -> None:
    assert escape_shortcodes(f"{hidden}[gallery]<code>[gallery]</code>") == (
        f"{hidden}[gallery]<code>&#091;gallery]</code>"
    )
    assert escape_shortcodes(f"<pre>{hidden}[gallery]</pre>") == f"<pre>{hidden}&#091;gallery]</pre>"


def test_an_escape_as_an_element_holds_nothing_that_wordpress_looks_for_and_is_removed() -> None:
    code = "<pre>[gallery]\nhttps://video.test/1\n</pre><code>[[embed]]</code>"
    written = elements_for_references(escape_shortcodes(code))
    assert written == (
        "<pre><span>[</span>gallery]\nhttps:/<span>/</span>video.test/1\n</pre><code>[<span>[</span>embed]]</code>"
    )
    assert not SHORTCODE.search(written)
    assert not ADDRESS.search(written)
    assert unescape_shortcodes(written) == code
    # Outside of code they are somebody's own.
    own = "<p><span>[</span>&#091;</p><textarea>&#091;</textarea>"
    assert elements_for_references(own) == own
    assert unescape_shortcodes(own) == own
    assert unescape_shortcodes("&#091;a] <code>&#091;a]</code>") == "&#091;a] <code>[a]</code>"


@pytest.mark.parametrize("piece", ["<", "<!--", "<pre>", "<code>[", "-->", "<script>", "https://"])
def test_hostile_text_costs_no_more_than_its_length(piece: str) -> None:
    # Were it quadratic, it would not come back.
    text = piece * 200_000
    assert html.unescape(escape_shortcodes(text)) == text


@pytest.mark.parametrize(
    "shortcode",
    [
        '[gallery ids="1,2"]',
        '[audio\nsrc="https://a.test/?a=1&amp;b=2"\nloop="1"]',
        '[a b="1 &lt; 2"]text &quot;x&quot;[/a]',
        "[a b='say \"hi\"']",
    ],
)
@pytest.mark.parametrize(
    "around", ["<p>{}</p>", '<td title="a > b"><em>{}</em></td>', "{}", "<p>[see {}</p>"]
)
def test_a_shortcode_outside_of_code_keeps_its_quotes(shortcode: str, around: str) -> None:
    inside, end, after = shortcode.partition("]text")
    written = around.format(inside.replace('"', "&quot;") + end + after)
    assert as_written(written) == around.format(shortcode)


@pytest.mark.parametrize(
    "text",
    [
        "<p>[see &quot;the manual&quot;] and [a=&quot;b&quot;]</p>",
        "<p>press [the key] a=&quot;b&quot; [</p>",
        "<p><code>[gallery ids=&quot;1&quot;]</code></p>",
        "<pre><code>[gallery ids=&quot;1&quot;]\n</code></pre>",
        '<img alt="a > [gallery ids=&quot;1&quot;]" />',
        "<textarea>[gallery ids=&quot;1&quot;]</textarea>",
        "<!-- [gallery ids=&quot;1&quot;] -->",
    ],
)
def test_quotes_of_prose_of_code_and_of_attributes_stay_escaped(text: str) -> None:
    assert as_written(text) == text
    assert as_written(f"[a b=&quot;c&quot;]{text}") == f'[a b="c"]{text}'


@pytest.mark.parametrize(
    "piece", ["[a b=&quot;", "[a b", "b=&quot; ", "[a ", "<code>[a b=&quot;&quot;]", "a ="]
)
@pytest.mark.sweep
def test_hostile_shortcodes_cost_no_more_than_their_length(piece: str) -> None:
    assert html.unescape(as_written("[a " + piece * 100_000)) == html.unescape("[a " + piece * 100_000)

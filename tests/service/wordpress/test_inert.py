"""Code that WordPress shows as it is written."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.service.wordpress.inert import inert, restored

# What WordPress 6.8 looks for when it shows a text (`get_shortcode_regex`, `WP_Embed::autoembed`).
SHORTCODE = re.compile(r"\[(\[?)(gallery|embed|my-form|ns:tag)(?![\w-])")
ADDRESS = re.compile(r"^(\s*)(https?://[^\s<>\"]+)(\s*)$", re.MULTILINE)

TAGS = ["<code>", "</code>", "<pre>", "</pre>", '<a href="[x y]">', "</a>"]
WORDS = [
    "[gallery",
    "]",
    "[",
    "/",
    "&#091;",
    "&#0091;",
    "&#91;",
    "\n",
    "https://a.test/b",
    "<",
    ">",
    " ",
    "x",
]
pieces = st.lists(st.sampled_from(TAGS + WORDS), max_size=12).map("".join)


@pytest.mark.parametrize(
    "code",
    [
        "[gallery]",
        '[gallery ids="1,2"]',
        "[[gallery]]",
        "[embed]https://a.test/[/embed]",
        "a\n[my-form\n]\nb",
        "[ns:tag/]",
        "https://video.test/watch?v=1",
        "see\n  https://video.test/1  \nhttp://video.test/2\nend",
    ],
)
@pytest.mark.parametrize("tags", ["<code>", '<pre lang="x"><code>', "<PRE>"])
def test_code_holds_nothing_that_wordpress_looks_for_and_reads_the_same(code: str, tags: str) -> None:
    ends = tags.replace("<", "</").replace(' lang="x"', "")
    written = inert(tags + code + ends)
    inner = written.removeprefix(tags).removesuffix(ends)
    assert not SHORTCODE.search(inner)
    assert not ADDRESS.search(inner)
    assert html.unescape(written) == tags + code + ends


@pytest.mark.parametrize(
    "text",
    [
        "<p>[gallery]</p>",
        "<p>https://video.test/1</p>",
        "<code>a[0] + b[i]</code>",
        "<code>see https://a.test/ for more</code>",
        '<pre><a href="[gallery]">x</a></pre>',
        "<p>no code</p>",
    ],
)
def test_what_is_no_code_or_harmless_goes_as_it_is(text: str) -> None:
    assert inert(text) == text


def test_a_code_element_ends_where_a_browser_ends_it() -> None:
    assert inert("<code>[gallery]<b>[gallery]</b></code>[gallery]") == (
        "<code>&#091;gallery]<b>&#091;gallery]</b></code>[gallery]"
    )
    assert inert("<code>[gallery]") == "<code>&#091;gallery]"
    assert inert("</code>[gallery]") == "</code>[gallery]"


@given(st.text() | pieces)
def test_what_comes_back_is_what_was_meant(text: str) -> None:
    assert restored(inert(text)) == text
    assert html.unescape(inert(text)) == html.unescape(text)

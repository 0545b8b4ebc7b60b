"""Code that WordPress does not change, and the text that it was."""

from __future__ import annotations

import html

from hypothesis import given
from hypothesis import strategies as st

from pressync.client.wordpress.escape_code import escape, unescape

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


@given(st.text() | pieces)
def test_what_comes_back_is_what_was_meant(text: str) -> None:
    assert unescape(escape(text)) == text
    assert html.unescape(escape(text)) == html.unescape(text)

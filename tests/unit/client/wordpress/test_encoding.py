"""What WordPress gets of a text comes back as the text, and visitors see it: code, blocks and titles."""

from __future__ import annotations

import html

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pressync.client.wordpress.record import escape_code, unescape_code, unwrap, wrap
from pressync.html.titles import escape_title, unescape_title

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
    assert unescape_code(escape_code(text)) == text
    assert html.unescape(escape_code(text)) == html.unescape(text)


OPEN, CLOSE = "<!-- wp:html -->\n", "<!-- /wp:html -->"

# Texts of the very pieces that the rules look at, so that chance meets every row of them.
blocks = st.lists(
    st.sampled_from([OPEN, CLOSE, "\n", "<p>a</p>", "<!-- wp:", "<!-- wp:html -->", "x"]), max_size=7
).map("".join)


@pytest.mark.parametrize(
    "text",
    [
        "<p>a</p>",
        '<!-- wp:heading {"level":3} -->\n<h3>A</h3>\n<!-- /wp:heading -->',
        f"{OPEN}<p>a</p>{CLOSE}\n<p>b</p>",
        f"{OPEN}<p>a</p>{CLOSE}{OPEN}<p>b</p>{CLOSE}",
        f"{OPEN}<p>no end</p>",
        OPEN + CLOSE,
    ],
)
def test_what_others_wrote_on_the_site_is_read_as_it_is(text: str) -> None:
    assert unwrap(text) == text


def test_only_what_is_one_html_block_and_nothing_else_gets_another_around_it() -> None:
    block = f"{OPEN}<p>a</p>\n{CLOSE}"
    assert wrap(block) == OPEN + block + CLOSE
    assert wrap(f"{block}\n") == f"{block}\n"


@given(st.text() | blocks | pieces)
@example(f"{OPEN}<p>a</p>{CLOSE}")
@example("<code>[a]</code>")
def test_a_wrapped_text_comes_back_as_it_was_meant(text: str) -> None:
    assert unwrap(wrap(text)) == text


def test_code_that_somebody_wrote_beside_ours_on_the_site_is_read_as_it_is() -> None:
    theirs = wrap("<code>[ours]</code>").replace(CLOSE, f"<code>[theirs]</code>{CLOSE}")
    assert unwrap(theirs) == "<code>&#091;ours]</code><code>[theirs]</code>"


@given(blocks)
def test_nothing_is_taken_out_of_a_block_that_would_not_be_put_into_it(text: str) -> None:
    assert unwrap(text) == text or wrap(unwrap(text)) == text


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("The <script> element", "The &lt;script> element"),
        ("Vec<T> & Option<T>", "Vec&lt;T> & Option&lt;T>"),
        ("&amp; is an entity", "&amp;amp; is an entity"),
        ("&#8212; and &#x2014;", "&amp;#8212; and &amp;#x2014;"),
        ("R&D; a < b && c > d <3", "R&amp;D; a < b && c > d <3"),
        ("<!-- a --> </b> <?php", "&lt;!-- a --> &lt;/b> &lt;?php"),
        ('AT&T "says" \\n it\'s &copy 2026', 'AT&T "says" \\n it\'s &copy 2026'),
    ],
)
def test_what_would_be_a_tag_or_an_entity_is_escaped_and_nothing_else(text: str, sent: str) -> None:
    assert escape_title(text) == sent


@given(st.text(alphabet="&<>#xamplt;123é ", max_size=30))
@example("&notit; &#0; &#x110000; &;")
def test_every_title_comes_back_as_it_was_written(text: str) -> None:
    assert unescape_title(escape_title(text)) == text


def test_a_title_that_somebody_else_wrote_is_read_as_it_is_shown() -> None:
    assert (
        unescape_title("Bread &amp; butter &#8212; &lt;fresh&gt; &nosuch;")
        == "Bread & butter — <fresh> &nosuch;"
    )

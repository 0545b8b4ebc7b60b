"""Content is wrapped in a block and unwrapped again."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pressync.client.wordpress.classic_block import unwrap, wrap
from pressync.content.render.editor_blocks import to_blocks

OPEN, CLOSE = "<!-- wp:html -->\n", "<!-- /wp:html -->"

# Texts of the very pieces that the rules look at, so that chance meets every row of them.
pieces = st.lists(
    st.sampled_from([OPEN, CLOSE, "\n", "<p>a</p>", "<!-- wp:", "<!-- wp:html -->", "x"]), max_size=7
).map("".join)


def test_html_goes_in_a_block_as_wordpress_itself_spells_it() -> None:
    assert wrap("<p>a\nb</p>\n") == "<!-- wp:html -->\n<p>a\nb</p>\n<!-- /wp:html -->"


@pytest.mark.parametrize(
    "text", ["", "<!-- wp:paragraph -->\n<p>a</p>\n<!-- /wp:paragraph -->", "<p>a</p><!-- wp:more /-->"]
)
def test_no_text_and_text_with_blocks_of_its_own_go_as_they_are(text: str) -> None:
    assert wrap(text) == text


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


def test_a_body_that_is_written_as_blocks_goes_and_comes_as_it_is() -> None:
    page = "<p>a</p>\n<div>\n\nb</div>\n<div>c</div>\n"
    for html in (page, "<div>b</div>\n<div>c</div>\n", "<div>b</div>\n<p>a</p>\n<div>c</div>\n"):
        content = to_blocks(html)
        assert content.startswith("<!-- wp:")
        assert wrap(content) == content == unwrap(content)


def test_a_body_that_is_html_and_nothing_else_gets_one_block_with_blocks_or_without() -> None:
    html = "<div>a</div>\n"
    assert wrap(to_blocks(html)) == wrap(html) == f"{OPEN}{html}{CLOSE}"


def test_only_what_is_one_html_block_and_nothing_else_gets_another_around_it() -> None:
    block = f"{OPEN}<p>a</p>\n{CLOSE}"

    assert wrap(block) == OPEN + block + CLOSE
    assert wrap(f"{block}\n") == f"{block}\n"


@given(st.text() | pieces)
@example(f"{OPEN}<p>a</p>{CLOSE}")
def test_what_comes_back_is_what_was_meant(text: str) -> None:
    assert unwrap(wrap(text)) == text


@given(pieces)
def test_nothing_is_taken_out_of_a_block_that_would_not_be_put_into_it(text: str) -> None:
    assert unwrap(text) == text or wrap(unwrap(text)) == text

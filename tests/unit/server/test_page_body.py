"""A record's body, as a visitor sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.server.page_body import page_body
from pressync.server.record import StoredRecord

if TYPE_CHECKING:
    from pressync.server.store import Store


def body(store: Store, content: str, *, classic: bool = True, footnotes: str = "") -> str:
    record = StoredRecord(7, Kind.PAGE, "", 0, 0, content=content, footnotes=footnotes)
    with store.database.reading() as db:
        return page_body(db, record, classic=classic)


def test_a_text_of_blocks_is_shown_without_their_comments(store: Store) -> None:
    text = (
        '<!-- wp:heading {"level":2} -->\n<h2>A</h2>\n<!-- /wp:heading -->\n\n'
        "<!-- wp:html -->\n<p>b\nc</p>\n<!-- /wp:html -->"
    )
    assert body(store, text) == "\n<h2>A</h2>\n\n\n\n<p>b\nc</p>\n"


def test_a_text_of_the_classic_editor_gets_its_paragraphs(store: Store) -> None:
    assert body(store, "One line\nand another.\n\nA <b>second</b>.") == (
        "<p>One line<br />\nand another.</p>\n<p>A <b>second</b>.</p>\n"
    )


def test_a_text_of_the_documented_interface_is_shown_as_it_was_sent(store: Store) -> None:
    text = "<div>\none\n\ntwo [gallery]\n</div>\nhttps://example.org/\n"
    assert body(store, text, classic=False) == text


def test_footnotes_of_the_block_editor_come_from_their_field(store: Store) -> None:
    text = '<p>a<sup><a href="#f1" id="f1-link">1</a></sup></p>\n<!-- wp:footnotes /-->'
    html = body(store, text, footnotes='[{"id": "f1", "content": "A <em>note</em>"}, 3]')
    assert '<li id="f1">A <em>note</em> <a href="#f1-link"' in html


@pytest.mark.parametrize("footnotes", ["", "null", "{", "[[]]"])
def test_footnotes_that_are_not_readable_are_left_out(store: Store, footnotes: str) -> None:
    assert body(store, "<!-- wp:footnotes /-->", footnotes=footnotes) == ""


def test_the_place_where_a_summary_ends_can_be_linked_to(store: Store) -> None:
    assert '<span id="more-7"></span>' in body(store, "a\n\n<!--more-->\n\nb")


def test_an_address_on_a_line_of_its_own_becomes_a_link_to_that_site(store: Store) -> None:
    text = "<!-- wp:embed -->\n<figure><div>\nhttps://v.example/w?a=1\n</div></figure>\n<!-- /wp:embed -->"
    assert '<a class="embedded" href="https://v.example/w?a=1">v.example</a>' in body(store, text)


def test_a_body_is_closed(store: Store) -> None:
    assert body(store, "<!-- wp:html -->\n</div><section>x\n<!-- /wp:html -->") == "\n<section>x\n</section>"

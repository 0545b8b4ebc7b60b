"""A body as a visitor sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.share import part

from pressync.model.interface import Kind
from pressync.stage.server.rendering import (
    SHORTENED,
    page_body,
    run_shortcodes,
    to_paths,
)
from pressync.stage.server.rows import StoredRecord

if TYPE_CHECKING:
    from pressync.stage.server.store import Store


def body(store: Store, content: str, *, classic: bool = True, footnotes: str = "", whole: bool = True) -> str:
    record = StoredRecord(7, Kind.PAGE, "", 0, 0, content=content, footnotes=footnotes)
    with store.database.reading() as db:
        return page_body(db, record, classic=classic, whole=whole)


def test_a_text_of_blocks_is_shown_without_their_comments(store: Store) -> None:
    text = (
        '<!-- wp:heading {"level":2} -->\n<h2>A</h2>\n<!-- /wp:heading -->\n\n'
        "<!-- wp:html -->\n<p>b\nc</p>\n<!-- /wp:html -->"
    )
    assert body(store, text) == "\n<h2>A</h2>\n\n\n\n<p>b\nc</p>\n"


@pytest.mark.parametrize("footnotes", ["", "null", "{", "[[]]"])
def test_footnotes_that_are_not_readable_are_left_out(store: Store, footnotes: str) -> None:
    assert body(store, "<!-- wp:footnotes /-->", footnotes=footnotes) == ""
    note = '[{"id": "f1", "content": "A note"}]'
    assert body(store, "<!-- wp:footnotes /-->" * 1000, footnotes=note).count("A note") == 1


def test_an_address_on_a_line_of_its_own_becomes_a_link_to_that_site(store: Store) -> None:
    text = "<!-- wp:embed -->\n<figure><div>\nhttps://v.example/w?a=1\n</div></figure>\n<!-- /wp:embed -->"
    assert '<a class="embedded" href="https://v.example/w?a=1">v.example</a>' in body(store, text)
    address = "https://youtu.be/a?b&amp;c"
    player = f'<a class="embedded player" href="{address}">YouTube</a>'
    # WordPress makes a player in HTML of the author, too, and not of an address beside words.
    for text in ('<p style="a">{}</p>', "<div>\n {}\n</div>", "<div><p>\n{}\n</p></div>"):
        assert player in body(store, text.format(address))
    for text in ("<div>{}</div>", "<p>a {}</p>"):
        assert player not in body(store, text.format(address))


_LONG = (
    ("a\n\n", 110_000),
    ("[embed]", 300_000),
    ("x ", 1_010_000),
    ("<!--more-->", 110_000),
    ("<div>", 110_000),
)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("piece", "times", "classic"),
    part(((*long, classic) for long in _LONG for classic in (True, False)), 4, 1),
)
def test_of_a_hostile_text_a_page_shows_a_bounded_part_and_says_so(
    store: Store, piece: str, times: int, *, classic: bool
) -> None:
    shown = body(store, piece * times, classic=classic, whole=False)
    assert shown.endswith(SHORTENED)
    assert shown.count("<") <= 300_000
    assert len(shown) <= 3_000_000


OWN = frozenset({"http://127.0.0.1:8127", "http://127.0.0.1:8128"})


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ('<a href="http://127.0.0.1:8127/a/#b">x</a>', '<a href="/a/#b">x</a>'),
        ("<a class=x href='http://127.0.0.1:8128/'>x</a>", "<a class=x href='/'>x</a>"),
        ('<a href="http://127.0.0.1:8127?page_id=3">x</a>', '<a href="/?page_id=3">x</a>'),
        ("<IMG SRC=http://127.0.0.1:8127/a.png>", "<IMG SRC=/a.png>"),
        (
            '<img alt="a > b" srcset="http://127.0.0.1:8127/a.png 1x, http://127.0.0.1:8128/b.png 2x">',
            '<img alt="a > b" srcset="/a.png 1x, /b.png 2x">',
        ),
        (
            "<p style=\"background:url('http://127.0.0.1:8127/a.png'),url(&quot;http://127.0.0.1:8127/b.png&quot;)\">",
            "<p style=\"background:url('/a.png'),url(&quot;/b.png&quot;)\">",
        ),
        ('<object data="http://127.0.0.1:8127/a.pdf">', '<object data="/a.pdf">'),
    ],
)
def test_a_link_to_an_own_address_becomes_a_path(stored: str, shown: str) -> None:
    assert to_paths(stored, OWN) == shown


@pytest.mark.parametrize(
    "markup",
    [
        '<a href="http://127.0.0.1:8127.example.test/">another host</a>',
        '<a href="https://web.example.test/http://127.0.0.1:8127/a/">inside another address</a>',
        "<p>http://127.0.0.1:8127/a/ as text</p>",
        """<p title=' href="http://127.0.0.1:8127/"'>inside another attribute</p>""",
        '<a href="http://127.0.0.1:8127/',
    ],
)
def test_nothing_else_changes(markup: str) -> None:
    assert to_paths(markup, OWN) == markup


def test_hostile_markup_costs_no_more_than_its_length() -> None:
    for piece in ('<a "', "<a '<a \"", '<a href="', "<a x=", '<a "<a" '):
        markup = f"http://127.0.0.1:8127{piece * 50_000}"
        assert to_paths(markup, OWN) == markup


def shown(store: Store, html: str) -> str:
    with store.database.reading() as db:
        return run_shortcodes(db, html)


def test_a_caption_becomes_a_figure(store: Store) -> None:
    opening = '[caption id="attachment_6" align="alignright" width="300"]'
    text = f'<p>{opening}<img src="a.png" alt="A" /> A river[/caption]</p>'
    assert shown(store, text) == (
        '<figure class="wp-caption alignright" style="width: 300px"><img src="a.png" alt="A" />'
        '<figcaption class="wp-caption-text">A river</figcaption></figure>'
    )


def test_a_gallery_shows_its_pictures_in_order(store: Store) -> None:
    with store.writing() as db:
        for number, mime_type in ((7, "image/png"), (8, "image/png"), (9, "application/pdf")):
            values = (number, f"s{number}", f"2024/03/{number}.png", mime_type)
            db.execute("INSERT INTO media VALUES (?, ?, 'T', 'Alt \"x\"', ?, ?, 0, 0, 1)", values)
    html = shown(store, '<p>[gallery ids="8,7,8,9,99" columns="2"]</p>')
    assert html.startswith('<div class="gallery gallery-columns-2"><figure')
    assert [html.count(f"/wp-content/uploads/2024/03/{n}.png") for n in (7, 8, 9)] == [2, 2, 0]
    assert html.index("8.png") < html.index("7.png")
    assert 'alt="Alt &quot;x&quot;"' in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            '[audio src="https://a.example/b.mp3"]',
            '<audio controls preload="none" src="https://a.example/b.mp3"></audio>',
        ),
        ('[audio src="javascript:alert(1)"]', ""),
        (
            "[embed]https://v.example/w?a=1&amp;b=2[/embed]",
            '<p><a class="embedded" href="https://v.example/w?a=1&amp;b=2">v.example</a></p>',
        ),
        ("[[gallery]] and [[caption]x[/caption]]", "[gallery] and [caption]x[/caption]"),
        ('[gallery columns="1" ids="<script>"]', '<div class="gallery gallery-columns-1"></div>'),
    ],
)
def test_a_shortcode_runs_only_if_every_wordpress_has_it(store: Store, text: str, html: str) -> None:
    assert shown(store, text) == html

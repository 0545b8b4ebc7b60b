"""The shortcodes that every WordPress has, on the site of the embedded service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.server.shortcodes import run_shortcodes, without_shortcodes

if TYPE_CHECKING:
    from pressync.server.store import Store


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


def test_the_picture_of_a_caption_keeps_its_link(store: Store) -> None:
    html = shown(store, '[caption width="30"]<a href="/b/"><img src="a.png"></a> A <em>river</em>[/caption]')
    assert '<a href="/b/"><img src="a.png"></a><figcaption' in html
    assert ">A <em>river</em></figcaption>" in html


def test_a_gallery_shows_its_pictures_in_order(store: Store) -> None:
    with store.writing() as db:
        for number, mime_type in ((7, "image/png"), (8, "image/png"), (9, "application/pdf")):
            values = (number, f"s{number}", f"2024/03/{number}.png", mime_type)
            db.execute("INSERT INTO media VALUES (?, ?, 'T', 'Alt \"x\"', ?, ?, 0, 0, 1)", values)
    html = shown(store, '<p>[gallery ids="8,7,9,99" columns="2"]</p>')
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
        ("[video mp4='/b.mp4'][/video]", '<video controls preload="none" src="/b.mp4"></video>'),
        ('[audio src="javascript:alert(1)"]', ""),
        (
            "[embed]https://v.example/w?a=1&amp;b=2[/embed]",
            '<p><a class="embedded" href="https://v.example/w?a=1&amp;b=2">v.example</a></p>',
        ),
        ("[[gallery]] and [[caption]x[/caption]]", "[gallery] and [caption]x[/caption]"),
        ("[contact-form-7 id=1] and a[i] and [galleryx]", "[contact-form-7 id=1] and a[i] and [galleryx]"),
        ('[gallery columns="1" ids="<script>"]', '<div class="gallery gallery-columns-1"></div>'),
    ],
)
def test_a_shortcode_runs_only_if_every_wordpress_has_it(store: Store, text: str, html: str) -> None:
    assert shown(store, text) == html


def test_an_excerpt_has_no_shortcodes() -> None:
    assert without_shortcodes("A [caption id=1]x[/caption] b [other]") == "A x b [other]"

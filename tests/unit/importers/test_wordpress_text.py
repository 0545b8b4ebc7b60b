"""Captions and galleries become HTML; what only WordPress can show stays and is named."""

from __future__ import annotations

import pytest

from pressync.importers.item import Place
from pressync.importers.wordpress_text import carried, without_additions

PLACE = Place("https://example.org/about/")


def kinds(text: str) -> list[str]:
    return [remainder.kind for remainder in carried(text, PLACE)[1]]


def test_a_caption_becomes_the_figure_that_wordpress_shows() -> None:
    raw = (
        'Before\n\n[caption id="attachment_5" align="alignleft" width="300"]'
        '<a href="/x.jpg"><img src="/x-300x200.jpg" alt="A cat" /></a> A <em>fine</em> cat[/caption]\n\nAfter'
    )
    text, left = carried(raw, PLACE)
    assert text == (
        'Before\n\n<figure id="attachment_5" aria-describedby="caption-attachment-5" style="width: 300px" '
        'class="wp-caption alignleft"><a href="/x.jpg"><img src="/x-300x200.jpg" alt="A cat" /></a>'
        '<figcaption id="caption-attachment-5" class="wp-caption-text">A <em>fine</em> cat</figcaption>'
        "</figure>\n\nAfter"
    )
    assert left == ()


def test_a_caption_of_old_is_an_attribute_and_one_without_text_is_only_the_picture() -> None:
    old = '[caption width="10" caption="A cat"]<img src="/x.jpg">[/caption]'
    assert '<figcaption class="wp-caption-text">A cat</figcaption>' in carried(old, PLACE)[0]
    assert carried('[caption width="10"]<img src="/x.jpg">[/caption]', PLACE)[0] == '<img src="/x.jpg">'


def test_an_attribute_of_a_caption_cannot_bring_an_attribute_of_its_own() -> None:
    raw = """[caption id='a" onload="x' align='b" c' width='1" d']<img src="/x.jpg"> Cat[/caption]"""
    assert carried(raw, PLACE)[0].startswith(
        '<figure id="aonloadx" aria-describedby="caption-aonloadx" class="wp-caption bc">'
    )


def test_a_gallery_becomes_figures_if_all_of_its_pictures_are_known() -> None:
    known = {1: "https://example.org/a.jpg", 2: "https://example.org/b.jpg?x=1&y=2"}
    raw = 'Look:\n\n[gallery ids="2,1" columns="2"]'
    text, left = carried(raw, PLACE, known)
    assert text == (
        'Look:\n\n<figure class="wp-block-gallery has-nested-images columns-2 is-cropped">'
        '<figure class="wp-block-image size-large">'
        '<img src="https://example.org/b.jpg?x=1&amp;y=2" alt=""/></figure>'
        '<figure class="wp-block-image size-large"><img src="https://example.org/a.jpg" alt=""/></figure>'
        "</figure>"
    )
    assert left == ()


@pytest.mark.parametrize("columns", ["²", "0", "10", "9" * 5000])
def test_a_gallery_without_a_usable_number_of_columns_has_three(columns: str) -> None:
    text, _ = carried(f'[gallery ids="1" columns="{columns}"]', PLACE, {1: "https://example.org/a.jpg"})
    assert text.startswith('<figure class="wp-block-gallery has-nested-images columns-3 is-cropped">')


def test_a_gallery_with_an_unknown_picture_stays_and_is_named() -> None:
    text, left = carried('[gallery ids="1,3"]', PLACE, {1: "https://example.org/a.jpg"})
    assert (text, [(each.kind, each.text) for each in left]) == (
        '[gallery ids="1,3"]',
        [("shortcode gallery", '[gallery ids="1,3"]')],
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[contact-form-7 id="12"]', ["shortcode contact-form-7"]),
        ("[button]Buy[/button]", ["shortcode button"]),
        ("[gallery]", ["shortcode gallery"]),
        ('<!-- wp:latest-posts {"postsToShow":3} /-->', ["block latest-posts"]),
        ('<!-- wp:block {"ref":12} /-->', ["block block"]),
        ("<!-- wp:footnotes /-->", []),
        ("He said [sic] and [1] and [a link](b.md).", []),
        ('<pre>[gallery ids="1"]</pre> <code>[x y="1"]</code>', []),
        ("<!-- wp:paragraph --><p>Text</p><!-- /wp:paragraph -->", []),
    ],
)
def test_only_what_wordpress_alone_can_show_is_named(text: str, named: list[str]) -> None:
    assert kinds(text) == named


@pytest.mark.parametrize(
    "part", ["<code>", "[a ", "[caption ", "<!-- wp:a {", "[x", "a" * 7, '[gallery ids="']
)
def test_a_text_made_to_be_slow_is_read_once(part: str) -> None:
    text = part * 20_000
    assert carried(text, PLACE)[0] == text
    assert without_additions(text) == text


def test_what_wordpress_adds_for_browsers_is_removed_and_what_people_chose_stays() -> None:
    shown = (
        '<figure class="wp-block-gallery columns-2 wp-block-gallery-3 is-layout-flex">'
        '<img loading="lazy" decoding="async" width="9" data-id="7" src="/a.jpg" class="wp-image-7" '
        'alt="A > B" srcset="/a.jpg 9w, /b.jpg 3w" sizes="auto, (max-width: 9px) 100vw" /></figure>'
        '<div class="is-layout-flow wp-block-group-is-layout-flow">srcset="kept"</div>'
    )
    assert without_additions(shown) == (
        '<figure class="wp-block-gallery columns-2"><img width="9" src="/a.jpg" class="wp-image-7" '
        'alt="A > B" /></figure>'
        '<div>srcset="kept"</div>'
    )

"""Records of a site become items, with HTML for what only WordPress can show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pressync.client.terms import Term, paths_of
from pressync.client.wordpress.whole_site import record_of
from pressync.importing.sources.item import Form, Item, LeftOut, Place
from pressync.importing.sources.wordpress_record import (
    GalleryPictures,
    Names,
    Picture,
    carried,
    shown,
    stored_item,
    without_additions,
)
from pressync.model.interface import Kind

PLACE = Place("https://example.org/about/")


def kinds(text: str) -> list[str]:
    return [remainder.kind for remainder in carried(text, PLACE)[1]]


def test_a_caption_becomes_the_figure_of_wordpress_without_attributes_of_its_own() -> None:
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
    raw = """[caption id='a" onload="x' align='b" c' width='1" d']<img src="/x.jpg"> Cat[/caption]"""
    assert carried(raw, PLACE)[0].startswith(
        '<figure id="aonloadx" aria-describedby="caption-aonloadx" class="wp-caption bc">'
    )
    old = '[caption width="10" caption="A cat"]<img src="/x.jpg">[/caption]'
    assert '<figcaption class="wp-caption-text">A cat</figcaption>' in carried(old, PLACE)[0]
    assert carried('[caption width="10"]<img src="/x.jpg">[/caption]', PLACE)[0] == '<img src="/x.jpg">'


LIBRARY = GalleryPictures({}, {})
LIBRARY.add(1, Picture("https://example.org/a.jpg"), 7, 2)
LIBRARY.add(2, Picture("https://example.org/b.jpg", 'A "b"', "The <em>b</em>"), 7, 1)
LIBRARY.add(4, Picture("https://example.org/a.pdf"), 7, 0)
A = '<img src="https://example.org/a.jpg" alt=""/>'
B = '<img src="https://example.org/b.jpg" alt="A &quot;b&quot;"/>'
SAID = '<figcaption class="wp-element-caption">The <em>b</em></figcaption>'


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ('[gallery ids="2,1"]', (B + SAID, A)),
        ('[gallery include="1" link="file"]', (f'<a href="https://example.org/a.jpg">{A}</a>',)),
        ("[gallery]", (B + SAID, A)),
        ('[gallery id="7" columns="3"]', (B + SAID, A)),
        ('[gallery exclude="1"]', ()),
        ('[gallery orderby="rand"]', ()),
        ('[gallery id="8"]', ()),
        ('[gallery id="²"]', ()),
        ('[gallery ids="1,3"]', ()),
        ('[gallery ids="x"]', ()),
    ],
)
def test_a_gallery_shows_pictures_with_their_texts_if_all_of_them_are_known(
    raw: str, shown: tuple[str, ...]
) -> None:
    figures = "".join(f'<figure class="wp-block-image size-large">{each}</figure>' for each in shown)
    opening = '<figure class="wp-block-gallery has-nested-images columns-3 is-cropped">'
    text, left = carried(f"Look:\n\n{raw}", PLACE, LIBRARY, 7)
    assert text == f"Look:\n\n{f'{opening}{figures}</figure>' if shown else raw}"
    assert [each.kind for each in left] == ([] if shown else ["shortcode gallery"])


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ('[audio src="/a.mp3?x=1&y=2"]', '<audio controls src="/a.mp3?x=1&amp;y=2"></audio>'),
        (
            '[video width="9" mp4="/a.mp4" poster="/a.jpg" loop="on"][/video]',
            '<video controls loop poster="/a.jpg" src="/a.mp4"></video>',
        ),
        (
            '[video webm="/a.webm" mp4="/a.mp4"] [/video]',
            '<video controls><source src="/a.mp4"/><source src="/a.webm"/></video>',
        ),
    ],
)
def test_a_player_of_a_file_is_an_element_so_that_its_file_is_carried(raw: str, shown: str) -> None:
    name = raw[1:6]
    assert carried(raw, PLACE) == (f'<figure class="wp-block-{name}">{shown}</figure>', ())


@pytest.mark.parametrize("raw", ['[[gallery ids="1"]]', '[[audio src="/a.mp3"]]', '[[x a="1"]]'])
def test_a_shortcode_in_two_brackets_is_an_example(raw: str) -> None:
    assert carried(raw, PLACE, LIBRARY) == (raw, ())


@pytest.mark.parametrize("columns", ["²", "0", "10", "9" * 5000])
def test_a_gallery_without_a_usable_number_of_columns_has_three(columns: str) -> None:
    text, _ = carried(f'[gallery ids="1" columns="{columns}"]', PLACE, LIBRARY)
    assert text.startswith('<figure class="wp-block-gallery has-nested-images columns-3 is-cropped">')


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[contact-form-7 id="12"]', ["shortcode contact-form-7"]),
        ("[button]Buy[/button]", ["shortcode button"]),
        ('<!-- wp:latest-posts {"postsToShow":3} /-->', ["block latest-posts"]),
        ("<!-- wp:footnotes /-->", []),
        ("He said [sic] and [1] and [a link](b.md).", []),
        ('<pre>[gallery ids="1"]</pre> <code>[x y="1"]</code>', []),
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
    ends = "".join(f"[/b{number}]" for number in range(4_000))
    assert len(kinds(ends + "[b1]" * 4_000)) == 4_000


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


NAMES = Names(
    {"categories": {3: "News/World"}, "tags": {5: "red"}}, {1: "Jane Doe"}, {9: "https://example.org/cat.jpg"}
)


def row(**members: object) -> dict[str, Any]:
    return {
        "id": 7,
        "type": "post",
        "slug": "caf%c3%a9",
        "link": "https://example.org/caf%c3%a9/",
        "status": "publish",
        "password": "",
        "date": "2024-03-01T10:30:00",
        "date_gmt": "2024-03-01T05:00:00",
        "modified": "2024-03-01T10:30:00",
        "modified_gmt": "2024-03-01T05:00:00",
        "title": {"raw": "Tea &amp; cake", "rendered": "Tea &#038; cake"},
        "content": {"raw": "One\n\nTwo", "rendered": "<p>One</p>\n<p>Two</p>\n", "protected": False},
        "excerpt": {"raw": "", "rendered": "<p>One Two</p>\n"},
        "author": 1,
        "featured_media": 0,
        "comment_status": "open",
        "ping_status": "open",
        "format": "standard",
        "template": "",
        "sticky": False,
        "categories": [3],
        "tags": [5, 6],
        "meta": [],
        **members,
    }


def item(*, all_statuses: bool = False, **members: Any) -> Item:  # noqa: ANN401 - as the interface has it
    found = stored_item(record_of(Kind.POST, row(**members)), NAMES, all_statuses=all_statuses)
    assert isinstance(found, Item)
    return found


def test_a_stored_record_becomes_an_item_with_names_and_a_form() -> None:
    found = item()
    assert (found.key, found.id, found.title, found.slug) == ("post 7", 7, "Tea & cake", "café")
    assert (found.address, found.date) == ("/caf%c3%a9/", "2024-03-01T10:30:00+05:30")
    assert (found.author, found.categories, found.tags) == ("Jane Doe", ("News/World",), ("red",))
    assert (found.body, found.form, found.fields) == ("One\n\nTwo", Form.BLOCKS, {})
    ours = item(content={"raw": "<!-- wp:html -->\n<p>One\ntwo</p><!-- /wp:html -->"})
    assert (ours.body, ours.form) == ("<p>One\ntwo</p>", Form.HTML)
    blocks = item(content={"raw": "<!-- wp:paragraph -->\n<p>One</p>\n<!-- /wp:paragraph -->"})
    assert blocks.form is Form.BLOCKS


def test_values_that_somebody_chose_are_carried() -> None:
    chosen: dict[str, Any] = {
        "comment_status": "closed",
        "sticky": True,
        "format": "aside",
        "template": "wide",
    }
    found = item(**chosen, featured_media=9, meta={"footnotes": "[]"})
    assert found.fields == {
        **chosen,
        "featured_media": "https://example.org/cat.jpg",
        "meta": {"footnotes": "[]"},
    }


def test_a_page_has_its_parent_and_its_place_and_pages_are_closed_for_comments() -> None:
    members = {
        "type": "page",
        "parent": 4,
        "menu_order": 2,
        "comment_status": "open",
        "ping_status": "closed",
    }
    found = stored_item(record_of(Kind.PAGE, row(**members)), NAMES, all_statuses=False)
    assert isinstance(found, Item)
    assert (found.parent, found.order, found.categories) == ("page 4", 2, ())
    assert found.fields == {"comment_status": "open"}


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"status": "draft"}, "draft"),
        ({"status": "private"}, "private"),
        ({"password": "secret"}, "protected"),
        ({"status": "trash"}, "trash"),
        ({"status": "trash", "password": "sesame"}, "trash"),
    ],
)
def test_what_visitors_do_not_see_is_left_out_unless_asked_for(members: dict[str, str], kind: str) -> None:
    found = record_of(Kind.POST, row(**members))
    left = stored_item(found, NAMES, all_statuses=False)
    assert isinstance(left, LeftOut)
    assert left.kind == kind
    assert isinstance(stored_item(found, NAMES, all_statuses=True), LeftOut) is (kind == "trash")


def test_a_protected_text_becomes_private_because_its_password_is_not_carried() -> None:
    found = item(all_statuses=True, password="secret")
    assert (found.status, [each.kind for each in found.remainders]) == ("private", ["password"])
    assert "secret" not in str(found)
    draft = item(all_statuses=True, status="draft", link="https://example.org/?p=7")
    assert (draft.status, draft.date, draft.address) == ("draft", "", "")
    left = visitors(content={"rendered": "", "protected": True})
    assert isinstance(left, LeftOut)
    assert left.kind == "protected"


def visitors(**members: object) -> Item | LeftOut:
    return shown(record_of(Kind.POST, row(**members)), row(**members), NAMES)


BLOCKS = (
    "<p>A</p>\n<ul><li>one</li></ul>\n<h2>B</h2>\n"
    '<figure class="wp-block-table"><table><tr><td>1</td><td>2 | 3</td></tr></table></figure>\n'
    "<pre><code>code</code></pre>\n<blockquote>\n<p>Q</p>\n</blockquote>\n"
    "<div><p>In</p><a>Click</a></div>\n"
    '<p>C<sup data-fn="x" class="fn"><a href="#x">1</a></sup></p>\n'
)


@pytest.mark.parametrize(
    ("rendered", "excerpt"),
    [
        ("<p>A B 1 2 | 3 Q In C</p>\n", ""),
        ("<p>A B</p>\n", "A B"),
        ('<p>A one B&hellip; <a href="/x" class="more-link">Continue reading <span>Tea</span></a></p>', ""),
        ('<p>By hand. <a href="/x" class="more-link">Continue reading</a></p>', "By hand."),
    ],
)
def test_an_excerpt_of_a_short_text_lacks_lists_and_code(rendered: str, excerpt: str) -> None:
    found = visitors(content={"rendered": BLOCKS}, excerpt={"rendered": rendered})
    assert isinstance(found, Item)
    assert found.excerpt == excerpt


def test_terms_are_named_by_their_path_and_by_their_slug_where_the_name_is_not_clear() -> None:
    terms = [
        Term(1, "News", "news", 0),
        Term(2, "World", "world", 1),
        Term(3, "A/B tests", "ab-tests", 1),
        Term(4, "news", "news-2", 0),
        Term(5, "Lost", "lost", 99),
        Term(6, "Loop", "loop", 6),
    ]
    assert paths_of(terms, nested=True) == {
        1: "News",
        2: "News/World",
        3: "News/ab-tests",
        4: "news-2",
        5: "Lost",
        6: "Loop",
    }
    assert paths_of([replace(term, parent=0) for term in terms], nested=False)[3] == "A/B tests"


@pytest.mark.parametrize(
    ("local", "gmt", "date"),
    [
        ("2024-03-01T10:00:00", "2024-03-01T10:00:00", "2024-03-01T10:00:00Z"),
        ("2024-03-01T07:00:00", "2024-03-01T10:30:00", "2024-03-01T07:00:00-03:30"),
        ("2024-03-01T07:00:00", "0000-00-00T00:00:00", "2024-03-01T07:00:00"),
        ("2024-03-01T07:00:00", None, "2024-03-01T07:00:00"),
    ],
)
def test_a_date_has_the_offset_of_the_site_at_that_time(local: str, gmt: str, date: str) -> None:
    assert item(date=local, date_gmt=gmt).date == date

"""Records of a site become items, as an editor or as a visitor gets them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pressync.client.port import Term
from pressync.importers.item import Form, Item, LeftOut
from pressync.importers.wordpress_record import Names, paths_of, shown, stored
from pressync.model.interface import Kind

NAMES = Names({3: "News/World"}, {5: "red"}, {1: "Jane Doe"}, {9: "https://example.org/cat.jpg"})


def row(**members: object) -> dict[str, Any]:
    """Give a post as an editor gets it."""
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
    found = stored(Kind.POST, row(**members)).item(NAMES, all_statuses=all_statuses)
    assert isinstance(found, Item)
    return found


def test_a_stored_record_becomes_an_item_with_names_in_the_place_of_ids() -> None:
    found = item()
    assert (found.key, found.id, found.title, found.slug) == ("post 7", 7, "Tea & cake", "café")
    assert (found.address, found.date) == ("/caf%c3%a9/", "2024-03-01T10:30:00+05:30")
    assert (found.author, found.categories, found.tags) == ("Jane Doe", ("News/World",), ("red",))
    assert (found.body, found.form, found.fields) == ("One\n\nTwo", Form.BLOCKS, {})


def test_a_text_that_pressync_sent_is_html_and_one_of_blocks_is_blocks() -> None:
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
    found = stored(Kind.PAGE, row(**members)).item(NAMES, all_statuses=False)
    assert isinstance(found, Item)
    assert (found.parent, found.order, found.categories) == ("page 4", 2, ())
    assert found.fields == {"comment_status": "open"}


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"status": "draft"}, "draft"),
        ({"status": "pending"}, "pending"),
        ({"status": "private"}, "private"),
        ({"status": "future"}, "future"),
        ({"password": "secret"}, "protected"),
        ({"status": "trash"}, "trash"),
    ],
)
def test_what_visitors_do_not_see_is_left_out_unless_somebody_asks_for_it(
    members: dict[str, str], kind: str
) -> None:
    found = stored(Kind.POST, row(**members))
    left = found.item(NAMES, all_statuses=False)
    assert isinstance(left, LeftOut)
    assert left.kind == kind
    assert isinstance(found.item(NAMES, all_statuses=True), LeftOut) is (kind == "trash")


def test_a_draft_has_neither_a_date_nor_an_address() -> None:
    draft = item(all_statuses=True, status="draft", link="https://example.org/?p=7")
    assert (draft.status, draft.date, draft.address) == ("draft", "", "")


def test_a_protected_text_becomes_private_because_its_password_is_not_carried() -> None:
    found = item(all_statuses=True, password="secret")
    assert (found.status, [each.kind for each in found.remainders]) == ("private", ["password"])
    assert "secret" not in str(found)


def visitors(**members: object) -> Item | LeftOut:
    return shown(Kind.POST, row(**members), NAMES)


def test_a_visitors_record_is_html_without_an_id() -> None:
    found = visitors()
    assert isinstance(found, Item)
    assert (found.title, found.body, found.form, found.id) == (
        "Tea & cake",
        "<p>One</p>\n<p>Two</p>\n",
        Form.HTML,
        None,
    )


@pytest.mark.parametrize(
    ("rendered", "excerpt"),
    [
        ("<p>One Two</p>", ""),
        ("<p>OneTwo</p>", ""),
        ("<p>One two three [&hellip;]</p>", ""),
        ("<p>All about tea &amp; cake.</p>\n", "All about tea & cake."),
    ],
)
def test_an_excerpt_that_wordpress_made_of_the_text_is_not_one(rendered: str, excerpt: str) -> None:
    found = visitors(excerpt={"rendered": rendered})
    assert isinstance(found, Item)
    assert found.excerpt == excerpt


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
        ("<p>Q In C</p>\n", "Q In C"),
        ("<p>A B 1 2 | 3 Q In C and more</p>\n", "A B 1 2 | 3 Q In C and more"),
        ('<p>A one B&hellip; <a href="/x" class="more-link">Continue reading <span>Tea</span></a></p>', ""),
        ('<p>By hand. <a href="/x" class="more-link">Continue reading</a></p>', "By hand."),
    ],
)
def test_an_excerpt_of_a_short_text_lacks_lists_and_code_and_is_still_made(
    rendered: str, excerpt: str
) -> None:
    found = visitors(content={"rendered": BLOCKS}, excerpt={"rendered": rendered})
    assert isinstance(found, Item)
    assert found.excerpt == excerpt


def test_a_protected_text_is_left_out_for_visitors() -> None:
    left = visitors(content={"rendered": "", "protected": True})
    assert isinstance(left, LeftOut)
    assert left.kind == "protected"


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


def test_footnotes_that_visitors_see_in_the_text_are_not_carried_twice() -> None:
    found = visitors(meta={"footnotes": "[]"})
    assert isinstance(found, Item)
    assert found.fields == {}

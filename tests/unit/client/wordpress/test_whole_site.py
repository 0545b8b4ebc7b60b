"""A whole site is read page by page, as its editor or as a visitor sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.syncing import IMPATIENT
from tests.unit.client.wordpress.answered import answered, refused
from tests.unit.client.wordpress.test_reads import Asked

from pressync.client.abilities import Other, Uploaded
from pressync.client.retry import Retry
from pressync.client.wordpress.whole_site import WholeWordPress
from pressync.model.errors import BadAnswer, Refused
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.client.port import HttpResponse

RETRY = Retry(IMPATIENT, lambda _seconds: None, lambda _sentence: None)


def whole(*answers: HttpResponse, edit: bool = True) -> tuple[WholeWordPress, Asked]:
    asked = Asked(*answers)
    return WholeWordPress(asked, RETRY, edit), asked


def test_records_that_the_site_hides_are_counted() -> None:
    site, _ = whole(answered(200, [{"id": 1}], x_wp_total="12"))
    assert site.count(Kind.PAGE) == 12
    site, _ = whole(answered(200, [{"id": 1}], x_wp_total="9" * 5000))
    with pytest.raises(BadAnswer, match=r"x-wp-total of the response is 9{19}…, more than any site has"):
        site.count(Kind.PAGE)


def test_people_have_their_names_or_else_their_slugs_and_never_an_address_for_mail() -> None:
    site, _ = whole(
        answered(
            200,
            [
                {"id": 1, "name": "Jane Doe", "slug": "jane"},
                {"id": 2, "name": "john@example.org", "slug": "john"},
                {"id": 3, "name": "Ada &amp; Co", "slug": "ada"},
                {"id": 4, "name": "Same", "slug": "same"},
                {"id": 5, "name": "same", "slug": "same-2"},
            ],
        )
    )
    assert site.people() == {1: "Jane Doe", 2: "john", 3: "Ada & Co", 4: "same", 5: "same-2"}


def test_people_are_those_whom_visitors_see_if_the_user_may_not_list_them() -> None:
    site, asked = whole(refused(403, "rest_forbidden_context"), answered(200, [{"id": 1, "name": "Jane"}]))
    assert site.people() == {1: "Jane"}
    assert asked.query(1)["context"] == ["view"]
    hidden = refused(401, "rest_user_cannot_view")
    site, _ = whole(hidden, hidden, edit=False)
    assert site.people() == {}
    with pytest.raises(Refused):
        list(site.records(Kind.PAGE))


def test_pictures_have_their_addresses() -> None:
    rows = [{"id": 7, "source_url": "https://example.org/a.jpg"}, {"id": 8, "source_url": False}]
    site, asked = whole(answered(200, rows), answered(200, rows))
    assert site.pictures({8, 7}) == {7: "https://example.org/a.jpg"}
    assert asked.query(0)["include"] == ["7,8"]
    assert list(site.library()) == [Uploaded(7, "https://example.org/a.jpg")]


def test_what_is_neither_page_nor_post_is_named_as_far_as_the_site_shows_it() -> None:
    types = {
        "page": {"rest_base": "pages"},
        "product": {"rest_base": "product", "rest_namespace": "shop/v1"},
        "nav_menu_item": {"rest_base": "menu-items"},
        "wp_font_face": {"rest_base": "font-families/(?P<id>[\\d]+)/font-faces"},
        "wp_template": {"rest_base": "templates"},
    }
    site, asked = whole(
        answered(200, types),
        answered(200, [{"id": 3, "link": "https://example.org/a/#comment-3"}]),
        answered(200, [{"id": 9}]),
        refused(401, "rest_cannot_view"),
        answered(200, [{"id": 4, "link": "https://example.org/a/#comment-4"}]),
    )
    assert list(site.others()) == [
        Other("comment", 3, "https://example.org/a/#comment-3"),
        Other("product", 9, ""),
        Other("comment on hold", 4, "https://example.org/a/#comment-4"),
    ]
    assert asked.query(4)["status"] == ["hold"]
    assert [request.path.partition("?")[0] for request in asked.requests] == [
        "/wp/v2/types",
        "/wp/v2/comments",
        "/shop/v1/product",
        "/wp/v2/menu-items",
        "/wp/v2/comments",
    ]


@pytest.mark.parametrize("home", ["https://example.org/blog", "javascript:alert(1)", "//[", 7])
def test_the_address_of_the_site_is_one_for_browsers(home: object) -> None:
    site, _ = whole(answered(200, {"home": home}))
    assert site.home() == (home if home == "https://example.org/blog" else "")

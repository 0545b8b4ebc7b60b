"""The facts about a site where they differ from the real sites of test_service."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.unit.client.wordpress.answered import answered, refused

from pressync.client.wordpress.site_info import describe, front_of
from pressync.model.errors import BadAnswer

if TYPE_CHECKING:
    from pressync.client.port import HttpRequest, HttpResponse
    from pressync.client.wordpress.site_info import Description

ROOT = {"name": "Site", "home": "nowhere", "namespaces": ["wp/v2"], "authentication": []}


def described(pages: HttpResponse, batch: HttpResponse | None = None, **root: object) -> Description:
    """Describe a site that has no batches if nothing else is said, whose lists of pages are answered so."""
    answers = {
        "/": answered(200, ROOT | root),
        "/wp/v2/users/me": answered(200, {"id": 3, "name": "Ada", "capabilities": []}),
        "/wp/v2/pages": pages,
        "/wp/v2/posts": refused(403, "rest_forbidden_status"),
        "/batch/v1": batch or refused(404, "rest_no_route"),
    }

    def send(request: HttpRequest) -> HttpResponse:
        assert request.method in {"GET", "OPTIONS"}
        return answers[urlsplit(request.path).path]

    return describe(send)


@pytest.mark.parametrize(
    ("name", "offset", "timezone"),
    [
        ("Europe/Berlin", 1, "Europe/Berlin"),
        ("", "0", "+00:00"),
        ("", 5.5, "+05:30"),
        ("", "-3.5", "-03:30"),
        (None, "Infinity", ""),
        (None, None, ""),
    ],
)
def test_the_timezone_is_a_name_or_an_offset(name: object, offset: object, timezone: str) -> None:
    seen = described(answered(200, []), timezone_string=name, gmt_offset=offset)

    assert seen.timezone == timezone


@pytest.mark.parametrize(
    ("members", "front"),
    [
        ({}, None),
        ({"show_on_front": "posts", "page_on_front": 7}, 0),
        ({"show_on_front": "page", "page_on_front": 7}, 7),
        ({"show_on_front": "page", "page_on_front": "7"}, 0),
    ],
)
def test_the_front_is_a_page_or_the_list_of_posts(members: dict[str, object], front: int | None) -> None:
    assert front_of(members) == front


def test_a_site_whose_lists_are_refused_does_not_show_what_it_filters() -> None:
    assert described(refused(403, "rest_forbidden_status")).filtered is None


def test_an_empty_site_does_not_show_whether_its_trash_is_on() -> None:
    seen = described(answered(200, []))

    assert (seen.trash, seen.filtered) == (None, None)
    assert (seen.batch, seen.passwords, seen.version) == (0, False, None)


def test_a_record_in_the_trash_shows_that_there_is_one() -> None:
    assert described(answered(200, [{"id": 3}])).trash is True


@pytest.mark.parametrize(
    ("links", "filtered"), [({"self": []}, True), ({"wp:action-unfiltered-html": []}, False), (None, True)]
)
def test_what_a_record_offers_shows_whether_text_is_filtered(links: object, filtered: bool) -> None:
    assert described(answered(200, [{"id": 3, "_links": links}])).filtered is filtered


@pytest.mark.parametrize("spaces", [None, [], ["oembed/1.0"], {"wp/v2": 1}])
def test_what_does_not_list_the_routes_of_wordpress_is_none(spaces: object) -> None:
    with pytest.raises(BadAnswer, match='dialect = "documented"'):
        described(answered(200, []), namespaces=spaces)


@pytest.mark.parametrize(
    ("endpoints", "most"),
    [([{"args": {"requests": {"maxItems": 25}}}], 25), ([{"args": {}}], 0), ([], 0)],
)
def test_a_batch_holds_as_many_calls_as_it_says_or_none(endpoints: object, most: int) -> None:
    assert described(answered(200, []), answered(200, {"endpoints": endpoints})).batch == most

"""The facts about a site where they differ from the real sites of test_service, and its front page."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.support.embedded_wordpress import PASSWORD, USER
from tests.unit.client.wordpress.answered import answered, page, refused

from pressync.client.abilities import front_of
from pressync.client.address import parse
from pressync.client.credentials import basic
from pressync.client.http import Transport
from pressync.client.wordpress import WordPressService
from pressync.client.wordpress import site_info as front_module
from pressync.client.wordpress.site_info import describe
from pressync.model.changes import UpdateCall
from pressync.model.errors import BadAnswer, Gone, Refused
from pressync.model.interface import DOCUMENTED_TYPES, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.client.abilities import Description
    from pressync.client.port import HttpRequest, HttpResponse


ROOT = {"name": "Site", "home": "nowhere", "namespaces": ["wp/v2"], "authentication": []}


def described(
    pages: HttpResponse, batch: HttpResponse | None = None, me: HttpResponse | None = None, **root: object
) -> Description:
    """Describe a site that has no batches if nothing else is said, whose lists of pages are answered so."""
    answers = {
        "/": answered(200, ROOT | root),
        "/wp/v2/users/me": me or answered(200, {"id": 3, "name": "Ada", "capabilities": []}),
        "/wp/v2/pages": pages,
        "/wp/v2/posts": refused(403, "rest_forbidden_status"),
        "/batch/v1": batch or refused(404, "rest_no_route"),
    }

    def send(request: HttpRequest) -> HttpResponse:
        assert request.method in {"GET", "OPTIONS"}
        return answers[urlsplit(request.path).path]

    return describe(send, DOCUMENTED_TYPES)


def test_a_site_whose_user_is_blocked_is_described_with_the_refusal() -> None:
    seen = described(answered(200, []), me=refused(403, "rest_user_cannot_view"))
    assert seen.user is None
    assert seen.refusal is not None
    assert "rest_user_cannot_view" in seen.refusal.what
    assert described(answered(200, [])).refusal is None


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
    assert seen.root.timezone == timezone


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


@pytest.mark.parametrize(
    ("pages", "trash", "filtered"),
    [
        (refused(403, "rest_forbidden_status"), None, None),
        (answered(200, []), None, None),
        (answered(200, [{"id": 3, "_links": {"self": []}}]), True, True),
        (answered(200, [{"id": 3, "_links": {"wp:action-unfiltered-html": []}}]), True, False),
        (answered(200, [{"id": 3}]), True, True),
    ],
)
def test_a_record_shows_whether_there_is_a_trash_and_whether_text_is_filtered(
    pages: HttpResponse, trash: bool | None, filtered: bool | None
) -> None:
    seen = described(pages)
    assert (seen.trash, seen.filtered) == (trash, filtered)
    assert (seen.batch, seen.root.passwords, seen.version) == (0, False, None)


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


@pytest.fixture
def service(site: EmbeddedWordPress) -> Iterator[WordPressService]:
    secret = basic(USER, PASSWORD)
    transport = Transport(parse(site.url), authorization=secret, concurrency=1, allow_http=False)
    with contextlib.closing(WordPressService(transport)) as service:
        yield service


def front_page(number: int, *, wanted: bool) -> UpdateCall:
    return UpdateCall(Kind.PAGE, number, {"front_page": wanted})


def test_a_front_page_is_taken_back_only_if_it_is_the_front_page(
    site: EmbeddedWordPress, service: WordPressService
) -> None:
    page, other = site.put("Start", "start"), site.put("Other", "other")
    service.carry_out(front_page(other, wanted=True))
    assert service.carry_out(front_page(page, wanted=False)).fields["front_page"] is False
    assert service.front_page() == other
    record = service.carry_out(front_page(other, wanted=False))
    assert (record.fields["front_page"], record.link.endswith("/other/")) == (False, True)
    assert service.front_page() == 0


def test_a_page_that_nobody_sees_is_not_set(site: EmbeddedWordPress, service: WordPressService) -> None:
    page = site.put("Start", "start")
    service.carry_out(UpdateCall(Kind.PAGE, page, {"status": "draft"}))
    with pytest.raises(Refused, match="'draft', and visitors would find nothing"):
        service.carry_out(front_page(page, wanted=True))
    with pytest.raises(Gone):
        service.carry_out(front_page(99, wanted=True))
    assert service.front_page() == 0


def test_the_setting_and_the_fields_of_a_record_are_calls_of_their_own(service: WordPressService) -> None:
    with pytest.raises(ValueError, match="a call of its own"):
        service.carry_out(UpdateCall(Kind.PAGE, 1, {"front_page": True, "title": "T"}))


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (refused(403, "firewall"), Refused),
        (refused(404, "rest_no_route"), Refused),
        (answered(200, {"code": "internal", "message": "Sorry."}), BadAnswer),
    ],
)
def test_only_wordpress_can_say_that_a_right_lacks(response: HttpResponse, error: type[Exception]) -> None:
    def send(request: HttpRequest) -> HttpResponse:
        return response if request.method == "POST" else answered(200, [page(Kind.PAGE)])

    with pytest.raises(error):
        front_module.carry_out(send, front_page(7, wanted=True))

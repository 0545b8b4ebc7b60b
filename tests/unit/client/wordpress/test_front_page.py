"""The front page of a WordPress site: read by everybody who may, set by an administrator."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from tests.support.embedded_wordpress import PASSWORD, USER
from tests.unit.client.wordpress.answered import answered, page, refused

from pressync.client.address import parse
from pressync.client.credentials import basic
from pressync.client.http import Transport
from pressync.client.wordpress import WordPressService
from pressync.client.wordpress import site_info as front_module
from pressync.model.changes import UpdateCall
from pressync.model.errors import BadAnswer, Gone, Refused
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.client.port import HttpRequest, HttpResponse


@pytest.fixture
def service(site: EmbeddedWordPress) -> Iterator[WordPressService]:
    secret = basic(USER, PASSWORD)
    transport = Transport(parse(site.url), authorization=secret, concurrency=1, allow_http=False)
    with contextlib.closing(WordPressService(transport)) as service:
        yield service


def front_page(number: int, *, wanted: bool) -> UpdateCall:
    return UpdateCall(Kind.PAGE, number, {"front_page": wanted})


def test_a_page_becomes_the_front_page_and_gets_the_address_of_the_site(
    site: EmbeddedWordPress, service: WordPressService
) -> None:
    page, other = site.put("Start", "start"), site.put("Other", "other")
    record = service.carry_out(front_page(page, wanted=True))
    assert record.fields["front_page"] is True
    assert record.link == service.records(Kind.PAGE, [other])[other].link.removesuffix("other/")
    assert service.front_page() == page
    assert not site.violations


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


def test_a_user_without_the_right_is_told_by_the_field(
    site: EmbeddedWordPress, service: WordPressService
) -> None:
    page = site.put("Start", "start")
    site.demote("editor")
    assert service.carry_out(front_page(page, wanted=True)).fields["front_page"] is False
    assert service.front_page() is None


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
def test_only_wordpress_itself_can_say_that_the_right_is_missing(
    response: HttpResponse, error: type[Exception]
) -> None:
    def send(request: HttpRequest) -> HttpResponse:
        return response if request.method == "POST" else answered(200, [page(Kind.PAGE)])

    with pytest.raises(error):
        front_module.carry_out(send, front_page(7, wanted=True))

"""The dialect: its requests, its responses, broken connections, and the services that do not speak it."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

import pytest
from tests.live.sites import open_at
from tests.support.lines import closed_port, listening
from tests.support.wire import End, FarSide, Reply
from tests.support.wire import listening as serving
from tests.unit.client.wordpress.answered import answered, page

from pressync.client.port import HttpResponse, Upload, WrongDialectShown
from pressync.client.wordpress import dialect
from pressync.client.wordpress.record import members_of
from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import BadAnswer, NoAnswer, NotSent, Refused
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.wire import Received

    from pressync.model.changes import Call


CREATE = CreateCall(Kind.PAGE, {"title": "About", "content": "<p>x</p>"})
UPDATE = UpdateCall(Kind.PAGE, 7, {"title": "About"})


@pytest.mark.parametrize(
    ("call", "method", "path"),
    [
        (CreateCall(Kind.POST, {}), "POST", f"/wp/v2/posts?_fields={members_of(Kind.POST.row)}"),
        (UPDATE, "POST", f"/wp/v2/pages/7?_fields={members_of(Kind.PAGE.row)}"),
        (DeleteCall(Kind.PAGE, 7), "DELETE", f"/wp/v2/pages/7?_fields={members_of(Kind.PAGE.row)}"),
        (
            DeleteCall(Kind.POST, 7, permanent=True),
            "DELETE",
            f"/wp/v2/posts/7?force=true&_fields=deleted,previous,{members_of(Kind.POST.row)}",
        ),
    ],
)
def test_a_call_is_a_request(call: Call, method: str, path: str) -> None:
    request = dialect.request(call)
    assert (request.method, request.path) == (method, path)
    assert request.content_type == "application/json"


@pytest.mark.parametrize(
    "answer",
    [
        HttpResponse(200, "text/html; charset=UTF-8", {}, b"<!DOCTYPE html><title>Blog</title>"),
        HttpResponse(
            201, "application/json", {}, b"Warning: x in y\n" + json.dumps(page(Kind.PAGE)).encode()
        ),
        HttpResponse(201, "application/json", {}, b"\xef\xbb\xbf" + json.dumps(page(Kind.PAGE)).encode()),
        answered(200, [page(Kind.PAGE)]),
        answered(200, []),
        answered(200, page(Kind.PAGE, 8)),
    ],
    ids=["html", "warning", "byte order mark", "list", "empty", "another"],
)
def test_a_body_that_is_not_the_record_is_a_bad_response(answer: HttpResponse) -> None:
    with pytest.raises(BadAnswer):
        dialect.record(UPDATE, answer)


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (CREATE, answered(200, page(Kind.PAGE, title={"raw": ""}, content={"raw": ""}))),
        (CREATE, answered(201, page(Kind.PAGE, title={"raw": ""}, guid={"raw": "x"}))),
        (UPDATE, answered(200, page(Kind.PAGE, title={"raw": "Before"}, guid={"raw": "x"}))),
        (DeleteCall(Kind.PAGE, 7, permanent=True), answered(200, page(Kind.PAGE))),
    ],
    ids=["create", "unasked members", "update", "delete"],
)
def test_a_service_that_is_not_wordpress_shows_at_the_first_write(call: Call, answer: HttpResponse) -> None:
    with pytest.raises(WrongDialectShown, match='dialect = "documented"') as caught:
        dialect.record(call, answer)
    assert caught.value.record.id == 7


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (CREATE, answered(200, page(Kind.PAGE))),
        (CREATE, answered(201, page(Kind.PAGE, content={"raw": ""}))),
        (CREATE, answered(200, page(Kind.PAGE, content={"raw": "filtered"}))),
        (UPDATE, answered(200, page(Kind.PAGE, title={"raw": "Filtered"}))),
        (UpdateCall(Kind.PAGE, 7, {"menu_order": 2}), answered(200, page(Kind.PAGE, guid={}))),
    ],
    ids=["proxy", "stripped", "filtered create", "filtered update", "plugin"],
)
def test_a_wordpress_behind_proxies_and_plugins_is_one(call: Call, answer: HttpResponse) -> None:
    assert dialect.record(call, answer).id == 7


def test_the_embedded_service_refuses_and_the_refusal_names_its_dialect(tmp_path: Path) -> None:
    server = pytest.importorskip("pressync.stage.server.server")
    with (
        server.running(tmp_path / "site.db") as site,
        contextlib.closing(open_at(site.url, None)) as service,
        pytest.raises(Refused, match='dialect = "documented"'),
    ):
        service.carry_out(CREATE)


CALLS: list[Call] = [CreateCall(Kind.PAGE, {"title": "x"}), DeleteCall(Kind.POST, 7)]


def results_at(url: str) -> list[type]:
    with contextlib.closing(open_at(url, None)) as service:
        return [type(result) for result in service.carry_out_many(CALLS)]


def test_a_batch_that_never_left_was_carried_out_for_no_call() -> None:
    assert results_at(f"http://{closed_port()}") == [NotSent, NotSent]


def test_a_batch_whose_response_is_lost_may_have_been_carried_out_for_every_call() -> None:
    with listening(b"HTTP/1.1 207 Multi-Status\r\nContent-Length: 99\r\n\r\n{") as place:
        assert results_at(f"http://{place}") == [NoAnswer, NoAnswer]


def test_every_question_of_the_port_goes_over_the_wire() -> None:
    number, file = {"id": 9, "name": "News", "slug": "news"}, {"id": 9, "source_url": "https://x/a.png"}
    answers = {
        "POST /wp-json/wp/v2/tags": (201, number),
        "GET /wp-json/wp/v2/tags": (200, [number]),
        "GET /wp-json/wp/v2/users": (200, [{"id": 2, "username": "ada", "slug": "ada"}]),
        "GET /wp-json/wp/v2/users/me": (200, {"id": 2, "name": "Ada", "capabilities": {}}),
        "GET /wp-json/wp/v2/media": (200, [file | {"slug": "a"}]),
        "POST /wp-json/wp/v2/media": (201, file | {"slug": "a"}),
    }

    class Canned(FarSide):
        def take(self, received: Received) -> tuple[bytes, End]:
            return Reply(*answers[f"{received.method} {received.path.partition('?')[0]}"]).spelled(), End.KEEP

    site = Canned()
    with serving(site), contextlib.closing(open_at(site.url, None)) as service:
        assert service.name == "wordpress"
        assert service.identity().name == "Ada"
        assert [term.id for term in service.terms("tags")] == [9]
        assert service.make_term("tags", "News", 0) == 9
        assert service.authors(["ada"]) == {"ada": 2}
        assert service.uploaded(["a"])["a"].id == 9
        assert service.upload(Upload("a.png", "a", b"x")).id == 9

"""Many calls go in one request, and each has its own result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.unit.client.wordpress.answered import answered, page, refused

from pressync.client.port import HttpResponse
from pressync.client.wordpress import dialect
from pressync.client.wordpress.dialect import batch_request as request
from pressync.client.wordpress.dialect import results
from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import BadAnswer, Gone, Later, NoAnswer, Refused
from pressync.model.interface import Kind
from pressync.model.records import Record

if TYPE_CHECKING:
    from pressync.model.changes import Call
    from pressync.model.errors import ServiceError

CALLS: list[Call] = [
    CreateCall(Kind.PAGE, {"title": "About"}),
    UpdateCall(Kind.PAGE, 8, {"title": "é"}),
    DeleteCall(Kind.POST, 9, permanent=True),
]


def item(status: int, body: object, headers: object = ()) -> dict[str, object]:
    return {"status": status, "body": body, "headers": headers}


def test_each_item_is_what_the_call_alone_would_be() -> None:
    sent = json.loads(request(CALLS).body)
    assert sent["validation"] == "normal"
    assert len(sent["requests"]) == 3
    for call, one in zip(CALLS, sent["requests"], strict=True):
        alone = dialect.request(call)
        assert (one["method"], one["path"]) == (alone.method, alone.path)
        assert one.get("body") == (json.loads(alone.body) if alone.body else None)


@pytest.mark.parametrize("count", [0, 26])
def test_a_batch_holds_at_most_25(count: int) -> None:
    for fits in (1, 25):
        assert len(json.loads(request(CALLS[:1] * fits).body)["requests"]) == fits
    with pytest.raises(ValueError, match="1 to 25"):
        request(CALLS[:1] * count)


def test_a_failure_in_the_middle_is_its_own_alone() -> None:
    gone = {"code": "rest_post_invalid_id", "message": "Invalid post ID.", "data": {"status": 404}}
    deleted = {"deleted": True, "previous": page(Kind.POST, 9)}
    answer = answered(
        207,
        {"responses": [item(201, page(Kind.PAGE), {"Allow": "GET"}), item(404, gone), item(200, deleted)]},
    )
    made, failed, last = results(CALLS, answer)
    assert isinstance(made, Record)
    assert type(failed) is Gone
    assert isinstance(last, Record)
    assert (made.id, last.id) == (7, 9)


def test_an_item_that_is_not_the_record_is_a_bad_response_for_it_alone() -> None:
    items = [item(201, page(Kind.PAGE)), item(200, page(Kind.PAGE, 77)), item(200, [])]
    assert [type(result) for result in results(CALLS, answered(207, {"responses": items}))] == [
        Record,
        BadAnswer,
        BadAnswer,
    ]


def test_a_call_without_a_result_may_have_been_carried_out() -> None:
    answer = answered(207, {"responses": [item(201, page(Kind.PAGE)), None]})
    assert [type(result) for result in results(CALLS, answer)] == [Record, NoAnswer, NoAnswer]


def test_an_item_told_to_come_later_is_told_so_with_its_header() -> None:
    answer = answered(207, {"responses": [item(503, {}, {"Retry-After": "9"})]})
    (later,) = results(CALLS[:1], answer)
    assert isinstance(later, Later)
    assert later.after == 9


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (refused(404, "rest_no_route"), Refused),
        (refused(400, "rest_invalid_param"), Refused),
        (refused(404, "rest_post_invalid_id"), Refused),
        (refused(500, "internal_server_error"), NoAnswer),
        (HttpResponse(504, "text/html", {}, b"<html>"), NoAnswer),
        (answered(503, {}, retry_after="9"), Later),
        (HttpResponse(207, "text/html", {}, b"<html>"), BadAnswer),
        (HttpResponse(302, "text/html", {"location": "/"}, b""), BadAnswer),
        (answered(200, {"responses": []}), BadAnswer),
        (answered(207, {"responses": {}}), BadAnswer),
        (answered(207, {"responses": [item(201, page(Kind.PAGE))] * 4}), BadAnswer),
        (answered(207, [1]), BadAnswer),
    ],
)
def test_an_error_of_the_whole_is_that_of_every_call(answer: HttpResponse, kind: type[ServiceError]) -> None:
    assert [type(result) for result in results(CALLS, answer)] == [kind] * 3

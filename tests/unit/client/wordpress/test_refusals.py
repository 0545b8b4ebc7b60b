"""Each refusal of WordPress comes with advice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.unit.client.wordpress.answered import answered, refused

from pressync.client.port import HttpResponse
from pressync.client.wordpress.refusals import expect_success
from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import BadAnswer, Gone, Later, NoAnswer, Refused, ServiceError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.model.changes import Call

CREATE = CreateCall(Kind.PAGE, {"title": "A"})
UPDATE = UpdateCall(Kind.POST, 7, {"title": "A"})
# A read has the meaning of a call without fields.
LIST, READ = CreateCall(Kind.PAGE, {}), UpdateCall(Kind.PAGE, 7, {})
DELETE = DeleteCall(Kind.PAGE, 7)
VISITOR, NO_RIGHT = (
    {"status": {"code": "rest_forbidden_status", "data": {"status": status}}} for status in (401, 403)
)


def without_account(answer: HttpResponse) -> HttpResponse:
    return replace(answer, has_credentials=False)


def failure(call: Call, answer: HttpResponse) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        expect_success(call, answer)
    return caught.value


@pytest.mark.parametrize(
    ("call", "answer", "todo"),
    [
        (CREATE, refused(403, "rest_cannot_create"), "edit_pages"),
        (CREATE, refused(403, "rest_cannot_publish"), "publish_pages"),
        (UPDATE, refused(403, "rest_cannot_edit"), "edit_others_posts or edit_published_posts"),
        (UPDATE, refused(403, "rest_cannot_edit_others"), "edit_others_posts"),
        (UPDATE, refused(403, "rest_cannot_assign_sticky"), "edit_others_posts"),
        (DELETE, refused(403, "rest_cannot_delete"), "delete_others_pages"),
        # Nobody is logged in, which is a matter of the password.
        (CREATE, refused(401, "rest_cannot_create"), "application password"),
        (CREATE, refused(401, "incorrect_password"), "application password"),
        (
            CREATE,
            refused(400, "rest_invalid_param", params={"date": "Invalid date."}, details=[]),
            "fix the front matter: date: Invalid date.",
        ),
        (CREATE, refused(400, "empty_content"), "fix what it names"),
        (CREATE, refused(400, "rest_post_invalid_id"), "no longer on the site"),
        (UPDATE, refused(403, "rest_cannot_update"), "`auth_callback`"),
        (DELETE, refused(501, "rest_trash_not_supported"), "`--permanent` deletes for good"),
        # A refusal that is not of WordPress may be of the documented service.
        (CREATE, refused(415, "wrong_content_type"), 'dialect = "documented"'),
        (CREATE, refused(400, "query_refused"), 'dialect = "documented"'),
        (CREATE, answered(400, None), 'dialect = "documented"'),
        (LIST, refused(400, "rest_invalid_param", params={"context": "Invalid."}), "`pressync doctor`"),
        (READ, answered(413, None), "the proxies between"),
    ],
)
def test_a_refusal_says_what_to_do(call: Call, answer: HttpResponse, todo: str) -> None:
    error = failure(call, answer)
    assert isinstance(error, Refused)
    assert todo in error.todo


@pytest.mark.parametrize(
    ("answer", "status", "what", "todo"),
    [
        (refused(401, "rest_cannot_create"), 401, "refused with 401: rest_cannot_create", "login password"),
        # WordPress says of a list in any status that its parameter is wrong, whoever asks.
        (refused(400, "x", details=VISITOR), 403, "answers as to a visitor", "login password"),
        # WordPress itself has no such code.
        (
            refused(401, "rest_disabled"),
            401,
            "401: rest_disabled",
            "a plugin of the site closes the interface",
        ),
        (
            refused(401, "rest_cannot_access"),
            401,
            "cannot_access",
            "a plugin of the site closes the interface",
        ),
        # A request without credentials has none that could be wrong.
        (without_account(refused(401, "x")), 401, "refused with 401: x", "set `user`"),
        (without_account(refused(400, "x", details=VISITOR)), 403, "as to a visitor", "set `user`"),
        (refused(400, "x", details=NO_RIGHT), 403, "refused with 400: x", "right (edit_pages)"),
    ],
)
def test_a_visitor_is_told_from_a_user_without_the_right(
    answer: HttpResponse, status: int, what: str, todo: str
) -> None:
    error = failure(CREATE, answer)
    assert isinstance(error, Refused)
    assert error.status == status
    assert what in error.what
    assert todo in error.todo


@pytest.mark.parametrize("code", ["db_insert_error", "db_update_error"])
def test_a_row_that_the_database_did_not_take_is_certainly_not_stored(code: str) -> None:
    error = failure(
        CREATE, answered(500, {"code": code, "data": None, "additional_data": ["post_title is too long"]})
    )
    assert isinstance(error, Refused)
    assert "post_title is too long" in error.what


@pytest.mark.parametrize(
    ("call", "answer", "kind"),
    [
        (DELETE, refused(410, "rest_already_trashed"), Gone),
        (UPDATE, refused(404, "rest_post_invalid_id"), Gone),
        (UPDATE, refused(404, "rest_no_route"), Refused),
        (CREATE, refused(400, "rest_post_invalid_id"), Refused),
        (CREATE, refused(500, "internal_server_error"), NoAnswer),
        (UPDATE, refused(500, "rest_invalid_stored_value"), Refused),
        (CREATE, answered(503, {"code": "wp_die"}, retry_after="600"), Later),
        (CREATE, answered(503, {"code": "wp_die"}), NoAnswer),
        (CREATE, HttpResponse(502, "text/html", {}, b"<html>"), NoAnswer),
        (CREATE, HttpResponse(301, "text/html", {"location": "https://example.org/"}, b""), BadAnswer),
        (CREATE, answered(207, {}), BadAnswer),
    ],
)
def test_what_may_have_been_carried_out_is_told_from_what_was_not(
    call: Call, answer: HttpResponse, kind: type[ServiceError]
) -> None:
    assert type(failure(call, answer)) is kind


@pytest.mark.parametrize(
    "error",
    [
        {"code": 5, "message": None, "data": []},
        {"code": "x", "message": "y", "data": None},
        {"code": "x", "data": {"params": [], "details": {"title": None}}},
        {"code": "x", "data": {"params": {"title": 3}, "details": {"title": {"code": 3, "data": 3}}}},
    ],
)
def test_an_error_of_any_shape_is_a_refusal(error: object) -> None:
    assert type(failure(CREATE, answered(400, error))) is Refused


def test_words_from_outside_cannot_move_the_cursor() -> None:
    error = failure(CREATE, refused(400, "rest_invalid_param", params={"a\x1b[2J": "b\r\nc"}))
    assert "\x1b" not in str(error)
    assert "\n" not in str(error)

"""Each refusal of WordPress comes with advice."""

from __future__ import annotations

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

CREATE = CreateCall(Kind.PAGE, {})
UPDATE = UpdateCall(Kind.POST, 7, {})
DELETE = DeleteCall(Kind.PAGE, 7)


def failure(call: Call, answer: HttpResponse) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        expect_success(call, answer)
    return caught.value


@pytest.mark.parametrize(
    ("call", "code", "right"),
    [
        (CREATE, "rest_cannot_create", "edit_pages"),
        (CREATE, "rest_cannot_publish", "publish_pages"),
        (UPDATE, "rest_cannot_edit", "edit_others_posts or edit_published_posts"),
        (UPDATE, "rest_cannot_edit_others", "edit_others_posts"),
        (UPDATE, "rest_cannot_assign_sticky", "edit_others_posts"),
        (DELETE, "rest_cannot_delete", "delete_others_pages"),
    ],
)
def test_the_right_that_is_missing_is_named(call: Call, code: str, right: str) -> None:
    error = failure(call, refused(403, code))

    assert isinstance(error, Refused)
    assert (error.status, code in error.what, right in error.todo) == (403, True, True)


@pytest.mark.parametrize("code", ["rest_cannot_create", "rest_not_logged_in", "incorrect_password"])
def test_nobody_logged_in_is_a_matter_of_the_password_and_not_of_rights(code: str) -> None:
    assert "application password" in failure(CREATE, refused(401, code)).todo


def test_a_list_that_a_visitor_may_not_see_is_a_matter_of_the_password_too() -> None:
    inside = {"status": {"code": "rest_forbidden_status", "message": "Forbidden", "data": {"status": 401}}}

    error = failure(CREATE, refused(400, "rest_invalid_param", details=inside))
    assert error.what == "the site answers as to a visitor"
    assert "application password" in error.todo


def test_a_bad_value_is_named_with_its_field() -> None:
    error = failure(CREATE, refused(400, "rest_invalid_param", params={"date": "Invalid date."}, details=[]))

    assert error.todo == "fix the front matter: date: Invalid date."


def test_a_400_does_not_advise_the_dialect_that_is_spoken() -> None:
    assert failure(CREATE, refused(400, "empty_content")).todo == "fix what it names"


def test_a_parent_that_somebody_deleted_is_told_from_other_bad_values() -> None:
    assert "no longer on the site" in failure(CREATE, refused(400, "rest_post_invalid_id")).todo


def test_a_field_that_nobody_may_write_is_told_with_what_lets_somebody_write_it() -> None:
    assert "`auth_callback`" in failure(UPDATE, refused(403, "rest_cannot_update")).todo


def test_without_a_trash_the_way_to_delete_for_good_is_named() -> None:
    error = failure(DELETE, refused(501, "rest_trash_not_supported"))

    assert isinstance(error, Refused)
    assert str(error) == "the site's trash is off; `--permanent` deletes for good"


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
    "answer", [refused(415, "wrong_content_type"), refused(400, "query_refused"), answered(400, None)]
)
def test_a_refusal_that_is_not_of_wordpress_may_be_of_the_documented_service(answer: HttpResponse) -> None:
    assert 'dialect = "documented"' in failure(CREATE, answer).todo


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

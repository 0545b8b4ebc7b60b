"""The meaning of each kind of response before a dialect reads it; one that would become huge is refused."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.strict_service import Fault, answer, serving

from pressync.client.port import HttpResponse
from pressync.client.responses import MOST_VALUES, clean, expect_success, is_overfull, json_object
from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import BadAnswer, Gone, Later, NoAnswer, Refused, ServiceError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.model.changes import Call


CREATE = CreateCall(Kind.PAGE, {"title": "A"})
UPDATE = UpdateCall(Kind.PAGE, 7, {"title": "A"})
# A read has the meaning of a call without fields.
LIST, READ = CreateCall(Kind.PAGE, {}), UpdateCall(Kind.PAGE, 7, {})
DELETE = DeleteCall(Kind.PAGE, 7)


def answered(
    status: int, body: bytes = b"", content_type: str = "application/json", **headers: str
) -> HttpResponse:
    return HttpResponse(status, content_type, named(headers), body)


def named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def error_body(code: str, message: str) -> bytes:
    return json.dumps({"code": code, "message": message, "data": {"status": 400}}).encode()


def failure(call: Call, answer: HttpResponse) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        expect_success(call, answer)
    return caught.value


@pytest.mark.parametrize("call", [CREATE, UPDATE, DELETE])
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, BadAnswer) for status in (202, 204, 206, 207, 301, 302, 304, 308, 600)),
        *((status, Refused) for status in (400, 401, 403, 405, 409, 413, 415, 422)),
        (429, Later),
        *((status, NoAnswer) for status in (500, 501, 502, 503, 504)),
    ],
)
def test_every_other_status_is_classed_by_whether_the_call_may_have_been_carried_out(
    call: Call, status: int, kind: type[ServiceError]
) -> None:
    error = failure(call, answered(status))
    assert type(error) is kind
    assert str(status) in str(error)


def test_an_address_that_is_too_long_for_the_server_has_advice() -> None:
    assert "large_client_header_buffers" in failure(READ, answered(414)).todo


@pytest.mark.parametrize("status", [400, 413])
def test_only_a_call_that_sends_a_document_is_told_to_change_it(status: int) -> None:
    todos = [failure(call, answered(status)).todo for call in (CREATE, UPDATE)]
    assert all(todo.startswith(("fix what it names", "split the document")) for todo in todos)
    others = [failure(call, answered(status)).todo for call in (LIST, READ, DELETE)]
    assert all(others)
    assert not any("document" in todo or "fix" in todo for todo in others)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (
            200,
            "the response is text/html “Café & guests”, not application/json; check `url`, and the proxies",
        ),
        (403, "the service refused with 403 “Café & guests”; use an account"),
        (
            407,
            "the service refused with 407 “Café & guests”; log in to the proxy between here and the service",
        ),
        (502, "the service answered 502 “Café & guests”"),
    ],
)
def test_a_web_page_in_place_of_a_record_is_named_by_its_title(status: int, said: str) -> None:
    page = b"<!doctype html><html><title id=t>\n Caf\xc3\xa9 &amp;\n guests</title><p>Log in</p></html>"
    response = HttpResponse(status, "text/html", {}, page)
    with pytest.raises(ServiceError) as raised:
        json_object(response) if status == 200 else expect_success(CREATE, response)
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize("status", [404, 410])
@pytest.mark.parametrize("call", [UPDATE, DELETE])
def test_a_record_is_gone_when_the_service_says_so(call: Call, status: int) -> None:
    error = failure(call, answered(status, error_body("rest_post_invalid_id", "Invalid post ID.")))
    assert isinstance(error, Gone)
    assert error.status == status
    assert "page 7" in str(error)


@pytest.mark.parametrize(
    ("call", "answer", "said"),
    [
        (DELETE, answered(404, b"<html>nginx</html>", "text/html"), ""),
        (DELETE, answered(404, b""), ""),
        (DELETE, answered(410, b"[]"), ""),
        (DELETE, answered(404, error_body("rest_no_route", "No route was found.")), "found; "),
        (CREATE, answered(404, error_body("rest_post_invalid_id", "Invalid.")), "it ends with /wp-json"),
    ],
)
def test_a_404_of_a_web_server_or_of_a_wrong_address_does_not_say_that_a_record_is_gone(
    call: Call, answer: HttpResponse, said: str
) -> None:
    error = failure(call, answer)
    assert type(error) is Refused
    assert said in str(error)


def test_a_refusal_carries_the_services_own_words_on_one_line_and_never_a_command_of_ours() -> None:
    body = error_body("rest_invalid_param", "Invalid\x1b[31m `pressync sync --yes`:\n title " + "x" * 500)
    said = str(failure(UPDATE, answered(400, body)))
    assert "rest_invalid_param: Invalid [31m 'pressync sync --yes': title xxx" in said
    assert said.isprintable()
    assert len(said) < 600


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://user:hush@new.example/wp-json/x?token=hush#hush", "https://new.example/wp-json/x, which"),
        ("/wp-login.php?redirect=hush", "/wp-login.php, which"),
        ("https://new.example/\x1b[2J\r\nhush: 1", "https://new.example/ [2J"),
        ("http://[broken/hush", "a malformed address"),
        ("", "nowhere"),
    ],
)
def test_a_redirect_names_the_place_without_what_may_be_secret(location: str, shown: str) -> None:
    said = str(failure(CREATE, answered(301, location=location)))
    assert shown in said
    assert "hush@" not in said
    assert "=hush" not in said
    assert said.isprintable()


NOW = "Wed, 21 Oct 2015 07:28:00 GMT"


@pytest.mark.parametrize(
    ("headers", "after"),
    [
        ({"retry_after": "120"}, 120.0),
        ({"retry_after": " 0 "}, 0.0),
        ({"retry_after": "Wed, 21 Oct 2015 07:29:30 GMT", "date": NOW}, 90.0),
        ({"retry_after": "Wednesday, 21-Oct-15 07:29:30 GMT", "date": NOW}, 90.0),
        ({"retry_after": "Wed, 21 Oct 2015 07:29:30 GMT"}, None),
        ({"retry_after": "Wed, 21 Oct 2015 07:27:00 GMT", "date": NOW}, None),
        ({"retry_after": "-5"}, None),
        ({"retry_after": "1e9"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "9" * 5000}, math.inf),
        ({"retry_after": "²"}, None),
        ({}, None),
    ],
)
def test_later_reads_seconds_or_a_date_beside_the_response(
    headers: dict[str, str], after: float | None
) -> None:
    error = failure(CREATE, HttpResponse(429, "", named(headers), b""))
    assert isinstance(error, Later)
    assert error.after == after


def test_a_date_without_that_of_the_response_is_read_by_the_clock_of_this_machine() -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    error = failure(CREATE, answered(429, retry_after=until))
    assert isinstance(error, Later)
    assert error.after is not None
    assert 1800 < error.after <= 3600


def test_a_503_is_later_only_if_it_says_when_and_only_its_time_is_a_guess() -> None:
    closed, limited = (failure(CREATE, answered(status, retry_after="600")) for status in (503, 429))
    assert isinstance(closed, Later)
    assert isinstance(limited, Later)
    assert [(error.after, error.early) for error in (closed, limited)] == [(600, True), (600, False)]
    assert isinstance(failure(CREATE, answered(503, retry_after="soon")), Later)
    assert isinstance(failure(CREATE, answered(503)), NoAnswer)


@given(st.text())
def test_any_retry_after_is_a_number_of_seconds_or_nothing(text: str) -> None:
    error = failure(CREATE, answered(429, retry_after=text, date=NOW))
    assert isinstance(error, Later)
    assert error.after is None or error.after >= 0


@given(st.integers(202, 999), st.binary(), st.dictionaries(st.sampled_from(["location", "date"]), st.text()))
def test_any_response_that_is_not_a_success_is_a_service_error_of_one_line(
    status: int, body: bytes, headers: dict[str, str]
) -> None:
    error = failure(DELETE, HttpResponse(status, "", headers, body))
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not JSON"),
        (b"[]", "not an object"),
        (b'"text"', "not an object"),
        (b"null", "not JSON"),
        (b'{"id": 1', "not JSON"),
        (b'{"id": 1}{"id": 2}', "not JSON"),
        (b'\xef\xbb\xbf{"id": 1}', "has a byte order mark before its JSON; find the plugin"),
        (
            b"<br />\n<b>Deprecated</b>: x() in <b>a.php</b> on line <b>3</b><br />\n[{}] " + b'{"id": 1}',
            "has “Deprecated : x.* in a.php on line 3 .*” before its JSON; .*WP_DEBUG_DISPLAY",
        ),
        (b'<br />\nWarning: x in y.php{"id": 1}', "has “Warning: x in y.php” before its JSON; "),
        (b'<br />\nFatal error: x{"id": 1', "not JSON.* begins “<br /> Fatal error: x"),
        (b'{"id": "\xff"}', "not JSON"),
        (b'{"id": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_body_that_is_not_an_object_from_first_to_last_byte_is_bad(body: bytes, said: str) -> None:
    with pytest.raises(BadAnswer, match=said):
        json_object(answered(200, body))


@pytest.mark.parametrize(
    "body", ['{"id": 1, "slug": "a", "id": 2}', '{"id": 1, "title": {"id": "A", "raw": "a", "id": "B"}}']
)
def test_an_object_that_names_a_member_twice_is_bad_and_a_refusal_is_one_all_the_same(body: str) -> None:
    with pytest.raises(BadAnswer, match="names “id” twice"):
        json_object(answered(200, body.encode()))
    twice = answered(400, b'{"code": "a", "code": "invalid", "message": "No."}')
    assert "invalid: No; " in str(failure(CREATE, twice))
    assert type(failure(CREATE, twice)) is Refused


@pytest.mark.parametrize(
    "content_type", ["text/html; charset=UTF-8", "", "application/json+oembed", "text/json"]
)
def test_another_content_type_is_a_bad_response(content_type: str) -> None:
    with pytest.raises(BadAnswer, match="application/json"):
        json_object(answered(200, b'{"id": 1}', content_type))


@given(st.text())
def test_a_cleaned_text_is_one_printable_line_of_bounded_length(text: str) -> None:
    line = clean(text, 40)
    assert line.isprintable()
    assert len(line) <= 40


# Less than a half of what 60 MB of empty objects cost.
_MEMORY = 700 * 1024 * 1024
_ASKING = f"""
import resource, sys
from pressync.model.errors import ServiceError
from pressync.model.interface import Kind
from pressync.model.changes import UpdateCall
from pressync.client.connect import open_service
service = open_service(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, ({_MEMORY}, {_MEMORY}))
try:
    service.carry_out(UpdateCall(Kind.PAGE, 1, {{"title": "x"}}))
except ServiceError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (200, "BadAnswer the response has more than 500,000 values, more than any record has; check `url`"),
        (400, "Refused the service refused with 400"),
    ],
)
@pytest.mark.sweep
def test_sixty_megabytes_of_objects_cost_little_more_than_themselves(status: int, said: str) -> None:
    body = b'{"id": 1, "x": [' + b"{}," * 20_000_000 + b"{}]}"
    with serving() as service:
        service.faults.append(Fault(sends=answer(status, body)))
        done = subprocess.run(
            [sys.executable, "-c", _ASKING, service.url], capture_output=True, text=True, check=False
        )
    assert done.stdout.startswith(said), done.stderr[-500:]


@pytest.mark.parametrize("value", ["{}", "[]", "1", '""', '"a\\\\"', '{"a": 1}'])
def test_values_are_counted(value: str) -> None:
    assert is_overfull(f"[{','.join([value] * (MOST_VALUES + 1))}]".encode())
    assert not is_overfull(f"[{','.join([value] * (MOST_VALUES // 4))}]".encode())


def test_what_stands_in_strings_is_not_counted() -> None:
    text = 'a, [b], {"c\\\\": "d"}, ' * 200_000
    assert not is_overfull(json.dumps({"content": {"raw": text, "rendered": text}}).encode())

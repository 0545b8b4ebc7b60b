"""What the five operations refuse: everything that the document does not show."""

from __future__ import annotations

import socket
import sqlite3
from typing import TYPE_CHECKING

import pytest
from tests.unit.server.wire import FORM, delete, encode, get, refusal, request, write

from pressync.model.interface import Kind
from pressync.server.api import BODY_LIMIT
from pressync.server.server import running

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.server.server import RunningService


# What the document does not show is refused


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/wp/v2/pages", "POST"),
        ("HEAD", "/wp/v2/pages", "POST"),
        ("OPTIONS", "/wp/v2/pages", "POST"),
        ("PUT", "/wp/v2/pages/2", "DELETE, POST"),
        ("PATCH", "/wp/v2/posts/1", "DELETE, POST"),
        ("GET", "/wp/v2/posts/1", "DELETE, POST"),
    ],
)
def test_another_method_is_refused_and_told_which_are_allowed(
    service: RunningService, method: str, path: str, allow: str
) -> None:
    answer = request(method, service.url + path)
    assert (answer.status, answer.headers["allow"]) == (405, allow)


_OTHER_PATHS = """
/ //wp/v2/pages /wp/v2 /wp/v2/posts /wp/v2/media /wp/v2/pages/ /wp/v2/pages/2/revisions
/wp/v2/pages/abc /wp/v2/pages/0 /wp/v2/pages/-1 /wp/v2/pages/1.5 /wp/v2/pages/02 /wp/v2/pages/%D9%A3
/wp/v2/pages/999999999999999999999999999999
"""


@pytest.mark.parametrize("path", ["", *_OTHER_PATHS.split()])
def test_another_path_is_not_found(service: RunningService, path: str) -> None:
    assert refusal(write(service.url + path, slug="a"), 404) == ("no_such_route", "")


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "multipart/form-data; boundary=x",
        "text/plain",
        "",
        f"{FORM}; charset=latin-1",
        f"{FORM}; a=b",
    ],
)
def test_another_content_type_is_refused(pages: str, kind: str) -> None:
    assert refusal(request("POST", pages, b"slug=a", {"Content-Type": kind}), 415)[0] == "wrong_content_type"
    assert refusal(request("DELETE", f"{pages}/2", b"force=true", {"Content-Type": kind}), 415)


@pytest.mark.parametrize("kind", [FORM.upper(), f"{FORM};charset=UTF-8", f'{FORM}; charset="utf-8"'])
def test_the_content_type_may_say_its_charset(pages: str, kind: str) -> None:
    assert request("POST", pages, b"slug=a", {"Content-Type": kind}).status == 200


def test_a_body_needs_its_content_type(pages: str) -> None:
    assert refusal(request("POST", pages), 415)[0] == "wrong_content_type"


def test_query_parameters_are_refused(pages: str, hello: str) -> None:
    assert refusal(write(f"{pages}?_fields=id", slug="a"), 400)[0] == "query_refused"
    assert refusal(delete(f"{hello}?force=true"), 400)[0] == "query_refused"


@pytest.mark.parametrize("body", [b"id=3", b"slug=a&slug=b", b"slug=%ff", b"title=text", b"force=true"])
def test_a_body_that_deviates_is_refused(pages: str, body: bytes) -> None:
    refusal(request("POST", pages, body, {"Content-Type": FORM}), 400)


def test_a_delete_takes_force_alone(hello: str) -> None:
    assert refusal(delete(hello, force=True, slug="a"), 400) == ("unknown_field", "slug")


def test_a_body_that_is_too_long_is_refused_before_it_is_sent(service: RunningService) -> None:
    host, port = service.site.removeprefix("http://").split(":")
    head = f"POST /wp-json/wp/v2/pages HTTP/1.1\r\nHost: {host}\r\nContent-Length: {BODY_LIMIT + 1}\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=30) as line:
        line.sendall(head.encode())
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"Content-Type: application/json" in answer
    assert b'"code": "too_large"' in answer


def test_the_interface_itself_has_the_limit_too(pages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pressync.server.api.BODY_LIMIT", 6)
    assert refusal(request("POST", pages, b"slug=ab", {"Content-Type": FORM}), 413) == ("too_large", "")
    assert request("POST", pages, b"slug=a", {"Content-Type": FORM}).status == 200


def test_a_body_of_exactly_the_limit_is_read(pages: str) -> None:
    body = b"slug=" + b"a" * (BODY_LIMIT - 5)
    assert request("POST", pages, body, {"Content-Type": FORM}).json["slug"] == "a" * 200


def test_a_broken_request_is_refused_in_json_too(service: RunningService) -> None:
    host, port = service.site.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as line:
        line.sendall(b"POST /wp-json/wp/v2/pages HTTP/1.1\r\nContent-Length: many\r\n\r\n")
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'"code": "bad_request"' in answer


# Who may write


def test_a_web_page_elsewhere_cannot_write_through_its_readers_browser(
    service: RunningService, pages: str
) -> None:
    headers = {"Content-Type": FORM, "Origin": "https://example.org"}
    assert refusal(request("POST", pages, b"slug=a", headers), 403)[0] == "from_browser"
    assert service.store.records(Kind.PAGE) == []


def test_with_a_token_only_those_who_present_it_write(tmp_path: Path) -> None:
    with running(tmp_path / "site.db", token="s3cret") as service:
        pages = f"{service.url}/wp/v2/pages"

        def status(authorization: str | None) -> int:
            headers = {"Content-Type": FORM} | ({"Authorization": authorization} if authorization else {})
            return request("POST", pages, encode({"slug": "a"}), headers).status

        assert status("Bearer s3cret") == 200
        assert status("Basic ZWRpdG9yOnMzY3JldA==") == 200  # editor:s3cret
        assert [
            status(given) for given in (None, "Bearer other", "Bearer", "Basic !", "Basic ZWRpdG9yOng=")
        ] == [401] * 5
        assert len(service.store.records(Kind.PAGE)) == 2
        assert get(service.site).status == 200


def test_a_refused_caller_is_told_how_to_authenticate(tmp_path: Path) -> None:
    with running(tmp_path / "site.db", token="s3cret") as service:
        answer = delete(f"{service.url}/wp/v2/posts/1")
        assert refusal(answer, 401) == ("not_authorised", "")
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "s3cret" not in answer.text


# When the service itself fails


def test_a_write_that_another_process_blocks_is_to_be_repeated(
    service: RunningService, pages: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.server.database._PATIENCE", 0.01)
    # A second connection is opened with the short patience while the first is lent.
    other = sqlite3.connect(tmp_path / "site.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with service.store.database.reading():
        answer = write(pages, slug="a")
    other.close()
    assert refusal(answer, 503) == ("busy", "")
    assert answer.headers["retry-after"] == "1"


def test_a_fault_of_the_service_is_no_secret_and_shows_no_details(
    pages: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = sqlite3.connect(tmp_path / "site.db")
    other.execute("DROP TABLE records")
    other.close()
    answer = write(pages, slug="a")
    assert refusal(answer, 500) == ("internal_error", "")
    assert "records" not in answer.text
    assert "POST /wp/v2/pages failed" in caplog.text

"""The application answers to its own names, and refuses what is not in the table of the interface."""

from __future__ import annotations

import socket
import sqlite3
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.unit.stage.server.wire import FORM, delete, encode, get, refusal, request, write
from werkzeug.test import Client

from pressync.model.interface import PAGE_RECORD, Kind
from pressync.stage.server.app import BOTH, DOCUMENTED, make_app
from pressync.stage.server.server import RunningService, running
from pressync.stage.server.wire import BODY_LIMIT

if TYPE_CHECKING:
    import logging
    from pathlib import Path

    from pressync.stage.server.server import RunningService
    from pressync.stage.server.store import Store


@pytest.mark.parametrize("start", ["/", "/index.php"])
def test_a_query_leads_to_the_service_as_on_wordpress(store: Store, start: str) -> None:
    asked = Client(make_app(store, dialect=BOTH))
    made = asked.post(f"{start}?rest_route=/wp/v2/pages", json={"title": "Über", "slug": "a"})
    assert made.status_code == 201
    listed = asked.get(f"{start}?rest_route=/wp/v2/pages&status=any&_fields=slug")
    assert listed.json == [{"slug": "a"}]
    assert asked.get(f"{start}?rest_route=%2F&_fields=dialects").json == {
        "dialects": ["wordpress", "documented"]
    }
    assert '"rest_no_route"' in asked.get(f"{start}?rest_route=/nowhere/ü").text
    alone = Client(make_app(store, dialect=DOCUMENTED)).get(f"{start}?rest_route=/wp/v2/pages")
    assert alone.status_code in {200, 404}
    assert alone.content_type.startswith("text/html")


def named(service: RunningService, host: str) -> dict[str, str]:
    return {"Host": host.replace("PORT", str(urlsplit(service.site).port))}


def test_a_foreign_host_reads_and_writes_nothing(service: RunningService, pages: str) -> None:
    for host in ("evil.example:8127", "localhost.evil.example", "localhost@evil.example", "[::1", "10.0.0.7"):
        for place in (f"{service.site}/", f"{service.url}/wp/v2/pages", f"{service.site}/-/style.css"):
            assert refusal(request("GET", place, headers=named(service, host)), 421) == ("foreign_host", "")
    headers = {**named(service, "evil.example"), "Content-Type": FORM}
    answer = request("POST", pages, encode({"title": {"raw": "Gotcha"}}), headers)
    assert refusal(answer, 421) == ("foreign_host", "")
    assert "`pressync serve --address URL` adds one" in answer.json["message"]
    assert get(f"{service.site}/gotcha/").status == 404


@pytest.mark.parametrize(
    ("options", "known", "foreign"),
    [
        ({}, ["localhost", "LOCALHOST:PORT", "127.0.0.1:PORT", "[::1]:PORT", "localhost:9000"], []),
        (
            {"address": "https://staging.example/"},
            ["staging.example", "Staging.Example:443"],
            ["evil.example"],
        ),
        # A server for everybody is found by any number but by no name.
        ({"host": "0.0.0.0"}, ["10.0.0.7:PORT", "[fe80::1]"], ["evil.example"]),  # noqa: S104
    ],
)
def test_the_names_of_this_machine_and_of_the_public_address_are_answered(
    tmp_path: Path, options: dict[str, str], known: list[str], foreign: list[str]
) -> None:
    with running(tmp_path / "site.db", **options) as service:  # type: ignore[arg-type]
        for host in (*known, *foreign):
            answer = request("GET", f"{service.site}/", headers=named(service, host))
            assert answer.status == (200 if host in known else 421), host


# What the document does not show is refused


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/wp/v2/pages", "POST"),
        ("HEAD", "/wp/v2/pages", "POST"),
        ("PUT", "/wp/v2/pages/2", "DELETE, POST"),
        ("GET", "/wp/v2/posts/1", "DELETE, POST"),
    ],
)
def test_another_method_is_refused(service: RunningService, method: str, path: str, allow: str) -> None:
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
        "",
        f"{FORM}; charset=latin-1",
    ],
)
def test_another_content_type_is_refused(pages: str, kind: str) -> None:
    assert refusal(request("POST", pages, b"slug=a", {"Content-Type": kind}), 415)[0] == "wrong_content_type"
    assert refusal(request("DELETE", f"{pages}/2", b"force=true", {"Content-Type": kind}), 415)


@pytest.mark.parametrize("body", [b"id=3", b"slug=a&slug=b", b"slug=%ff", b"title=text", b"force=true"])
def test_a_body_that_deviates_is_refused(pages: str, hello: str, body: bytes) -> None:
    refusal(request("POST", pages, body, {"Content-Type": FORM}), 400)
    assert refusal(write(f"{pages}?_fields=id", slug="a"), 400)[0] == "query_refused"
    assert refusal(delete(f"{hello}?force=true"), 400)[0] == "query_refused"
    assert refusal(delete(hello, force=True, slug="a"), 400) == ("unknown_field", "slug")


def raw(service: RunningService, sent: str) -> bytes:
    """Send a request as it is, and give all that comes back."""
    host, port = service.site.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as line:
        line.sendall(sent.replace("HOST", host).encode())
        return b"".join(iter(lambda: line.recv(65536), b""))


POST = "POST /wp-json/wp/v2/pages HTTP/"


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (f"1.1\r\nHost: HOST\r\nContent-Length: {BODY_LIMIT + 1}\r\n\r\n", b"413", b"too_large"),
        ("1.1\r\nContent-Length: many\r\n\r\n", b"400", b"bad_request"),
        (
            (
                f"1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Type: {FORM}\r\n"
                "Transfer-Encoding: chunked\r\n\r\n6\r\nslug=a\r\n0\r\n\r\n"
            ),
            b"200",
            b"",
        ),
    ],
    ids=["too long, before it is sent", "broken", "in chunks alone"],
)
def test_a_raw_request_is_taken_or_refused_in_json(
    service: RunningService, sent: str, status: bytes, code: bytes
) -> None:
    answer = raw(service, POST + sent)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert b"Content-Type: application/json" in answer
    assert not code or b'"code": "' + code in answer


def test_a_body_has_a_limit(pages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"slug=" + b"a" * (BODY_LIMIT - 5)
    assert request("POST", pages, body, {"Content-Type": FORM}).json["slug"] == "a" * 200
    monkeypatch.setattr("pressync.stage.server.wire.BODY_LIMIT", 6)
    assert refusal(request("POST", pages, b"slug=ab", {"Content-Type": FORM}), 413) == ("too_large", "")


INNER = "DELETE /wp-json/wp/v2/posts/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    "head",
    [
        "1.1\r\nContent-Length: {length}\r\nTransfer-Encoding: chunked",
        "1.1\r\ntransfer-encoding:\tChunked\r\ncontent-length: 0",
        "1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 5",
        "1.1\r\nContent-Length: 5\r\nContent-Length: {length}",
    ],
)
def test_nothing_behind_a_request_with_two_lengths_is_read(
    service: RunningService, hello: str, head: str
) -> None:
    body = f"0\r\n\r\n{INNER}"
    sent = f"{POST}{head}\r\nHost: HOST\r\nContent-Type: {FORM}\r\n\r\n{body}"
    answer = raw(service, sent.format(length=len(body)))
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.0 400 "))
    assert answer.count(b"Content-Type: ") == 1
    assert b'"code": "bad_request"' in answer
    assert write(hello, slug="still-here").status == 200


# Who may write


def test_a_web_page_elsewhere_cannot_write_by_a_browser(service: RunningService, pages: str) -> None:
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
        answer = delete(f"{service.url}/wp/v2/posts/1")
        assert refusal(answer, 401) == ("not_authorised", "")
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "s3cret" not in answer.text
        assert get(service.site).status == 200


# When the service itself fails


def test_a_write_that_another_process_blocks_is_to_be_repeated(
    service: RunningService, pages: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.stage.server.database._PATIENCE", 0.01)
    # A second connection is opened with the short patience while the first is lent.
    other = sqlite3.connect(tmp_path / "site.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with service.store.database.reading():
        answer = write(pages, slug="a")
    other.close()
    assert refusal(answer, 503) == ("busy", "")
    assert answer.headers["retry-after"] == "1"


def test_a_fault_is_told_without_details(pages: str, tmp_path: Path, logged: list[logging.LogRecord]) -> None:
    other = sqlite3.connect(tmp_path / "site.db")
    other.execute("DROP TABLE records")
    other.close()
    answer = write(pages, slug="a")
    assert refusal(answer, 500) == ("internal_error", "")
    assert "records" not in answer.text
    assert any("POST /wp/v2/pages failed" in record.getMessage() for record in logged)


# 4.1 Create a page


def test_a_taken_slug_gets_a_number_per_parent(pages: str) -> None:
    assert [write(pages, slug="dup").json["slug"] for _ in range(3)] == ["dup", "dup-2", "dup-3"]
    assert write(pages, slug="dup", parent=2).json["slug"] == "dup"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "trash"),
        ("comment_status", "yes"),
        ("ping_status", ""),
        ("author", 0),
        ("parent", 99),
        ("parent", 1),
    ],
)
def test_a_value_that_cannot_be_taken_is_refused_by_name(pages: str, field: str, value: object) -> None:
    assert refusal(write(pages, **{field: value}), 400) == ("invalid_field", field)


# 4.2 Update a page


def test_a_page_cannot_be_below_itself(pages: str) -> None:
    write(pages, slug="a")
    write(pages, slug="b", parent=2)
    assert "own parent" in write(f"{pages}/2", parent=2).json["message"]
    cycle = write(f"{pages}/2", parent=3)
    assert refusal(cycle, 400) == ("invalid_field", "parent")
    assert "cycle" in cycle.json["message"]


@pytest.mark.parametrize("record", ["99", "1"])
def test_a_page_that_is_not_there_is_not_found(pages: str, record: str) -> None:
    assert refusal(write(f"{pages}/{record}", slug="a"), 404) == ("no_such_record", "")
    assert refusal(delete(f"{pages}/{record}"), 404) == ("no_such_record", "")


# 4.3 Delete a page


def test_a_delete_without_force_moves_to_the_trash_and_one_with_it_removes_for_ever(pages: str) -> None:
    made = write(pages, slug="about").json
    answer = delete(f"{pages}/2", force=False)
    assert answer.status == 200
    assert list(answer.json) == [field.name for field in PAGE_RECORD]
    assert (answer.json["status"], answer.json["slug"]) == ("trash", "about__trashed")
    assert refusal(delete(f"{pages}/2"), 410) == ("already_trashed", "")
    assert refusal(write(pages, parent=2), 400) == ("invalid_field", "parent")
    assert write(f"{pages}/2", menu_order=1).json["status"] == "trash"
    restored = write(f"{pages}/2", status="publish", menu_order=0).json
    assert (restored["status"], restored["slug"]) == ("publish", "about")
    assert delete(f"{pages}/2", force=True).json["id"] == made["id"]
    assert delete(f"{pages}/2", force=True).status == 404
    assert write(pages, slug="about").json["id"] == 3


def test_the_children_of_a_removed_page_move_to_the_root(service: RunningService, pages: str) -> None:
    write(pages, slug="a")
    write(pages, slug="docs")
    write(pages, slug="a", parent=3)
    delete(f"{pages}/3", force=True)
    child = service.store.read(Kind.PAGE, 4)
    assert child
    assert (child["parent"], child["slug"], child["modified"]) == (0, "a-2", "2024-03-01T12:00:01")


# 4.4 and 4.5 Update and delete a post

"""The listener on 127.0.0.1: one answer, from the window that was led here, and nothing of it elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import requests
from tests.support.hostile.raw_requests import BROKEN, answered, broken_off

from pressync.app.login.listener import BroughtPassword, Listener

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWER = {"site_url": "https://example.org", "user_login": "editor", "password": "abcd efgh"}
AT_ONCE = 0.0


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as listener:
        yield listener


def get(address: str, **more: object) -> requests.Response:
    return requests.get(address, timeout=30, **more)  # type: ignore[arg-type]


def test_the_answer_is_taken_and_the_browser_is_led_to_a_page_without_it(
    listener: Listener, capfd: pytest.CaptureFixture[str]
) -> None:
    shown = get(listener.address, params=ANSWER)
    assert shown.url == f"http://{listener.host}/closed"
    assert "You may close this page." in shown.text
    assert listener.wait(30) == BroughtPassword("editor", "abcd efgh", "https://example.org")
    assert (shown.headers["Cache-Control"], shown.headers["Referrer-Policy"]) == ("no-store", "no-referrer")
    assert "abcd" not in repr(listener.wait(AT_ONCE)) + "".join(capfd.readouterr())


def test_the_second_answer_is_not_taken(listener: Listener) -> None:
    get(listener.address, params=ANSWER)
    again = get(listener.address, params={**ANSWER, "password": "another"}, allow_redirects=False)
    assert again.status_code == 410
    taken = listener.wait(AT_ONCE)
    assert taken
    assert taken.password == "abcd efgh"


def test_a_refusal_is_an_answer(listener: Listener) -> None:
    assert "You did not approve" in get(listener.address, params={"success": "false"}).text
    taken = listener.wait(AT_ONCE)
    assert taken
    assert not taken.is_given


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("", {"Host": "attacker.example"}, 403),
        ("", {"Host": "localhost"}, 403),
        ("", {"Sec-Fetch-Dest": "image"}, 403),
        ("x", {}, 404),
        ("/closed", {}, 404),
    ],
)
def test_a_request_that_is_not_that_of_the_window_is_refused(
    listener: Listener, path: str, headers: dict[str, str], status: int
) -> None:
    assert get(listener.address + path, params=ANSWER, headers=headers).status_code == status
    assert get(f"http://{listener.host}/closed").status_code == 404
    assert listener.wait(AT_ONCE) is None


@pytest.mark.parametrize(
    "query", ["", "?password=a", "?site_url=a&user_login=b&password=c&password=d", "?" + "a=b&" * 20]
)
def test_a_request_without_a_whole_answer_is_refused(listener: Listener, query: str) -> None:
    assert get(listener.address + query, allow_redirects=False).status_code == 400
    assert listener.wait(AT_ONCE) is None


def test_each_login_has_an_address_of_its_own(listener: Listener) -> None:
    with Listener() as other:
        state = other.address.rpartition("/")[2]
        assert len(state) >= 40
        assert get(f"http://{listener.host}/{state}", params=ANSWER).status_code == 404
    assert requests.post(listener.address, data=ANSWER, timeout=30).status_code == 501


@pytest.mark.parametrize("request_", BROKEN)
def test_a_broken_request_gets_an_answer_and_the_login_goes_on(
    listener: Listener, capfd: pytest.CaptureFixture[str], request_: bytes
) -> None:
    first = answered(listener.host, request_)
    # A request without a version gets a page without a first line.
    assert first == b"" or first.startswith((b"HTTP/1.0 4", b"<!DOCTYPE"))
    broken_off(listener.host, b"GET / HTTP/1.1\r\nHost: HOST\r\n\r\n")
    broken_off(listener.host, request_)
    get(listener.address, params=ANSWER)
    assert listener.wait(30) == BroughtPassword("editor", "abcd efgh", "https://example.org")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("path", ["http://[", "http://[::1%]/", "http://example.org:99999/"])
def test_an_address_that_is_not_one_gets_400(listener: Listener, path: str) -> None:
    line = f"GET {path} HTTP/1.1\r\nHost: HOST\r\n\r\n".encode()
    assert answered(listener.host, line).startswith(b"HTTP/1.0 400")

"""A JSON value over WSGI."""

from __future__ import annotations

from werkzeug.test import Client

from pressync.server.json_response import send_json


def test_a_value_is_sent_with_its_status_and_is_kept_nowhere() -> None:
    client = Client(
        lambda environ, start: send_json(environ, start, {"a": "é"}, status=405, headers=[("Allow", "GET")])
    )
    answer = client.get("/")
    assert (answer.status, answer.json) == ("405 Method Not Allowed", {"a": "é"})
    assert answer.content_type == "application/json"
    assert (answer.headers["Allow"], answer.headers["Cache-Control"]) == ("GET", "no-store")


def test_head_gets_the_length_alone() -> None:
    answer = Client(lambda environ, start: send_json(environ, start, [1, 2])).head("/")
    assert (answer.data, answer.headers["Content-Length"]) == (b"", "5")

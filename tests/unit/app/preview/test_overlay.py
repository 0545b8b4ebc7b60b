"""The overlay in the pages of a site, and the addresses of its own."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from pressync.app.preview.board import Board
from pressync.app.preview.overlay import Overlay, address_of_file, file_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed.wsgi import StartResponse, WSGIEnvironment

POLICY = "default-src 'none'; script-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'"
PAGE = "<html><body><p>Text </body> text</p></body></html>"


def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer as a site does."""
    request = Request(environ)
    kind = {"/a.png": "image/png", "/wp-json/": "application/json"}.get(request.path, "text/html")
    text = f"{request.method} {PAGE}"
    return Response(text, mimetype=kind, headers={"Content-Security-Policy": POLICY})(environ, start_response)


@pytest.fixture
def board() -> Board:
    """Put up the facts of one page."""
    board = Board()
    board.put("/a/", {"path": "content/a.md"})
    return board


@pytest.fixture
def client(board: Board) -> Client:
    """Sit before the site."""
    return Client(Overlay(board).around(site))


def test_a_page_gets_one_script_and_its_policy_that_script_alone(client: Client, board: Board) -> None:
    shown, again = client.get("/a/"), client.get("/a/")
    word = re.search('<script nonce="([^"]+)" src="/-/preview/overlay.js" ', shown.text)
    assert word
    assert f'data-stage="{board.stage}"' in shown.text
    assert shown.text.count("<script") == 1
    assert shown.text.index("<script") > shown.text.index("</body> text")
    policy = shown.headers["Content-Security-Policy"]
    assert f"script-src 'nonce-{word[1]}'; connect-src 'self';" in policy
    assert word[1] not in again.text
    assert "unsafe-inline" not in policy.replace("style-src-attr 'unsafe-inline'", "")


@pytest.mark.parametrize(("method", "path"), [("GET", "/a.png"), ("GET", "/wp-json/"), ("POST", "/a/")])
def test_everything_else_stays_as_it_is(client: Client, method: str, path: str) -> None:
    shown = client.open(path, method=method)
    assert shown.text == f"{method} {PAGE}"
    assert shown.headers["Content-Security-Policy"] == POLICY


def test_a_question_about_a_page_alone_gets_no_script(client: Client) -> None:
    assert client.head("/a/").headers["Content-Security-Policy"] == POLICY


def test_the_script_asks_for_the_facts(client: Client, board: Board) -> None:
    said = client.get("/-/preview/state?at=/a/&since=0")
    assert json.loads(said.text) == {"stage": board.stage, "number": 1, "path": "content/a.md"}
    assert said.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in said.headers


def test_script_and_style_are_ours(client: Client) -> None:
    assert "attachShadow" in client.get("/-/preview/overlay.js").text
    assert "/* A link would lead" in client.get("/-/preview/overlay.js").text
    assert ":host" in client.get("/-/preview/overlay.css").text
    assert client.get("/-/preview/other").status_code == 404


def test_a_file_without_a_page_has_a_page_about_it(client: Client) -> None:
    path = 'content/pages/<b> & "c".md'
    shown = client.get(address_of_file(path))
    assert "no page of <code>content/pages/&lt;b&gt; &amp; &quot;c&quot;.md</code> yet" in shown.text
    assert "overlay.js" in shown.text
    assert file_at(address_of_file(path)) == path
    assert file_at("/a/?path=x") is None

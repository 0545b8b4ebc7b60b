"""The overlay on each page, and the facts that it shows."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

import pytest
from tests.support.builders import blocked, keep, plan, update
from tests.support.plan_samples import HOSTILE, PROBLEMS
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from pressync.app.comparisons import Comparison, Comparisons
from pressync.model.errors import Code, Problem
from pressync.stage.overlay import Board, Overlay, WorkTreeFacts, address_of_file, file_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from pressync.model.changes import Change


POLICY = "default-src 'none'; script-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'"
PAGE = "<html><body><p>Text </body> text</p></body></html>"


def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    request = Request(environ)
    kind = {"/a.png": "image/png", "/wp-json/": "application/json"}.get(request.path, "text/html")
    text = f"{request.method} {PAGE}"
    return Response(text, mimetype=kind, headers={"Content-Security-Policy": POLICY})(environ, start_response)


@pytest.fixture
def board() -> Board:
    board = Board()
    board.put("/a/", {"path": "content/a.md"})
    return board


@pytest.fixture
def client(board: Board) -> Client:
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


def test_everything_else_stays_as_it_is(client: Client) -> None:
    for method, path in (("GET", "/a.png"), ("GET", "/wp-json/"), ("POST", "/a/")):
        shown = client.open(path, method=method)
        assert (shown.text, shown.headers["Content-Security-Policy"]) == (f"{method} {PAGE}", POLICY)
    assert client.head("/a/").headers["Content-Security-Policy"] == POLICY


def test_the_script_asks_for_the_facts_and_script_and_style_are_ours(client: Client, board: Board) -> None:
    said = client.get("/-/preview/state?at=/a/&since=0")
    assert json.loads(said.text) == {"stage": board.stage, "number": 1, "path": "content/a.md"}
    assert said.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in said.headers
    assert "attachShadow" in client.get("/-/preview/overlay.js").text
    assert ":host" in client.get("/-/preview/overlay.css").text
    assert client.get("/-/preview/other").status_code == 404


def test_a_file_without_a_page_has_a_page_about_it(client: Client) -> None:
    path = 'content/pages/<b> & "c".md'
    shown = client.get(address_of_file(path))
    assert "no page of <code>content/pages/&lt;b&gt; &amp; &quot;c&quot;.md</code> yet" in shown.text
    assert "overlay.js" in shown.text
    assert file_at(address_of_file(path)) == path
    assert file_at("/a/?path=x") is None


def test_a_browser_waits_until_there_are_facts_about_its_page() -> None:
    board = Board()
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(board.ask, "/a/", 0)
        board.wait(60)
        assert board.wanted == ["/a/"]
        board.put("/a/", {"path": "a.md"})
        assert asked.result(60) == {"stage": board.stage, "number": 1, "path": "a.md"}
    assert board.wanted == []
    # It has not seen these facts yet, so it does not wait.
    assert board.ask("/a/", 0)["path"] == "a.md"


def test_news_reach_a_browser_that_has_the_old_facts() -> None:
    board = Board()
    board.put("/a/", {"path": "a.md"})
    before = board.stage
    board.renew()
    assert board.stage == before != Board().stage
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(board.ask, "/a/", 2)
        board.renew(stage_changed=True)
        board.wait(60)
        board.put("/a/", {"path": "b.md"})
        said = asked.result(60)
    assert (said["number"], said["path"]) == (3, "b.md")
    assert said["stage"] == board.stage != before


def test_so_many_browsers_wait_and_the_others_come_again() -> None:
    board = Board()
    with ThreadPoolExecutor() as threads:
        waiting = [threads.submit(board.ask, f"/{number}/", 0) for number in range(4)]
        while len(board.wanted) < 4:
            board.wait(0.01)
        assert board.ask("/5/", 0) == {"stage": board.stage, "number": 0, "again": 1_000}
        board.close()
        assert [each.result(60)["number"] for each in waiting] == [0] * 4
    for number in range(20):
        assert board.ask(f"/{number}/", 0)["number"] == 0
    assert board.wanted == [f"/{number}/" for number in range(12, 20)], "those that were asked for last"


ABOUT = "content/pages/about.md"


class Sides:
    """Comparisons that were made before."""

    def __init__(self, *known: Comparison) -> None:
        self._known = {each.path: each for each in known}

    def of(self, changes: Sequence[Change]) -> Iterator[Comparison]:
        yield from (self._known[change.path] for change in changes if change.path in self._known)


def facts(*changes: Change, problems: Sequence[Problem] | None = None, long: int = 0) -> WorkTreeFacts:
    sides = Sides(Comparison(ABOUT, "+" + "x" * long, "<p>a</p>"))
    return WorkTreeFacts(plan(*changes), cast("Comparisons", sides), {ABOUT: "/about/"}, problems=problems)


def test_a_page_that_is_up_to_date_and_one_that_no_file_makes() -> None:
    known = facts(keep(ABOUT))
    assert known.of(ABOUT)["reason"] == "a sync would send nothing"
    assert known.of(None)["reason"] == "this page is not a file of its own"
    assert known.of("content/pages/left-out.md")["reason"] == "no sync changes this file"
    assert known.of(ABOUT)["changes"] == []
    own = Problem(ABOUT, 3, "no number", "write one", code=Code.VALUE)
    said = facts(keep(ABOUT), problems=(*PROBLEMS, own)).of(ABOUT)
    assert (said["action"], facts(keep(ABOUT), problems=PROBLEMS).of(ABOUT)["action"]) == ("problem", "keep")
    texts = [f"{path}:3: no number; write one" for path in (ABOUT, "content/pages/bad.md")]
    assert said["problems"] == [["error", text] for text in texts]


def test_many_changes_long_sides_and_texts_from_outside_are_bounded() -> None:
    said = facts(*(blocked(f"{number}.md", "no") for number in range(250))).of(None)
    assert (len(cast("list[object]", said["changes"])), said["more"]) == (200, 50)
    sides = cast("dict[str, str]", facts(update(ABOUT), long=2_000_000).of(ABOUT)["sides"])
    assert (sides["source"], sides["rendered"]) == ("", "")
    assert sides["why"].endswith("`pressync plan --diff` prints them")
    assert str(facts(blocked(ABOUT, HOSTILE)).of(ABOUT)["reason"]).isprintable()

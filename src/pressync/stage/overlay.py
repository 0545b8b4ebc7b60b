"""Puts our overlay into the pages of the stage, and answers its script with the facts about each page.

The pages show texts from outside, and their policy forbids all scripts. So the policy gets exactly one script
of ours, by a word that is new in each response and that no text can know. Every address here is only read:
nothing that a page asks for can change anything. Git and the manifest are read by one thread only. So a
browser waits at the board until that thread has put up newer facts.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote

from werkzeug.wrappers import Request, Response

from pressync.app import comparisons
from pressync.model.changes import Blocked, Change, Create, Delete, Keep, Plan, Update
from pressync.model.printable import one_line, printable
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from pressync.app.comparisons import Comparison, Comparisons
    from pressync.model.errors import Problem

# A browser waits this many seconds for news, and at most this many browsers wait at once. The others ask
# again after this many milliseconds.
_PATIENCE, _MOST_WAITING, _AGAIN = 20.0, 4, 1_000
# Facts are made for the pages that were asked for last.
_MOST_PAGES = 8

Facts = dict[str, object]


class Board:
    """The facts about the pages that browsers show. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._waiting = threading.BoundedSemaphore(_MOST_WAITING)
        self._pages: OrderedDict[str, Facts | None] = OrderedDict()
        self._number = 1
        self._session = secrets.token_hex(4)
        self._stage = 0
        self._closed = False

    @property
    def stage(self) -> str:
        """The name of the state that the pages of the stage show; a page of another state is loaded anew."""
        return f"{self._session}-{self._stage}"

    def ask(self, page: str, since: int) -> Facts:
        """Give the facts about a page as soon as they are newer than `since`, or the time is over."""
        if not self._waiting.acquire(blocking=False):
            return {**self._now(page), "again": _AGAIN}
        try:
            with self._news:
                self._pages.setdefault(page, None)
                self._pages.move_to_end(page)
                while len(self._pages) > _MOST_PAGES:
                    self._pages.popitem(last=False)
                self._news.notify_all()
                self._news.wait_for(
                    lambda: self._closed or (self._number > since and self._pages.get(page) is not None),
                    _PATIENCE,
                )
            return self._now(page)
        finally:
            self._waiting.release()

    def wait(self, seconds: float) -> None:
        """Return when a page is wanted that has no facts, or after some seconds."""
        with self._news:
            self._news.wait_for(lambda: self._closed or None in self._pages.values(), seconds)

    @property
    def wanted(self) -> list[str]:
        """The pages without facts."""
        with self._news:
            return [page for page, facts in self._pages.items() if facts is None]

    def renew(self, *, stage_changed: bool = False) -> None:
        """Forget the facts: something has changed, perhaps the pages of the stage themselves."""
        with self._news:
            self._number += 1
            self._stage += stage_changed
            self._pages = OrderedDict.fromkeys(self._pages)
            self._news.notify_all()

    def put(self, page: str, facts: Mapping[str, object]) -> None:
        """Put up the facts about a page."""
        with self._news:
            self._pages[page] = dict(facts)
            self._news.notify_all()

    def close(self) -> None:
        """Answer all who wait, now and later."""
        with self._news:
            self._closed = True
            self._news.notify_all()

    def _now(self, page: str) -> Facts:
        with self._news:
            facts = self._pages.get(page)
            return {"stage": self.stage, "number": self._number if facts else 0, **(facts or {})}


# The overlay lists at most this many changes, and this many problems.
_MOST = 200
# A longer comparison is not sent to the browser.
_LONGEST_TEXT = 2_000_000
PROBLEM = "problem"
_BROKEN = "the file has problems, so nothing of it would be sent; "
_LAST_GOOD, _NO_PAGE = "the page is the last good one", "it has no page yet"


@dataclass(frozen=True, slots=True)
class WorkTreeFacts:
    """All that is known of one state of the work tree.

    `problems` are those of `check`, and None until it has read every file; until then those of the plan
    count. `addresses` are the paths on the stage by the paths of the documents, and `with_paths` leads the
    links of a text to the stage. `trouble` are sentences about the preview itself.
    """

    plan: Plan
    comparisons: Comparisons
    addresses: Mapping[str, str]
    with_paths: Callable[[str], str] = str
    trouble: Sequence[str] = ()
    problems: Sequence[Problem] | None = None

    def of(self, path: str | None) -> dict[str, object]:
        """Give the facts about the page of a document; None stands for a page that is not of a document."""
        problems = self.plan.problems if self.problems is None else self.problems
        own = [problem for problem in problems if problem.path == path]
        # A problem that leaves a document out concerns whoever looks at any page.
        others = [problem for problem in problems if problem.path != path and not problem.warning]
        change = next((each for each in self.plan.changes if each.path == path), None)
        word, reason = _said(change, own, is_document=path is not None)
        if word == PROBLEM:
            reason += _LAST_GOOD if path in self.addresses else _NO_PAGE
        compared = next(self.comparisons.of([change]), None) if change else None
        pending = [each for each in self.plan.changes if not isinstance(each, Keep)]
        shown = path or ""
        return {
            "path": one_line(shown),
            "address": self.address(path) if path else None,
            "action": word,
            "reason": one_line(reason),
            "problems": [
                *(["error", one_line(sentence)] for sentence in self.trouble),
                *([each.severity, one_line(str(each))] for each in [*own, *others][:_MOST]),
            ],
            "checked": self.problems is not None,
            "sides": self._sides(compared, change) if compared else None,
            "changes": [
                [each.action, one_line(each.path), self.address(each.path), one_line(each.reason)]
                for each in pending[:_MOST]
            ],
            "more": max(0, len(pending) - _MOST),
        }

    def address(self, path: str) -> str:
        """Give the address of a document on the stage, or that of a page about it."""
        return self.addresses.get(path) or address_of_file(path)

    def _sides(self, compared: Comparison, change: Change | None) -> dict[str, str]:
        too_long = len(compared.source) + len(compared.rendered or "") > _LONGEST_TEXT
        why = "the two sides are too long to show here; `pressync plan --diff` prints them"
        live = "the site now" if self.plan.compared else "as last sent"
        live = "nothing yet" if isinstance(change, Create) else live
        return {
            "source": "" if too_long else printable(compared.source),
            "rendered": "" if too_long else self.with_paths(compared.rendered or ""),
            "why": why if too_long else compared.why,
            "heading": f"Rendered: {live} | the work tree",
        }


def _said(change: Change | None, problems: Iterable[Problem], *, is_document: bool) -> tuple[str, str]:
    if any(not problem.warning for problem in problems):
        return PROBLEM, _BROKEN
    match change:
        case Create() | Update() | Delete() | Blocked():
            return change.action, change.reason
        case Keep():
            return change.action, change.reason if change.why else "a sync would send nothing"
        case None:
            return "", "no sync changes this file" if is_document else "this page is not a file of its own"


_OWN = "/-/preview/"
_FILE = f"{_OWN}file"
# A browser asks about no longer address.
_LONGEST = 4_000
_POLICY = "Content-Security-Policy"
_HEADERS = {
    _POLICY: (
        "default-src 'none'; script-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        "img-src * data:; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def address_of_file(path: str) -> str:
    """Give the address of the page for a file that has no page yet."""
    return f"{_FILE}?path={quote(path)}"


def file_at(address: str) -> str | None:
    """Give the path of the file that such a page is about; None for any other address."""
    parts = split(address)
    if parts is None or parts.path != _FILE:
        return None
    return next(iter(parse_qs(parts.query).get("path", [])), None)


class Overlay:
    """The overlay of one preview; `around` wraps the application of the stage."""

    def __init__(self, board: Board) -> None:
        self._board = board
        # They are read before anybody asks, because an update replaces the files below a preview that runs.
        self._script = comparisons.script(comparisons.part("overlay.js"))
        self._style = comparisons.part("overlay.css") + comparisons.part("comparison.css")

    def around(self, application: WSGIApplication) -> WSGIApplication:
        """Wrap an application: its pages get the overlay, all else stays."""

        def answered(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            request = Request(environ)
            is_service = request.path.startswith("/wp-json") or "rest_route=" in environ["QUERY_STRING"]
            if request.method not in {"GET", "HEAD"} or is_service:
                return application(environ, start_response)
            if request.path.startswith(_OWN):
                response = self._own(request)
            else:
                response = Response.from_app(application, environ)
                if response.mimetype == "text/html" and request.method == "GET":
                    response = self._with_overlay(response)
            return response(environ, start_response)

        return answered

    def _own(self, request: Request) -> Response:
        answers: dict[str, Callable[[], Response]] = {
            _FILE: lambda: self._file(request.args.get("path", "")),
            f"{_OWN}state": lambda: self._state(request),
            f"{_OWN}overlay.js": lambda: _text(self._script, "javascript"),
            f"{_OWN}overlay.css": lambda: _text(self._style, "css"),
        }
        answer = answers.get(request.path)
        return answer() if answer else Response("Not found.", 404, headers=_HEADERS)

    def _state(self, request: Request) -> Response:
        since = request.args.get("since", 0, type=int)
        page = request.args.get("at", "/")
        # Any web page in the browser can send any text here.
        if not page.startswith("/") or len(page) > _LONGEST or split(page) is None:
            return Response("This is not the address of a page.", 400, headers=_HEADERS)
        facts = self._board.ask(page, since)
        return Response(json.dumps(facts), mimetype="application/json", headers=_HEADERS)

    def _file(self, path: str) -> Response:
        """Show a file that has no page: it is new, and it has problems or cannot be created."""
        name = escape(path)
        html = (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<link rel="stylesheet" href="/-/style.css"><body><main id="main"><p>The preview has no page of '
            f"<code>{name}</code> yet.</p></main></body></html>"
        )
        return self._with_overlay(Response(html, mimetype="text/html", headers=_HEADERS))

    def _with_overlay(self, response: Response) -> Response:
        word = secrets.token_urlsafe(16)
        tag = (
            f'<script nonce="{word}" src="{_OWN}overlay.js" data-stage="{self._board.stage}" defer></script>'
        )
        text = response.get_data(as_text=True)
        head, end, tail = text.rpartition("</body>")
        response.set_data(f"{head}{tag}{end}{tail}" if end else f"{text}{tag}")
        frame = comparisons.allowed(comparisons.part("frame.css"))
        policy = response.headers.get(_POLICY, _HEADERS[_POLICY])
        policy = policy.replace("script-src 'none'", f"script-src 'nonce-{word}'; connect-src 'self'")
        response.headers[_POLICY] = policy.replace("style-src 'self'", f"style-src 'self' {frame}")
        response.headers["Cache-Control"] = "no-store"
        return response


def _text(text: str, kind: str) -> Response:
    return Response(text, mimetype=f"text/{kind}", headers=_HEADERS)

"""Puts our overlay into the pages of the stage, and answers what its script asks.

The pages show texts from outside, and their policy forbids all scripts. So the policy gets exactly one script
of ours, by a word that is new in each response and that no text can know. Every address here is only read:
nothing that a page asks for can change anything.
"""

from __future__ import annotations

import json
import secrets
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from werkzeug.wrappers import Request, Response

from pressync.app import page_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from pressync.app.preview.board import Board

_OWN = "/-/preview/"
_FILE = f"{_OWN}file"
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
    parts = urlsplit(address)
    return next(iter(parse_qs(parts.query).get("path", [])), None) if parts.path == _FILE else None


class Overlay:
    """The overlay of one preview; `around` wraps the application of the stage."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def around(self, application: WSGIApplication) -> WSGIApplication:
        """Wrap an application: its pages get the overlay, all else stays."""

        def answered(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            if environ["REQUEST_METHOD"] not in {"GET", "HEAD"} or _is_service(environ):
                return application(environ, start_response)
            request = Request(environ)
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
            f"{_OWN}overlay.js": lambda: _text(
                page_parts.script(page_parts.part("overlay.js")), "javascript"
            ),
            f"{_OWN}overlay.css": lambda: _text(
                page_parts.part("overlay.css") + page_parts.part("comparison.css"), "css"
            ),
        }
        answer = answers.get(request.path)
        return answer() if answer else Response("Not found.", 404, headers=_HEADERS)

    def _state(self, request: Request) -> Response:
        since = request.args.get("since", 0, type=int)
        facts = self._board.ask(request.args.get("at", "/")[:2_000], since)
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
        """Add the script to a page, and to its policy."""
        word = secrets.token_urlsafe(16)
        tag = (
            f'<script nonce="{word}" src="{_OWN}overlay.js" data-stage="{self._board.stage}" defer></script>'
        )
        text = response.get_data(as_text=True)
        head, end, tail = text.rpartition("</body>")
        response.set_data(f"{head}{tag}{end}{tail}" if end else f"{text}{tag}")
        frame = page_parts.allowed(page_parts.part("frame.css"))
        policy = response.headers.get(_POLICY, _HEADERS[_POLICY])
        policy = policy.replace("script-src 'none'", f"script-src 'nonce-{word}'; connect-src 'self'")
        response.headers[_POLICY] = policy.replace("style-src 'self'", f"style-src 'self' {frame}")
        response.headers["Cache-Control"] = "no-store"
        return response


def _is_service(environ: WSGIEnvironment) -> bool:
    return environ.get("PATH_INFO", "").startswith("/wp-json") or "rest_route=" in environ["QUERY_STRING"]


def _text(text: str, kind: str) -> Response:
    return Response(text, mimetype=f"text/{kind}", headers=_HEADERS)

"""A stand-in for GitHub's REST interface: the comments of issues, as its documentation tells, and strictly.

"REST API endpoints for issue comments", "Getting started with the REST API", "Using pagination". It imports
nothing of ours.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from tests.support.wire import End, FarSide, Reply, listening

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.wire import Received

LIMIT = 65_536
OURSELVES = "github-actions[bot]"

_THREAD = re.compile(r"/repos/(?P<repo>[^/]+/[^/]+)/issues/(?P<number>\d+)/comments")
_COMMENT = re.compile(r"/repos/(?P<repo>[^/]+/[^/]+)/issues/comments/(?P<id>\d+)")
_DEFAULT_PAGE, _LARGEST_PAGE = 30, 100


@dataclass
class GitHub(FarSide):
    """One repository's comments, oldest first; `writable` is what `permissions: pull-requests` gives."""

    prefix: ClassVar[str] = ""

    repository: str = ""
    token: str = ""
    writable: bool = True
    broken: bool = False
    comments: list[dict[str, Any]] = field(default_factory=list)

    @property
    def heard(self) -> list[str]:
        """What it was asked: method and path."""
        return [f"{received.method} {received.path}" for received in self.received]

    def add(self, number: int, body: str, author: str = OURSELVES) -> dict[str, Any]:
        """Put a comment there."""
        own = len(self.comments) + 1
        comment = {
            "id": own,
            "body": body,
            "user": {"login": author, "type": "Bot" if author == OURSELVES else "User"},
            "html_url": f"https://github.test/{self.repository}/pull/{number}#issuecomment-{own}",
            "issue_url": f"{self.url}/repos/{self.repository}/issues/{number}",
        }
        self.comments.append(comment)
        return comment

    def take(self, received: Received) -> tuple[bytes, End]:
        """Answer one request."""
        status, found = self.answer(received.method, received.path, received.headers, received.body)
        return Reply(status, found, raw=b"" if found is None else None).spelled(), End.KEEP

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> tuple[int, Any]:
        """Answer with status and JSON."""
        refusal = self._refusal(method, headers)
        if refusal:
            return refusal
        parts = urlsplit(target)
        thread, comment = _THREAD.fullmatch(parts.path), _COMMENT.fullmatch(parts.path)
        if thread and thread["repo"] == self.repository and method == "GET":
            return 200, self._page(int(thread["number"]), parse_qs(parts.query))
        if thread and thread["repo"] == self.repository and method == "POST":
            return self._written(body, lambda text: (201, self.add(int(thread["number"]), text)))
        own = [found for found in self.comments if comment and found["id"] == int(comment["id"])]
        if own and method == "PATCH":
            return self._written(body, lambda text: (200, self._edit(own[0], text)))
        return 404, {"message": "Not Found"}

    def _refusal(self, method: str, headers: dict[str, str]) -> tuple[int, Any] | None:
        if self.broken:
            return 502, None
        if not headers.get("User-Agent"):
            return 403, {"message": "Request forbidden by administrative rules."}
        if headers.get("Authorization") != f"Bearer {self.token}":
            return 401, {"message": "Bad credentials"}
        assert headers.get("Accept") == "application/vnd.github+json"
        assert headers.get("X-GitHub-Api-Version") == "2022-11-28"
        if method != "GET" and not self.writable:
            return 403, {"message": "Resource not accessible by integration"}
        return None

    def _page(self, number: int, query: dict[str, list[str]]) -> list[dict[str, Any]]:
        size = min(int(query.get("per_page", [_DEFAULT_PAGE])[0]), _LARGEST_PAGE)
        first = (int(query.get("page", [1])[0]) - 1) * size
        own = [comment for comment in self.comments if comment["issue_url"].endswith(f"/issues/{number}")]
        return own[first : first + size]

    def _written(self, body: bytes, write: Any) -> tuple[int, Any]:  # noqa: ANN401
        given = json.loads(body)
        assert set(given) == {"body"}
        if not given["body"].strip():
            return 422, {"message": "Validation Failed"}
        if len(given["body"]) > LIMIT:
            return 422, {"message": f"Body is too long (maximum is {LIMIT} characters)"}
        found: tuple[int, Any] = write(given["body"])
        return found

    def _edit(self, comment: dict[str, Any], text: str) -> dict[str, Any]:
        comment["body"] = text
        return comment


@contextmanager
def serving(repository: str, token: str) -> Iterator[GitHub]:
    """Serve an empty GitHub on a free port."""
    site = GitHub(repository=repository, token=token)
    with listening(site):
        yield site

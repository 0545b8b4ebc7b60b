"""A stand-in for GitHub's REST interface: comments and pull requests, strictly as its documentation tells.

"REST API endpoints for issue comments", "REST API endpoints for pull requests", "Getting started with the
REST API", "Using pagination". Its branches are those of a real repository. It imports nothing of ours.
"""

from __future__ import annotations

import json
import re
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from tests.support.wire import End, FarSide, Reply, listening

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.wire import Received

LIMIT = 65_536
OURSELVES = "github-actions[bot]"

_THREAD = re.compile(r"/repos/(?P<repo>[^/]+/[^/]+)/issues/(?P<number>\d+)/comments")
_COMMENT = re.compile(r"/repos/(?P<repo>[^/]+/[^/]+)/issues/comments/(?P<id>\d+)")
_PULLS = re.compile(
    r"/repos/(?P<repo>[^/]+/[^/]+)(?:/commits/(?P<sha>[0-9a-f]{40}))?/pulls(?:/(?P<number>\d+))?"
)
_FILTERS = {"state", "head", "base", "sort", "direction", "per_page", "page"}
_CREATED = {"title", "body", "head", "base", "draft", "maintainer_can_modify"}
_CHANGED = {"title", "body", "state", "base"}
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
    pulls: list[dict[str, Any]] = field(default_factory=list)
    # The folder of the repository that has the branches.
    branches: Path | None = None
    # "Allow GitHub Actions to create and approve pull requests", a setting of the repository.
    may_open: bool = True

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
        parts = urlsplit(target)
        pulls = _PULLS.fullmatch(parts.path)
        if refusal or (pulls and pulls["repo"] == self.repository):
            return refusal or self._of_pulls(method, pulls, parts.query, body)
        thread, comment = _THREAD.fullmatch(parts.path), _COMMENT.fullmatch(parts.path)
        if thread and thread["repo"] == self.repository and method == "GET":
            return 200, self._page(int(thread["number"]), parse_qs(parts.query))
        if thread and thread["repo"] == self.repository and method == "POST":
            return self._written(body, lambda text: (201, self.add(int(thread["number"]), text)))
        own = [found for found in self.comments if comment and found["id"] == int(comment["id"])]
        if own and method == "PATCH":
            return self._written(body, lambda text: (200, self._edit(own[0], text)))
        return 404, {"message": "Not Found"}

    @property
    def open(self) -> list[dict[str, Any]]:
        """The open pull requests. One whose branch is gone has been closed by that."""
        for pull in self.pulls:
            if not self._commit(pull["head"]["ref"]):
                pull["state"] = "closed"
        return [pull for pull in self.pulls if pull["state"] == "open"]

    def _commit(self, branch: str) -> str:
        asked = ["git", "-C", str(self.branches), "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"]
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()

    def _of_pulls(self, method: str, asked: re.Match[str] | None, query: str, body: bytes) -> tuple[int, Any]:
        if asked and asked["sha"] and method == "GET":
            # "It will return only open pull requests", if the default branch does not have the commit.
            return 200, [row for row in self.pulls if row.get("merge_commit_sha") == asked["sha"]]
        return self._pulls(method, int((asked and asked["number"]) or 0), parse_qs(query), body)

    def _pulls(self, method: str, number: int, query: dict[str, list[str]], body: bytes) -> tuple[int, Any]:
        found = self.open
        if method == "GET" and not number:
            assert set(query) <= _FILTERS
            assert query.get("state") == ["open"]
            owner, _, branch = query["head"][0].partition(":")
            assert owner == self.repository.partition("/")[0]
            return 200, [pull for pull in found if pull["head"]["ref"] == branch]
        given = json.loads(body)
        if method == "POST" and not number:
            assert set(given) <= _CREATED
            return self._opened(given, [pull for pull in found if pull["head"]["ref"] == given["head"]])
        own = [pull for pull in self.pulls if pull["number"] == number]
        if method != "PATCH" or not own:
            return 404, {"message": "Not Found"}
        assert set(given) <= _CHANGED
        assert given.get("state", "open") in {"open", "closed"}
        base = {"base": {"ref": given["base"]}} if "base" in given else {}
        own[0].update({**given, **base})
        return 200, own[0]

    def _opened(self, given: dict[str, Any], there: list[dict[str, Any]]) -> tuple[int, Any]:
        if not self.may_open:
            return 403, {"message": "GitHub Actions is not permitted to create or approve pull requests."}
        head, base = self._commit(given["head"]), self._commit(given["base"])
        wrong = "" if head and base else "Head sha can't be blank"
        wrong = f"No commits between {given['base']} and {given['head']}" if head == base else wrong
        wrong = f"A pull request already exists for {given['head']}." if there else wrong
        if wrong:
            return 422, {"message": "Validation Failed", "errors": [{"message": wrong}]}
        if len(given["body"]) > LIMIT:
            return 422, {"message": f"body is too long (maximum is {LIMIT} characters)"}
        number = len(self.pulls) + 1
        place = {"repo": {"full_name": self.repository}}
        made = {
            "number": number,
            "state": "open",
            "title": given["title"],
            "body": given["body"],
            "head": {"ref": given["head"], **place},
            "base": {"ref": given["base"], **place},
            "html_url": f"https://github.test/{self.repository}/pull/{number}",
        }
        self.pulls.append(made)
        return 201, made

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

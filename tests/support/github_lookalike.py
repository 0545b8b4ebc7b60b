"""A stand-in for GitHub's REST interface: comments and pull requests, strictly as its description tells.

`_OPERATIONS`, `_COMMENT_ROW` and `_PULL_ROW` were compared with the OpenAPI description that GitHub publishes
for api.github.com, as the package `@octokit/openapi` 23.0.2 has it. That names neither the words of an error
nor 401, 404 and 5xx, which any operation may answer: the words are those that people report. A request or an
answer of its own that the description does not have is an error of the test. Its branches are those of a real
repository. It imports nothing of ours.
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

_DEFAULT_PAGE, _LARGEST_PAGE = 30, 100
# GitHub's front door answers with these, whatever the operation.
_ANYWHERE = {401, 403, 404, 502}


@dataclass(frozen=True)
class Operation:
    """One operation of the description; a body without the `required` members is refused."""

    method: str
    path: str
    statuses: set[int]
    query: str = ""
    body: str = ""
    required: str = ""


_PAGES = "per_page page"
_THREAD = r"/issues/(?P<number>\d+)/comments"
_PULL = "title body base maintainer_can_modify"
_OPERATIONS = {
    "list_comments": Operation("GET", _THREAD, {200, 404, 410}, query=f"since {_PAGES}"),
    "create_comment": Operation("POST", _THREAD, {201, 403, 404, 410, 422}, body="body", required="body"),
    "update_comment": Operation(
        "PATCH", r"/issues/comments/(?P<number>\d+)", {200, 422}, body="body", required="body"
    ),
    "list_pulls": Operation(
        "GET", "/pulls", {200, 304, 422}, query=f"state head base sort direction {_PAGES}"
    ),
    "create_pull": Operation(
        "POST", "/pulls", {201, 403, 422}, body=f"{_PULL} head head_repo draft issue", required="head base"
    ),
    "update_pull": Operation("PATCH", r"/pulls/(?P<number>\d+)", {200, 403, 422}, body=f"{_PULL} state"),
    "pulls_of_commit": Operation("GET", "/commits/(?P<sha>[0-9a-f]{40})/pulls", {200, 409}, query=_PAGES),
}
# The members that each row has. `body` of a comment is not among them.
_COMMENT_ROW = ["id", "node_id", "html_url", "issue_url", "user", "url", "created_at", "updated_at"]
_PULL_ROW = """
    _links assignee labels base body closed_at comments_url commits_url created_at diff_url head html_url id
    node_id issue_url merge_commit_sha merged_at milestone number patch_url review_comment_url
    review_comments_url statuses_url state locked title updated_at url user author_association auto_merge
    """.split()  # noqa: SIM905 - thirty quoted words would be harder to read
_PLACE_ROW = ["label", "ref", "repo", "sha", "user"]


@dataclass
class GitHub(FarSide):
    """One repository's comments, oldest first; `writable` is what `permissions: pull-requests` gives."""

    prefix: ClassVar[str] = ""
    projects: ClassVar[str] = "/repos"
    operations: ClassVar[dict[str, Operation]] = _OPERATIONS
    anywhere: ClassVar[set[int]] = _ANYWHERE

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
        comment = dict.fromkeys(_COMMENT_ROW) | {
            "id": own,
            "body": body,
            "user": {"login": author, "type": "Bot" if author == OURSELVES else "User"},
            "html_url": f"https://github.test/{self.repository}/pull/{number}#issuecomment-{own}",
            "issue_url": f"{self.url}/repos/{self.repository}/issues/{number}",
        }
        self.comments.append(comment)
        return comment

    def add_pull(self, head: str, base: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any member
        """Put a pull request there, open unless `more` says otherwise."""
        number = len(self.pulls) + 1
        place = dict.fromkeys(_PLACE_ROW) | {"repo": {"full_name": self.repository}}
        made = dict.fromkeys(_PULL_ROW) | {
            "number": number,
            "state": "open",
            "head": {**place, "ref": head},
            "base": {**place, "ref": base},
            "html_url": f"https://github.test/{self.repository}/pull/{number}",
            **more,
        }
        self.pulls.append(made)
        return made

    def take(self, received: Received) -> tuple[bytes, End]:
        """Answer one request."""
        status, found = self.answer(received.method, received.path, received.headers, received.body)
        return Reply(status, found, raw=b"" if found is None else None).spelled(), End.KEEP

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> tuple[int, Any]:
        """Answer with status and JSON."""
        parts, home = urlsplit(target), f"{self.prefix}{self.projects}/{self.repository}"
        refusal = self._refusal(method, headers)
        for name, operation in self.operations.items():
            place = re.fullmatch(home + operation.path, parts.path)
            if refusal or not place or operation.method != method:
                continue
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            given = self._given(headers, body) if body else {}
            assert query.keys() <= {*operation.query.split()}
            assert {*operation.required.split()} <= given.keys() <= {*operation.body.split()}
            status, found = getattr(self, f"_{name}")({**place.groupdict(), **query, **given})
            assert status in operation.statuses | self.anywhere
            return status, found
        return refusal or _error(404, "Not Found")

    def _given(self, headers: dict[str, str], body: bytes) -> dict[str, Any]:
        del headers
        given: dict[str, Any] = json.loads(body)
        return given

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

    def _pulls_of_commit(self, asked: dict[str, Any]) -> tuple[int, Any]:
        # "It will return only open pull requests", if the default branch does not have the commit.
        return 200, _page(asked, [row for row in self.pulls if row["merge_commit_sha"] == asked["sha"]])

    def _list_pulls(self, asked: dict[str, Any]) -> tuple[int, Any]:
        assert asked["state"] == "open"
        owner, _, branch = asked["head"].partition(":")
        assert owner == self.repository.partition("/")[0]
        return 200, _page(asked, [pull for pull in self.open if pull["head"]["ref"] == branch])

    def _update_pull(self, given: dict[str, Any]) -> tuple[int, Any]:
        own = [pull for pull in self.pulls if pull["number"] == int(given["number"])]
        if not own:
            return _error(404, "Not Found")
        assert given.get("state", "open") in {"open", "closed"}
        new = {name: given[name] for name in ("title", "body", "state") if name in given}
        own[0].update(new | ({"base": {**own[0]["base"], "ref": given["base"]}} if "base" in given else {}))
        return 200, own[0]

    def _create_pull(self, given: dict[str, Any]) -> tuple[int, Any]:
        if not self.may_open:
            return _error(403, "GitHub Actions is not permitted to create or approve pull requests.")
        place, into = given["head"], given["base"]
        missing = next((name for name in ("head", "base") if not self._commit(given[name])), "")
        if missing:
            return _error(422, resource="PullRequest", field=missing, code="invalid")
        same = self._commit(place) == self._commit(into)
        wrong = f"No commits between {into} and {place}" if same else ""
        there = any(pull["head"]["ref"] == place for pull in self.open)
        wrong = f"A pull request already exists for {place}." if there else wrong
        wrong = wrong or _too_long(given["body"])
        if wrong:
            return _error(422, resource="PullRequest", code="custom", message=wrong)
        return 201, self.add_pull(place, into, title=given["title"], body=given["body"])

    def _list_comments(self, asked: dict[str, Any]) -> tuple[int, Any]:
        number = asked["number"]
        return 200, _page(asked, [row for row in self.comments if row["issue_url"].endswith(f"/{number}")])

    def _create_comment(self, given: dict[str, Any]) -> tuple[int, Any]:
        refused = self._refused_text(given["body"])
        return refused or (201, self.add(int(given["number"]), given["body"]))

    def _update_comment(self, given: dict[str, Any]) -> tuple[int, Any]:
        own = [row for row in self.comments if row["id"] == int(given["number"])]
        if refused := self._refused_text(given["body"]) if own else _error(404, "Not Found"):
            return refused
        own[0]["body"] = given["body"]
        return 200, own[0]

    def _refused_text(self, text: str) -> tuple[int, Any] | None:
        if text.strip() and not (wrong := _too_long(text)):
            return None
        code = {"code": "unprocessable", "field": "data", "message": wrong} if text.strip() else {}
        return _error(422, resource="IssueComment", **(code or {"code": "missing_field", "field": "body"}))

    def _refusal(self, method: str, headers: dict[str, str]) -> tuple[int, Any] | None:
        if self.broken:
            return 502, None
        if not headers.get("User-Agent"):
            return _error(403, "Request forbidden by administrative rules.")
        if headers.get("Authorization") != f"Bearer {self.token}":
            return _error(401, "Bad credentials")
        assert headers.get("Accept") == "application/vnd.github+json"
        assert headers.get("X-GitHub-Api-Version") == "2022-11-28"
        if method != "GET" and not self.writable:
            return _error(403, "Resource not accessible by integration")
        return None


def _page(asked: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    size = min(int(asked.get("per_page", _DEFAULT_PAGE)), _LARGEST_PAGE)
    first = (int(asked.get("page", 1)) - 1) * size
    return rows[first : first + size]


def _too_long(text: str) -> str:
    return f"body is too long (maximum is {LIMIT} characters)" if len(text) > LIMIT else ""


def _error(status: int, message: str = "Validation Failed", **wrong: str) -> tuple[int, dict[str, Any]]:
    """Refuse: an error of the description has `documentation_url`, and each of its `errors` a `code`."""
    about = {"documentation_url": "https://docs.github.test/rest", "status": str(status)}
    return status, {"message": message, **({"errors": [wrong]} if wrong else {}), **about}


@contextmanager
def serving(repository: str, token: str) -> Iterator[GitHub]:
    """Serve an empty GitHub on a free port."""
    site = GitHub(repository=repository, token=token)
    with listening(site):
        yield site

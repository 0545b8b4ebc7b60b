"""Opens, renews and closes the one pull request of a branch ("REST API endpoints for pull requests").

The branch finds the pull request: GitHub has at most one open one of a branch into another. So a run that was
killed after its push finds nothing, and opens it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pressync.app.github.api import DEFAULT_API, GitHub, page_of

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class PullRequests:
    """The pull requests of one branch of a repository; `repository` is `owner/name`."""

    api: str
    repository: str
    branch: str
    token: str

    def put(self, base: str, title: str, body: str) -> str:
        """Open the pull request into `base`, or give it this text; give its address.

        :raises ServiceError: GitHub cannot be reached, or it refuses.
        """
        with GitHub.of(self.api, self.repository, self.token) as github:
            text = {"title": title, "body": body, "base": base}
            found = self._open(github)
            if not found:
                new = {**text, "head": self.branch}
                return page_of(github.call("POST", "/pulls", 201, json=new))
            first = found[0]
            if any(_now(first, name) != value for name, value in text.items()):
                github.call("PATCH", f"/pulls/{int(first['number'])}", 200, json=text)
            return page_of(first)

    def close(self) -> str:
        """Close the pull request; give its address, "" if none is open.

        :raises ServiceError: GitHub cannot be reached, or it refuses.
        """
        with GitHub.of(self.api, self.repository, self.token) as github:
            found = self._open(github)
            for each in found:
                github.call("PATCH", f"/pulls/{int(each['number'])}", 200, json={"state": "closed"})
            return page_of(found[0]) if found else ""

    def _open(self, github: GitHub) -> list[Mapping[str, Any]]:
        """Read the open ones. GitHub ignores a `head` without its owner, and lists all."""
        owner = self.repository.partition("/")[0]
        rows = github.every("/pulls", state="open", head=f"{owner}:{self.branch}")
        # A fork may have a branch of the same name.
        return [row for row in rows if _head(row) == (self.branch, self.repository.lower())]


def merged(api: str, repository: str, commit: str, base: str, token: str) -> int | None:
    """Give the number of the pull request whose merge into a branch made a commit; None if there is none.

    :raises ServiceError: GitHub cannot be reached, or it refuses.
    """
    with GitHub.of(api or DEFAULT_API, repository, token) as github:
        rows = [
            int(row["number"])
            for row in github.every(f"/commits/{commit}/pulls")
            if row.get("merged_at") and row.get("merge_commit_sha") == commit and _now(row, "base") == base
        ]
    return rows[0] if rows else None


def _now(found: Mapping[str, Any], name: str) -> object:
    value = found.get(name)
    return value.get("ref") if isinstance(value, dict) else value


def _head(found: Mapping[str, Any]) -> tuple[object, str]:
    head = found.get("head")
    home = head.get("repo") if isinstance(head, dict) else None
    name = home.get("full_name") if isinstance(home, dict) else ""
    return (head.get("ref") if isinstance(head, dict) else None), str(name).lower()

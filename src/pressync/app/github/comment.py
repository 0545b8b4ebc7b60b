"""Writes one comment of a pull request, and rewrites it on later runs, through GitHub's REST interface.

A comment is ours only if the workflow's account wrote it and it begins with our mark. Both are tested: the
token can change the comments of anybody, and anybody can write the mark ("REST API endpoints for issue
comments").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pressync.app.github.api import DEFAULT_API, GitHub, page_of

if TYPE_CHECKING:
    from collections.abc import Mapping

# GitHub's error says: "Body is too long (maximum is 65536 characters)".
COMMENT_LIMIT = 65_536

_AUTHOR = "github-actions[bot]"


@dataclass(frozen=True, slots=True)
class Thread:
    """The conversation of one pull request; `repository` is `owner/name`."""

    api: str
    repository: str
    number: int

    @classmethod
    def of(cls, environ: Mapping[str, str], repository: str, number: int) -> Thread:
        """Name a thread; on GitHub Enterprise Server the environment has the interface's address."""
        return cls(environ.get("GITHUB_API_URL") or DEFAULT_API, repository, number)

    def text(self, mark: str, token: str) -> str:
        """Read the comment that begins with `mark`; "" if there is none.

        :raises ServiceError: as for `put`.
        """
        with GitHub.of(self.api, self.repository, token) as github:
            thread = github.every(f"/issues/{self.number}/comments")
            return next((str(found["body"]) for found in thread if _is_ours(found, mark)), "")

    def put(self, mark: str, text: str, token: str, *, needed: bool = True) -> str:
        """Write `text` into the comment that begins with `mark`; give its address, or "" if there is none.

        With `needed` false an existing comment is rewritten, and a missing one is not created.

        :raises ServiceError: GitHub cannot be reached, or it refuses.
        :raises ConfigError: the token would be sent unencrypted.
        """
        body = f"{mark}\n{text}"
        with GitHub.of(self.api, self.repository, token) as github:
            thread = f"/issues/{self.number}/comments"
            own = next((found for found in github.every(thread) if _is_ours(found, mark)), None)
            if own is None:
                return page_of(github.call("POST", thread, 201, json={"body": body})) if needed else ""
            if own.get("body") == body:
                return page_of(own)
            place = f"/issues/comments/{int(own['id'])}"
            return page_of(github.call("PATCH", place, 200, json={"body": body}))


def _is_ours(comment: Mapping[str, Any], mark: str) -> bool:
    author = comment.get("user")
    by_us = isinstance(author, dict) and author.get("login") == _AUTHOR
    return by_us and str(comment.get("body") or "").startswith(mark)

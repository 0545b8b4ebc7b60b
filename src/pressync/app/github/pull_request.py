"""Writes the comment of a pull request, and opens, renews and closes the one pull request of a branch.

A comment is ours only if the workflow's account wrote it and it begins with our mark. Both are tested: the
token can change the comments of anybody, and anybody can write the mark ("REST API endpoints for issue
comments"). The branch finds its pull request: GitHub has at most one open one of a branch into another. So a
run that was killed after its push finds nothing, and opens it ("REST API endpoints for pull requests").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pressync.app.github.api import page_of
from pressync.client.responses import inside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.app.github.api import GitHub

# GitHub's error says: "Body is too long (maximum is 65536 characters)".
COMMENT_LIMIT = 65_536

_AUTHOR = "github-actions[bot]"


def comment(github: GitHub, number: int, mark: str) -> Mapping[str, Any]:
    """Read the comment of a pull request that begins with `mark`; empty if there is none.

    :raises ServiceError: GitHub cannot be reached, or it refuses.
    """
    for found in github.every(f"/issues/{number}/comments"):
        if inside(found, "user", "login") == _AUTHOR and str(found.get("body") or "").startswith(mark):
            return found
    return {}


def put_comment(github: GitHub, number: int, mark: str, text: str, *, needed: bool = True) -> str:
    """Write `text` into the comment that begins with `mark`; give its address, or "" if there is none.

    With `needed` false an existing comment is rewritten, and a missing one is not created.

    :raises ServiceError: GitHub cannot be reached, or it refuses.
    """
    body = f"{mark}\n{text}"
    own = comment(github, number, mark)
    if not own:
        thread = f"/issues/{number}/comments"
        return page_of(github.call("POST", thread, 201, json={"body": body})) if needed else ""
    if own["body"] == body:
        return page_of(own)
    return page_of(github.call("PATCH", f"/issues/comments/{int(own['id'])}", 200, json={"body": body}))


def put(github: GitHub, branch: str, base: str, title: str, body: str) -> str:
    """Open the pull request of a branch into `base`, or give it this text; give its address.

    :raises ServiceError: GitHub cannot be reached, or it refuses.
    """
    text = {"title": title, "body": body, "base": base}
    found = _open(github, branch)
    if not found:
        return page_of(github.call("POST", "/pulls", 201, json={**text, "head": branch}))
    first = found[0]
    if any(_now(first, name) != value for name, value in text.items()):
        github.call("PATCH", f"/pulls/{int(first['number'])}", 200, json=text)
    return page_of(first)


def close(github: GitHub, branch: str) -> str:
    """Close the pull request of a branch; give its address, "" if none is open.

    :raises ServiceError: GitHub cannot be reached, or it refuses.
    """
    found = _open(github, branch)
    for each in found:
        github.call("PATCH", f"/pulls/{int(each['number'])}", 200, json={"state": "closed"})
    return page_of(found[0]) if found else ""


def merged(github: GitHub, commit: str, base: str) -> int | None:
    """Give the number of the pull request whose merge into a branch made a commit; None if there is none.

    :raises ServiceError: GitHub cannot be reached, or it refuses.
    """
    for row in github.every(f"/commits/{commit}/pulls"):
        if row.get("merged_at") and row.get("merge_commit_sha") == commit and _now(row, "base") == base:
            return int(row["number"])
    return None


def _open(github: GitHub, branch: str) -> list[Mapping[str, Any]]:
    """Read the open pull requests of a branch. GitHub ignores a `head` without its owner, and lists all."""
    owner, home = github.repository.partition("/")[0], github.repository.lower()
    return [
        row
        for row in github.every("/pulls", state="open", head=f"{owner}:{branch}")
        # A fork may have a branch of the same name.
        if inside(row, "head", "ref") == branch
        and str(inside(row, "head", "repo", "full_name")).lower() == home
    ]


def _now(found: Mapping[str, Any], name: str) -> object:
    value = found.get(name)
    return value.get("ref") if isinstance(value, dict) else value

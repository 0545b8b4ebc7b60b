"""The blobs that a path has had: at a commit, and anywhere in the history of HEAD.

A delete of many files asks for many paths, so one process answers a question for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pressync.repo.repository import FEW

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.repo.repository import Repository


def at_commits(repository: Repository, wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Give the blob of each (commit, path) that this clone has."""
    rows = [pair for pair in wanted if pair[0].isalnum() and "\n" not in pair[1]]
    if not rows:
        return {}
    given = "".join(f"{commit}:{path}\n" for commit, path in rows)
    _, output, _ = repository.ask("cat-file", "--batch-check=%(objectname) %(objecttype)", given=given)
    answers = (line.rsplit(" ", 1) for line in output.split("\n"))
    return {pair: answer[0] for pair, answer in zip(rows, answers, strict=False) if answer[-1] == "blob"}


def ever(repository: Repository, head: str, paths: Collection[str]) -> dict[str, frozenset[str]]:
    """Give every blob that each of the paths has had in the history that leads to `head`, or in a range."""
    limits = ("--", *sorted(paths)) if len(paths) <= FEW else ()
    options = ("--format=", "--raw", "-z", "--no-abbrev", "--no-renames", "--full-history", "-m")
    _, output, _ = repository.ask("log", *options, "--end-of-options", head, *limits)
    found: dict[str, set[str]] = defaultdict(set)
    words = iter(output.split("\0"))
    for word in words:
        if word.lstrip("\n").startswith(":"):
            about = word.split(" ")
            path = next(words, "")
            if path in paths:
                found[path].update(blob for blob in about[2:4] if blob.strip("0"))
    return {path: frozenset(blobs) for path, blobs in found.items()}


def was_removed(repository: Repository, path: str, after: str, until: str) -> bool:
    """Whether a commit between two others removed a path; false if this clone lacks one of the two."""
    if not (until.isalnum() and after.isalnum()):
        return False
    removals = ("--format=%H", "--diff-filter=D", "--no-renames", "--full-history", "-m", "--max-count=1")
    status, output, _ = repository.ask("log", *removals, "--end-of-options", f"^{after}", until, "--", path)
    return not status and bool(output)

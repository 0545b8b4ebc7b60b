"""The blobs that a path has had: at a commit, and anywhere in the history of HEAD.

A delete of many files asks for many paths, so one process answers a question for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pressync.model.bounds import PAGE
from pressync.repo import run_git
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


def small(repository: Repository, blobs: Collection[str], limit: int) -> list[str]:
    """Give the blobs of fewer bytes than this that the clone has."""
    if not blobs:
        return []
    check = ("cat-file", "--batch-check=%(objectname) %(objectsize)")
    rows = repository.ask(*check, given="".join(f"{blob}\n" for blob in blobs))[1].split("\n")
    sizes = (row.split(" ", 1) for row in rows if row)
    return [blob for blob, size in sizes if size.isdigit() and int(size) < limit]


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


def lines(repository: Repository, path: str, pattern: str) -> list[str]:
    """Give the lines that match an extended pattern in the last hundred versions of a page."""
    commits = repository.ask("log", "--max-count=100", "--format=%H", "--", path)[1].split()
    names = "".join(f"{commit}:{path}\n" for commit in commits if "\n" not in path)
    sizes = repository.ask("cat-file", "--batch-check=%(objectname) %(objectsize)", given=names)[1]
    # `git grep` would hold a version of any size in memory.
    rows = (row.split(" ") for row in run_git.rows(sizes) if not row.endswith(" missing"))
    blobs = dict.fromkeys(blob for blob, size in rows if int(size) <= PAGE.most)
    return run_git.rows(repository.ask("grep", "-hE", pattern, *blobs)[1]) if blobs else []


def was_removed(repository: Repository, path: str, after: str, until: str) -> bool:
    """Whether a commit between two others removed a path; false if this clone lacks one of the two."""
    if not (until.isalnum() and after.isalnum()):
        return False
    removals = ("--format=%H", "--diff-filter=D", "--no-renames", "--full-history", "-m", "--max-count=1")
    status, output, _ = repository.ask("log", *removals, "--end-of-options", f"^{after}", until, "--", path)
    return not status and bool(output)

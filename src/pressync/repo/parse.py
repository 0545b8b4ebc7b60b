"""Parses Git's output: renames and removals, counts of uncommitted files. Pure.

A comparison of two trees and a walk through history are parsed into the same class. So a caller that asks
what became of a file does not depend on which of the two gave the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Git does not look for inexact renames above this number of candidates on a side. The default of 1,000 is low
# for a site whose folders were reorganised, and the whole matrix of 4,000 still takes only seconds.
DIFF_TREE = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "-M", "-l4000", "--diff-filter=DR")
# Without this option, `git status` would write to the index what it learns about the files.
STATUS = ("--no-optional-locks", "status", "--porcelain", "-z", "--untracked-files=all")

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class Departures:
    """The renames (old path -> new path) and the removals (path -> removed blob)."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, str] = field(default_factory=dict)


def departures(output: str) -> Departures:
    """Parse the output of `DIFF_TREE`, newest commit first, into the last rename or removal of each path.

    A merge (shown by `-c`) counts only where it removed a file that all of its parents had.
    """
    renamed: dict[str, str] = {}
    removed: dict[str, str] = {}
    words = iter(output.split("\0"))
    for word in words:
        if not word.startswith(":"):
            continue  # the id of the commit whose changes follow
        path = next(words)
        # For each parent a row has a colon, a mode, a blob id and a letter; then its own mode and blob id.
        parents = len(word) - len(word.lstrip(":"))
        *about, status = word.split(" ")
        # For a rename that a merge made, Git prints only the new path.
        target = next(words) if parents == 1 and status.startswith("R") else None
        if path in renamed or path in removed:
            continue
        if target is not None:
            renamed[path] = target
        elif status == "D" * parents:
            removed[path] = about[parents + 1]
    return Departures(renamed, removed)


def complaint(output: str) -> str:
    """Tidy an error output of Git, and remove credentials from the addresses in it."""
    # A remote ends its lines with blanks, and ssh with a carriage return.
    return "\n".join(line.rstrip() for line in _CREDENTIALS.sub("", output.strip()).split("\n"))


def output_of(arguments: Sequence[str], result: tuple[int, str, str], where: str = "") -> str:
    """Give the output of a Git command that must not fail; `result` has its exit code and both outputs.

    :raises RepositoryError: it failed.
    """
    status, output, said = result
    if status:
        command = next(word for word in arguments if not word.startswith("-") and "=" not in word)
        raise RepositoryError(f"git {command} failed: {complaint(said) or status}", where=where)
    return output


def uncommitted(output: str) -> tuple[int, int]:
    """Count the files with uncommitted changes and the untracked files in the output of `STATUS`."""
    changed = untracked = 0
    rows = iter(output.split("\0"))
    for row in rows:
        if row.startswith("??"):
            untracked += 1
        elif row:
            changed += 1
            if "R" in row[:2] or "C" in row[:2]:
                next(rows)  # its old name
    return changed, untracked

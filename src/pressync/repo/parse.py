"""What Git prints, read: the files of a tree, how files left their paths, how many are uncommitted. Pure.

It must not run Git. What decided its shape: a comparison of two trees and a walk through history are
read alike, so that whoever asks what became of a file need not care which of the two answered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Git gives up on inexact renames above this many candidates on a side; the default of 1,000 is low for a
# site whose folders were reorganised, and the whole matrix of 4,000 still takes seconds only.
DIFF_TREE = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "-M", "-l4000", "--diff-filter=DR")
LS_TREE = ("ls-tree", "-r", "-z", "--full-tree")
# Looking must not write: Git would store what it learns about the files in the index.
STATUS = ("--no-optional-locks", "status", "--porcelain", "-z", "--untracked-files=all")

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
_REGULAR = frozenset({"100644", "100755", "100664"})


@dataclass(frozen=True, slots=True)
class Departures:
    """How files left their paths: old path -> new path, and removed path -> the blob that was removed."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, str] = field(default_factory=dict)


def departures(said: str) -> Departures:
    """Read what `DIFF_TREE` says, newest commit first: of each path, its last departure.

    A merge (told by `-c`) counts only where it removed what all of its parents had.
    """
    renamed: dict[str, str] = {}
    removed: dict[str, str] = {}
    words = iter(said.split("\0"))
    for word in words:
        if not word.startswith(":"):
            continue  # the id of the commit whose changes follow
        path = next(words)
        # As many colons as parents: a mode each, and one; a blob id each, and one; a letter each.
        parents = len(word) - len(word.lstrip(":"))
        *about, status = word.split(" ")
        # Of a rename made by a merge Git tells the new path only.
        target = next(words) if parents == 1 and status.startswith("R") else None
        if path in renamed or path in removed:
            continue
        if target is not None:
            renamed[path] = target
        elif status == "D" * parents:
            removed[path] = about[parents + 1]
    return Departures(renamed, removed)


def complaint(said: str) -> str:
    """Read what Git complains about, and leave out the credentials of an address."""
    # A remote ends its lines with blanks, and ssh with a carriage return.
    return "\n".join(line.rstrip() for line in _CREDENTIALS.sub("", said.strip()).splitlines())


def files(said: str) -> tuple[dict[str, str], frozenset[str]]:
    """Read what `LS_TREE` says: regular files as path -> blob, and the paths of links and submodules."""
    regular: dict[str, str] = {}
    others: set[str] = set()
    for row in said.split("\0"):
        if row:
            about, _, path = row.partition("\t")
            mode, _, blob = about.split(" ")
            if mode in _REGULAR:
                regular[path] = blob
            else:
                others.add(path)
    return regular, frozenset(others)


def uncommitted(said: str) -> tuple[int, int]:
    """Count in what `STATUS` says the files with uncommitted changes, and the untracked ones."""
    changed = untracked = 0
    rows = iter(said.split("\0"))
    for row in rows:
        if row.startswith("??"):
            untracked += 1
        elif row:
            changed += 1
            if "R" in row[:2] or "C" in row[:2]:
                next(rows)  # the name that it had before
    return changed, untracked

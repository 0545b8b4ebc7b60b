"""Proves that HEAD has the changes of synced commits that it does not descend from, as after a rebase.

A squash or an amended message makes a commit with the same files. A rebase makes new commits of the same
patches. `git cherry` compares patches without their white space and without their order. A Markdown text may
differ in nothing else, so here both count. `git patch-id --verbatim` leaves out what follows a zero byte in a
line. So it would take two pictures for one where an attribute makes them texts.
"""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

from pressync.repo import run_git
from pressync.repo.process import OutOfTime

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.repo.repository import Repository

# The time limit of each Git command, in seconds: between two distant commits lie many patches.
_LIMIT = 10.0
# Git names a larger file by its ids alone, as it names a binary file.
_NOT_LARGE = ("-c", "core.bigFileThreshold=8m")
# The user's settings must not hide a change or its context. `git log` obeys more of them than this command.
_PATCHES = (
    *_NOT_LARGE,
    "-c",
    "diff.suppressBlankEmpty=false",
    "diff-tree",
    "--root",
    "--patch",
    "--full-index",
)
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=3")
_SUBMODULES = ("--ignore-submodules=none", "--submodule=short")
# A number of context lines in this variable would win over the option.
_ENVIRONMENT = {"GIT_DIFF_OPTS": ""}
_TREES = ("log", "--no-show-signature")
# The lines of a patch begin with a space, "+", "-" or a word of Git.
_COMMIT = re.compile(r"^[0-9a-f]{40,64}$", re.MULTILINE)
# The places of the hunks, and the ids of whole files. These say more than the patch, except those of a binary
# file, which has nothing else.
_MORE = re.compile(r"^@@ .*$|^index .*\n(?!Binary files )", re.MULTILINE)


def has_changes(repository: Repository, commits: Collection[str], head: str) -> bool:
    """Tell whether all these commits are in HEAD again: with the same files, or as the same patches in order.

    A merge has no patch, so only its files prove something.
    """
    lost = [f"^{commit}" for commit in commits]
    try:
        same = _with_same_files(repository, commits, [head, *lost])
        # Their own ancestors are in HEAD with them.
        kept = [f"^{commit}" for commit in (head, *same)]
        if _ask(repository, ("rev-list", "--merges", "--max-count=1"), [*commits, *kept]) != "":
            return False
        theirs = _patches(repository, [*commits, *kept])
        if theirs is None or not _are_empty(repository, [commit for commit in theirs if not theirs[commit]]):
            return False
        wanted = [patch for patch in theirs.values() if patch]
        ours = _patches(repository, [head, *lost]) if wanted else {}
    except OutOfTime:
        return False
    rest = iter((ours or {}).values())
    # `in` reads on, so the order counts, and a patch that was made twice is needed twice.
    return all(patch in rest for patch in wanted)


def _with_same_files(
    repository: Repository, commits: Collection[str], revisions: Collection[str]
) -> list[str]:
    """Select the commits of which HEAD's own history has all the files, in one commit."""
    trees = set(run_git.rows(_ask(repository, (*_TREES, "--format=%T"), revisions) or ""))
    own = run_git.rows(_ask(repository, (*_TREES, "--no-walk", "--format=%T %H"), commits) or "")
    return [commit for tree, _, commit in (row.partition(" ") for row in own) if tree in trees]


def _patches(repository: Repository, revisions: Collection[str]) -> dict[str, str] | None:
    """Give the digest of each commit's patch, the oldest first, "" without a patch; None if Git fails."""
    listed = _ask(repository, ("rev-list", "--reverse", "--topo-order"), revisions)
    if not listed:
        return None if listed is None else {}
    found = dict.fromkeys(run_git.rows(listed), "")
    said = _ask(repository, (*_PATCHES, *_PLAIN, *_SUBMODULES), found)
    if said is None:
        return None
    for start, following in pairwise([*_COMMIT.finditer(said), None]):
        if start:
            patch = said[start.end() : following.start() if following else None].strip("\n")
            text = _MORE.sub("", f"{patch}\n")
            found[start[0]] = sha256(text.encode(errors="surrogateescape")).hexdigest()
    return found


def _are_empty(repository: Repository, commits: Collection[str]) -> bool:
    """Tell whether these commits have exactly the files of their parents; a first commit must have none."""
    trees = "".join(f"{commit}^{{tree}}\n{commit}^^{{tree}}\n" for commit in commits)
    ask = ("cat-file", "--batch-check=%(objectname) %(objectsize)")
    status, said, _ = repository.ask(*ask, given=trees, seconds=_LIMIT)
    rows = run_git.rows(said)
    return not status and all(
        own == before or (before.endswith(" missing") and own.endswith(" 0"))
        for own, before in zip(rows[::2], rows[1::2], strict=True)
    )


def _ask(repository: Repository, command: tuple[str, ...], revisions: Collection[str]) -> str | None:
    given = "".join(f"{revision}\n" for revision in revisions)
    status, said, _ = repository.ask(*command, "--stdin", given=given, env=_ENVIRONMENT, seconds=_LIMIT)
    return None if status else said

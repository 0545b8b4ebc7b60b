"""Proves that HEAD has the changes of synced commits that it does not descend from, as after a rebase.

A squash or an amended message makes a commit with the same files. A rebase makes new commits of the same
patches. `git cherry` compares patches without their white space and without their order. A Markdown text may
differ in nothing else, so here both count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.repo import run_git
from pressync.repo.process import OutOfTime

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.repo.repository import Repository

# The time limit of each Git command, in seconds: between two distant commits lie many patches.
_LIMIT = 10.0
# The user's settings must not hide a change or its context. `git log` obeys more of them than this command.
_PATCHES = ("-c", "diff.suppressBlankEmpty=false", "diff-tree", "--root", "--patch", "--full-index")
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=3")
_SUBMODULES = ("--ignore-submodules=none", "--submodule=short")
# A number of context lines in this variable would win over the option.
_ENVIRONMENT = {"GIT_DIFF_OPTS": ""}
_TREES = ("log", "--no-show-signature")
# The lines of a patch begin with a space, "+", "-" or a word of Git.
_COMMIT = re.compile(r"^[0-9a-f]{40,64}$", re.MULTILINE)
_PLACE = re.compile(r"^@@ .*$", re.MULTILINE)
# The ids of whole files say more than the patch, except that of a binary file, which has nothing else.
_IDS = re.compile(r"^index .*\n(?!Binary files )", re.MULTILINE)


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
        theirs, ours = _patches(repository, [*commits, *kept]), _patches(repository, [head, *lost])
    except OutOfTime:
        return False
    if theirs is None or ours is None:
        return False
    rest = iter(ours)
    # `in` reads on, so the order counts, and a patch that was made twice is needed twice.
    return all(patch in rest for patch in theirs)


def _with_same_files(
    repository: Repository, commits: Collection[str], revisions: Collection[str]
) -> list[str]:
    """Select the commits of which HEAD's own history has all the files, in one commit."""
    trees = set(run_git.rows(_ask(repository, (*_TREES, "--format=%T"), revisions) or ""))
    own = run_git.rows(_ask(repository, (*_TREES, "--no-walk", "--format=%T %H"), commits) or "")
    return [commit for tree, _, commit in (row.partition(" ") for row in own) if tree in trees]


def _patches(repository: Repository, revisions: Collection[str]) -> list[str] | None:
    """Give the patches without their places in the files, the oldest first; None if Git fails."""
    listed = _ask(repository, ("rev-list", "--reverse", "--topo-order"), revisions)
    if listed is None:
        return None
    said = _ask(repository, (*_PATCHES, *_PLAIN, *_SUBMODULES), run_git.rows(listed))
    if said is None:
        return None
    patches = _COMMIT.split(_PLACE.sub("@@", _IDS.sub("", f"{said}\n")))
    return [patch.strip("\n") for patch in patches if patch.strip("\n")]


def _ask(repository: Repository, command: tuple[str, ...], revisions: Collection[str]) -> str | None:
    given = "".join(f"{revision}\n" for revision in revisions)
    status, said, _ = repository.ask(*command, "--stdin", given=given, env=_ENVIRONMENT, seconds=_LIMIT)
    return None if status else said

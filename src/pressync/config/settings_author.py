"""Tells whether this clone wrote a part of its settings, or whether somebody else pushed it.

Names and dates of a commit can be forged, and an edit of another line leaves the file as new as one of `url`.
So every commit that this clone knows is asked whether it brought that part, and the reflog, which nobody can
push, whether the commit was made here.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pressync.repo.discover import SETTINGS
from pressync.repo.run_git import rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.repo.repository import Repository

# More commits of the settings than this are not read, and count as those of somebody else.
_MOST = 1000
# Commits that a pull, a merge or a pick has brought, although no branch has them yet.
_BESIDE = ("FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD")
_LOG = (
    *("log", "--all", "--reflog", "--full-history", "--no-merges", "--root", "--no-follow", "--no-color"),
    *("--no-show-signature", "--no-notes", "--raw", "--no-abbrev", "--no-renames"),
    *(f"--max-count={_MOST}", "--format=%H"),
)
_CONVERTING = ("working-tree-encoding", "filter", "ident")
# The reflog calls what is made here so: new commits, amended ones, and copies that a rebase made.
_COMMITTED = re.compile(r"commit(?: \(initial\))?:")
_AMENDED = re.compile(r"commit \(amend\):")
_REBASED = re.compile(r"(?:rebase|pull) .*?\((?:pick|reword|edit|squash|fixup|continue)\):")


def is_written_here(repository: Repository, holds: Callable[[str], bool]) -> bool:
    """Tell whether only this clone brought a part of the settings; `holds` finds that part in their text.

    A commit that was rebased here counts if it has the author and the date of one that was made here.
    """
    beside = [name for name in _BESIDE if not repository.ask("rev-parse", "--verify", "--quiet", name)[0]]
    code, log, _ = repository.ask(*_LOG, "HEAD", *beside, "--", SETTINGS)
    if code:
        # There is no commit yet.
        return not beside
    if not _is_a_file_of_its_name(repository):
        return False

    @cache
    def held(blob: str) -> bool:
        return bool(blob.strip("0")) and holds(repository.read(blob).decode(errors="replace"))

    changes = _changes(log)
    if len(changes) >= _MOST:
        return False
    brought = {commit for commit, old, new in changes if held(new) and not held(old)}
    if not brought:
        # Nobody has committed it, unless a merge has: its parents do not have it.
        blob = repository.ask("rev-parse", "--verify", "--quiet", f"HEAD:{SETTINGS}")[1]
        return not held(blob)
    reflog = rows(repository.ask("log", "--walk-reflogs", "--all", "--format=%H %gs")[1])
    committed, amended, rebased = (
        {row.partition(" ")[0] for row in reflog if action.match(row.partition(" ")[2])}
        for action in (_COMMITTED, _AMENDED, _REBASED)
    )
    shown = repository.ask("log", "--no-walk", "--format=%H %at %ae %an", *brought)[1]
    author = dict(row.split(" ", 1) for row in rows(shown))
    ours = {author[commit] for commit in brought & committed}
    others = brought - committed - amended
    return all(commit in rebased and author[commit] in ours for commit in others)


def _is_a_file_of_its_name(repository: Repository) -> bool:
    """Tell whether HEAD has the settings as a regular file, or not at all, and in the bytes of the disk.

    The log does not show changes of a file that a symbolic link leads to, nor those of a name that only a
    disk which ignores case takes for ours. With these attributes, a blob may have another text than its file.
    """
    attributes = repository.ask("check-attr", "-z", *_CONVERTING, "--", SETTINGS)[1].split("\0")
    if attributes[2::3] != ["unspecified"] * len(_CONVERTING):
        return False
    listed = repository.ask("ls-tree", "-z", "--full-tree", "HEAD")[1].split("\0")
    alike = [row.partition("\t") for row in listed if row.partition("\t")[2].casefold() == SETTINGS]
    return all(name == SETTINGS and about.startswith("100") for about, _, name in alike)


def _changes(log: str) -> list[tuple[str, str, str]]:
    """Parse the log: a commit, and the blobs of the settings before and after it."""
    found, commit = [], ""
    for row in rows(log):
        if row.startswith(":"):
            _, _, old, new, _ = row.split(" ", 4)
            found.append((commit, old, new))
        else:
            commit = row or commit
    return found

"""Lists what is saved, and writes no object: the rows of the index, and the edits that Git's status names.

`Repository.worktree` makes a tree of it, with four processes more. This list is for a run that reads a few
edited files. It is not given if anything is unusual: a merge, a filter, a symbolic link that was edited.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.bounds import PAGE, FileTooLarge
from pressync.model.fingerprint import small_digest
from pressync.repo import run_git, work_tree
from pressync.repo.repository import Tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.repo.repository import Repository

_LISTED = ("ls-files", "--stage", "-z")
_STATUS = ("--no-optional-locks", "status", "--porcelain=v2", "--branch", "-z", "--no-renames")
_EVERY_NEW_FILE = ("--untracked-files=all", "--ignore-submodules=all", "--no-ahead-behind")
# The files for which the attributes of Git name a filter, or say in another way that there is one.
_WITH_FILTER = (":(exclude,attr:!filter)", ":(exclude,attr:-filter)")
_REGULAR = frozenset({"100644", "100755"})
_SYMLINK, _SUBMODULE, _NOTHING = "120000", "160000", "000000"
_COMMIT = "# branch.oid "
# Edits of more files than this are listed in the other way.
_MOST = 50
# The letters of a status that say: as before, edited, new or deleted.
_IN_INDEX, _ON_DISK = frozenset(".MAD"), frozenset(".MD")


class _UnusualError(Exception):
    """Only `Repository.worktree` can tell."""


def read(repository: Repository, folders: Collection[str]) -> Tree | None:
    """List the work tree with its edits below the folders, as `worktree` does; None if that must do it.

    Its `edited` names the files that are not as in the commit.
    """
    paths = [folder or "." for folder in folders]
    try:
        listed = repository.output(*_LISTED)
        files, symlinks, submodules = _index(listed)
        rows = repository.output(*_STATUS, *_EVERY_NEW_FILE, "--", *paths).split("\0")
        commit = next(row for row in rows if row.startswith(_COMMIT)).removeprefix(_COMMIT)
        saved, differing, hashed = _edits(repository, files, [row for row in rows if row and row[0] != "#"])
        # Before the first commit Git says so in brackets.
        # An edit on the disk was compared with what Git stores of it.
        if not commit.isalnum() or _have_filter(repository, {*differing} - {*hashed}):
            return None
    except (_UnusualError, StopIteration):
        return None
    whole = Tree(commit, "", files, symlinks, submodules, committed=False, edited=frozenset(differing))
    index = small_digest(listed.encode(errors="surrogateescape"))
    return replace(whole, index=index, saved=frozenset(saved))


def _index(listed: str) -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    """Parse the rows of the index: regular files and symbolic links as path -> blob, and submodules."""
    files: dict[str, str] = {}
    symlinks: dict[str, str] = {}
    submodules: set[str] = set()
    for row in listed.split("\0"):
        about, _, path = row.partition("\t")
        if about[-2:] == " 0" and about[:6] in _REGULAR:
            files[path] = about[7:-2]
        elif about[:6] == _SYMLINK:
            symlinks[path] = about[7:-2]
        elif about[:6] == _SUBMODULE:
            submodules.add(path)
        elif row:
            raise _UnusualError
    return files, symlinks, frozenset(submodules)


def _edits(
    repository: Repository, files: dict[str, str], rows: Collection[str]
) -> tuple[Iterable[str], Iterable[str], Iterable[str]]:
    """Put the edits into the files of the index, and give their paths.

    Also give those that differ from the commit, and those whose bytes were compared with their blob.
    """
    if len(rows) > _MOST:
        raise _UnusualError
    committed: dict[str, tuple[str, str]] = {}
    modes: dict[str, str] = {}
    hashed = []
    for row in rows:
        if row.startswith("? "):
            path, mode = row[2:], _mode(repository, row[2:])
            if path in committed:
                raise _UnusualError
            committed[path] = _NOTHING, ""
        else:
            path, mode = _tracked(row, committed)
            if mode == _NOTHING:
                files.pop(path, None)
        modes[path] = mode.rstrip("*")
        if mode.endswith("*"):
            hashed.append(path)
    files |= _blobs(repository, hashed)
    differing = [path for path, mode in modes.items() if committed[path] != (mode, files.get(path, ""))]
    return modes, differing, hashed


def _tracked(row: str, committed: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """Give path and mode of a tracked file, with a star if it is edited; `_NOTHING` if it is deleted."""
    sort, _, rest = row.partition(" ")
    if sort != "1":
        raise _UnusualError
    state, _, in_head, in_index, on_disk, head, _, path = rest.split(" ", 7)
    staged, edited = state[0], state[1]
    if staged not in _IN_INDEX or edited not in _ON_DISK or path in committed:
        raise _UnusualError
    committed[path] = in_head, "" if in_head == _NOTHING else head
    if edited == "D" and in_index not in _REGULAR:
        raise _UnusualError
    if "D" in {edited, staged if edited == "." else ""}:
        return path, _NOTHING
    mode = in_index if edited == "." else on_disk
    if mode not in _REGULAR:
        raise _UnusualError
    return path, mode if edited == "." else f"{mode}*"


def _mode(repository: Repository, path: str) -> str:
    """Give the mode of a new file, with a star."""
    try:
        mode = os.lstat(os.path.join(repository.root or "", path)).st_mode  # noqa: PTH118 - pathlib is slower
    except OSError as error:
        raise _UnusualError from error
    # A folder here is a repository of its own, which no tree has.
    if not stat.S_ISREG(mode):
        raise _UnusualError
    return "100755*" if mode & stat.S_IXUSR else "100644*"


def _blobs(repository: Repository, paths: Collection[str]) -> Mapping[str, str]:
    """Give the blobs of edited files, if Git stores their bytes as they are."""
    root = repository.root
    is_unlistable = any("\n" in path or path.startswith('"') for path in paths)
    if root is None or is_unlistable:
        raise _UnusualError
    if not paths:
        return {}
    asked = "".join(f"{path}\n" for path in paths)
    blobs = dict(
        zip(paths, repository.output("hash-object", "--stdin-paths", given=asked).split("\n"), strict=True)
    )
    for path, blob in blobs.items():
        try:
            is_as_saved = work_tree.read_blob(root, path, blob, PAGE) is not None
        except FileTooLarge:
            is_as_saved = False
        if not is_as_saved:
            raise _UnusualError
    return blobs


def _have_filter(repository: Repository, staged: Collection[str]) -> bool:
    """Tell whether any file of the index, or a staged edit, has a filter of Git."""
    # `run_git` of a repository takes each path to the letter.
    asked = run_git.run("ls-files", "-z", "--", *_WITH_FILTER, directory=repository.root)
    return bool(asked.status or asked.out or (staged and repository.filtered(staged)))

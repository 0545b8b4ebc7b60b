"""Reads files within their bounds, checks that one of the work tree may be written, takes changes back.

A file may be written if neither it nor a folder above it is a symlink. A symlink can be committed, and
`atomic_files.replace` writes to its target. A `.gitignore` of a stranger that is a symlink to `~/.bashrc`
would make pressync write there.
"""

from __future__ import annotations

import os
from os import fstat
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError, RepositoryError
from pressync.model.printable import counted
from pressync.repo import discover, run_git

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pressync.model.bounds import FileBound
    from pressync.repo.run_git import GitResult


def read(file: Path, bound: FileBound) -> bytes:
    """Read a file; its size is asked first.

    :raises FileTooLarge: it is above the bound.
    :raises OSError: it cannot be read.
    """
    with file.open("rb") as opened:
        size = fstat(opened.fileno()).st_size
        if size:
            return bound.take(opened.read, size)
        # A pipe, as of `--config <(…)`, does not tell its size.
        data = opened.read(bound.most + 1)
    bound.check(len(data))
    return data


# Git names an object by SHA-1 or by SHA-256, and the length of its name tells by which.
_DIGESTS = {40: "sha1", 64: "sha256"}


def read_blob(root: Path, path: str, blob: str, bound: FileBound) -> bytes | None:
    """Read a file of the work tree if its bytes are those of a blob; None if they are not, or may not be.

    A process of Git takes five times as long for each blob.
    """
    import hashlib  # noqa: PLC0415 - a run with nothing to do digests no file

    try:
        # A pipe in the place of a file must not be waited for.
        number = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # noqa: PTH118
    except OSError:
        return None
    try:
        size = fstat(number).st_size
        data = os.read(number, size + 1) if size <= bound.most else None
    except OSError:
        return None
    finally:
        os.close(number)
    name = _DIGESTS.get(len(blob))
    if data is None or name is None:
        return None
    digest = hashlib.new(name, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return data if digest.hexdigest() == blob else None


# What Git stores in the place of a file, by its first bytes. Git LFS still reads the pointers of its first
# versions, which had other names.
_LFS = "is a pointer of Git LFS here"
_FILTERED = {
    b"version https://git-lfs.github.com/spec/": _LFS,
    b"version https://hawser.github.com/spec/": _LFS,
    b"version http://git-media.io/v/": _LFS,
    b"\0GITCRYPT\0": "is encrypted by git-crypt here",
}


def filtered(data: bytes) -> str:
    """Say which filter has left something else in the place of a file; "" if its first bytes show none."""
    return next((said for start, said in _FILTERED.items() if data.startswith(start)), "")


def symlink_on_path(root: Path, name: str) -> Path | None:
    """Find the first symlink on the path from the root of the work tree to a file, the file included."""
    path = root
    for part in name.split("/"):
        path = path / part
        if path.is_symlink():
            return path
    return None


def refuse_symlink(root: Path, name: str) -> None:
    """Raise ConfigError if a file of the work tree, named from the root, is a symlink or below one."""
    link = symlink_on_path(root, name)
    if link is not None:
        from shlex import quote  # noqa: PLC0415 - only an error needs it

        where = link.relative_to(root).as_posix()
        raise ConfigError(
            f"it is a symlink to {link.readlink()}, and pressync does not write through symlinks",
            where=where,
            todo=f"remove it (`git rm --cached -- {quote(where)}`), and put a file or a folder in its place",
        )


def take_back(root: Path, since: str, last: str, patterns: Sequence[str]) -> list[str]:
    """Undo in the work tree alone how files of these patterns changed between two commits; give their paths.

    :raises RepositoryError: they have uncommitted changes, or a later commit changed the same lines; nothing
        was written.
    """
    status = run_git.run(*discover.STATUS, "--no-renames", "--", *patterns, directory=root)
    edited, new = discover.parted(os.fsdecode(status.out))
    if edited or new:
        problem = f"{counted(len(edited), 'file has', 'files have')} uncommitted changes ({(*edited, '')[0]})"
        problem = (
            problem
            if edited
            else f"{counted(len(new), 'new file is', 'new files are')} not committed ({new[0]})"
        )
        todo = f"commit {'or stash them' if edited else 'or move away what is new'}, and run it again"
        raise RepositoryError(f"{problem}; nothing was written", todo=todo)
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", last, since, "--", *patterns)
    paths = _paths(run_git.run("diff", "--name-only", "-z", *plain, directory=root))
    patch = run_git.run("diff", "--binary", *plain, directory=root)
    if paths and not patch.status:
        patch = run_git.run("apply", "--whitespace=nowarn", directory=root, given=patch.out)
    if patch.status:
        raise RepositoryError(
            f"the files do not get back what they had before: {patch.err.decode(errors='replace').strip()}",
            todo="nothing was written: change or revert the files, and commit",
        )
    return paths


def _paths(listed: GitResult) -> list[str]:
    return [os.fsdecode(row) for row in listed.out.split(b"\0") if row]

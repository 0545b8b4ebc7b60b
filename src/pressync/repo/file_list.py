"""Reads Git's list of the files of a commit in pieces, sorted by the bytes of their paths.

`Repository.tree` holds a whole list in memory, which takes 200 MB for a million files. A caller that
compares two sorted lists needs only the place where it is.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from pressync.model.bounds import PAGE
from pressync.model.errors import RepositoryError
from pressync.repo import run_git
from pressync.repo.process import PlainGit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.model.bounds import FileBound
    from pressync.repo.discover import RepositoryPaths

LS_TREE = ("ls-tree", "-r", "-z", "--full-tree")
# The id of a file without a byte, where Git names objects by SHA-1.
EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

_REGULAR = frozenset({"100644", "100755", "100664"})
_PIECE = 1 << 16


class ReadBlob(Protocol):
    """Reads a blob, unless it is above the bound."""

    def __call__(self, blob: str, bound: FileBound = PAGE, /) -> bytes:
        """Give its bytes.

        :raises FileTooLarge: it is above the bound.
        """


def pieces(directory: Path, commit: str) -> Iterator[str]:
    r"""Give the text of `git ls-tree` in pieces of whole rows, each row as `mode type id\tpath\0`.

    :raises RepositoryError: Git cannot list the commit.
    """
    with run_git.start(*LS_TREE, commit, directory=directory) as git:
        held = b""
        while git.stdout and (piece := git.stdout.read(_PIECE)):
            held += piece
            end = held.rfind(b"\0") + 1
            if end:
                yield held[:end].decode(errors="surrogateescape")
                held = held[end:]
    if git.returncode or held:
        raise RepositoryError(f"git ls-tree of {commit} failed")


@contextmanager
def blobs(location: RepositoryPaths) -> Iterator[ReadBlob]:
    """Give a function that reads blobs; one process of Git reads all of them.

    It raises `RepositoryError` for a blob that this clone does not have, and for one above the bound.
    """
    running = PlainGit(location.working)

    def read(blob: str, bound: FileBound = PAGE) -> bytes:
        data = running.read(blob, bound)
        if data is None:
            raise RepositoryError(f"Git has no object {blob}")
        return data

    try:
        yield read
    finally:
        running.close()


def regular_file(row: str) -> tuple[str, str] | None:
    """Give path and blob of a row; None for a symbolic link or a submodule."""
    about, _, path = row.partition("\t")
    mode, _, blob = about.split(" ")
    return (path, blob) if mode in _REGULAR else None


def files(output: str) -> tuple[dict[str, str], frozenset[str]]:
    """Parse the output of `LS_TREE`: regular files as path -> blob, and the paths of links and submodules."""
    regular: dict[str, str] = {}
    others: set[str] = set()
    for row in output.split("\0"):
        if row:
            # The mode has six digits, and a regular file is a `blob`.
            about, _, path = row.partition("\t")
            if about[:6] in _REGULAR:
                regular[path] = about[12:]
            else:
                others.add(path)
    return regular, frozenset(others)

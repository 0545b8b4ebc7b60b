"""The largest files that pressync reads, and checks of what a manifest can hold. Pure.

A stranger can push 600 MB of spaces, which Git stores in 3 MB. So the size comes before the bytes.
A path has a line of its own in the manifest, and people read it in a terminal, so it must be printable text.
It must also lead to a file of the repository and nowhere else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pressync.model.errors import ManifestError, RepositoryError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.model.records import Entry

MIB = 1024 * 1024
# A larger file is read in pieces of this size, and its rows are counted.
_PIECE = 16 * MIB


class FileTooLarge(RepositoryError):  # noqa: N818 - as the errors of `errors`
    """A file is larger than pressync reads files of its sort. Its bytes were not read."""


class UnreadSource(str):
    """Stands for the source of a file that is larger than a template may be; its text says so.

    Only a page that needs the template has this problem, because the folder may also hold pictures.
    """

    __slots__ = ()


class FileBound(NamedTuple):
    """The most bytes of one sort of file; `of` names the sort with its verb, and `todo` says what to do.

    If `for_a_row` is set, a file of more than `_PIECE` bytes may have that many bytes for each row of JSON,
    and at most `rows` rows.
    """

    most: int
    of: str
    todo: str
    for_a_row: int = 0
    rows: int = 0

    def check(self, size: int, where: str = "") -> None:
        """Raise FileTooLarge for a size above the bound."""
        if size > self.most:
            raise FileTooLarge(self.excess(size), where=where, todo=self.todo)

    def excess(self, size: int) -> str:
        """Say that a file of this size is too large."""
        return f"the file has {size / MIB:,.1f} MiB, and {self.of} at most {self.most // MIB:,} MiB"

    def take(self, read: Callable[[int], bytes], size: int) -> bytes:
        """Read a file of this size: `read` gives the next bytes, at most so many; fewer are the end.

        :raises FileTooLarge: it is above the bound, or most of it is not rows.
        """
        self.check(size)
        if size <= _PIECE or not self.for_a_row:
            return read(size)
        pieces, held, rows = list[bytes](), 0, 0
        while held < size and (piece := read(min(_PIECE, size - held))):
            pieces.append(piece)
            held, rows = held + len(piece), rows + piece.count(b"{")
            if held > _PIECE + rows * self.for_a_row:
                beginning = f"the file has {size / MIB:,.1f} MiB, and its first {held // MIB} MiB"
                raise FileTooLarge(f"{beginning} have {rows:,} rows", todo=self.todo)
            if rows > self.rows:
                raise FileTooLarge(f"the file has more than {self.rows:,} rows", todo=self.todo)
        return b"".join(pieces)


SETTINGS = FileBound(MIB, "settings have", "remove from it what is not settings")
TEMPLATE = FileBound(MIB, "a template has", "make it smaller, or move it out of the folder of the templates")
# Markdown that consists of links takes 130 bytes of memory and 2 µs for each byte to render.
PAGE = FileBound(8 * MIB, "a page has", "split it, or move everything that is not text to other files")
TABLE = FileBound(8 * MIB, "a table has", "keep the rows in which you filled something in")
# A million records. A record of real sites takes 655 bytes, and has two braces to four.
MANIFEST = FileBound(
    1024 * MIB, "a manifest has", "restore it from Git's history", for_a_row=4096, rows=4_000_000
)
# Services take files of some hundred MB at most. A file is sent from memory.
SCHEMA = FileBound(2 * MIB, "the schema of a site has", "read it from the site again: `pressync schema site`")
UPLOAD = FileBound(512 * MIB, "an upload has", "put it on the site by hand, and link to its address")

# A path may not hold characters that are unsafe in a terminal or a line, nor steps that are empty or lead out
# of the tree. Few paths need more than one of these expressions, so `re` compiles the others when one does.
_UNPRINTABLE = r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]"
_OUTSIDE = re.compile(r"/\.{0,2}/")
# macOS does not see these characters in a name. Windows does not see blanks and dots at the end of one, calls
# the folder `GIT~1` too, and takes the text after a colon for a part of the same file.
_UNSEEN = "[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]"
_GIT = r"(?ai)[/\\](?:\.git|git~1)[ .]*[/\\:]"


def names_git(path: str) -> bool:
    """Tell whether a part of the path is the folder of Git on some disk; Git refuses the same names."""
    return re.search(_GIT, f"/{re.sub(_UNSEEN, '', path)}/") is not None


def is_path(text: str) -> bool:
    """Tell whether a manifest can hold the path: relative, inside the tree, not Git's own, and text."""
    # Nearly no path is Git's own, and one without its letters cannot be.
    if ("git" in text.lower() or not text.isascii()) and names_git(text):
        return False
    # Most texts are printable, and `isprintable` tells that faster than the expression does.
    is_printable = text.isprintable() or re.search(_UNPRINTABLE, text) is None
    return is_printable and _OUTSIDE.search(f"/{text}/") is None


def check_path(path: str) -> None:
    """Raise ManifestError for a path that a manifest cannot hold."""
    if not is_path(path):
        problem = f"the manifest cannot hold the path {path!r}, so nothing is sent for it"
        raise ManifestError(problem, todo="rename the file: use UTF-8 without control characters")


def check_entry(entry: Entry) -> None:
    """Raise ManifestError for an entry that a manifest cannot hold."""
    check_path(entry.path)
    if entry.id < 1:
        raise ManifestError(f"{entry.id} is not a record id", where=entry.path, todo="use an id of 1 or more")

"""The target of a link: an address, or the reason why there is none; and the links of one page.

It is a module beside `links` because every run looks up the links of the manifest, and few runs rewrite
links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.model.errors import Code


class Unresolved(Enum):
    """Why a path of the repository has no address on the site."""

    UNKNOWN = "a document or file whose address is not known yet"
    MISSING = "no such file"
    NOT_A_DOCUMENT = "a file that is not a document"


def safe(link: str) -> str | Unresolved:
    """Give an address if it is http or https: a manifest from outside may have a script instead."""
    return link if link.startswith(("http://", "https://")) else Unresolved.UNKNOWN


# It takes a path from the repository's root, and gives the page's address or why there is none.
Resolve = Callable[[str], str | Unresolved]
# It takes a file's path, and tells whether the site accepts such a file.
Uploadable = Callable[[str], bool]
# It takes a path that the tree has not, and says what is there and what to do; None if nothing is there.
Absent = Callable[[str], tuple[str, str] | None]
# It takes the path of a broken link as it is written, and gives the paths that it may also mean.
Meant = Callable[[str], Iterable[str]]


def nothing(_path: str) -> bool:
    """Accept no file, for a site that does not accept files."""
    return False


def nowhere(_path: str) -> None:
    """Say nothing of a path, where only the tree is known."""


def no_more(_written: str) -> tuple[str, ...]:
    """Give no path, for a link that means a path only from its document or from the content folder."""
    return ()


@dataclass(frozen=True, slots=True)
class Broken:
    """A link that does not lead to a page or file of the site; `index` is its number in the HTML, from 0."""

    index: int
    what: str
    todo: str
    code: Code


@dataclass(frozen=True, slots=True)
class Pointer:
    """A link that leads to a place in a page, or to an address of the site; `index` as in `Broken`.

    `path` is the document's path for a place (`fragment`), and the address as it was written otherwise.
    """

    index: int
    written: str
    path: str
    fragment: str = ""


@dataclass(frozen=True, slots=True)
class Linked:
    """HTML with resolved links, the paths that it depends on, and the broken links.

    `targets` are the sorted paths of documents and uploadable files, from the repository's root. They
    include paths that were looked up and do not exist: if such a file is added, the same link leads to it.
    `anchors` lead to places in documents, and `addresses` to pages of the site that no path of the
    repository names. `missing` are the paths that broken links could mean.
    """

    html: str
    targets: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()
    anchors: tuple[Pointer, ...] = ()
    addresses: tuple[Pointer, ...] = ()
    missing: tuple[str, ...] = ()


NO_LINKS = Linked("")

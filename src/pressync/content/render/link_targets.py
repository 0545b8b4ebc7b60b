"""The target of a link: an address, or the reason why there is none.

It is a module beside `links` because every run looks up the links of the manifest, and few runs rewrite
links.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum


class Unresolved(Enum):
    """Why a path of the repository has no address on the site."""

    UNKNOWN = "a document or file whose address is not known yet"
    MISSING = "no such file"
    NOT_A_DOCUMENT = "a file that is not a document"


UNKNOWN = Unresolved.UNKNOWN
MISSING = Unresolved.MISSING
NOT_A_DOCUMENT = Unresolved.NOT_A_DOCUMENT


def safe(link: str) -> str | Unresolved:
    """Give an address if it is http or https: a manifest from outside may have a script instead."""
    return link if link.startswith(("http://", "https://")) else UNKNOWN


# It takes a path from the repository's root, and gives the page's address or why there is none.
Resolve = Callable[[str], str | Unresolved]
# It takes a file's path, and tells whether the site accepts such a file.
Uploadable = Callable[[str], bool]


def nothing(_path: str) -> bool:
    """Accept no file, for a site that does not accept files."""
    return False

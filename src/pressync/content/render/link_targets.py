"""Where a link may lead: to an address, or nowhere, and then why.

It must not know HTML. It exists beside `links` because a manifest's links are looked up in every run, and
rewritten in few.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum


class Unresolved(Enum):
    """Why a path of the repository has no address on the site."""

    UNKNOWN = "a document or file whose address is not known yet"
    MISSING = "no such file"
    NOT_A_DOCUMENT = "a file that is no document"


UNKNOWN = Unresolved.UNKNOWN
MISSING = Unresolved.MISSING
NOT_A_DOCUMENT = Unresolved.NOT_A_DOCUMENT


def safe(link: str) -> str | Unresolved:
    """Give an address that pages may lead to: a manifest may be a stranger's, and hold a script instead."""
    return link if link.startswith(("http://", "https://")) else UNKNOWN


# A path from the repository's root -> the page's address, or why there is none.
Resolve = Callable[[str], str | Unresolved]
# A file's path -> whether the site takes such a file.
Uploadable = Callable[[str], bool]


def nothing(_path: str) -> bool:
    """Say of a site that takes no files that it takes none."""
    return False

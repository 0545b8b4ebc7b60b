"""Checks of what a manifest can hold. They run before a call is sent whose outcome it could not hold. Pure.

A path has a line of its own in the manifest, and people read it in a terminal, so it must be printable text.
It must also lead to a file of the repository and nowhere else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.errors import ManifestError

if TYPE_CHECKING:
    from pressync.model.records import Entry

# A path may not hold characters that are unsafe in a terminal or a line, nor steps that are empty or lead out
# of the tree.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_OUTSIDE = re.compile(r"/\.{0,2}/")


def is_path(text: str) -> bool:
    """Tell whether a manifest can hold the path: relative, inside the tree, and text."""
    # Most texts are printable, and `isprintable` tells that faster than the expression does.
    is_printable = text.isprintable() or _UNPRINTABLE.search(text) is None
    return is_printable and _OUTSIDE.search(f"/{text}/") is None


def check_path(path: str) -> None:
    """Refuse a path that a manifest cannot hold.

    :raises ManifestError: a manifest cannot hold it.
    """
    if not is_path(path):
        what = f"the manifest cannot hold the path {path!r}, so nothing is sent for it"
        raise ManifestError(what, todo="rename the file: use UTF-8 without control characters")


def check_entry(entry: Entry) -> None:
    """Refuse an entry that a manifest cannot hold.

    :raises ManifestError: a manifest cannot hold it.
    """
    check_path(entry.path)
    if entry.id < 1:
        raise ManifestError(f"{entry.id} is not a record id", where=entry.path, todo="use an id of 1 or more")

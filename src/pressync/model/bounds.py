"""What a manifest can hold, asked before anything is sent whose outcome it could not take. Pure.

It must not know how it is written. What decided its shape: a path stands on a line of its own, and people
read it in a terminal, so it must be text; and it leads to a file of the repository and nowhere else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.errors import ManifestError

if TYPE_CHECKING:
    from pressync.model.records import Entry

# What no path may hold: characters that no terminal and no line should be given, and steps that lead nowhere
# or out of the tree.
_UNSPEAKABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ASTRAY = re.compile(r"/\.{0,2}/")


def is_path(text: str) -> bool:
    """Tell whether a manifest can hold the path: relative, inside the tree, and text."""
    # Most texts are printable, which is told without a look at each character by an expression.
    speakable = text.isprintable() or _UNSPEAKABLE.search(text) is None
    return speakable and _ASTRAY.search(f"/{text}/") is None


def check_path(path: str) -> None:
    """Refuse a path that a manifest cannot hold.

    :raises ManifestError: it cannot.
    """
    if not is_path(path):
        what = f"{path!r} cannot be kept in a manifest, so nothing is sent for it"
        raise ManifestError(what, todo="rename the file, without control characters and in UTF-8")


def check_entry(entry: Entry) -> None:
    """Refuse an entry that a manifest cannot hold.

    :raises ManifestError: it cannot.
    """
    check_path(entry.path)
    if entry.id < 1:
        raise ManifestError(f"{entry.id} is no id of a record", where=entry.path, todo="ids count from 1")

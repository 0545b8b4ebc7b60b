"""Addresses of the site -> what a document would write to lead there: the way back of `render.links`.

It must not know HTML or Markdown. What decided its shape: an address is taken for a document's only if it
is, to the last character, the one that the service gave; any other stays what it is.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# What needs no escape in a relative link; a colon would make a scheme of what is before it.
_SAFE = "/-_.~!$'*+,;=@"


def link_writer(document: str, places: Mapping[str, str]) -> Callable[[str], str]:
    """Give the function from an address to a link; `places` are paths from the root, by their addresses."""
    folder = posixpath.dirname(document)

    def link(address: str) -> str:
        whole, hash_, fragment = address.partition("#")
        # A query may be a part of the address (`?page_id=12`), or a reader's.
        shorter = [whole[:at] for at, letter in enumerate(whole) if letter in "?&"]
        for place in (whole, *reversed(shorter)):
            path = places.get(place)
            # A link of a page into itself is no more than its fragment, and was written out on purpose.
            if path is not None and not (path == document and fragment and place == whole):
                query = whole[len(place) + 1 :]
                relative = quote(posixpath.relpath(path, folder or "."), safe=_SAFE)
                return f"{relative}{'?' if query else ''}{query}{hash_}{fragment}"
        return address

    return link

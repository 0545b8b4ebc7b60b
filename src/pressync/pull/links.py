"""Turns addresses of the site into the links that a document would write. It reverses `content.render.links`.

An address becomes a path only if it equals, to the last character, the address that the service gave for a
document. Any other address stays as it is.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# These need no escape in a relative link. A colon is missing: the text before it would become a scheme.
_SAFE = "/-_.~!$'*+,;=@"


def link_writer(document: str, paths: Mapping[str, str]) -> Callable[[str], str]:
    """Give the function that turns an address into a link; `paths` maps addresses to paths from the root."""
    folder = posixpath.dirname(document)

    def link(address: str) -> str:
        whole, hash_, fragment = address.partition("#")
        # A query may belong to the address (`?page_id=12`), or somebody added it to the link.
        shorter = [whole[:at] for at, letter in enumerate(whole) if letter in "?&"]
        for known in (whole, *reversed(shorter)):
            path = paths.get(known)
            # A fragment alone would link to the same place, so the author wrote this address out on purpose.
            if path is not None and not (path == document and fragment and known == whole):
                query = whole[len(known) + 1 :]
                relative = quote(posixpath.relpath(path, folder or "."), safe=_SAFE)
                return f"{relative}{'?' if query else ''}{query}{hash_}{fragment}"
        return address

    return link

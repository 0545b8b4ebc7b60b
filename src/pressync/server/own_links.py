"""Makes the links of a text that lead to this site work wherever the site is served.

A text is stored with the addresses that the site had when the text was written, and the site may have another
port today. So a page shows such links as paths from the root of the site.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

# All repetitions are possessive, so hostile text costs no more than its own length.
_TAG = re.compile(r"""<[a-z](?:[^<>"']|"[^"]*+"|'[^']*+')*+>""", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(\s)([^\s=>"'/]++)(\s*+=\s*+)("[^"]*+"|'[^']*+'|[^\s"'>]++)""")
_WITH_ADDRESS = frozenset({"href", "src", "srcset", "poster"})


def to_paths(markup: str, addresses: Collection[str]) -> str:
    """Write the links that begin with one of the addresses as paths; nothing else of the text changes."""
    if not any(address in markup for address in addresses):
        return markup
    # The longest is first: one address may begin with another.
    names = "|".join(map(re.escape, sorted(addresses, key=len, reverse=True)))
    own = re.compile(rf"""(?<![^\s,"'])(?:{names})(?=[/?#\s,"']|$)/?+""")

    def attribute(found: re.Match[str]) -> str:
        if found[2].lower() not in _WITH_ADDRESS:
            return found[0]
        return f"{found[1]}{found[2]}{found[3]}{own.sub('/', found[4])}"

    return _TAG.sub(lambda tag: _ATTRIBUTE.sub(attribute, tag[0]), markup)

"""Makes the HTML of a record's body stay inside the element that the site puts around it. Pure.

A body is somebody else's text. An end tag too many would close the frame of the site, and an open `title` or
comment would hide the rest of the page. So each end tag has its start tag here, each element ends, and the
elements that belong to a whole document are left out. The content security policy stops scripts, not this.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING

from pressync.html import tokens
from pressync.html.player_blocks import provider_of
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# These are left out with their content. A style sheet of a body would count for the whole page.
_WITHOUT_CONTENT = frozenset({"script", "style", "title", "plaintext", "noembed", "noframes"})
# The tags of these are left out. A browser ignores some of them, or moves them, but not their end tags.
_WITHOUT_TAGS = frozenset(
    "html head body frameset frame base meta link noscript select option optgroup".split()  # noqa: SIM905 - names
)
# A browser ends these by itself, and makes an element of an end tag that is one too many.
_ENDED_BY_BROWSERS = frozenset(
    "p li dt dd td th tr thead tbody tfoot colgroup caption rp rt".split()  # noqa: SIM905 - names
)
_SOURCE = re.compile(r"""\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)


def contained(html: str) -> str:
    """Give the HTML without comments and with every element closed. Linear in its length."""
    if tokens.has_too_many(html):
        return escape(html)
    return "".join(_written(tokens.parse(html)))


def link_to(address: str, *, is_player: bool = False) -> str:
    """Write a link in the place of something that the site does not load from elsewhere.

    With `is_player`, it is as wide as the player of a provider.
    """
    parts = split(address) if address.startswith(("https://", "http://", "//")) else None
    if parts is None or not parts.netloc:
        return ""
    provider = provider_of(address)
    wide = " player" if is_player and provider else ""
    return f'<a class="embedded{wide}" href="{escape(address)}">{escape(provider or parts.netloc)}</a>'


def _written(nodes: Iterable[tokens.Node]) -> Iterator[str]:
    # Without recursion: the nesting of a body is not bounded.
    waiting: list[tokens.Node | str] = [*reversed([*nodes])]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif node.name == tokens.TEXT:
            yield node.outer
        elif node.name == tokens.ODD:
            yield "&lt;" if node.outer == "<" else ""
        elif node.name == tokens.COMMENT or node.name in _WITHOUT_CONTENT:
            continue
        elif node.name == "iframe":
            # Another site would show a page here; a link to it takes its place.
            source = _SOURCE.search(node.tag)
            yield link_to(unescape(next(filter(None, source.groups()), ""))) if source else ""
        elif node.name in _WITHOUT_TAGS:
            waiting += node.children[::-1]
        else:
            is_void = tokens.VOID.fullmatch(node.name) is not None
            # Only an element that never has content may close itself.
            yield node.tag if is_void or not node.tag.endswith("/>") else f"{node.tag[:-2]}>"
            has_end = not is_void and (node.sound or node.name not in _ENDED_BY_BROWSERS)
            waiting += [f"</{node.name}>" if has_end else "", *node.children[::-1]]

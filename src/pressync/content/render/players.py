"""Finds the addresses and links that are alone in their paragraph and are shown as players. Pure.

comrak makes the same link of `https://…`, of `<https://…>` and of `[https://…](https://…)`, and only the
first is meant as a player. So this module looks at the source, at the place that comrak tells. WordPress
itself makes the player of a provider when it shows a page, but only of an address without a link.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from pressync.html.player_blocks import provider_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# The element that plays a file, by its ending. WordPress takes these as uploads, and browsers play them.
PLAYERS: Mapping[str, str] = {
    **dict.fromkeys(("m4a", "mp3", "ogg", "wav"), "audio"),
    **dict.fromkeys(("m4v", "mp4", "ogv", "webm"), "video"),
}
# WordPress gives a player its size in pixels, and no stock theme limits it outside of a block.
SCROLLING = ' style="overflow:auto"'
# A paragraph with nothing but a link on one line.
_ALONE = re.compile(
    r"""<p(?P<place>(?:[ ]data-sourcepos="(?P<line>\d+):(?P<first>\d+)-(?P<end>\d+):(?P<last>\d+)")?)>
    <a(?:[ ]data-sourcepos="[^"]*")?[ ]href="(?P<url>[^"<>]*)">(?P<text>(?:(?!</?a\b|</p>).)*)</a></p>""",
    re.VERBOSE,
)
_FILE = re.compile(rf"(?![a-z][a-z0-9+.-]*:|//)[^?#]+\.(?P<ending>{'|'.join(PLAYERS)})", re.IGNORECASE)
# An address on a line of its own in a box of the author's HTML, or in a paragraph of it. WordPress shows a
# player there, too. The box of a block stays: another form would make the block invalid.
_ADDRESS = r"https?://[^\s<>\"]++"
_OF_HTML = re.compile(
    rf"""(?P<box><(?:article|aside|blockquote|center|details|div|figure|section)(?:\s(?![^<>]*\bwp-block-)[^<>]*+)?+>|</summary>)
      \n[ \t]*+(?P<boxed>{_ADDRESS})[ \t]*+(?=\n[ \t]*+</)
    | <p>\s*+(?P<address>{_ADDRESS})\s*+</p>""",
    re.VERBOSE | re.IGNORECASE,
)
# Only quotes may be around such a paragraph: the item of a list is not a place for a block.
_QUOTES = re.compile(rb"(?:>[ ]?)*")


def with_players(page: str, placed: Callable[[], str], body: str, *, files: bool) -> str:
    """Write addresses of providers in a page without their link, and links to sounds and films as players.

    `placed` renders the same page with the place of each block in `body`. Most pages do not need that.
    Without `files`, links to files stay.
    """
    if not _ALONE.search(page):
        return page
    rows = body.split("\n")
    sources = iter([_source(link, rows) for link in _ALONE.finditer(placed())])
    return _ALONE.sub(lambda link: _player(link, next(sources), files=files), page)


def of_html(page: str) -> str:
    """Write an address of a provider that is alone in HTML of the author as one that Markdown has alone."""

    def player(lone: re.Match[str]) -> str:
        before = f"{lone['box']}\n" if lone["box"] else ""
        address = lone["boxed"] or lone["address"]
        return f"{before}<p{SCROLLING}>{address}</p>" if provider_of(unescape(address)) else lone[0]

    return _OF_HTML.sub(player, page)


def _source(link: re.Match[str], rows: Sequence[str]) -> str:
    """Give the Markdown of a paragraph that is one line at the top or in a quote; "" for any other."""
    if link["line"] is None or link["line"] != link["end"]:
        return ""
    row = rows[int(link["line"]) - 1].encode()
    before, text = row[: int(link["first"]) - 1], row[int(link["first"]) - 1 : int(link["last"])]
    return text.decode(errors="replace") if _QUOTES.fullmatch(before) else ""


def _player(link: re.Match[str], source: str, *, files: bool) -> str:
    address = unescape(link["text"])
    if source == address and provider_of(address):
        return f"<p{link['place']}{SCROLLING}>{link['text']}</p>"
    file = _FILE.fullmatch(unescape(link["url"])) if source and files else None
    if not file:
        return link[0]
    element = PLAYERS[file["ending"].lower()]
    caption = f"<figcaption>{link['text']}</figcaption>" if link["text"] else ""
    return f'<figure{link["place"]}><{element} controls src="{link["url"]}"></{element}>{caption}</figure>'

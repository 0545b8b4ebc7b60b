"""Lets a long word of a text break where its line ends: stock themes do not break one in a list, or in bold.

A heading, a link and code that are long at the top of a page have their form from `page_forms`. Every other
word gets an element of its own, because the text of a block may have one, and the block no style.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BREAK = "overflow-wrap:anywhere"
_OPENING, _CLOSING = f'<span style="{BREAK}">', "</span>"
# The blocks whose text may have an element of its own, and the HTML that is not a block.
WITH_LINES = frozenset(
    {"", "paragraph", "heading", "list", "list-item", "quote", "pullquote", "table", "verse", "html"}
)
# A block with a caption may have nothing else of a line.
_WITH_WORDS = WITH_LINES | {"image", "audio", "video"}
# So many letters fit into the column of a telephone, and fewer into each list. A capital is wide.
_LONGEST, _SHORTEST, _INDENT = 28, 8, 4
# A page without a list in a list is looked at if it has a run of so many letters.
_MANY = 24
# Comments, elements in which no word breaks, and one that breaks already come first. Each alternative reads a
# character a fixed number of times, so hostile input takes linear time.
_PART = re.compile(
    r"""
    <!--\s+(?P<end>/)?wp:(?P<block>[a-z][a-z0-9_/-]*+)(?:.*?(?P<alone>/)?-->|.*+)
  | <!--(?:-?>|.*?(?:-->|\Z))
  | <(?P<whole>script|style|textarea|pre|svg|math|select|h[1-6])(?=[\s/>]).*?(?:</(?P=whole)\s*>|\Z)
  | <(?P<own>a|code|span)(?=\s[^<>]*overflow)[^<>]*>.*?(?:</(?P=own)\s*>|\Z)
  | <(?P<close>/)?(?P<box>ul|ol|dl|blockquote|table)(?=[\s>])[^<>]*>
  | <[^<>]*>?
  | (?P<text>[^<]+)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
# The letters between which a browser finds no place to break the line. In Chinese or Thai it does.
_LETTERS = r"!-,./-;=?-~\u00a1-\u06ff"
# A shortcode is not text, nor is what it encloses, such as the address in `[embed]…[/embed]`. WordPress may
# make a player of an address alone on its line.
_WORD = re.compile(
    r"\[(?P<tag>[\w-]+)(?:\s[^\[\]]*)?\][^\[\]]*\[/(?P=tag)\]|"
    rf"\[/?[\w-]+(?:\s[^\[\]]*)?/?\]|^[ \t]*+https?://\S+[ \t]*+$|(?P<word>[{_LETTERS}]+)",
    re.IGNORECASE | re.MULTILINE,
)
_REFERENCE = re.compile(r"&\#?\w{1,31};")
# Few pages have such a run of letters where it does not break yet, or a list in a list.
MAY_BREAK = re.compile(
    rf'(?<!{BREAK}")>[^<]*?[{_LETTERS}]{{{_MANY}}}|<[uod]l[\s>](?:[^<]++|<(?!/?[uod]l[\s>]))*+<[uod]l[\s>]'
)
_LISTING = re.compile(r"<pre[\s>].*?(?:</pre>|\Z)", re.IGNORECASE | re.DOTALL)


def with_breaks(page: str) -> str:
    """Give a page that `MAY_BREAK` finds, with long words that break. The time is linear in its length."""
    return "".join(_parts(page)) if MAY_BREAK.search(_LISTING.sub("", page)) else page


def _parts(page: str) -> Iterator[str]:
    blocks: list[str] = [""]
    depth = tables = 0
    for part in _PART.finditer(page):
        if block := part["block"]:
            if not part["end"]:
                blocks += [] if part["alone"] else [block]
            elif len(blocks) > 1:
                blocks.pop()
        elif box := part["box"]:
            step = -1 if part["close"] else 1
            # A table scrolls.
            tables, depth = (tables + step, depth) if box.lower() == "table" else (tables, depth + step)
        text = part["text"]
        yield _broken(text, depth) if text and tables <= 0 and blocks[-1] in _WITH_WORDS else part[0]


@cache
def _run(length: int) -> re.Pattern[str]:
    return re.compile(f"[{_LETTERS}]{{{length}}}")


def _broken(text: str, depth: int) -> str:
    shortest = max(_SHORTEST, _LONGEST - _INDENT * depth)
    if not _run(shortest * 2 // 3).search(text):
        return text

    def broken(match: re.Match[str]) -> str:
        letters = _REFERENCE.sub("&", match["word"] or "")
        is_long = len(letters) + sum(map(str.isupper, letters)) // 2 >= shortest
        return f"{_OPENING}{match[0]}{_CLOSING}" if is_long else match[0]

    return _WORD.sub(broken, text)

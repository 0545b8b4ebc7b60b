"""Writes the inline forms of PyMdown, the extensions that sites of MkDocs turn on, as Markdown and HTML."""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from pressync.importing.sources import markdown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

# Code, tags and the destinations of links stay.
_KEPT = (
    r"(?P<kept>(?P<code>`+)(?!`)[^\n]{1,2000}?(?<!`)(?P=code)(?!`)"
    r"|<[^<>\n]{1,1000}>|\]\([^()\n]{0,1000}\)|\\.)"
)
_DEFINED = re.compile(r" {0,3}\[[^\]\n]{1,300}\]:")
_KEYS = r"(?<![+\w])\+\+(?P<keys>[a-z0-9][\w-]{0,30}(?:\+[\w-]{1,30}){0,4})\+\+(?!\+)"
_MARK = r"==(?![\s=])(?P<mark>[^=\n]{1,1000}?)(?<!\s)=="
_INSERTED = r"\^\^(?![\s^])(?P<ins>[^^\n]{1,1000}?)(?<!\s)\^\^"
_ABOVE = r"\^(?P<sup>[^\s^\[\]]{1,200})\^"
_BELOW = r"(?<!~)~(?P<sub>[^\s~]{1,200})~(?!~)"
_SYMBOL = (
    r"(?P<symbol>\((?:c|r|tm)\)|\+/-|=/=|\bc/o\b|<-->|(?<!-)-->|<--(?!-)"
    r"|(?<![\d/])(?:[1-5]/8|7/8|[1-4]/5|[15]/6|[13]/4|[12]/3|1/2)(?![\d/]))"
)
_FORMS = {
    "pymdownx.keys": _KEYS,
    "pymdownx.mark": _MARK,
    "pymdownx.caret": f"{_INSERTED}|{_ABOVE}",
    "pymdownx.tilde": _BELOW,
    "pymdownx.smartsymbols": _SYMBOL,
}
_SYMBOLS = {
    "(c)": "©",
    "(r)": "®",
    "(tm)": "™",
    "+/-": "±",
    "=/=": "≠",
    "c/o": "℅",
    "-->": "→",
    "<--": "←",
    "<-->": "↔",
    "1/4": "¼",
    "1/2": "½",
    "3/4": "¾",
    "1/3": "⅓",
    "2/3": "⅔",
    "1/5": "⅕",
    "2/5": "⅖",
    "3/5": "⅗",
    "4/5": "⅘",
    "1/6": "⅙",
    "5/6": "⅚",
    "1/8": "⅛",
    "3/8": "⅜",
    "5/8": "⅝",
    "7/8": "⅞",
}
# The names of keys that are not what is on the key.
_KEY_NAMES = {
    "arrow-up": "Up",
    "arrow-down": "Down",
    "arrow-left": "Left",
    "arrow-right": "Right",
    "escape": "Esc",
    "control": "Ctrl",
    "command": "Cmd",
    "windows": "Win",
    "delete": "Del",
    "insert": "Ins",
    "function": "Fn",
    "opt": "Option",
    "return": "Enter",
    "bksp": "Backspace",
    "slash": "/",
    "backslash": "&#92;",
    "comma": ",",
    "period": ".",
    "colon": ":",
    "semicolon": ";",
    "plus": "+",
    "minus": "-",
    "equal": "=",
    "underscore": "&#95;",
    "bar": "|",
    "pipe": "|",
    "question": "?",
    "exclam": "!",
    "tilde": "&#126;",
    "grave": "&#96;",
    "space": "Space",
    "spc": "Space",
    "less": "&lt;",
    "greater": "&gt;",
    "lt": "&lt;",
    "gt": "&gt;",
    "hyphen": "-",
    "cplk": "Caps Lock",
    "bracket-left": "&#91;",
    "bracket-right": "&#93;",
    "brace-left": "{",
    "brace-right": "}",
    "single-quote": "'",
    "double-quote": '"',
    "pg-up": "Page Up",
    "pg-dn": "Page Down",
}
_ELEMENTS = ("mark", "ins", "sup", "sub")
_COMMENT = "<!--"


def with_forms(text: str, extensions: Collection[str]) -> str:
    """Write all inline forms of these extensions; code stays."""
    forms = [pattern for name, pattern in _FORMS.items() if name in extensions]
    if not forms:
        return text
    found = re.compile("|".join((_KEPT, *forms)))
    return "\n".join(_rows(text, found))


_ITEM = re.compile(r"( +)((?:[-*+]|\d{1,9}[.)]) +)(?=\S)")
_STEP = 4
_FAR = 200  # So many lines of an item are looked at.


def with_near_items(text: str) -> str:
    """Move the sign of an item to the left where a block of it stands further left than its text.

    To Python-Markdown, four blanks are in an item. To CommonMark they are only if the text begins there.
    """
    rows = list(markdown.lines(text))
    return "\n".join(row if is_code else _near(at, rows) for at, (row, is_code) in enumerate(rows))


def _near(at: int, rows: Sequence[tuple[str, bool]]) -> str:
    row = rows[at][0]
    item = _ITEM.match(row)
    if item is None:
        return row
    before = len(item[1]) // _STEP * _STEP
    too_far = min(item.end() - before - _STEP, len(item[1]) - before)
    if too_far <= 0:
        return row
    below = [each for each, _ in rows[at + 1 : at + _FAR]]
    columns = ((len(each) - len(each.lstrip()), not above.strip()) for above, each in pairwise(below) if each)
    inner = takewhile(lambda each: each[0] >= before + _STEP or not each[1], columns)
    is_too_near = any(is_apart and column < item.end() for column, is_apart in inner)
    return row[too_far:] if is_too_near else row


def _rows(text: str, forms: re.Pattern[str]) -> Iterator[str]:
    for row, is_code in markdown.lines(text):
        is_kept = is_code or _COMMENT in row or _DEFINED.match(row)
        yield row if is_kept else forms.sub(_written, row)


def _written(found: re.Match[str]) -> str:
    given = {name: text for name, text in found.groupdict().items() if text}
    if "kept" in given:
        return found[0]
    if "keys" in given:
        return "+".join(f"<kbd>{_key(name)}</kbd>" for name in given["keys"].split("+"))
    if "symbol" in given:
        return _SYMBOLS[given["symbol"]]
    element = next(name for name in _ELEMENTS if name in given)
    return f"<{element}>{given[element]}</{element}>"


def _key(name: str) -> str:
    return _KEY_NAMES.get(name, name.replace("-", " ").title())

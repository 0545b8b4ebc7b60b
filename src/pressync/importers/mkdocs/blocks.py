"""Turns the blocks that MkDocs adds to Markdown into Markdown: admonitions, details and tabs.

Their content is indented, so on another site it would become a block of code. The blocks nest, so the content
of each is converted after its indentation is gone.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from pressync.importers import code_lines
from pressync.importers.alerts import alert
from pressync.importers.item import Place, Remainder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BLOCK = re.compile(
    r"(?P<indent>[ ]{0,60})(?P<mark>!!!|\?\?\?\+?|===[!+]?)[ ]?"
    r'(?P<words>[\w -]{0,80}?)[ ]*(?:"(?P<title>[^"]*)")?[ ]*'
)
# A list of attributes stands behind what it is for, or alone in its line.
_ATTRIBUTES = re.compile(r"(?:(?<=[)\]`*_])|^[ ]*)\{:?[ ]*(?:[.#][^\s{}]|[\w-]{1,40}=)[^{}\n]{0,200}\}")
_ID = re.compile(r"""[{ ](?:#|id=(["']?))([^\s"'{}]+)(?(1)\1)(?=[\s}])""")
_ALONE = 3  # `{ #id }` in words
_ICON = re.compile(r":(?:material|fontawesome|octicons|simple)-[\w-]{1,80}:")
_SNIPPET = re.compile(r'[ ]*-+8<-+(?:[ ]+".*)?')
_MORE = re.compile(r"<!--[ ]*more[ ]*-->")
_SIGNS = re.compile(r"[{:]|8<|<!--")
_WIDEST = 20_000  # Nobody writes such a line.
_STEP = 4
_DEEPEST = 20


def converted(text: str, place: Place) -> tuple[str, tuple[Remainder, ...]]:
    """Convert a text whose first line is at `place`; the remainders name what only MkDocs understands."""
    found: list[Remainder] = []
    rows = list(_rows(text.split("\n"), place, found, 0))
    return "\n".join(rows), tuple(found)


def _rows(rows: Sequence[str], place: Place, found: list[Remainder], depth: int) -> Iterator[str]:
    is_code = [code for _, code in code_lines.lines("\n".join(rows))]
    number = 0
    while number < len(rows):
        row = rows[number]
        block = None if is_code[number] or depth > _DEEPEST else _BLOCK.fullmatch(row)
        if not block or not (block["words"] or block["title"] is not None):
            here = Place(place.path, place.line + number)
            yield row if is_code[number] else _row(row, here, found)
            number += 1
            continue
        end = _end(rows, number + 1, len(block["indent"]) + _STEP)
        inner = [each[len(block["indent"]) + _STEP :] for each in rows[number + 1 : end]]
        while inner and not inner[-1]:
            inner.pop()
        below = Place(place.path, place.line + number + 1)
        text = "\n".join(_rows(inner, below, found, depth + 1)).strip("\n")
        yield from (f"{block['indent']}{each}".rstrip() for each in _block(block, text).split("\n"))
        # A line of text right below would belong to the alert.
        yield ""
        number = end


def _end(rows: Sequence[str], start: int, width: int) -> int:
    """Give the number of the first row that is not indented so far; a blank row is."""
    end = start
    while end < len(rows) and (not rows[end].strip() or not rows[end][:width].strip()):
        end += 1
    return end


def _block(block: re.Match[str], text: str) -> str:
    word, title = block["words"].split(" ")[0], block["title"] or ""
    if block["mark"].startswith("==="):
        return f"**{title or block['words']}**\n\n{text}".rstrip()
    if block["mark"] == "!!!":
        return alert(word, title, text)
    summary = html.escape(title or word.capitalize(), quote=False)
    is_open = " open" if block["mark"].endswith("+") else ""
    return f"<details{is_open}>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


def _row(row: str, place: Place, found: list[Remainder]) -> str:
    if not _SIGNS.search(row) or len(row) > _WIDEST:
        return row
    if _SNIPPET.fullmatch(row):
        found.append(Remainder("snippet", place, row.strip()))
    found += [Remainder("icon", place, icon) for icon in _ICON.findall(row)]

    def without(attributes: re.Match[str]) -> str:
        if row.count("`", 0, attributes.start()) % 2:
            return attributes[0]  # in code
        name = _ID.search(attributes[0])
        if not name or len(attributes[0].split()) > _ALONE:
            found.append(Remainder("attribute list", place, attributes[0].strip()))
        return f'<a id="{html.escape(name[2])}"></a>' if name else ""

    row = row if row.lstrip().startswith("#") else _ATTRIBUTES.sub(without, row)
    return _MORE.sub("<!--more-->", row)

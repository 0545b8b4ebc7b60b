"""Maps the lines of a body to the pieces of its HTML. Pure.

Raw HTML may open in one block of Markdown and close three blocks later, so a source range is the smallest
number of blocks whose HTML is complete. Lines without an output of their own (blank lines, link definitions)
are in no range, so an edit never touches them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.html.pieces import cut
from pressync.html.tree import Element, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pressync.html.pieces import Piece
    from pressync.html.tree import Node

_PLACE = re.compile(r"(\d+):\d+-(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class SourceRange:
    """Pieces of HTML and the 0-based numbers of the Markdown lines that render to them."""

    pieces: tuple[Piece, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _BlockRange:
    """One block: the start and end of its HTML, and its lines."""

    start: int
    end: int
    lines: tuple[int, ...]


def is_footnotes(piece: Piece) -> bool:
    """Whether a piece is the list of footnotes. It is always the last, wherever the texts are written."""
    first = piece.nodes[0]
    return isinstance(first, Element) and first.name == "section" and "footnotes" in first.classes()


def map_source(body: str, placed: str) -> tuple[list[SourceRange], SourceRange | None]:
    """Give the source ranges of `body`, and that of its footnotes; `placed` is its HTML with positions."""
    nodes = parse(placed)
    rows = body.split("\n")
    pieces = cut(nodes)
    notes = next((piece for piece in pieces if is_footnotes(piece)), None)
    note_lines = tuple(sorted(_lines_of_notes(notes.nodes))) if notes else ()
    taken = frozenset(note_lines)
    found = list(_blocks(nodes, placed, rows, taken, notes.start if notes else len(placed)))
    rest = [piece for piece in pieces if piece is not notes]
    ranges = [_with_lines_between(each, taken=taken) for each in _joined(rest, found)]
    return ranges, SourceRange((notes,), note_lines) if notes else None


def _joined(pieces: list[Piece], blocks: list[_BlockRange]) -> Iterator[SourceRange]:
    """Join the pieces and the blocks whose HTML overlaps."""
    waiting, end = list(blocks), 0
    held: list[Piece] = []
    lines: list[int] = []
    for piece in pieces:
        if held and piece.start >= end:
            yield SourceRange(tuple(held), tuple(lines))
            held, lines = [], []
        held.append(piece)
        end = max(end, piece.end)
        while waiting and waiting[0].start < end:
            block = waiting.pop(0)
            lines += block.lines
            end = max(end, block.end)
    if held:
        yield SourceRange(tuple(held), tuple(lines))


def _with_lines_between(found: SourceRange, taken: frozenset[int]) -> SourceRange:
    """Add the lines between the blocks of a range to it, except the text of a footnote."""
    lines = found.lines
    between = range(min(lines), max(lines) + 1) if lines else ()
    return SourceRange(found.pieces, tuple(line for line in between if line not in taken))


def _blocks(
    nodes: Iterable[Node], placed: str, rows: list[str], taken: frozenset[int], until: int
) -> Iterator[_BlockRange]:
    """Give the blocks in order. Raw HTML has no position, so it is everything between two other blocks."""
    here, line = 0, 0
    for start, end, first, last in [*_placed(nodes), (until, until, len(rows), len(rows))]:
        if start > until or first < line:
            continue
        if placed[here:start].strip():
            between = _without_blank_ends(rows, [n for n in range(line, first) if n not in taken])
            inside = len(placed[here:start]) - len(placed[here:start].lstrip())
            yield _BlockRange(here + inside, here + len(placed[here:start].rstrip()), between)
        if start < until:
            yield _BlockRange(start, end, tuple(range(first, last)))
        here, line = end, last


def _placed(nodes: Iterable[Node]) -> Iterator[tuple[int, int, int, int]]:
    """Give each element with a position: the start and end of its HTML, first line, line after the last."""
    for node in nodes:
        if isinstance(node, Element):
            found = _PLACE.fullmatch(node.attributes.get("data-sourcepos", ""))
            if found:
                # A block that ends at column 0 ended with the line before.
                last = int(found[2]) - (found[3] == "0")
                yield node.start, node.end, int(found[1]) - 1, max(last, int(found[1]))
            yield from _placed(node.children)


def _lines_of_notes(nodes: Iterable[Node]) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, Element):
            if node.name == "li":
                for _, _, first, last in _placed([node]):
                    yield from range(first, last)
                    break
            else:
                yield from _lines_of_notes(node.children)


def _without_blank_ends(rows: list[str], lines: list[int]) -> tuple[int, ...]:
    while lines and not rows[lines[0]].strip():
        lines = lines[1:]
    while lines and not rows[lines[-1]].strip():
        lines = lines[:-1]
    return tuple(lines)

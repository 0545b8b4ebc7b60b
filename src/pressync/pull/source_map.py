"""A body's lines beside the pieces of its HTML: which lines make which piece. Pure.

It must not know the site. What decided its shape: raw HTML may open in one block of Markdown and close
three blocks later, so a passage is the fewest blocks whose HTML is whole. Lines that show nothing of
themselves (blank ones, the definitions of links) belong to no passage and are never touched with one.
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
    """Pieces of HTML and the 0-based lines of Markdown that they are made of."""

    pieces: tuple[Piece, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _BlockRange:
    """One block: where its HTML begins and ends, and its lines."""

    start: int
    end: int
    lines: tuple[int, ...]


def is_footnotes(piece: Piece) -> bool:
    """Whether a piece is the list of footnotes, which stands at the end wherever its texts are written."""
    first = piece.nodes[0]
    return isinstance(first, Element) and first.name == "section" and "footnotes" in first.classes()


def passages(body: str, placed: str) -> tuple[list[SourceRange], SourceRange | None]:
    """Put pieces and lines together, the footnotes apart; `placed` is the HTML of `body` with its places."""
    nodes = parse(placed)
    rows = body.split("\n")
    pieces = cut(nodes)
    notes = next((piece for piece in pieces if is_footnotes(piece)), None)
    theirs = tuple(sorted(_lines_of_notes(notes.nodes))) if notes else ()
    spans = list(_spans(nodes, placed, rows, frozenset(theirs), notes.start if notes else len(placed)))
    rest = [piece for piece in pieces if piece is not notes]
    found = [_whole(each, taken=frozenset(theirs)) for each in _together(rest, spans)]
    return found, SourceRange((notes,), theirs) if notes else None


def _together(pieces: list[Piece], spans: list[_BlockRange]) -> Iterator[SourceRange]:
    """Join pieces and spans that share a part of the HTML."""
    waiting, end = list(spans), 0
    held: list[Piece] = []
    lines: list[int] = []
    for piece in pieces:
        if held and piece.start >= end:
            yield SourceRange(tuple(held), tuple(lines))
            held, lines = [], []
        held.append(piece)
        end = max(end, piece.end)
        while waiting and waiting[0].start < end:
            span = waiting.pop(0)
            lines += span.lines
            end = max(end, span.end)
    if held:
        yield SourceRange(tuple(held), tuple(lines))


def _whole(passage: SourceRange, taken: frozenset[int]) -> SourceRange:
    """Count the lines between two blocks of a passage to it, but for the text of a footnote."""
    lines = passage.lines
    between = range(min(lines), max(lines) + 1) if lines else ()
    return SourceRange(passage.pieces, tuple(line for line in between if line not in taken))


def _spans(
    nodes: Iterable[Node], placed: str, rows: list[str], taken: frozenset[int], until: int
) -> Iterator[_BlockRange]:
    """Give the blocks in their order; raw HTML, which has no place, is what stands between two others."""
    here, line = 0, 0
    for start, end, first, last in [*_placed(nodes), (until, until, len(rows), len(rows))]:
        if start > until:
            continue
        if first < line:
            continue
        if placed[here:start].strip():
            between = _without_blank_ends(rows, [n for n in range(line, first) if n not in taken])
            inside = len(placed[here:start]) - len(placed[here:start].lstrip())
            yield _BlockRange(here + inside, here + len(placed[here:start].rstrip()), between)
        if start < until:
            yield _BlockRange(start, end, tuple(range(first, last)))
        here, line = end, last


def _placed(nodes: Iterable[Node]) -> Iterator[tuple[int, int, int, int]]:
    """Give each element that has a place: where its HTML begins and ends, first line, line after the last."""
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

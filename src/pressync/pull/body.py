"""Edits the Markdown of a body so that it says what the HTML on the site says. Pure.

Ranges of lines that render to what the site has keep their bytes, and only the lines between two such ranges
are written anew. In the end the whole body is rendered and compared with the site. Raw HTML may open in one
block of Markdown and close three blocks later, so a range is the smallest number of blocks whose HTML is
complete. Lines without an output of their own are in no range, so an edit never touches them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING

from pressync.html.converted import with_languages, without_empty
from pressync.html.normalize import canonical
from pressync.html.pieces import NO_FORMS, Forms, Piece, cut, is_footnotes
from pressync.html.shortcodes import unescape_shortcodes
from pressync.html.to_markdown import InexpressibleError
from pressync.html.tree import Element, Node, parse
from pressync.pull.bounded_diff import matcher
from pressync.pull.compose import BodyFormat, MarkdownWriter, NormalizedPiece, separator, without_orphans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


@dataclass(frozen=True, slots=True)
class _Edit:
    """The numbers of the `old` lines to remove, and the `new` text to insert at the line `first`."""

    first: int
    old: Sequence[int]
    new: str


def merged_body(body: str, remote: str, body_format: BodyFormat) -> str:
    """Give the body that says what `remote` says, with the lines of `body` where they say it already.

    :raises InexpressibleError: no such Markdown was found.
    :raises TooDeepError: the HTML is nested too deeply.
    """
    # The escapes that keep WordPress away from code are not a part of the text.
    merge = _BodyMerge(body, unescape_shortcodes(remote), body_format)
    for attempt in (merge.by_ranges, partial(merge.by_ranges, indented=True), merge.as_a_whole):
        candidate = attempt()
        if merge.agrees(candidate):
            return candidate
    raise InexpressibleError("pressync found no Markdown that renders to the text on the site")


class _BodyMerge:
    """One body and one text of the site, both cut into normalized pieces."""

    def __init__(self, body: str, remote: str, body_format: BodyFormat) -> None:
        self._body = body
        self._indented = False
        self._lines = body.split("\n")
        placed = body_format.render(body)
        self._writer = MarkdownWriter(body, placed, body_format)
        self._ranges, notes = map_source(body, placed, body_format.forms)
        self._ours = [self._writer.normalize(span.pieces, placed) for span in self._ranges]
        self._notes = [notes] if notes else []
        self._our_notes = self._writer.normalize(
            [piece for note in self._notes for piece in note.pieces], placed
        )
        page = parse(remote)
        self._writer.learn_former_ids(page)
        pieces = cut(page, body_format.forms)
        theirs = self._writer.normalize([piece for piece in pieces if not is_footnotes(piece)], remote)
        self._theirs = self._as_before(theirs, is_converted=not body_format.forms.captions)
        named = {name for piece in self._theirs for name in piece.footnotes()}
        footnotes = self._writer.normalize([piece for piece in pieces if is_footnotes(piece)], remote)
        shown = [without_orphans(note, named) for note in footnotes]
        self._their_notes = [piece for piece in shown if piece.canonical]

    def _as_before(self, theirs: Sequence[NormalizedPiece], *, is_converted: bool) -> list[NormalizedPiece]:
        """Leave out of the pieces of the site what the editor itself does."""
        ours, there = (
            [piece.nodes for span in self._ours for piece in span],
            [piece.nodes for piece in theirs],
        )
        # Code that was sent as a block has lost its language by a person's hand.
        named = with_languages(there, ours) if is_converted else there
        kept = compress(zip(theirs, named, strict=True), without_empty(there, ours))
        return [
            piece if nodes == piece.nodes else replace(piece, nodes=nodes, canonical=canonical(nodes))
            for piece, nodes in kept
        ]

    def agrees(self, body: str) -> bool:
        return self._writer.rendered(body) == [
            piece.canonical for piece in (*self._theirs, *self._their_notes)
        ]

    def by_ranges(self, *, indented: bool = False) -> str:
        """Replace the ranges that differ from the site, and no other line; code may be `indented`."""
        self._indented = indented
        return self._with_old_ending("\n".join(_applied(self._lines, list(self._edits()))))

    def as_a_whole(self) -> str:
        text = self._writer.write([*self._theirs, *self._their_notes])
        return self._with_old_ending(self._writer.with_comments(text, self._body))

    def _with_old_ending(self, body: str) -> str:
        """Give a body the blank lines at its end that the old body has, or one newline if that was blank."""
        end = self._body[len(self._body.rstrip("\n")) :] if self._body.strip() else "\n"
        return body.rstrip("\n") + end if body.strip() else ""

    def _edits(self) -> Iterator[_Edit]:
        ours = theirs = line = 0
        for number, at in [*self._unchanged(), (len(self._ranges), len(self._theirs))]:
            yield from self._between(range(ours, number), range(theirs, at), line)
            if number < len(self._ranges):
                ours, theirs = number + 1, at + len(self._ours[number])
                line = max(self._ranges[number].lines, default=line - 1) + 1
        if [piece.canonical for piece in self._our_notes] != [piece.canonical for piece in self._their_notes]:
            yield self._edit(self._notes, self._our_notes, self._their_notes, len(self._lines))

    def _unchanged(self) -> Iterator[tuple[int, int]]:
        """Give the number of each range that the site has too, and the number of its first piece there."""
        ours = [piece.canonical for pieces in self._ours for piece in pieces]
        theirs = [piece.canonical for piece in self._theirs]
        blocks = matcher(ours, theirs).get_matching_blocks()
        matched = {own + n: there + n for own, there, size in blocks for n in range(size)}
        start = 0
        for number, pieces in enumerate(self._ours):
            counterparts = [matched.get(start + n) for n in range(len(pieces))]
            start += len(pieces)
            first = counterparts[0]
            if first is not None and counterparts == list(range(first, first + len(counterparts))):
                yield number, first

    def _between(self, ours: range, theirs: range, line: int) -> Iterator[_Edit]:
        """Edit the ranges between two unchanged ones: one by one if both sides have equally many."""
        pairs = [(ours, theirs)] if ours or theirs else []
        if len(ours) == len(theirs) and all(len(self._ours[number]) == 1 for number in ours):
            pairs = [(ours[n : n + 1], theirs[n : n + 1]) for n in range(len(ours))]
        for numbers, there in pairs:
            old = [piece for number in numbers for piece in self._ours[number]]
            new = self._theirs[there.start : there.stop]
            yield self._edit([self._ranges[number] for number in numbers], old, new, line, there)

    def _edit(
        self,
        replaced: Sequence[SourceRange],
        old: Sequence[NormalizedPiece],
        new: Sequence[NormalizedPiece],
        line: int,
        there: range = range(0),
    ) -> _Edit:
        """Make the edit that puts `new` in the place of ranges, or at a line; `there` numbers its pieces."""
        authored = "\n\n".join("\n".join(self._lines[number] for number in span.lines) for span in replaced)
        text = self._writer.rewrite(authored, old, new) if replaced and new else self._writer.write(new)
        lines = [number for span in replaced for number in span.lines]
        # A comment stands before or after the text where a list would run on.
        before, after = (
            separator(self._theirs[at - 1], self._theirs[at], indented=self._indented)
            if 0 < at < len(self._theirs)
            else ""
            for at in (there.start, there.stop)
        )
        text = "\n\n".join(filter(None, (before, text, after if there else "")))
        return _Edit(min(lines, default=line), lines, text)


def _applied(lines: Sequence[str], edits: Sequence[_Edit]) -> list[str]:
    """Apply all edits. New text gets a blank line on each side; removed text leaves no extra blank line."""
    removed = {line for edit in edits for line in edit.old}
    starting = {edit.first: edit for edit in edits if edit.new}
    result: list[str] = []
    skip_blanks = False
    for number in range(len(lines) + 1):
        edit = starting.get(number)
        if edit:
            result += [""] if result and result[-1].strip() else []
            result += edit.new.split("\n")
            # Text that replaces other text uses the blank line that follows the old text.
            skip_blanks = not edit.old
            result += [""] if skip_blanks else []
        if number in removed:
            skip_blanks = skip_blanks or not result or not result[-1].strip()
        elif number < len(lines) and not (skip_blanks and not lines[number].strip()):
            result.append(lines[number])
            skip_blanks = False
    return result


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


def map_source(
    body: str, placed: str, forms: Forms = NO_FORMS
) -> tuple[list[SourceRange], SourceRange | None]:
    """Give the source ranges of `body`, and that of its footnotes; `placed` is its HTML with positions.

    `forms` are as for `cut`.
    """
    nodes = parse(placed)
    rows = body.split("\n")
    pieces = cut(nodes, forms)
    notes = next((piece for piece in pieces if is_footnotes(piece)), None)
    note_lines = tuple(sorted(_lines_of_notes(notes.nodes))) if notes else ()
    taken = frozenset(note_lines)
    blocks = list(_blocks(nodes, placed, rows, taken, notes.start if notes else len(placed)))
    joined: list[tuple[list[Piece], list[int]]] = []
    end = 0
    for piece in (piece for piece in pieces if piece is not notes):
        if not joined or piece.start >= end:
            joined.append(([], []))
        held, lines = joined[-1]
        held.append(piece)
        end = max(end, piece.end)
        while blocks and blocks[0].start < end:
            block = blocks.pop(0)
            lines += block.lines
            end = max(end, block.end)
    ranges = []
    for held, lines in joined:
        # The lines between the blocks of a range are a part of it, except the text of a footnote.
        between = range(min(lines), max(lines) + 1) if lines else ()
        ranges.append(SourceRange(tuple(held), tuple(line for line in between if line not in taken)))
    return ranges, SourceRange((notes,), note_lines) if notes else None


def _blocks(
    nodes: Iterable[Node], placed: str, rows: list[str], taken: frozenset[int], until: int
) -> Iterator[_BlockRange]:
    """Give the blocks in order. Raw HTML has no position, so it is everything between two other blocks."""
    at, line = 0, 0
    for start, end, first, last in [*_placed(nodes), (until, until, len(rows), len(rows))]:
        if start > until or first < line:
            continue
        if placed[at:start].strip():
            between = [n for n in range(line, first) if n not in taken]
            filled = [n for n in between if rows[n].strip()]
            between = [n for n in between if filled and filled[0] <= n <= filled[-1]]
            inside = len(placed[at:start]) - len(placed[at:start].lstrip())
            yield _BlockRange(at + inside, at + len(placed[at:start].rstrip()), tuple(between))
        if start < until:
            yield _BlockRange(start, end, tuple(range(first, last)))
        at, line = end, last


def _placed(nodes: Iterable[Node]) -> Iterator[tuple[int, int, int, int]]:
    """Give each element with a position: the start and end of its HTML, first line, line after the last."""
    for node in nodes:
        if isinstance(node, Element):
            place = _PLACE.fullmatch(node.attributes.get("data-sourcepos", ""))
            if place:
                # A block that ends at column 0 ended with the line before.
                last = int(place[2]) - (place[3] == "0")
                yield node.start, node.end, int(place[1]) - 1, max(last, int(place[1]))
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

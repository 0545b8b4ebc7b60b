"""A body's Markdown and the HTML that stands on the site -> the Markdown that says what the site does. Pure.

It must not know files, templates or the wire. What decided its shape: passages that read on the site as
they do here keep their bytes, and only what is between two of them is written anew. At the end the whole
is rendered and must read as the site does, or nothing is taken at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from typing import TYPE_CHECKING

from pressync.html.inline import InexpressibleError
from pressync.html.pieces import cut
from pressync.html.shortcodes import unescape_shortcodes
from pressync.html.tree import parse
from pressync.pull.compose import MarkdownWriter, apart, without_orphans
from pressync.pull.source_map import is_footnotes, passages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.pull.compose import BodyFormat, NormalizedPiece
    from pressync.pull.source_map import SourceRange


@dataclass(frozen=True, slots=True)
class _Edit:
    """Lines that go, and the text that comes, at the line `first`."""

    first: int
    old: Sequence[int]
    new: str


def merged_body(body: str, remote: str, hand: BodyFormat) -> str:
    """Give the body that says what `remote` says, with the lines of `body` wherever they say it already.

    :raises InexpressibleError: there is no such Markdown.
    :raises TooDeepError: the HTML is nested too deeply.
    """
    # What is sent so that WordPress leaves code alone is no word of anybody's.
    merge = _BodyMerge(body, unescape_shortcodes(remote), hand)
    ways = (merge.by_passages, partial(merge.by_passages, indented=True), merge.as_a_whole)
    for way in ways:
        made = way()
        if merge.agrees(made):
            return made
    raise InexpressibleError("no Markdown of ours renders to what stands on the site")


class _BodyMerge:
    """One body against one text of the site."""

    def __init__(self, body: str, remote: str, hand: BodyFormat) -> None:
        self._body = body
        self._indented = False
        self._lines = body.split("\n")
        placed = hand.render(body)
        self._wording = MarkdownWriter(body, placed, hand)
        self._passages, notes = passages(body, placed)
        self._ours = [self._wording.sides(each.pieces, placed) for each in self._passages]
        self._notes = [notes] if notes else []
        self._our_notes = self._wording.sides(
            [piece for each in self._notes for piece in each.pieces], placed
        )
        pieces = cut(parse(remote), captions=hand.blocks)
        self._theirs = self._wording.sides([piece for piece in pieces if not is_footnotes(piece)], remote)
        named = {name for side in self._theirs for name in side.footnotes()}
        told = self._wording.sides([piece for piece in pieces if is_footnotes(piece)], remote)
        self._their_notes = [side for each in told if (side := without_orphans(each, named)).reads]

    def agrees(self, body: str) -> bool:
        """Whether a body reads as the site does."""
        return self._wording.reads(body) == [side.reads for side in (*self._theirs, *self._their_notes)]

    def by_passages(self, *, indented: bool = False) -> str:
        """Replace the passages that read otherwise, and no other line; code may be `indented`."""
        self._indented = indented
        return self._ended("\n".join(_applied(self._lines, list(self._edits()))))

    def as_a_whole(self) -> str:
        """Write all that stands on the site anew."""
        return self._ended(self._wording.of([*self._theirs, *self._their_notes]))

    def _ended(self, body: str) -> str:
        """End a body as it was, or with a newline if there was none."""
        end = self._body[len(self._body.rstrip("\n")) :] if self._body.strip() else "\n"
        return body.rstrip("\n") + end if body.strip() else ""

    def _edits(self) -> Iterator[_Edit]:
        ours = theirs = place = 0
        for number, at in [*self._kept(), (len(self._passages), len(self._theirs))]:
            yield from self._between(range(ours, number), range(theirs, at), place)
            if number < len(self._passages):
                ours, theirs = number + 1, at + len(self._ours[number])
                place = max(self._passages[number].lines, default=place - 1) + 1
        if [side.reads for side in self._our_notes] != [side.reads for side in self._their_notes]:
            yield self._edit(self._notes, self._our_notes, self._their_notes, len(self._lines))

    def _kept(self) -> Iterator[tuple[int, int]]:
        """Find the passages that read as they stand on the site, and where they stand there."""
        ours = [side.reads for sides in self._ours for side in sides]
        theirs = [side.reads for side in self._theirs]
        found = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
        matched = {here + n: there + n for here, there, size in found for n in range(size)}
        start = 0
        for number, sides in enumerate(self._ours):
            places = [matched.get(start + n) for n in range(len(sides))]
            start += len(sides)
            first = places[0]
            if first is not None and places == list(range(first, first + len(places))):
                yield number, first

    def _between(self, ours: range, theirs: range, place: int) -> Iterator[_Edit]:
        """Edit what stands between two passages that stay; as many as there were are taken one by one."""
        pairs = [(ours, theirs)] if ours or theirs else []
        if len(ours) == len(theirs) and all(len(self._ours[number]) == 1 for number in ours):
            pairs = [(ours[n : n + 1], theirs[n : n + 1]) for n in range(len(ours))]
        for here, there in pairs:
            old = [side for number in here for side in self._ours[number]]
            new = self._theirs[there.start : there.stop]
            yield self._edit([self._passages[number] for number in here], old, new, place, there)

    def _edit(
        self,
        gone: Sequence[SourceRange],
        old: Sequence[NormalizedPiece],
        new: Sequence[NormalizedPiece],
        place: int,
        there: range = range(0),
    ) -> _Edit:
        """Make the edit that puts `new` in the place of passages, or at the line `place`."""
        ours = "\n\n".join("\n".join(self._lines[number] for number in each.lines) for each in gone)
        text = self._wording.instead(ours, old, new) if gone and new else self._wording.of(new)
        lines = [line for each in gone for line in each.lines]
        return _Edit(min(lines, default=place), lines, self._kept_apart(text, there))

    def _kept_apart(self, text: str, there: range) -> str:
        """Put a comment before or behind the text of these pieces of theirs where a list would run on."""
        edges = [(at - 1, at) for at in (there.start, there.stop) if 0 < at < len(self._theirs)]
        around = {
            at: apart(self._theirs[before], self._theirs[at], indented=self._indented) for before, at in edges
        }
        before = around.get(there.start, "")
        behind = around.get(there.stop, "") if there else ""
        return "\n\n".join(filter(None, (before, text, behind)))


def _applied(lines: Sequence[str], edits: Sequence[_Edit]) -> list[str]:
    """Make all edits of a text; what is new stands between blank lines, what went leaves none behind."""
    gone = {line for edit in edits for line in edit.old}
    coming = {edit.first: edit for edit in edits if edit.new}
    made: list[str] = []
    no_more_blanks = False
    for number in range(len(lines) + 1):
        edit = coming.get(number)
        if edit:
            made += [""] if made and made[-1].strip() else []
            made += edit.new.split("\n")
            # What takes the place of others has the blank line behind them.
            no_more_blanks = not edit.old
            made += [""] if no_more_blanks else []
        if number in gone:
            no_more_blanks = no_more_blanks or not made or not made[-1].strip()
        elif number < len(lines) and not (no_more_blanks and not lines[number].strip()):
            made.append(lines[number])
            no_more_blanks = False
    return made

"""Finds the text of a record inside the old page, and says how the two differ. Pure.

The old page has more than the record: a menu, a date, the titles of its neighbours. So the words of the
record are looked for as one piece first, and that is enough for most pages. Else whole blocks are matched
before single words, because a word such as "the" is everywhere in a menu. The work on a hostile page is
bounded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from pressync.model.printable import shortened
from pressync.pull.bounded_diff import matcher
from pressync.stage.compare.page_text import CODE, FORMULA, MARKS, PICTURE, PLAYER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.stage.compare.page_text import PageText, Span


class DifferenceKind(StrEnum):
    """The kinds of differences, in the order in which a report names them."""

    NO_ADDRESS = "no_address"
    HIDDEN = "hidden"
    TITLE = "title"
    LOST = "lost"
    WORDS = "words"
    ADDED = "added"
    ORDER = "order"
    HEADINGS = "headings"
    CODE = "code"
    TABLES = "tables"
    PICTURES = "pictures"
    LINKS = "links"
    DATE = "date"
    LANGUAGE = "language"
    TERMS = "terms"


@dataclass(frozen=True, slots=True)
class PageDifference:
    """One difference of a page: what the old page has, and what the new one has; "" for nothing."""

    kind: DifferenceKind
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class AlignedPiece:
    """Neighbouring words of both sides, from `old` and `new` on; `same` if they are equal."""

    old: tuple[int, int]
    new: tuple[int, int]
    same: bool = False


@dataclass(frozen=True, slots=True)
class Alignment:
    """How a record lies in the old page: pieces that cover both from their first word to their last one."""

    pieces: tuple[AlignedPiece, ...]

    @property
    def inside(self) -> tuple[int, int]:
        """The words of the old page between which the record lies."""
        same = [piece for piece in self.pieces if piece.same]
        return (same[0].old[0], same[-1].old[1]) if same else (0, 0)

    def at(self, start: int, end: int) -> tuple[int, int] | None:
        """Give the words of the record that are equal to these of the old page, if all are in one piece."""
        for piece in self.pieces:
            if piece.same and piece.old[0] <= start and end <= piece.old[1]:
                shift = piece.new[0] - piece.old[0]
                return start + shift, end + shift
        return None


_APART = "\0"


def align(old: PageText, new: PageText) -> Alignment:
    """Align the text of a record with an old page. A style may show small letters as capitals."""
    at = _whole(old.words, new.words)
    if at is None:
        old, new = (replace(text, words=_lowered(text.words)) for text in (old, new))
        at = _whole(old.words, new.words)
    if at is not None:
        end = at + len(new.words)
        rest = AlignedPiece((end, len(old.words)), (len(new.words), len(new.words)))
        found = (AlignedPiece((0, at), (0, 0)), AlignedPiece((at, end), (0, len(new.words)), same=True), rest)
        return Alignment(tuple(piece for piece in found if piece.old != piece.new or piece.same))
    return Alignment(tuple(_pieces(old, new)))


def _lowered(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word if word.startswith(MARKS) else word.lower() for word in words)


def _whole(old: Sequence[str], new: Sequence[str]) -> int | None:
    """Find the words of a record as one piece of the old page."""
    if not new or len(new) > len(old):
        return None
    page = _APART + _APART.join(old) + _APART
    found = page.find(_APART + _APART.join(new) + _APART)
    return page.count(_APART, 0, found) if found >= 0 else None


def _pieces(old: PageText, new: PageText) -> Iterator[AlignedPiece]:
    ours, theirs = [*old.block_ranges()], [*new.block_ranges()]
    old_blocks = [old.words[a:b] for a, b in ours]
    new_blocks = [new.words[a:b] for a, b in theirs]
    for tag, i, j, k, m in matcher(old_blocks, new_blocks).get_opcodes():
        left = _range(ours, i, j, len(old.words))
        right = _range(theirs, k, m, len(new.words))
        if tag == "equal":
            yield AlignedPiece(left, right, same=True)
        elif tag == "replace":
            yield from _by_words(old.words, new.words, left, right)
        else:
            yield AlignedPiece(left, right)


def _range(blocks: Sequence[tuple[int, int]], first: int, after: int, last: int) -> tuple[int, int]:
    start = blocks[first][0] if first < len(blocks) else last
    return start, blocks[after - 1][1] if after > first else start


def _by_words(
    old: Sequence[str], new: Sequence[str], left: tuple[int, int], right: tuple[int, int]
) -> Iterator[AlignedPiece]:
    found = matcher(old[left[0] : left[1]], new[right[0] : right[1]])
    for tag, i, j, k, m in found.get_opcodes():
        yield AlignedPiece((left[0] + i, left[0] + j), (right[0] + k, right[0] + m), same=tag == "equal")


_KINDS = {
    CODE: DifferenceKind.CODE,
    PICTURE: DifferenceKind.PICTURES,
    PLAYER: DifferenceKind.PICTURES,
    FORMULA: DifferenceKind.WORDS,
}
_LONGEST = 400


def shown(words: Sequence[str]) -> str:
    """Write words as a person reads them, without the rest of a long text."""
    return shortened(" ".join(shown_word(word) for word in words[:_LONGEST]), _LONGEST)


def shown_word(word: str) -> str:
    """Write one word as a person reads it."""
    for mark in (PICTURE, PLAYER):
        if word.startswith(mark):
            return f"[{mark.strip()}: {word.removeprefix(mark)}]"
    return word.removeprefix(CODE).removeprefix(FORMULA)


def of_kind(words: Sequence[str]) -> dict[DifferenceKind, list[str]]:
    """Sort words by the kind of difference that they make where the other side has others."""
    found: dict[DifferenceKind, list[str]] = {}
    for word in words:
        mark = next((each for each in MARKS if word.startswith(each)), "")
        found.setdefault(_KINDS.get(mark, DifferenceKind.WORDS), []).append(word)
    return found


def changed(old: Sequence[str], new: Sequence[str]) -> Iterator[PageDifference]:
    """Say how two neighbouring parts differ, by kind."""
    before, after = of_kind(old), of_kind(new)
    for kind in dict.fromkeys((*before, *after)):
        left, right = before.get(kind, []), after.get(kind, [])
        if left == right:
            continue
        named = kind
        if kind is DifferenceKind.WORDS and not (left and right):
            named = DifferenceKind.LOST if left else DifferenceKind.ADDED
        yield PageDifference(named, shown(left), shown(right))


def spans(
    kind: DifferenceKind, old: Sequence[Span], new: Sequence[Span], alignment: Alignment, words: Sequence[str]
) -> Iterator[PageDifference]:
    """Compare what stands among the words that are equal: headings with their levels, tables, links.

    The values of both sides are in a form in which they can be compared. `words` are those of the record.
    """
    first, last = alignment.inside
    there = _by_place(new)
    met = set()
    for (start, end), wanted in _by_place(old).items():
        place = alignment.at(start, end) if first <= start and end <= last else None
        if place is None:
            continue
        met.add(place)
        value = there.get(place, "")
        if wanted and value != wanted:
            text = shown(words[place[0] : place[1]])
            yield PageDifference(kind, _named(wanted, text), _named(value, text))
    equal = [piece.new for piece in alignment.pieces if piece.same]
    for place, value in there.items():
        # A tool may make a link of an address that stands in a text.
        typed = " ".join(words[place[0] : place[1]])
        is_typed = kind is DifferenceKind.LINKS and value.removeprefix("mailto:") in typed
        if place not in met and not is_typed and any(a <= place[0] and place[1] <= b for a, b in equal):
            text = shown(words[place[0] : place[1]])
            yield PageDifference(kind, _named("", text), _named(value, text))


def _by_place(spans: Sequence[Span]) -> dict[tuple[int, int], str]:
    """Give the values by their place; in a script without blanks, one word may have several links."""
    found: dict[tuple[int, int], list[str]] = {}
    for span in spans:
        found.setdefault((span.start, span.end), []).append(span.value)
    return {place: " ".join(values) for place, values in found.items()}


def _named(value: str, text: str) -> str:
    return f"{value or 'none'}: {text}"

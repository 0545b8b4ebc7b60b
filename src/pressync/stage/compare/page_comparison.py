"""Compares one page of the old site with its record: the words, what stands among them, and the facts. Pure.

The blocks that a page has and its record has not are kept. Whether they are lost is known when all pages were
read: a text that other pages repeat belongs to the theme.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pressync.model.interface import TREE_KIND
from pressync.stage.compare.alignment import DifferenceKind, PageDifference, align, changed, shown, spans
from pressync.stage.compare.old_addresses import LinkedPlaces
from pressync.stage.compare.page_text import MARKS, fragment_text, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.stage.compare.alignment import AlignedPiece, Alignment
    from pressync.stage.compare.old_addresses import OldAddresses
    from pressync.stage.compare.page_text import PageText, Span
    from pressync.stage.rehearse.stage import RenderedPage, RenderedSite


_FARTHEST_ZONE, _MIDNIGHT = timedelta(hours=14, minutes=1), "T00:00:00"


@dataclass(frozen=True, slots=True)
class LeftBlock:
    """A block of an old page that its record does not have: its first word, its digest and its text."""

    start: int
    digest: int
    text: str


@dataclass(slots=True)
class PageComparison:
    """The comparison of one page.

    `repeated` are the first words of the blocks that say what is compared elsewhere, such as the title.
    """

    old: PageText
    new: PageText
    differences: list[PageDifference] = field(default_factory=list)
    left: list[LeftBlock] = field(default_factory=list)
    repeated: set[int] = field(default_factory=set)


def compared(
    address: str, old: PageText, record: RenderedPage, addresses: OldAddresses, pages: RenderedSite
) -> PageComparison:
    """Compare a page at an address of the old site with its record."""
    new = fragment_text(record.html)
    title = fragment_text(record.title).words
    alignment = align(old, new)
    found = PageComparison(old, new)
    links = LinkedPlaces(addresses, pages, address, record, old, new, alignment)
    found.differences += _title(old, title)
    found.differences += _words(found, alignment, title)
    for kind, ours, theirs in (
        (DifferenceKind.HEADINGS, _headings(old, title), _headings(new, title)),
        (DifferenceKind.TABLES, old.tables, new.tables),
        (DifferenceKind.LINKS, [*links.of_old()], [*links.of_new()]),
    ):
        found.differences += spans(kind, ours, theirs, alignment, new.words)
    found.differences += _facts(old, record)
    return found


def _words(found: PageComparison, alignment: Alignment, title: Sequence[str]) -> Iterator[PageDifference]:
    """Compare the words, and keep the blocks that the record does not have."""
    new = found.new
    own = {new.words[a:b] for a, b in new.block_ranges()}
    other = [piece for piece in alignment.pieces if not piece.same]
    moved = set[tuple[str, ...]]()
    first, last = alignment.inside
    within = [first <= piece.old[0] and piece.old[1] <= last for piece in other]
    parts = [
        [*_parts(found, piece, own, tuple(title), moved, is_within=inside)]
        for piece, inside in zip(other, within, strict=True)
    ]
    for kept, piece in zip(parts, other, strict=True):
        added: list[str] = []
        for start, end in new.block_ranges(*piece.new):
            if new.words[start:end] in moved:
                yield PageDifference(DifferenceKind.ORDER, "", shown(new.words[start:end]))
            else:
                added += new.words[start:end]
        yield from changed(kept, added)


def _parts(
    found: PageComparison,
    piece: AlignedPiece,
    own: set[tuple[str, ...]],
    title: tuple[str, ...],
    moved: set[tuple[str, ...]],
    *,
    is_within: bool,
) -> Iterator[str]:
    """Give the words of a piece that have others in their place, and sort its other blocks.

    `is_within` tells that the piece lies between words of the record.
    """
    old = found.old
    whole = dict(old.block_ranges())
    is_replaced = piece.new[0] < piece.new[1]
    for start, end in old.block_ranges(*piece.old):
        words = old.words[start:end]
        if words in own and words != title:
            moved.add(words)
        elif whole.get(start) != end or (is_replaced and (is_within or words[0].startswith(MARKS))):
            yield from words
        elif words != title and (rest := _without(old.words, old.facts, start, end)):
            found.left.append(LeftBlock(start, hash(words), shown(rest)))
        else:
            found.repeated.add(start)


def _without(words: Sequence[str], facts: Sequence[Span], start: int, end: int) -> list[str]:
    """Give the words of a block without those that say a date or a term."""
    said = {at for span in facts for at in range(max(span.start, start), min(span.end, end))}
    rest = [words[at] for at in range(start, end) if at not in said]
    return rest if any(map(str.isalnum, "".join(rest))) else []


def _headings(text: PageText, title: Sequence[str]) -> list[Span]:
    """Give the headings without that of the title, which a theme writes."""
    return [each for each in text.headings if text.words[each.start : each.end] != tuple(title)]


def _title(old: PageText, title: Sequence[str]) -> Iterator[PageDifference]:
    """Compare the titles: one of the old page must be that of the record, or have it beside another name."""
    wanted = " ".join(title)
    plain = [each.rstrip(" #¶") for each in old.titles]
    if plain and not any(each == wanted or _is_part(each, wanted) for each in plain):
        yield PageDifference(DifferenceKind.TITLE, plain[0], wanted)


def _is_part(whole: str, title: str) -> bool:
    """Tell whether a title stands in a title with the name of the site, such as `About | Harbour`."""
    before, found, after = whole.partition(title) if title else ("", "", "")
    return bool(found) and not (before[-1:].isalnum() or after[:1].isalnum())


def _facts(old: PageText, record: RenderedPage) -> Iterator[PageDifference]:
    # Pages are not dated: a tool of documentation writes there when a file was changed.
    if record.kind is not TREE_KIND and old.date and not _is_same_day(old.date, record):
        yield PageDifference(DifferenceKind.DATE, old.date, record.date)
    have = {" ".join(words_of(term)).lower() for term in record.terms}
    # Docusaurus writes all tags of a post as one, with commas.
    missing = [
        part
        for term in dict.fromkeys(old.terms)
        for part in ([] if term.lower() in have else map(str.strip, term.split(",")))
        if part.lower() not in have
    ]
    if missing:
        yield PageDifference(DifferenceKind.TERMS, ", ".join(missing), ", ".join(record.terms))


def _is_same_day(old: str, record: RenderedPage) -> bool:
    """Tell whether a date is that of a record; True for a text that is not a date."""
    try:
        moment = datetime.fromisoformat(old)
        day = moment.date().isoformat()
        if moment.tzinfo is None or day == record.date[:10]:
            return day == record.date[:10]
        apart = abs(moment - datetime.fromisoformat(f"{record.date_gmt}+00:00"))
        # A day without a time begins at another moment in each zone.
        return apart < (_FARTHEST_ZONE if record.date.endswith(_MIDNIGHT) else timedelta(minutes=1))
    except (ValueError, OverflowError):
        return True

"""Writes a comparison of an old site with a new one: as text, as JSON, and as a sheet of HTML.

The texts are those of strangers. So the terminal gets them without control characters, and the sheet has only
their words, in elements of its own, and no script.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from markupsafe import Markup

from pressync.app import comparisons
from pressync.cli.report import documents
from pressync.cli.report.html import WHOLE, sheet
from pressync.cli.report.layout import BOLD, YELLOW, paint, table
from pressync.model.printable import counted, listed, one_line, printable, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.stage.compare.alignment import PageDifference
    from pressync.stage.compare.compare import Compared

# So many differences of one kind are named, and so many documents without a record.
_SHOWN = 3
# Nobody reads a longer text in a terminal.
_LONGEST = 70
WORDS = {
    "no_address": "no address",
    "hidden": "not visible",
    "title": "title",
    "lost": "text lost",
    "words": "other words",
    "added": "text added",
    "order": "other order",
    "headings": "headings",
    "code": "code",
    "tables": "tables",
    "pictures": "pictures",
    "links": "links",
    "date": "date",
    "language": "language (counts as the same, because WordPress has one for the site)",
    "terms": "terms",
}


# What a summary says of one page, and of several.
_LIST = "of records and not compared"
_COUNTED = {
    "differs": ("differs", "differ"),
    "no_address": ("has no address", "have no address"),
    "unread": ("could not be read", "could not be read"),
    "list": (f"more answers, but is a list {_LIST}", f"more answer, but are lists {_LIST}"),
}


def summary(compared: Compared) -> str:
    """Say in one line how many pages say the same."""
    count = compared.counts
    total = sum(count.values()) - count["list"]
    parts = [f"{count['same']:,} of {total:,} {'page says' if total == 1 else 'pages say'} the same"]
    parts = parts if total else ["Not a single page was compared"]
    parts += [f"{count[name]:,} {said[count[name] > 1]}" for name, said in _COUNTED.items() if count[name]]
    return "; ".join(parts) + "."


def text(compared: Compared, *, colour: bool = False) -> str:
    """Write the table of kinds, the most frequent differences of each, and the summary."""
    grouped = _grouped(compared)
    lines = [f"no record: {one_line(path)}: {one_line(why)}" for path, why in compared.unmade[:_SHOWN]]
    if left := compared.unmade[_SHOWN:]:
        lines.append(f"… and {counted(len(left), 'more document')} without a record")
    for kind, alike in grouped.items():
        pages = len({address for _, addresses in alike for address in addresses})
        lines.append(paint(f"{WORDS[kind]}: {counted(pages, 'page')}", YELLOW, colour=colour))
        rows = [
            (_example(difference), one_line(listed(addresses, 1))) for difference, addresses in alike[:_SHOWN]
        ]
        lines += [f"  {line}" for line in table(rows)]
        if further := alike[_SHOWN:]:
            lines.append(f"  … and {counted(len(further), 'other difference')} of this kind")
    for page in compared.pages:
        if page.state == "unread":
            lines.append(f"not read: {one_line(page.address)}: {one_line(page.why)}")
    lines.append(paint(summary(compared), BOLD, colour=colour))
    return "".join(f"{line}\n" for line in lines)


def _grouped(compared: Compared) -> dict[str, list[tuple[PageDifference, list[str]]]]:
    """Group equal differences with their pages by kind; the most frequent ones come first."""
    by_difference: dict[PageDifference, list[str]] = defaultdict(list)
    for page in compared.pages:
        for difference in page.differences:
            # Each page without an address has its own.
            by_difference[difference].append(page.address)
    kinds: dict[str, list[tuple[PageDifference, list[str]]]] = {kind: [] for kind in compared.kinds}
    for difference, addresses in by_difference.items():
        kinds[difference.kind].append((difference, addresses))
    return {kind: sorted(some, key=lambda row: -len(row[1])) for kind, some in kinds.items()}


def _example(difference: PageDifference) -> str:
    if difference.kind in {"no_address", "hidden"}:
        return ""
    old, new = (shortened(one_line(side), _LONGEST) for side in (difference.old, difference.new))
    if old and new:
        return f"{old} -> {new}"
    return f"- {old}" if old else f"+ {new}"


def as_json(compared: Compared, old: str, new: str, exit_code: int) -> str:
    """Write the document of `compare --format json`."""
    pages = documents.rows(compared.pages, "address", "state", "to", "path", "why", "differences")
    for row in pages:
        differences = documents.rows(row.pop("differences"), "kind", "old", "new")
        row.update({name: value or None for name, value in row.items()}, differences=differences)
    document = {
        "version": documents.VERSION,
        "old": old,
        "new": new,
        "counts": compared.counts,
        "kinds": compared.kinds,
        "pages": pages,
        "unmade": [{"path": path, "why": why} for path, why in compared.unmade],
        "exit_code": exit_code,
    }
    return documents.text(document)


def as_html(compared: Compared, old: str, new: str) -> str:
    """Write a sheet with both texts of each page that differs, side by side."""
    return sheet(
        "compare",
        title=f"pressync: {one_line(old)} beside {one_line(new)}",
        summary=summary(compared),
        unmade=[f"{one_line(path)}: {one_line(why)}" for path, why in compared.unmade],
        kinds=[(WORDS[kind], number) for kind, number in compared.kinds.items()],
        pages=[*_sheet(compared)],
    )


def _sheet(compared: Compared) -> Iterator[dict[str, object]]:
    room = WHOLE
    for page in compared.pages:
        if page.state in {"same", "list"}:
            continue
        rows = comparisons.rows(*page.sides) if any(page.sides) and room > 0 else ""
        room -= len(rows)
        words = [(WORDS[difference.kind], difference) for difference in page.differences]
        yield {
            "address": one_line(page.address),
            "to": one_line(page.to),
            "path": one_line(page.path),
            "why": one_line(page.why),
            "kinds": [*dict(words)],
            "differences": [(word, printable(d.old), printable(d.new)) for word, d in words[:_MOST]],
            "more": max(0, len(page.differences) - _MOST),
            "is_cut": bool(page.to) and not rows,
            # The words were escaped, and the elements are our own.
            "rows": Markup(printable(rows)),  # noqa: S704
        }


_MOST = 50

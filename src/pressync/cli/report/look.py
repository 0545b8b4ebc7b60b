"""Writes what a browser saw of a rehearsal: as lines, as a part of the JSON, and as a sheet of thumbnails.

A fault names words of the page. So the terminal gets them without control characters, and the sheet has
them as text, and no script.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from markupsafe import Markup

from pressync.cli.report import documents, html, words
from pressync.cli.report.layout import YELLOW, paint
from pressync.model.printable import counted, one_line, printable
from pressync.stage.rehearse.page_check import WIDTHS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from pressync.app.comparisons import Comparison
    from pressync.stage.rehearse.look import SeenPage, SeenPages

# This many faults of each sort are printed. The sheet has all.
_SHOWN = 3
_WORDS = {
    "empty": "no text",
    "wide": "too wide",
    "picture": "no picture",
    "unsized": "picture without sizes",
    "double id": "double id",
    "dead link": "dead link in the page",
    "typed": "typed markup",
}
_Row = tuple[str, str, str]


def lines(look: SeenPages, told: Collection[tuple[str, str]] = (), *, colour: bool = False) -> Iterator[str]:
    """Name the first faults of each sort, and say what was looked at.

    `told` are the document and the target of each dead link that the account names already, with its line.
    """
    rows = [
        row
        for page in look.pages
        for row in _rows(page)
        if row[0] != "dead link" or _key(page, row) not in told
    ]
    for kind in dict.fromkeys(kind for kind, _, _ in rows):
        own = [row for row in rows if row[0] == kind]
        word = paint(_WORDS.get(kind, kind), YELLOW, colour=colour)
        yield from (f"{word}: {place}: {detail}" for _, place, detail in own[:_SHOWN])
        if left := own[_SHOWN:]:
            yield f"… and {len(left)} more like this; the sheet of the look has all of them."
    for page in look.pages:
        if page.why:
            yield f"not looked at: {_name(page)}: {one_line(page.why)}"
    yield _summary(look)


def _key(page: SeenPage, row: _Row) -> tuple[str, str]:
    return page.path, row[2].rpartition(": ")[2]


def _summary(look: SeenPages) -> str:
    windows = " and ".join(f"{width:,}" for width in WIDTHS)
    said = (
        f"{counted(look.seen, 'page')} looked at in windows of {windows} px, {counted(look.faults, 'fault')}"
    )
    parts = [f"{said}: {one_line(str(look.sheet))}."]
    if look.left:
        parts.append(f"{counted(look.left, 'more page')} not looked at (`--look-limit`).")
    if look.hidden:
        parts.append(f"{counted(look.hidden, 'hidden record')} that this stage does not show.")
    return " ".join(parts)


def _rows(page: SeenPage) -> Iterator[_Row]:
    """Give kind, place and detail of each fault; one of both windows is one row."""
    for alike in words.grouped(page.faults, lambda fault: (fault.kind, fault.place)):
        widths = " and ".join(f"{width:,}" for width in dict.fromkeys(fault.width for fault in alike))
        first = alike[0]
        where = f"{one_line(first.place)} at {widths} px: " if first.place else f"at {widths} px: "
        yield first.kind, _name(page), f"{where}{one_line(alike[-1].detail)}"


def _name(page: SeenPage) -> str:
    return one_line(page.path or page.address)


def document(look: SeenPages) -> dict[str, object]:
    """Make the part of the document of `rehearse --format json`."""
    faults, failed = list[dict[str, object]](), list[dict[str, object]]()
    for page in look.pages:
        about = {"path": page.path or None, "address": page.address}
        failed += [{**about, "why": page.why}] if page.why else []
        for fault in documents.rows(page.faults, "width", "kind", "place", "detail"):
            faults.append({**about, **fault, "kind": fault["kind"].replace(" ", "_")})
    return {
        "folder": str(look.folder),
        "widths": [*WIDTHS],
        "looked": look.seen,
        "left": look.left,
        "hidden": look.hidden,
        "faults": faults,
        "failed": failed,
    }


def sheet(look: SeenPages, title: str, diffs: Mapping[str, Comparison]) -> str:
    """Write the sheet: each page with its pictures, its faults, and what the sync changes in it."""
    # A page with faults is what a person came for.
    pages = sorted(look.pages, key=lambda page: not (page.faults or page.why))
    return html.sheet("look", title=one_line(title), summary=_summary(look), pages=[*_pages(pages, diffs)])


def _pages(pages: Sequence[SeenPage], diffs: Mapping[str, Comparison]) -> Iterator[dict[str, object]]:
    room = html.WHOLE
    for page in pages:
        compared = diffs.get(page.path)
        rows = printable(compared.rendered or "") if compared else ""
        source = printable(compared.source) if compared else ""
        room -= len(rows) + len(source)
        # The pictures show a new page already.
        is_new = rows.startswith('<div class="row only')
        if room < 0:
            rows = source = ""
        yield {
            "name": _name(page),
            "title": one_line(page.title),
            "why": one_line(page.why),
            "faults": [(_WORDS.get(kind, kind), detail) for kind, _, detail in _rows(page)],
            "shots": [_shot(shot.width, shot.file, shot.small) for shot in page.shots],
            "is_changed": compared is not None,
            "is_new": is_new,
            "is_cut": room < 0,
            "source": source,
            # The words were escaped, and the elements are our own.
            "rows": Markup(rows),  # noqa: S704
        }


def _shot(width: int, file: str, small: bytes) -> dict[str, object]:
    return {"width": width, "file": file, "data": base64.b64encode(small).decode()}

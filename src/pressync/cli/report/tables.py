"""Tables of records for a person at a terminal or in a log: their states, the manifest, and the last runs.

A site has thousands of records, so each one is a row without a reason. A reason that many records share
stands below the rows once, and the numbers come last, because the last line is what people see first.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pressync.cli.report import visitors
from pressync.cli.report.groups import same_reason
from pressync.cli.report.layout import BOLD, GREEN, RED, YELLOW, paint, table, wrapped
from pressync.cli.report.text import counted
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.model.outcomes import Standing
    from pressync.model.records import Manifest
    from pressync.state.run_records import RunRecord


class _State(NamedTuple):
    """The word of a row, its colour, and the words after the number of records in this state."""

    word: str
    colour: str
    counted: str


# The states of JSON, in the order of the numbers.
_STATES = {
    "new": _State("new", YELLOW, "to create"),
    "changed": _State("changed", YELLOW, "changed"),
    "deleted": _State("deleted", YELLOW, "to delete"),
    "blocked": _State("blocked", RED, "blocked"),
    "conflict": _State("conflict", RED, "in conflict"),
    "in_doubt": _State("unconfirmed", RED, "unconfirmed"),
    "in_step": _State("up to date", GREEN, "up to date"),
}
# For these states a person needs to know the reason.
_EXPLAINED = frozenset({"blocked", "conflict", "in_doubt"})


def status(standings: Sequence[Standing], *, colour: bool = False, columns: int | None = None) -> str:
    """Show each record in a row: state, kind and id, status, path, time of modification and address.

    Below the rows stand the reasons of the records that need a person, and the number of each state.
    """
    if not standings:
        return "No documents and no records; `pressync plan` says where documents have to be.\n"
    states = [_STATES[standing.state] for standing in standings]
    indent = max(len(state.word) for state in states) + 2
    lines = []
    for state, row in zip(states, table(list(map(_row, standings))), strict=True):
        word = paint(state.word, state.colour, colour=colour)
        lines.append(word + wrapped(row, columns, indent).removeprefix(state.word))
    lines += ["", *(wrapped(reason, columns, 4) for reason in _reasons(standings))]
    numbers = Counter(standing.state for standing in standings)
    counts = ", ".join(f"{numbers[name]} {state.counted}" for name, state in _STATES.items() if numbers[name])
    notes = sum(standing.notes for standing in standings)
    counts += f"; {counted(notes, 'note')} of editors" if notes else ""
    lines.append(paint(f"{counts}.", BOLD, colour=colour))
    return "\n".join(lines) + "\n"


def _row(standing: Standing) -> tuple[str, ...]:
    entry, seen, word = standing.entry, standing.visibility, _STATES[standing.state].word
    about = f"{standing.kind.value} {entry.id}" if entry else standing.kind.value
    there = (entry.modified, visitors.look_at(entry)) if entry else ()
    appears = (f"visible from {seen.date}",) if seen.date else ()
    noted = (counted(standing.notes, "note"),) if standing.notes else ()
    return tuple(map(one_line, (word, about, seen.status, standing.path, *there, *appears, *noted)))


def _reasons(standings: Sequence[Standing]) -> Iterator[str]:
    """Name the first record of each reason, and count the others."""
    found: dict[object, list[Standing]] = {}
    for each in standings:
        if each.state in _EXPLAINED:
            found.setdefault(same_reason(each.why, each.path), []).append(each)
    for first, *others in found.values():
        more = f" and {len(others)} more" if others else ""
        yield f"{one_line(first.path)}{more}: {one_line(first.reason)}"


def manifest(known: Manifest) -> str:
    """Show a manifest: a line for each record, name, file and unconfirmed create, and the numbers."""
    rows: dict[str, list[tuple[str, ...]]] = {
        "records": [
            (f"{entry.kind} {entry.id}", path, entry.modified, entry.link)
            for path, entry in sorted(known.entries.items())
        ],
        "names": [(f"{name.field} {number}", name.text) for name, number in sorted(known.names.items())],
        "files": [
            (f"media {medium.id}", medium.path, medium.link)
            for medium in sorted(known.media.values(), key=lambda medium: medium.path)
        ],
        "unconfirmed": [
            (str(create.kind), create.path, create.time)
            for create in sorted(known.unconfirmed, key=lambda create: create.key)
        ],
    }
    rows = {name: [tuple(map(one_line, row)) for row in each] for name, each in rows.items()}
    lines = [line for each in rows.values() if each for line in (*table(each), "")]
    counts = ", ".join(f"{len(each)} {name}" for name, each in rows.items() if each or name == "records")
    return "\n".join((*lines, f"{counts} on {one_line(known.target)}.")) + "\n"


def run_row(record: RunRecord) -> dict[str, object]:
    """Make the row of a run of this clone for `manifest log --format json`."""
    return {
        "run": record.run,
        "commit": record.commit,
        "changes": len(record.touched),
        "ended": record.after is not None,
        "rolled_back": record.undoes or None,
    }


def run_line(record: RunRecord) -> str:
    """Write a run of this clone as one line: its id, which begins with its time, and what it was about."""
    about = f"rollback of {record.undoes}" if record.undoes else f"sync of {record.commit[:10]}"
    count = len(record.touched)
    end = "" if record.after is not None else ", did not end"
    return f"run {record.run}  {about}: {count} {'change' if count == 1 else 'changes'}{end}"

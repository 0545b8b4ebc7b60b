"""Finds the notes of editors that a sync resolves, because commits which changed the records name them.

A commit says `Resolves-Note: 12` in its message. A plan tells this before, and a run does it after.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pressync.model.changes import Delete, Update
from pressync.model.printable import listed
from pressync.model.reason import Reason, ReasonCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pressync.client.dialects import Capabilities
    from pressync.model.changes import Change
    from pressync.model.reason import Fact
    from pressync.repo.history import History

TRAILER = "Resolves-Note"
# The records of a run were last sent by other syncs. The commits since these many are looked at.
_MOST_SYNCS = 50


class NamedNote(NamedTuple):
    """A note that a commit names, with the ids of the records that the commit changed, by path."""

    number: int
    commit: str
    records: Mapping[str, int]


def of_changes(history: History, changes: Iterable[Change], newer: str) -> list[NamedNote]:
    """Give the notes that the commits up to `newer` name, which changed records since they were last sent."""
    sent: dict[str, dict[str, int]] = defaultdict(dict)
    for change in changes:
        if isinstance(change, Update | Delete) and change.entry.commit:
            sent[change.entry.commit][change.path] = change.id
    named: dict[int, NamedNote] = {}
    for older, records in sorted(sent.items())[:_MOST_SYNCS]:
        for commit, values in history.trailers(TRAILER, older, newer):
            own = {path: records[path] for path in history.paths_of(commit) & records.keys()}
            numbers = [int(value) for value in values if value.isdecimal() and value.isascii()]
            for number in numbers if own else ():
                # Another sync may have sent other records of the same commit.
                before = named[number].records if number in named else {}
                named[number] = NamedNote(number, commit, {**before, **own})
    return sorted(named.values())


def remarks(
    history: History, changes: Iterable[Change], newer: str, capabilities: Capabilities
) -> Iterator[Reason]:
    """Say before a sync which notes it resolves; only the site knows whether such a note is open."""
    for note in of_changes(history, changes, newer) if capabilities.read else ():
        paths = sorted(note.records)
        facts: dict[str, Fact] = {"note": note.number, "commit": note.commit, "paths": tuple(paths)}
        what = f"A sync resolves note {note.number} on {listed(paths)} if it is open"
        yield Reason(ReasonCode.RESOLVES_NOTE, facts, f"{what}: commit {note.commit[:10]} names it.")

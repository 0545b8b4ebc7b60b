"""What journal lines make of a manifest: the entries, and the calls of which nobody knows the end. Pure.

It must not know files or threads. What decided its shape: a run applies each line to the same ledger
that a replay does, so what a crash leaves behind cannot be read differently from how it was meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.model import UNSURE, Doubt, Entry
from pressync.state.journal_lines import Done, Intent, Removed, Withdrawn

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, Iterator, KeysView, ValuesView

    from pressync.interface import Kind
    from pressync.model import Manifest
    from pressync.state.journal_lines import Line


def recover(manifest: Manifest, lines: Iterable[Line]) -> Ledger:
    """Replay a journal over a manifest, whether or not the manifest has some of it already.

    Creates without an outcome stay open: they are the doubts. The fields of open updates and all
    fields of open deletes are marked `UNSURE`, so that the next plan sends them again.
    """
    ledger = Ledger(manifest.entries.values())
    for line in lines:
        ledger.take(line)
    ledger.mark()
    return ledger


class Ledger:
    """Entries by path, and open intents by number, as the lines so far have left them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries: dict[str, Entry] = {}
        self._paths: dict[tuple[Kind, int], str] = {}
        self._open: dict[int, Intent] = {}
        self._last = 0
        for entry in entries:
            self._place(entry)

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The entries as they are at each moment; may be read and walked while other threads write."""
        return _Live(self._entries)

    @property
    def open(self) -> tuple[Intent, ...]:
        """The intents without an outcome, oldest first."""
        return tuple(self._open.values())

    @property
    def next_number(self) -> int:
        """A number that no intent in the journal has."""
        return self._last + 1

    @property
    def doubts(self) -> dict[str, Doubt]:
        """The creates without an outcome, by path."""
        return {
            intent.path: Doubt(
                intent.path, intent.kind, intent.slug, intent.time, intent.commit, intent.fingerprints
            )
            for intent in self.open
            if intent.action == "create"
        }

    def intent(self, number: int) -> Intent | None:
        """Return the open intent with this number."""
        return self._open.get(number)

    def take(self, line: Line) -> None:
        """Let one line have its effect; taking lines once more, in their order, ends in the same."""
        match line:
            case Intent():
                self._open[line.n] = line
                self._last = max(self._last, line.n)
            case Done():
                for entry in line.entries:
                    self._place(entry)
                    self._supersede(line.n, (entry.kind, entry.id))
                self._open.pop(line.n, None)
            case Removed():
                self._remove((line.kind, line.id))
                self._supersede(line.n, (line.kind, line.id))
                self._open.pop(line.n, None)
            case Withdrawn():
                self._open.pop(line.n, None)

    def mark(self) -> None:
        """Mark what open updates and deletes may have changed; with the mark, the entry says it all."""
        for intent in self.open:
            if intent.action == "create":
                continue
            del self._open[intent.n]
            path = self._paths.get((intent.kind, intent.id or 0))
            if path is not None:
                entry = self._entries[path]
                fields = intent.fingerprints if intent.action == "update" else entry.fingerprints
                marked = {**entry.fingerprints, **dict.fromkeys(fields, UNSURE)}
                self._entries[path] = replace(entry, fingerprints=marked)

    def _place(self, entry: Entry) -> None:
        """Put an entry at its path; what the record had under another path goes, and so does who was here."""
        record = (entry.kind, entry.id)
        if self._paths.get(record) != entry.path:
            self._remove(record)
        displaced = self._entries.get(entry.path)
        if displaced is not None and (displaced.kind, displaced.id) != record:
            del self._paths[displaced.kind, displaced.id]
        self._entries[entry.path] = entry
        self._paths[record] = entry.path

    def _remove(self, record: tuple[Kind, int]) -> None:
        path = self._paths.pop(record, None)
        if path is not None:
            del self._entries[path]

    def _supersede(self, number: int, record: tuple[Kind, int]) -> None:
        """Close earlier calls to a record that a later one has answered for, field by field."""
        later = self._open.get(number)
        if later is None:
            return
        for intent in self.open:
            earlier = intent.n < number and (intent.kind, intent.id) == record
            if earlier and (
                later.action == "delete" or intent.fingerprints.keys() <= later.fingerprints.keys()
            ):
                del self._open[intent.n]


class _Live(Mapping[str, Entry]):
    """A mapping that may change while somebody walks it: each walk is over a copy, each look-up is not."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self._entries = entries

    def __getitem__(self, path: str) -> Entry:
        return self._entries[path]

    def __contains__(self, path: object) -> bool:
        return path in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries.copy())

    def keys(self) -> KeysView[str]:
        return self._entries.copy().keys()

    def values(self) -> ValuesView[Entry]:
        return self._entries.copy().values()

    def items(self) -> ItemsView[str, Entry]:
        return self._entries.copy().items()

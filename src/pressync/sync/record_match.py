"""Finds the records that can only be the records of given documents, among those at their addresses.

A text contains the addresses of other documents, and these are known only after those documents are bound. So
this module assumes that every candidate is bound, renders the documents, and removes the records that differ.
It repeats that until no record differs.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.fingerprint import fingerprint
from pressync.model.records import CREATED_WITH
from pressync.plan import match
from pressync.plan.decide import adopted
from pressync.sync.echo import BY_DATE, settle

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pressync.content.content import Content
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Fields, Prepared, Record


class DocumentMatcher:
    """Compares documents with the records at their addresses; `entries` are bound already."""

    def __init__(
        self,
        content: Content,
        entries: Mapping[str, Entry],
        candidates: Mapping[str, Sequence[Record]],
        user: int,
    ) -> None:
        """`candidates` are the records by path; `user` is our id, the author if a file names none."""
        self._content = content
        self._user = user
        self._candidates = {path: records for path, records in candidates.items() if records}
        self._records = {path: records[0] for path, records in self._candidates.items()}
        self._entries = dict(entries) | {path: _bound(path, record) for path, record in self._records.items()}
        self._prepared: dict[str, Prepared] = {}

    def matches(self) -> dict[str, Record]:
        """Find the documents, by path, whose record can only be theirs."""
        unsettled: Collection[str] = sorted(self._records)
        swapped: set[str] = set()
        while unsettled:
            changed = {path for path in unsettled if not self._keeps_record(path, swapped)}
            unsettled = self._to_compare_again(changed or self._release_shared())
        return dict(self._records)

    def _keeps_record(self, path: str, swapped: set[str]) -> bool:
        """Whether a document keeps its record; it may change once, to the only record that is alike."""
        like = [record for record in self._candidates[path] if self._is_alike(path, record)]
        if like == [self._records[path]]:
            return True
        if len(like) == 1 and path not in swapped:
            swapped.add(path)
            self._assign(path, like[0])
        else:
            del self._records[path], self._entries[path]
        return False

    def _release_shared(self) -> set[str]:
        """Release the records that several documents claim; give the paths of these documents."""
        holders: dict[tuple[Kind, int], list[str]] = defaultdict(list)
        for path, record in self._records.items():
            holders[record.kind, record.id].append(path)
        shared = {path for paths in holders.values() if len(paths) > 1 for path in paths}
        for path in shared:
            del self._records[path], self._entries[path]
        return shared

    def _to_compare_again(self, changed: Collection[str]) -> list[str]:
        """List the paths to compare again after these got another record, or none."""
        again = set()
        for path in self._records if changed else ():
            desired = self._prepared[path].desired
            if path in changed or not {*desired.links, desired.parent_path}.isdisjoint(changed):
                again.add(path)
        for path in again:
            del self._prepared[path]
        return sorted(again)

    def _assign(self, path: str, record: Record) -> None:
        self._records[path] = record
        self._entries[path] = _bound(path, record)

    def _is_alike(self, path: str, record: Record) -> bool:
        prepared = self._read(path)
        return prepared is not None and match.is_record_of(prepared.fields, record, self._user)

    def _read(self, path: str) -> Prepared | None:
        if path not in self._prepared:
            read = self._content.read(path, self._entries)
            if read.prepared is None:
                return None
            self._prepared[path] = read.prepared
        return self._prepared[path]


def bound_entries(
    content: Content,
    entries: Mapping[str, Entry],
    records: Mapping[str, Record],
    commit: str,
    *,
    said: bool = False,
) -> list[Entry]:
    """Make the entries of documents that are bound to records which this clone has not written.

    A field that holds what would be sent counts as sent; the next sync sends the others. A different status
    counts as an edit on the site. If a person has `said` that the record belongs to the document, the next
    sync sends all of it if anything differs.
    """
    beside = {**entries, **{path: _bound(path, record) for path, record in records.items()}}
    made = []
    for path, record in records.items():
        prepared = content.read(path, beside).prepared
        if prepared is None:
            continue
        entry = _entry(prepared, record, commit)
        if not said:
            made.append(_with_status(entry, prepared, record))
        else:
            # A record that differs gets the entry of one that was adopted by its id, so `pull` can read it.
            made.append(entry if entry.blob else beside[path])
    return made


def _entry(prepared: Prepared, record: Record, commit: str) -> Entry:
    sent = _sent(prepared)
    # The record is at the document's address. So if its slug differs, the service changed our slug.
    same = {name: value for name, value in sent.items() if name == "slug" or _holds(record, name, value)}
    entry = settle(prepared.desired, same, record, None, commit).entry
    # Without a blob, the next plan reads the file again and sends what differs.
    return entry if same.keys() >= prepared.fields.keys() else replace(entry, blob="")


def _with_status(entry: Entry, prepared: Prepared, record: Record) -> Entry:
    """Record a status that differs from the file's as an edit on the site: a sync does not overwrite it."""
    wanted, status = _sent(prepared)["status"], record.fields.get("status")
    if "status" in entry.fingerprints or not isinstance(status, str):
        return entry
    fingerprints = {**entry.fingerprints, "status": fingerprint(wanted)}
    return replace(entry, fingerprints=fingerprints, conflict={"status": status})


def _sent(prepared: Prepared) -> Fields:
    return {**CREATED_WITH, **prepared.fields}


def _holds(record: Record, name: str, value: object) -> bool:
    there = record.fields.get(name)
    return there == value or (name == "status" and {there, value} <= set(BY_DATE))


def _bound(path: str, record: Record) -> Entry:
    entry = adopted(path, record.kind, record.id)
    return replace(entry, slug=record.slug, link=record.link)

"""Which records that are at the addresses of documents can be nothing else than these documents.

A text holds the addresses of other documents, which are only known once these are bound too. So all that
may be bound is taken as bound, what would be sent is rendered beside that, and what then differs is taken
out, until nothing differs any more.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.records import CREATED_WITH
from pressync.plan.decide import adopted
from pressync.sync.echo import settle

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pressync.content.content import Content
    from pressync.model.records import Entry, Fields, Prepared, Record

# Which of the two a record has follows from its date.
_BY_DATE = frozenset({"publish", "future"})


class DocumentMatcher:
    """Compares documents with the records at their addresses; `entries` are those that are bound."""

    def __init__(
        self,
        content: Content,
        entries: Mapping[str, Entry],
        candidates: Mapping[str, Sequence[Record]],
        user: int,
    ) -> None:
        """`candidates` are at each address, `user` is who we are: the author where a file names none."""
        self._content = content
        self._user = user
        self._candidates = {path: records for path, records in candidates.items() if records}
        self._taken = {path: records[0] for path, records in self._candidates.items()}
        self._entries = dict(entries) | {path: _bound(path, record) for path, record in self._taken.items()}
        self._prepared: dict[str, Prepared] = {}

    def matches(self) -> dict[str, Record]:
        """Find the record of each document that can be nothing else; by path."""
        unsettled: Collection[str] = sorted(self._taken)
        swapped: set[str] = set()
        while unsettled:
            changed = {path for path in unsettled if not self._stays(path, swapped)}
            unsettled = self._after(changed or self._shared())
        return dict(self._taken)

    def _stays(self, path: str, swapped: set[str]) -> bool:
        """Whether a document's record is still the one; another one is taken once, if it alone is alike."""
        like = [record for record in self._candidates[path] if self._is_alike(path, record)]
        if like == [self._taken[path]]:
            return True
        if len(like) == 1 and path not in swapped:
            swapped.add(path)
            self._take(path, like[0])
        else:
            del self._taken[path], self._entries[path]
        return False

    def _shared(self) -> set[str]:
        """Let go of the records that several documents would be."""
        holders: dict[tuple[Kind, int], list[str]] = defaultdict(list)
        for path, record in self._taken.items():
            holders[record.kind, record.id].append(path)
        shared = {path for paths in holders.values() if len(paths) > 1 for path in paths}
        for path in shared:
            del self._taken[path], self._entries[path]
        return shared

    def _after(self, changed: Collection[str]) -> list[str]:
        """List what has to be compared once more after these have another record, or none."""
        again = set()
        for path in self._taken if changed else ():
            desired = self._prepared[path].desired
            if path in changed or not {*desired.links, desired.parent_path}.isdisjoint(changed):
                again.add(path)
        for path in again:
            del self._prepared[path]
        return sorted(again)

    def _take(self, path: str, record: Record) -> None:
        self._taken[path] = record
        self._entries[path] = _bound(path, record)

    def _is_alike(self, path: str, record: Record) -> bool:
        prepared = self._read(path)
        if prepared is None:
            return False
        sent = prepared.fields
        same_place = record.kind is Kind.POST or record.fields.get("parent", 0) == sent.get("parent", 0)
        return (
            same_place
            and record.fields.get("author") == sent.get("author", self._user)
            and all(record.fields.get(name, "") == sent.get(name, "") for name in ("title", "content"))
        )

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
    """Make the entries of documents that are bound to records which nobody here has written.

    Of the fields, those that hold what would be sent count as sent; the others are sent by the next sync.
    A status that is another one is somebody's word. Where a person has `said` that the record is the
    document's, all of it is sent if anything differs.
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
            # Of a record that differs nothing is known, as of one that is adopted by its id: `pull` may ask.
            made.append(entry if entry.blob else beside[path])
    return made


def _entry(prepared: Prepared, record: Record, commit: str) -> Entry:
    sent = _sent(prepared)
    # The slug is the one that the service made of ours, if it is another: the record is at its address.
    same = {name: value for name, value in sent.items() if name == "slug" or _holds(record, name, value)}
    entry = settle(prepared.desired, same, record, None, commit).entry
    # Without a blob, the file is read once more, and what differs is sent.
    return entry if same.keys() >= prepared.fields.keys() else replace(entry, blob="")


def _with_status(entry: Entry, prepared: Prepared, record: Record) -> Entry:
    """Show a status that is not the file's as an edit on the site, which no sync overwrites in silence."""
    wanted, status = _sent(prepared)["status"], record.fields.get("status")
    if "status" in entry.fingerprints or not isinstance(status, str):
        return entry
    fingerprints = {**entry.fingerprints, "status": fingerprint(wanted)}
    return replace(entry, fingerprints=fingerprints, conflict={"status": status})


def _sent(prepared: Prepared) -> Fields:
    return {**CREATED_WITH, **prepared.fields}


def _holds(record: Record, name: str, value: object) -> bool:
    there = record.fields.get(name)
    return there == value or (name == "status" and {there, value} <= _BY_DATE)


def _bound(path: str, record: Record) -> Entry:
    entry = adopted(path, record.kind, record.id)
    return replace(entry, slug=record.slug, link=record.link)

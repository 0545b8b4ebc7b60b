"""Whether an entry of the manifest is believed, before its record is deleted or overwritten.

People who may push a reference or open a pull request write manifests too, and a manifest cannot vouch for
itself. So an entry needs another witness. This clone's own notes are one. The file in the history of HEAD is
another, as far as a file alone decides: title, slug and dates, but neither its template nor the addresses of
its links. A service that can be read is the third: its record must say what that file says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Self

from pressync.changes import Delete, Update
from pressync.fingerprint import fingerprint, may_be
from pressync.plan import disbelief
from pressync.repo import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.changes import Change
    from pressync.content import Content
    from pressync.interface import Kind
    from pressync.model import Document, Entry, Record
    from pressync.state.vouched import Bond
    from pressync.survey import Known

# The fields that a file decides by itself; a field that only a default names is not among its own.
_OWN = ("title", "slug", "date", "date_gmt")

Suspect = Update | Delete


@dataclass(frozen=True, slots=True)
class _Case:
    """A change that would overwrite or delete, and the entry of the manifest that it goes by."""

    change: Suspect
    entry: Entry
    bond: Bond | None = None

    @property
    def is_bound(self) -> bool:
        """Whether an entry is a person's word alone: nothing was ever sent to its record."""
        return not self.entry.fingerprints and isinstance(self.change, Update)


@dataclass
class Evidence:
    """Weighs the entries behind one plan.

    `entries` are the manifest's, `vouched` gives the bonds that this clone's notes know. `rewind` accepts a
    commit that HEAD does not descend from, and `overwrite` that somebody has edited the record.
    """

    content: Content
    entries: Mapping[str, Entry]
    vouched: Callable[[], Mapping[str, Bond]]
    readable: bool
    rewind: bool = False
    overwrite: bool = False
    disbelieved: Mapping[str, str] = field(default_factory=dict)
    _cases: dict[tuple[Kind, int], _Case] = field(default_factory=dict)
    _files: dict[str, tuple[Document, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, content: Content, known: Known, *, readable: bool, rewind: bool, overwrite: bool) -> Self:
        """Weigh what a clone knows, for one plan of this content."""
        return cls(
            content,
            known.entries,
            known.vouched,
            readable,
            rewind=rewind,
            overwrite=overwrite,
            disbelieved=known.sight.disbelieved,
        )

    def weighed(self, changes: Sequence[Change], renamed: Mapping[str, str]) -> list[Change]:
        """Block the overwrites and deletes whose entry is not believed; `renamed` is old path -> new path."""
        came_from = {new: old for old, new in renamed.items()}
        doubts = self.doubts(changes, came_from)
        doubts.update({renamed.get(path, path): why for path, why in self.disbelieved.items()})
        return disbelief.withheld(changes, doubts)

    def doubts(self, changes: Iterable[Change], came_from: Mapping[str, str]) -> dict[str, str]:
        """Say of each change why Git does not show that its entry is true: path -> reason.

        `came_from` gives the old path of each renamed file.
        """
        suspects = [change for change in changes if isinstance(change, Update | Delete)]
        known = self.vouched() if suspects else {}
        for change in suspects:
            entry = self.entries.get(came_from.get(change.path, change.path))
            if entry is None or _is_named(change):
                continue
            bond = known.get(entry.path)
            if bond is None or not bond.holds(entry):
                self._cases[change.kind, change.id] = _Case(change, entry, bond)
        # Mostly the file of today says it already, and that one has been read.
        unsettled = [case for case in self._cases.values() if not _agrees(case)]
        self._read_files(unsettled)
        reasons = {case.change.path: self._doubt(case) for case in unsettled}
        if not self.readable:
            reasons |= {
                case.change.path: why for case in self._cases.values() if (why := self._contradicted(case))
            }
        cases = self._cases.values()
        return {
            case.change.path: disbelief.reason(case.entry, why)
            for case in cases
            if (why := reasons.get(case.change.path))
        }

    def against(self, entry: Entry, record: Record, edits: Mapping[str, str]) -> str:
        """Say why a record on the site does not show that its entry is true; "" if it does.

        `edits` are the fields in which the record is not what the entry says. They are a conflict of its
        own, as long as the record is recognisable.
        """
        case = self._cases.get((entry.kind, entry.id))
        if case is None:
            return ""
        from pressync import recognition  # noqa: PLC0415 - with all that renders: few entries need it

        if case.change.path not in self._files:
            self._read_files([case])
        sayings = map(recognition.Saying, self._files[case.change.path])
        ties = recognition.ties(sayings, entry, record)
        if case.is_bound or (edits and not self.overwrite) or not self._seen(case):
            believed: bool | None = any(ties)
        elif edits:
            believed = ties.text or (ties.title and ties.slug)
        else:
            believed = ties.text is not False and (ties.title or ties.slug)
        return "" if believed else disbelief.reason(entry, disbelief.stranger(entry.kind, entry.id))

    def _doubt(self, case: _Case) -> str:
        said = self._files.get(case.change.path, ())
        if any(_gives(document, case.entry) for document in said):
            return ""
        if self._seen(case):
            return disbelief.other_file(case.entry.commit)
        if isinstance(case.change, Update) and (self.readable or _half_agrees(case)):
            # Without the commit the file of today and the record on the site have to do.
            return ""
        return disbelief.unseen(case.entry.commit, shallow=self.content.repository.shallow)

    def _contradicted(self, case: _Case) -> str:
        """Say that this clone knows another record for the path, and Git shows no removal in between."""
        bond, entry = case.bond, case.entry
        if bond is None:
            return ""
        removed = bond.commit and versions.was_removed(
            self.content.repository, entry.path, bond.commit, entry.commit
        )
        return "" if removed else disbelief.other_record(bond.kind, bond.id)

    def _seen(self, case: _Case) -> bool:
        return case.entry.commit in self._witnesses or isinstance(case.change, Delete)

    @cached_property
    def _witnesses(self) -> frozenset[str]:
        repository = self.content.repository
        known = repository.known({c.entry.commit for c in self._cases.values() if c.entry.commit})
        return known if self.rewind else repository.behind(known, self.content.tree.commit)

    def _read_files(self, cases: Collection[_Case]) -> None:
        """Read what the files of these cases said: at the entry's commit, else at any time; and say now."""
        repository, sources = self.content.repository, self.content.sources
        at = {
            c.change.path: (c.entry.commit, c.entry.path) for c in cases if c.entry.commit in self._witnesses
        }
        blobs = versions.at_commits(repository, set(at.values()))
        rest = []
        for case in cases:
            path = case.change.path
            found = [(case.entry.path, blobs[at[path]])] if at.get(path) in blobs else []
            if path in sources:
                found.append((path, sources[path]))
            self._files[path] = tuple(self._documents(case.entry.kind, found))
            if not case.is_bound and not any(_gives(said, case.entry) for said in self._files[path]):
                rest.append(case)
        if not rest:
            return
        # It was sent from a working tree before it was committed, or its commit was rebased away.
        head = self.content.tree.commit
        had = versions.ever(repository, head, {name for c in rest for name in (c.entry.path, c.change.path)})
        for case in rest:
            # The bytes that were sent, if this history ever had them.
            names = {case.entry.path, case.change.path}
            old = [
                (case.entry.path, case.entry.blob) for name in names if case.entry.blob in had.get(name, ())
            ]
            self._files[case.change.path] += tuple(self._documents(case.entry.kind, old[:1]))

    def _documents(self, kind: Kind, blobs: Iterable[tuple[str, str]]) -> Iterator[Document]:
        """Read files by themselves: defaults may have changed since, but for the kind of file that it is."""
        from pressync import documents  # noqa: PLC0415 - 25 ms, and most runs read no file
        from pressync.model import Source  # noqa: PLC0415

        alone = documents.Defaults({"": {"type": kind.value}})
        for path, blob in blobs:
            data = self.content.repository.read(blob)
            for defaults in (alone, self.content.defaults):
                source = Source(path, blob)
                said = documents.read(source, data, content=self.content.settings.content, defaults=defaults)
                if said.document:
                    yield said.document


def _is_named(change: Suspect) -> bool:
    """Whether the file itself names the record, by `id:`."""
    return isinstance(change, Update) and change.desired.bound_id == change.id


def _agrees(case: _Case) -> bool:
    """Whether title and slug of today's file are what the entry says was sent."""
    if isinstance(case.change, Delete) or case.is_bound:
        # Of what was never sent no file can tell anything: a person bound it, here or elsewhere.
        return case.is_bound
    prints, entry = case.change.desired.fingerprints, case.entry
    return all(_definitely(entry, name, prints.get(name, "")) for name in ("title", "slug"))


def _half_agrees(case: _Case) -> bool:
    prints = case.change.desired.fingerprints if isinstance(case.change, Update) else {}
    return any(_definitely(case.entry, name, prints.get(name, "")) for name in ("title", "slug"))


def _definitely(entry: Entry, name: str, digest: str) -> bool:
    return digest in (may_be(entry.fingerprints.get(name, "-")) or ())


def _gives(document: Document, entry: Entry) -> bool:
    """Whether a file gives the fingerprints of an entry in the fields that it decides by itself."""
    if all(may_be(entry.fingerprints.get(name, "-")) is None for name in ("title", "slug")):
        # Its last write got no answer.
        return True
    checked = 0
    for name in _OWN:
        if name not in document.fields or name not in entry.fingerprints:
            continue
        possible = may_be(entry.fingerprints[name])
        if possible is None:
            continue
        if fingerprint(document.fields[name]) not in possible:
            # Of a file that was only renamed, the old name's slug was sent: such an entry has no basis.
            if name == "slug" and not entry.basis:
                continue
            return False
        checked += 1
    return checked > 0

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

from pressync.model.changes import Delete, Update
from pressync.model.errors import RepositoryError
from pressync.model.fingerprint import fingerprint, may_be
from pressync.model.records import Source
from pressync.plan import disbelief
from pressync.repo import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pressync.content.content import Content
    from pressync.model.changes import Change
    from pressync.model.records import Document, Entry, Record
    from pressync.plan.survey import Known
    from pressync.state.vouched import Bond

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
    # By the path that the manifest has.
    _cases: dict[str, _Case] = field(default_factory=dict)
    # The versions of each case's file that bear on it: path and blob.
    _versions: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    _then: dict[str, Content] = field(default_factory=dict)

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
            disbelieved=known.findings.disbelieved,
        )

    def block_disbelieved(self, changes: Sequence[Change], renamed: Mapping[str, str]) -> list[Change]:
        """Block the overwrites and deletes whose entry is not believed; `renamed` is old path -> new path."""
        came_from = {new: old for old, new in renamed.items()}
        doubts = self.doubts(changes, came_from)
        doubts.update({renamed.get(path, path): why for path, why in self.disbelieved.items()})
        return disbelief.block_disbelieved(changes, doubts)

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
                self._cases[entry.path] = _Case(change, entry, bond)
        # Mostly the file of today says it already, and that one has been read.
        unsettled = [case for case in self._cases.values() if not _agrees(case)]
        self._find_versions(unsettled)
        self._find_sent(case for case in unsettled if not self._gives(case))
        reasons = {case.change.path: self._doubt(case) for case in unsettled}
        if not self.readable:
            reasons |= {
                case.change.path: other
                for case in self._cases.values()
                if (other := self._contradicted(case))
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
        case = self._cases.get(entry.path)
        if case is None:
            return ""
        from pressync.plan import recognition  # noqa: PLC0415 - with all that renders: few entries need it

        # All at once: Git is asked by one process.
        self._find_versions([other for path, other in self._cases.items() if path not in self._versions])
        said = [recognition.Saying(document) for document in self._documents(case)]
        ties = recognition.ties(said, entry, record)
        if ties.text is False and (content := self._rendered(case)):
            # A template may leave out the text, or make another of it.
            ties = ties._replace(text=recognition.is_text(recognition.words(content), entry, record))
        if case.is_bound or (edits and not self.overwrite) or not self._seen(case):
            believed: bool | None = any(ties)
        elif edits:
            believed = ties.text or (ties.title and ties.slug)
        else:
            believed = ties.text is not False and (ties.title or ties.slug)
        return "" if believed else disbelief.reason(entry, disbelief.stranger(entry.kind, entry.id))

    def _doubt(self, case: _Case) -> str:
        if self._gives(case):
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
        return known if self.rewind else repository.ancestors(known, self.content.tree.commit)

    def _find_versions(self, cases: Collection[_Case]) -> None:
        """Find which bytes the files of these cases have at the entry's commit, and have now."""
        at = {
            c.entry.path: (c.entry.commit, c.entry.path) for c in cases if c.entry.commit in self._witnesses
        }
        blobs = versions.at_commits(self.content.repository, set(at.values()))
        for case in cases:
            path, now = case.entry.path, case.change.path
            found = [(path, blobs[at[path]])] if at.get(path) in blobs else []
            if now in self.content.sources:
                found.append((now, self.content.sources[now]))
            self._versions[path] = found

    def _find_sent(self, cases: Iterable[_Case]) -> None:
        """Find the bytes that were sent, if the history of HEAD ever had them at the path.

        They were sent from a working tree before they were committed, or the commit was rebased away.
        """
        cases = list(cases)
        names = {name for case in cases for name in (case.entry.path, case.change.path)}
        had = versions.ever(self.content.repository, self.content.tree.commit, names) if names else {}
        for case in cases:
            path, blob = case.entry.path, case.entry.blob
            if blob in had.get(path, ()) or blob in had.get(case.change.path, ()):
                self._versions[path].append((path, blob))

    def _gives(self, case: _Case) -> bool:
        return any(_gives(document, case.entry) for document in self._documents(case))

    def _documents(self, case: _Case) -> list[Document]:
        """Read the versions by themselves: defaults may have changed, but not the kind of file that it is."""
        from pressync.content import documents  # noqa: PLC0415 - 25 ms, and most runs read no file

        found: list[Document] = []
        alone = documents.Defaults({"": {"type": case.entry.kind.value}})
        readings = (alone, self.content.defaults) if self.content.settings.site.defaults else (alone,)
        for path, blob in self._versions[case.entry.path]:
            try:
                data, source = self.content.repository.read(blob), Source(path, blob)
            except RepositoryError:
                # A partial clone whose remote is out of reach.
                continue
            for defaults in readings:
                said = documents.read(source, data, content=self.content.settings.content, defaults=defaults)
                if said.document and said.document not in found:
                    found.append(said.document)
        return found

    def _rendered(self, case: _Case) -> str:
        """Render the file as it was sent, with the templates of that time; "" if it cannot be."""
        entry, here = case.entry, self.content
        if entry.commit not in self._witnesses:
            return ""
        if entry.commit not in self._then:
            tree = here.repository.tree(entry.commit)
            self._then[entry.commit] = type(here)(here.repository, tree, here.settings)
        then = self._then[entry.commit]
        read = then.read(entry.path, self.entries) if entry.path in then.sources else None
        return str(read.prepared.fields["content"]) if read and read.prepared else ""


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

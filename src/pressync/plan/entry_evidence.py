"""Decides whether an entry of the manifest is verified, before its record is deleted or overwritten.

People who may push a reference or open a pull request can write a manifest, and a manifest cannot confirm
itself. So an entry needs one of three other proofs. The first is the notes of this clone. The second is the
file in the history of HEAD, for the fields that a file alone decides: title, slug and dates, but neither its
template nor the addresses of its links. The third is a service that can be read: its record must have the
content of that file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pressync.content.former import FormerTexts
from pressync.model.changes import Delete, Update
from pressync.model.errors import RepositoryError
from pressync.model.fingerprint import may_be
from pressync.model.reason import NO_REASON
from pressync.model.records import Source
from pressync.plan import match, reasons
from pressync.plan.blocks import block_writes
from pressync.repo import versions
from pressync.repo.file_list import EMPTY_BLOB

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pressync.content.content import Content
    from pressync.model.changes import Change
    from pressync.model.reason import Reason
    from pressync.model.records import Document, Entry, Record
    from pressync.plan.survey import Known
    from pressync.state.clone_log import Bond

Suspect = Update | Delete


@dataclass(frozen=True, slots=True)
class _Case:
    """A change that would overwrite or delete, and the manifest entry behind it."""

    change: Suspect
    entry: Entry
    bond: Bond | None = None

    @property
    def is_bound(self) -> bool:
        """Whether only a person has bound the record: nothing was ever sent to it."""
        return not self.entry.fingerprints and isinstance(self.change, Update)


@dataclass(frozen=True)
class Evidence:
    """The facts that a plan has about its entries; only what `judged` gives says whether one is verified.

    `rewind` accepts a commit that HEAD does not descend from, and `overwrite` accepts that somebody has
    edited the record.
    """

    content: Content
    known: Known
    readable: bool
    rewind: bool
    overwrite: bool

    def judged(self, changes: Iterable[Change], renamed: Mapping[str, str]) -> JudgedEntries:
        """Find the changes whose entry the notes do not confirm; `renamed` gives new paths by old."""
        came_from = {new: old for old, new in renamed.items()}
        suspects = [change for change in changes if isinstance(change, Update | Delete)]
        bonds = self.known.vouched() if suspects else {}
        cases = {}
        for change in suspects:
            entry = self.known.entries.get(came_from.get(change.path, change.path))
            if entry is None or _is_named(change):
                continue
            bond = bonds.get(entry.path)
            if bond is None or not bond.holds(entry):
                cases[entry.path] = _Case(change, entry, bond)
        return JudgedEntries(
            self.content, self.known, self.readable, self.rewind, self.overwrite, renamed, cases
        )


@dataclass(frozen=True)
class JudgedEntries(Evidence):
    """The entries behind the changes of one plan. One without a case needs no other proof."""

    renamed: Mapping[str, str]
    # By the path in the manifest.
    _cases: Mapping[str, _Case]
    # The versions of each case's file that may prove it: path and blob.
    _versions: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def block_unverified(self, changes: Sequence[Change]) -> list[Change]:
        """Block the overwrites and deletes whose entry is not verified."""
        objections = self._unconfirmed()
        found = self.known.findings.unverified
        objections.update({self.renamed.get(path, path): why for path, why in found.items()})
        return block_writes(changes, objections)

    def _unconfirmed(self) -> dict[str, Reason]:
        """Say, by path, why Git does not confirm the entry of a change."""
        # In most cases the current file confirms the entry, and the survey has read that file already.
        unsettled = [case for case in self._cases.values() if not _agrees(case)]
        self._find_versions(unsettled)
        self._find_sent(case for case in unsettled if not self._is_confirmed(case))
        objections = {case.change.path: self._objection(case) for case in unsettled}
        if not self.readable:
            objections |= {
                case.change.path: other
                for case in self._cases.values()
                if (other := self._contradicted(case))
            }
        cases = self._cases.values()
        return {
            case.change.path: reasons.unverified(case.entry, why)
            for case in cases
            if (why := objections.get(case.change.path))
        }

    def against(self, entry: Entry, record: Record, edits: Mapping[str, str]) -> Reason:
        """Say why a record on the site does not confirm its entry, if it does not.

        `edits` are the fields in which the record differs from the entry. While the record is recognisable,
        they are a conflict, which is handled elsewhere.
        """
        case = self._cases.get(entry.path)
        if case is None:
            return NO_REASON
        # All cases at once, so that one Git process is enough.
        others = [other for path, other in self._cases.items() if path not in self._versions]
        self._find_versions(others)
        self._find_sent(other for other in others if not self._has_sent(other))
        versions_read = [match.FileVersion(document) for document in self._documents(case)]
        similar = match.similarity(versions_read, entry, record)
        if similar.text is False and (content := self._rendered(case)):
            # A template may leave out the text or change it.
            similar = similar._replace(text=match.is_text(match.words(content), entry, record))
        if case.is_bound or (edits and not self.overwrite) or not self._commit_is_known(case):
            verified: bool | None = any(similar)
        elif edits:
            verified = similar.text or (similar.title and similar.slug)
        else:
            verified = similar.text is not False and (similar.title or similar.slug)
            if not verified and similar.title and similar.slug and not self._has_sent(case):
                # A person has pulled the site's text, merged it with other edits, and committed the result.
                verified = match.is_similar(versions_read, record)
        what = f"{entry.kind} {entry.id} on the site does not have the content of the file"
        return NO_REASON if verified else reasons.unverified(entry, what)

    def _objection(self, case: _Case) -> str:
        if self._is_confirmed(case):
            return ""
        if self._commit_is_known(case):
            at = f"the file at commit {case.entry.commit[:10]}"
            return f"{at} does not have the title, slug and date that were sent"
        if isinstance(case.change, Update) and (self.readable or _title_or_slug_agrees(case)):
            # The commit is missing, so the current file and the record on the site have to be enough.
            return ""
        return reasons.unseen(case.entry.commit, shallow=self.content.repository.shallow)

    def _contradicted(self, case: _Case) -> str:
        """Say that this clone's notes have another record for the path, and Git shows no removal since."""
        bond, entry = case.bond, case.entry
        if bond is None:
            return ""
        removed = bond.commit and versions.was_removed(
            self.content.repository, entry.path, bond.commit, entry.commit
        )
        if removed:
            return ""
        knows = f"knows it as {bond.kind} {bond.id}" if bond.id else f"has deleted its {bond.kind}"
        return f"this clone {knows}, and no commit removed its file in between"

    def _commit_is_known(self, case: _Case) -> bool:
        return case.entry.commit in self._known_commits or isinstance(case.change, Delete)

    @cached_property
    def _known_commits(self) -> frozenset[str]:
        repository = self.content.repository
        known = repository.known({c.entry.commit for c in self._cases.values() if c.entry.commit})
        return known if self.rewind else repository.ancestors(known, self.content.tree.commit)

    def _find_versions(self, cases: Collection[_Case]) -> None:
        """Find the blobs that the files of these cases have at the entry's commit, and have now."""
        at = {
            c.entry.path: (c.entry.commit, c.entry.path)
            for c in cases
            if c.entry.commit in self._known_commits
        }
        blobs = versions.at_commits(self.content.repository, set(at.values()))
        for case in cases:
            path, now = case.entry.path, case.change.path
            found = [(path, blobs[at[path]])] if at.get(path) in blobs else []
            if path in at and case.entry.blob == EMPTY_BLOB:
                # The page of a folder has no file. Its title and slug are the folder's name.
                found.append((path, EMPTY_BLOB))
            if now in self.content.sources:
                found.append((now, self.content.sources[now]))
            self._versions[path] = found

    def _find_sent(self, cases: Iterable[_Case]) -> None:
        """Find the bytes that were sent, if the history of HEAD ever had them at the path.

        The entry's commit may lack them: an import, a pull, and a sync of a working tree come before the
        commit of their bytes, and a rebase removes commits.
        """
        cases = list(cases)
        names = {name for case in cases for name in (case.entry.path, case.change.path)}
        had = versions.ever(self.content.repository, self.content.tree.commit, names) if names else {}
        for case in cases:
            path, blob = case.entry.path, case.entry.blob
            if blob in had.get(path, ()) or blob in had.get(case.change.path, ()):
                self._versions[path].append((path, blob))

    def _has_sent(self, case: _Case) -> bool:
        return any(blob == case.entry.blob for _, blob in self._versions[case.entry.path])

    def _is_confirmed(self, case: _Case) -> bool:
        return any(match.has_sent(document, case.entry) for document in self._documents(case))

    def _documents(self, case: _Case) -> list[Document]:
        """Read the versions with and without defaults: defaults may have changed, the kind may not."""
        from pressync.content import documents  # noqa: PLC0415 - 25 ms, and most runs read no file

        found: list[Document] = []
        alone = documents.Defaults({"": {"type": case.entry.kind.value}})
        readings = (alone, self.content.reader.defaults) if self.content.settings.site.defaults else (alone,)
        for path, blob in self._versions[case.entry.path]:
            try:
                data, source = self.content.repository.read(blob), Source(path, blob)
            except RepositoryError:
                # This is a partial clone, and its remote cannot be reached.
                continue
            for defaults in readings:
                result = documents.read(
                    source, data, content=self.content.settings.content, defaults=defaults
                )
                if result.document and result.document not in found:
                    found.append(result.document)
        return found

    def _rendered(self, case: _Case) -> str:
        """Render the file as it was sent, with the templates of that commit; "" if that is not possible."""
        entry = case.entry
        read = self._texts.at(entry.commit, entry.path) if entry.commit in self._known_commits else None
        return str(read.fields["content"]) if read else ""

    @cached_property
    def _texts(self) -> FormerTexts:
        here, wanted = self.content, [case.entry for case in self._cases.values()]
        manifest = here.references.manifest
        return FormerTexts(here.repository, here.settings, self.known.entries, wanted, manifest)


def _is_named(change: Suspect) -> bool:
    """Tell whether the file itself names the record by `id:`."""
    return isinstance(change, Update) and change.desired.bound_id == change.id


def _agrees(case: _Case) -> bool:
    """Tell whether title and slug of the current file are those that the entry has as sent."""
    if isinstance(case.change, Delete) or case.is_bound:
        # Nothing was ever sent, so a file cannot confirm it. A person has bound the record.
        return case.is_bound
    prints, entry = case.change.desired.fingerprints, case.entry
    return all(_is_surely(entry, name, prints.get(name, "")) for name in ("title", "slug"))


def _title_or_slug_agrees(case: _Case) -> bool:
    prints = case.change.desired.fingerprints if isinstance(case.change, Update) else {}
    return any(_is_surely(case.entry, name, prints.get(name, "")) for name in ("title", "slug"))


def _is_surely(entry: Entry, name: str, digest: str) -> bool:
    return digest in (may_be(entry.fingerprints.get(name, "-")) or ())

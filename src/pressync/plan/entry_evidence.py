"""Decides whether an entry of the manifest is verified, before its record is deleted or overwritten.

People who may push a reference or open a pull request can write a manifest, and a manifest cannot verify
itself. So an entry needs other evidence, of one of three kinds. The first is the notes of this clone. The
second is the file in the history of HEAD, for the fields that a file alone decides: title, slug and dates,
but neither its template nor the addresses of its links. The third is a service that can be read: its record
must have the content of that file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from pressync.content import sources
from pressync.content.former import FormerTexts
from pressync.content.rules import EVERY, NO_RULES
from pressync.model.changes import Change, Delete, Update
from pressync.model.errors import RepositoryError
from pressync.model.fingerprint import may_be
from pressync.model.reason import NO_REASON, Reason
from pressync.model.records import Document, Entry, Record, Source
from pressync.plan import match, reasons
from pressync.plan.blocks import block_writes
from pressync.repo.discover import EMPTY_BLOB

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pressync.content.content import Content
    from pressync.plan.survey import Known
    from pressync.state.clone_log import Bond

Overwrite = Update | Delete


@dataclass(frozen=True, slots=True)
class _Unverified:
    """A change that would overwrite or delete, and the manifest entry behind it."""

    change: Overwrite
    entry: Entry
    bond: Bond | None = None

    @property
    def is_bound(self) -> bool:
        """Whether only a person has bound the record: nothing was ever sent to it."""
        return not self.entry.fingerprints and isinstance(self.change, Update)


@dataclass(frozen=True)
class EntryEvidence:
    """The evidence for the entries behind the changes of one plan.

    `changes` are those of the plan before any is blocked for its evidence. `rewind` accepts a commit that
    HEAD does not descend from, and `overwrite` accepts that somebody has edited the record. `renamed` gives
    new paths by old.
    """

    changes: Sequence[Change]
    content: Content
    known: Known
    readable: bool
    rewind: bool
    overwrite: bool
    renamed: Mapping[str, str]
    # The versions of each entry's file that may be evidence: path and blob.
    _versions: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    @cached_property
    def _entries(self) -> Mapping[str, _Unverified]:
        """Those that the notes of this clone do not verify, by the path in the manifest."""
        unverified: dict[str, _Unverified] = {}
        came_from = {new: old for old, new in self.renamed.items()}
        overwrites = [change for change in self.changes if isinstance(change, Update | Delete)]
        bonds = self.known.vouched() if overwrites else {}
        for change in overwrites:
            entry = self.known.entries.get(came_from.get(change.path, change.path))
            # The file itself may name the record by `id:`.
            if entry is None or (isinstance(change, Update) and change.desired.bound_id == change.id):
                continue
            bond = bonds.get(entry.path)
            if bond is None or not bond.holds(entry):
                unverified[entry.path] = _Unverified(change, entry, bond)
        return unverified

    def with_blocks(self) -> list[Change]:
        """Give the changes, with the overwrites and deletes blocked whose entry is not verified."""
        # In most cases the current file verifies the entry, and the survey has read that file already. To a
        # record that a person has bound nothing was ever sent, so a file cannot verify it.
        sent = [unverified for unverified in self._entries.values() if not unverified.is_bound]
        open_entries = [
            unverified
            for unverified in sent
            if isinstance(unverified.change, Delete)
            or not all(_agreeing(unverified.change, unverified.entry))
        ]
        self._find_versions(open_entries)
        self._find_sent(unverified for unverified in open_entries if not self._is_verified(unverified))
        missing = {unverified.change.path: self._missing(unverified) for unverified in open_entries}
        whys: dict[str, Reason] = {}
        for unverified in self._entries.values():
            path = unverified.change.path
            other = "" if self.readable else self._other_record(unverified)
            if why := other or missing.get(path):
                whys[path] = reasons.unverified(unverified.entry, why)
        of_site = self.known.findings.unverified
        whys |= {self.renamed.get(path, path): why for path, why in of_site.items()}
        return block_writes(self.changes, whys)

    def unverified(self, entry: Entry, record: Record, edits: Mapping[str, str]) -> Reason:
        """Say why a record on the site does not verify its entry, if it does not.

        `edits` are the fields in which the record differs from the entry. While the record is recognisable,
        they are a conflict, which is handled elsewhere.
        """
        doubted = self._entries.get(entry.path)
        if doubted is None:
            return NO_REASON
        # All entries at once, so that one Git process is enough.
        others = [other for path, other in self._entries.items() if path not in self._versions]
        self._find_versions(others)
        self._find_sent(other for other in others if not self._has_sent(other))
        versions_read = [match.FileVersion(document) for document in self._documents(doubted)]
        similar = match.similarity(versions_read, entry, record)
        if similar.text is False and entry.commit in self._known_commits:
            # A template of that commit may have left out the text or changed it.
            sent = self._texts.at(entry.commit, entry.path)
            if sent and (content := str(sent.fields["content"])):
                similar = similar._replace(text=match.is_text(match.words(content), entry, record))
        if doubted.is_bound or (edits and not self.overwrite) or not self._commit_is_known(doubted):
            verified: bool | None = any(similar)
        elif edits:
            verified = similar.text or (similar.title and similar.slug)
        else:
            verified = similar.text is not False and (similar.title or similar.slug)
            if not verified and similar.title and similar.slug and not self._has_sent(doubted):
                # A person has pulled the site's text, merged it with other edits, and committed the result.
                verified = match.is_similar(versions_read, record)
        problem = f"{entry.kind} {entry.id} on the site does not have the content of the file"
        return NO_REASON if verified else reasons.unverified(entry, problem)

    def _missing(self, unverified: _Unverified) -> str:
        if self._is_verified(unverified):
            return ""
        if self._commit_is_known(unverified):
            at = f"the file at commit {unverified.entry.commit[:10]}"
            return f"{at} does not have the title, slug and date that were sent"
        if isinstance(unverified.change, Update) and (
            self.readable or any(_agreeing(unverified.change, unverified.entry))
        ):
            # The commit is missing, so the current file and the record on the site have to be enough.
            return ""
        return reasons.unseen(unverified.entry.commit, shallow=self.content.repository.shallow)

    def _other_record(self, unverified: _Unverified) -> str:
        """Say that this clone's notes have another record for the path, and Git shows no removal since."""
        bond, entry = unverified.bond, unverified.entry
        if bond is None:
            return ""
        removed = bond.commit and self.content.repository.history.was_removed(
            entry.path, bond.commit, entry.commit
        )
        if removed:
            return ""
        knows = f"knows it as {bond.kind} {bond.id}" if bond.id else f"has deleted its {bond.kind}"
        return f"this clone {knows}, and no commit removed its file in between"

    def _commit_is_known(self, unverified: _Unverified) -> bool:
        return unverified.entry.commit in self._known_commits or isinstance(unverified.change, Delete)

    @cached_property
    def _known_commits(self) -> frozenset[str]:
        repository = self.content.repository
        commits = repository.history.known({c.entry.commit for c in self._entries.values() if c.entry.commit})
        return commits if self.rewind else repository.history.ancestors(commits, self.content.tree.commit)

    def _find_versions(self, entries: Collection[_Unverified]) -> None:
        """Find the blobs that the files of these entries have at the entry's commit, and have now."""
        at = {
            c.entry.path: (c.entry.commit, c.entry.path)
            for c in entries
            if c.entry.commit in self._known_commits
        }
        blobs = self.content.repository.history.blobs_at(set(at.values()))
        for unverified in entries:
            path, now = unverified.entry.path, unverified.change.path
            versions = [(path, blobs[at[path]])] if at.get(path) in blobs else []
            if path in at and unverified.entry.blob == EMPTY_BLOB:
                # The page of a folder has no file. Its title and slug are the folder's name.
                versions.append((path, EMPTY_BLOB))
            if now in self.content.sources:
                versions.append((now, self.content.sources[now]))
            self._versions[path] = versions

    def _find_sent(self, entries: Iterable[_Unverified]) -> None:
        """Find the bytes that were sent, if the history of HEAD ever had them at the path.

        The entry's commit may lack them: an import, a pull, and a sync of a working tree come before the
        commit of their bytes, and a rebase removes commits.
        """
        entries = list(entries)
        names = {name for unverified in entries for name in (unverified.entry.path, unverified.change.path)}
        had = self.content.repository.history.blobs_ever(self.content.tree.commit, names) if names else {}
        for unverified in entries:
            path, blob = unverified.entry.path, unverified.entry.blob
            if blob in had.get(path, ()) or blob in had.get(unverified.change.path, ()):
                self._versions[path].append((path, blob))

    def _has_sent(self, unverified: _Unverified) -> bool:
        return any(blob == unverified.entry.blob for _, blob in self._versions[unverified.entry.path])

    def _is_verified(self, unverified: _Unverified) -> bool:
        return any(match.has_sent(document, unverified.entry) for document in self._documents(unverified))

    def _documents(self, unverified: _Unverified) -> list[Document]:
        """Read the versions with and without defaults, which may have changed, as may rules of reading."""
        from pressync.content import documents  # noqa: PLC0415 - 25 ms, and most runs read no file

        read: list[Document] = []
        now, settings = self.content.reader, self.content.settings
        # A README that was moved was the page of its folder then, and is not among those of this tree.
        readmes = self.content.readmes | sources.readmes({unverified.entry.path})
        defaults = documents.Defaults({"": {"type": str(unverified.entry.kind)}}, settings.types)
        alone = documents.DocumentReader(settings, defaults, readmes)
        then = documents.DocumentReader(settings, readmes=readmes)
        readers = (alone, now, then) if settings.site.defaults else (alone,)
        for path, blob in self._versions[unverified.entry.path]:
            try:
                data, source = self.content.repository.read(blob), Source(path, blob)
            except RepositoryError:
                # This is a partial clone, and its remote cannot be reached.
                continue
            for reader, former in product(readers, (NO_RULES, EVERY)):
                document = reader.read(source, data, former).document
                if document and document not in read:
                    read.append(document)
        return read

    @cached_property
    def _texts(self) -> FormerTexts:
        content, wanted = self.content, [unverified.entry for unverified in self._entries.values()]
        manifest = content.references.manifest
        return FormerTexts(content.repository, content.settings, self.known.entries, wanted, manifest)


def _agreeing(change: Update, entry: Entry) -> list[bool]:
    """Tell of the title and of the slug whether the file surely has what was sent."""
    prints, sent = change.desired.fingerprints, entry.fingerprints
    return [prints.get(name, "") in (may_be(sent.get(name, "-")) or ()) for name in ("title", "slug")]

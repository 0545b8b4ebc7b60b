"""Reads documents as a former sync sent them: their files, templates and settings of then, and the addresses.

The fingerprints of an entry show whether a text is the one that was sent. A pull leaves the commit of an
entry as it was, because a person commits the text later; so that blob is read by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.config import settings as config
from pressync.content.content import Content
from pressync.model import bounds
from pressync.model.errors import ConfigError, RepositoryError
from pressync.model.fingerprint import fingerprint, from_text, is_unsure, may_be
from pressync.repo.discover import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.config.settings import Settings
    from pressync.model.records import Entry, Fields, Manifest, Name, NoUser, Prepared, Value
    from pressync.repo.repository import Repository

# How many commits of a file are tried, to find its text.
_LOOKED_AT = 12


@dataclass
class FormerTexts:
    """The documents of some entries. `entries` are those of then, and `manifest` has the names of now."""

    repository: Repository
    settings: Settings
    entries: Mapping[str, Entry]
    wanted: Collection[Entry]
    manifest: Manifest
    _contents: dict[str, Content] = field(default_factory=dict)
    _of_path: dict[str, Content] = field(default_factory=dict)
    # The commits of imports: one of them has the files of many entries.
    _later: dict[str, None] = field(default_factory=dict)
    # The texts that the commit of their entry does not have.
    _data: dict[str, bytes] = field(default_factory=dict)

    def read(self, entry: Entry) -> Prepared | None:
        """Read a document as it was sent; None if its file is not in Git, or cannot be read any more."""
        prepared: Prepared | None = None
        for commit in dict.fromkeys(filter(None, (self._newest, entry.commit))):
            content = self.content(commit) if commit in self._known else None
            blob = content.sources.get(entry.path) if content else None
            # The entry of a create that was confirmed later has no blob.
            if content is None or blob is None or (entry.blob and blob != entry.blob):
                continue
            read = self._read(content, entry.path)
            made = {**read.desired.create_only, **read.desired.fingerprints} if read else {}
            sent = ((name, digest) for name, digest in entry.fingerprints.items() if not is_unsure(digest))
            is_as_sent = all(made.get(name) == digest for name, digest in sent)
            # Another version of pressync, or of a library, may have written the text in another way.
            if read and (is_as_sent or commit == entry.commit):
                self._of_path[entry.path], prepared = content, read
            if read and is_as_sent:
                break
        return prepared or self._pulled(entry) or self._committed_later(entry)

    def _committed_later(self, entry: Entry) -> Prepared | None:
        """Read the text of an import: the commit that has its file came after the import."""
        commit = next((later for later in self._later if self._has(later, entry)), "")
        if not commit and entry.blob and entry.commit in self._known - {self.repository.commit()}:
            commits = self.repository.history.changing(f"{entry.commit}..HEAD", entry.path)
            commits = commits[::-1][:_LOOKED_AT]
            commit = next((later for later in commits if self._has(later, entry)), "")
        if not commit:
            return None
        self._later.setdefault(commit)
        content = self.content(commit)
        read = self._read(content, entry.path)
        if read:
            self._of_path[entry.path] = content
        return read

    def _has(self, commit: str, entry: Entry) -> bool:
        return self.content(commit).sources.get(entry.path) == entry.blob

    def _pulled(self, entry: Entry) -> Prepared | None:
        """Read the text that a pull has merged, with the templates and the settings of the entry's commit."""
        content = self.content(entry.commit) if entry.commit in self._known else None
        if content is None or content.sources.get(entry.path) in {None, entry.blob}:
            return None
        text = self.repository.text(entry.blob)
        read = content.read(entry.path, self.entries, text.encode(), check=False).prepared if text else None
        if text and read:
            self._of_path[entry.path], self._data[entry.path] = content, text.encode()
            return structs.replace(read, desired=structs.replace(read.desired, blob=entry.blob))
        return None

    def at(self, commit: str, path: str) -> Prepared | None:
        """Read the document that a commit has at a path; None if there is none."""
        if not self.repository.history.known([commit]):
            return None
        content = self.content(commit)
        return self._read(content, path) if path in content.sources else None

    def _read(self, content: Content, path: str) -> Prepared | None:
        try:
            return content.read(path, self.entries, check=False).prepared
        except RepositoryError:
            # This is a partial clone, and its remote cannot be reached.
            return None

    def content_of(self, path: str) -> Content | None:
        """Give the content in which a document was found."""
        return self._of_path.get(path)

    def prepare(
        self,
        path: str,
        entries: Mapping[str, Entry],
        refused: Mapping[Name | str, str | NoUser],
        fields: Collection[str],
    ) -> Prepared:
        """Read a document again with the addresses of these entries, to send these fields.

        :raises ContentError: a name or a file in it has no id.
        """
        return self._of_path[path].prepare(path, entries, refused, self._data.get(path), fields=fields)

    def content(self, commit: str) -> Content:
        """Open the content of a commit, with the settings that decided then how it was read."""
        if commit not in self._contents:
            tree = self.repository.tree(commit)
            text = self.repository.text(tree.files.get(SETTINGS, ""), bounds.SETTINGS)
            settings = _as_then(self.settings, text or "")
            self._contents[commit] = Content(self.repository, tree, settings, manifest=self.manifest)
        return self._contents[commit]

    @cached_property
    def _newest(self) -> str | None:
        return self.repository.history.newest(self._known) if self._known else None

    @cached_property
    def _known(self) -> frozenset[str]:
        return self.repository.history.known({entry.commit for entry in self.wanted if entry.commit})


def _as_then(now: Settings, text: str) -> Settings:
    """Give the settings of now with those of then that decide what documents say."""
    try:
        environ = {"PRESSYNC_URL": now.site.url or ""}
        then = config.load(text, where=SETTINGS, environ=environ, site=now.site.name)
    except ConfigError:
        # The site had no table in the file of then.
        return now
    return now._replace(
        content=then.content,
        templates=then.templates,
        exclude=then.exclude,
        authors=then.authors,
        terms=then.terms,
        folders=then.folders,
        markdown=then.markdown,
        site=now.site._replace(defaults=then.site.defaults, blocks=then.site.blocks),
    )


@dataclass(frozen=True, slots=True)
class LastSynced:
    """The fields of one record as they were left, and its entry for the stage.

    A field may be impossible to make again, because the service or a former version changed it. The entry
    notes such a field as changed by the service. So the plan stays the same, and the field does not look
    like somebody's edit. Without `has_text`, this clone has neither the tree nor the file.
    """

    entry: Entry
    fields: Fields
    has_text: bool = True


def last_synced(
    repository: Repository, settings: Settings, manifest: Manifest, only: Collection[str] | None = None
) -> Iterator[LastSynced]:
    """Give the records of all entries, or `only` of those at some paths, as the last syncs left them.

    If this clone lacks the commit of a record, its file is read by its blob id, with the templates of HEAD.
    """
    entries = manifest.entries
    wanted = [entry for path, entry in entries.items() if only is None or path in only]
    texts = FormerTexts(repository, settings, entries, wanted, manifest)
    today = Content(repository, repository.tree(repository.commit()), settings, manifest=manifest)
    for entry in wanted:
        sent = texts.read(entry)
        fields = sent.fields if sent else _from_blob(today, entry, entries)
        if fields is not None:
            yield _settled(entry, fields)
        else:
            # It stays at its address.
            nameless = _settled(entry, {"title": entry.slug, **_parent(entry, entries)})
            yield replace(nameless, has_text=False)


def _from_blob(today: Content, entry: Entry, entries: Mapping[str, Entry]) -> Fields | None:
    """Render the file that was synced, whose commit is not here, with the templates of today."""
    text = today.repository.text(entry.blob)
    read = None if text is None else today.read(entry.path, entries, text.encode(), check=False).prepared
    # Its folder may have another page today.
    return {**read.fields, **_parent(entry, entries)} if read else None


def _parent(entry: Entry, entries: Mapping[str, Entry]) -> Fields:
    parent = entries.get(entry.parent_path or "")
    return {"parent": parent.id} if parent else {}


def _settled(entry: Entry, fields: Fields) -> LastSynced:
    """Give the fields with the record's own slug and the edits that the manifest knows."""
    edits = {name: from_text(entry.kind, name, text) for name, text in entry.conflict.items() if text}
    held: dict[str, Value] = {**fields, "slug": entry.slug, **edits}
    bent = {}
    for name, digest in entry.fingerprints.items():
        if (value := held.get(name)) is None or name in edits or is_unsure(digest):
            continue
        possible, made = may_be(digest), fingerprint(value)
        if possible is not None and made not in {*possible, entry.changed_by_service.get(name)}:
            bent[name] = made
    changed = (
        structs.replace(entry, changed_by_service={**entry.changed_by_service, **bent}) if bent else entry
    )
    return LastSynced(changed, held)

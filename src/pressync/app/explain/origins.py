"""Finds the place that each value of a document comes from, and what has changed since it was last sent.

A document keeps values and not their places, and the manifest keeps digests and not values. So the file and
the settings are read once more, and compared with those of the commit from which the record was last sent. No
commit has the addresses of other pages: the former address of each linked page is tried until the basis fits.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.content.basis import BARE
from pressync.content.documents import split
from pressync.content.former import FormerTexts
from pressync.content.front_matter.keys import DRAFTS, SPELLINGS, interpret
from pressync.content.front_matter.registered import expanded
from pressync.content.front_matter.value import Given
from pressync.content.markdown_text import first_heading
from pressync.content.sources import below, inherited
from pressync.model.fingerprint import is_unsure
from pressync.model.records import CREATED_WITH, Document, Entry, Manifest, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.config.settings import Settings, SettingsText
    from pressync.content.content import Content
    from pressync.model.changes import Change, Update
    from pressync.model.errors import Problem
    from pressync.model.interface import Kind
    from pressync.repo.history import Commit


class ValueSource(StrEnum):
    """The sort of place that a value comes from."""

    FRONT_MATTER = "front_matter"
    DEFAULT = "default"
    TEXT = "text"
    FILE_NAME = "file_name"
    FOLDER = "folder"
    SETTINGS = "settings"
    PRESSYNC = "pressync"
    SERVICE = "service"


class FieldState(StrEnum):
    """The state of a field, as the manifest knows it."""

    NEW = "new"  # the record does not exist yet
    SENT = "sent"  # the value of the file is the value that was last sent
    CHANGED = "changed"  # the next sync sends it
    UNCONFIRMED = "unconfirmed"  # the last write of it got no response
    EMPTIED = "emptied"  # front matter no longer names it, and the next sync empties it
    LEFT_TO_SITE = "let_go"  # front matter no longer names it, and the site keeps its value

    @property
    def public_name(self) -> str:
        """The name for people, which is to be the state of a later version."""
        return "left_to_the_site" if self is FieldState.LEFT_TO_SITE else self.value


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """The place that a value comes from: `place` is `path:line`, or words; `note` says more."""

    source: ValueSource
    place: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExplainedField:
    """A field of the record. `value` is None for a text that is not shown: content, a password.

    `bent` tells that the service stored another value. `edit` is the value that somebody gave it on the site,
    and None if nobody did.
    """

    name: str
    value: Value | None
    shown: str
    origin: ValueOrigin
    state: FieldState
    bent: bool = False
    edit: str | None = None


@dataclass(frozen=True, slots=True)
class FolderDefaults:
    """The defaults of one folder that hold for the file: their keys and their place."""

    folder: str
    place: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """A thing that has changed since the record was last sent: `kind` is its name for programs."""

    kind: str
    place: str
    note: str


@dataclass(frozen=True, slots=True)
class Revised:
    """The last revision of a record on the site: when and by whom."""

    time: str
    who: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All that is known of one path, for one site.

    `why_none` says why the path is not a document. `changed` is the last commit that changed the file, and
    `sent` the one from which it was last sent, by `run` if this clone has a record of it. `left` are the
    fields that nobody names: the site has them. `causes` are those of an update. `looked` tells that the site
    was read, and `revised` is its last revision, if it shows them.
    """

    path: str
    site: str
    target: str
    kind: Kind | None
    entry: Entry | None
    why_none: str = ""
    blob: str = ""
    is_committed: bool = True
    changed: Commit | None = None
    sent: Commit | None = None
    run: str = ""
    layout: str = ""
    layout_origin: ValueOrigin | None = None
    defaults: tuple[FolderDefaults, ...] = ()
    fields: tuple[ExplainedField, ...] = ()
    left: tuple[str, ...] = ()
    change: Change | None = None
    causes: tuple[Cause, ...] = ()
    refusals: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    looked: bool = False
    revised: Revised | None = None


class DocumentOrigins:
    """The origins of the values of one document."""

    def __init__(self, document: Document, text: str, settings: Settings, file: SettingsText) -> None:
        self._document, self._settings, self._file = document, settings, file
        self._parts = split(document.path, text)
        seo = settings.site.seo
        self._own = interpret(self._parts.values, document.kind, document.path, settings.types, seo=seo)
        self._values = self._parts.values
        if document.kind.row.has_schema:
            # A registered field has the place of its member.
            self._values, _ = expanded(self._values, document.kind, settings.types, seo)
        self._inner = below(document.path, settings.content)

    def of(self, field: str) -> ValueOrigin:
        """Give the origin of a field's value, or of the layout."""
        keys = SPELLINGS.get(field, (field,))
        if written := self._in_file(field, keys):
            return written
        for folder, table in inherited(self._inner, self._settings.site.defaults):
            for key in keys:
                inside, _, member = key.partition(".")
                objects = table.get(inside) if member else None
                is_member = isinstance(objects, dict) and member in objects
                if is_member or (key in table and table[key] == DRAFTS.get(key, table[key])):
                    scope = f"`{key}` for all files" if not folder else f"`{key}` for {folder}/"
                    return ValueOrigin(ValueSource.DEFAULT, self._default_place(folder, inside), scope)
        return self._derived(field)

    def defaults(self) -> Iterator[FolderDefaults]:
        """Give the defaults that hold for the file, the innermost folder first."""
        for folder, table in inherited(self._inner, self._settings.site.defaults):
            if table:
                yield FolderDefaults(folder, self._default_place(folder, next(iter(table))), tuple(table))

    def _in_file(self, field: str, keys: tuple[str, ...]) -> ValueOrigin | None:
        values, own = self._values, self._own
        named = {"parent": own.parent, "layout": own.layout, "front_page": own.front_page, "author": True}
        # A value that belongs to another tool does not count, and then a default does.
        is_own = field in own.fields or any(mention.field == field for mention in own.mentions)
        for key in keys if is_own or named.get(field) is not None else ():
            given = values.get(key, Given(None))
            if given.value is None or given.value != DRAFTS.get(key, given.value):
                continue
            written, meant = (
                next((mention.given for mention in mentions if mention.field == field), None)
                for mentions in (own.mentions, self._document.mentions)
            )
            # The document has another user or term than the file names.
            table = "authors" if field == "author" else "terms"
            by_table = f"by `[{table}]`" if written is not None and written != meant else ""
            notes = (f"`{key}`" if key != field else "", by_table)
            place = f"{self._document.path}:{given.line}"
            return ValueOrigin(ValueSource.FRONT_MATTER, place, ", ".join(filter(None, notes)))
        return None

    def _default_place(self, folder: str, key: str) -> str:
        """Find a default in the table of the site, whose values win, else in that of all sites."""
        name = self._settings.site.name
        tables = self._file.tables
        of_site = tables.get("sites", {}).get(name, {}).get("defaults", {})
        of_all = tables.get("defaults", {})
        for above, table in ((("sites", name, "defaults"), of_site), (("defaults",), of_all)):
            inner = next((name for name in table if name.strip("/") == folder), "") if folder else ""
            if key in (table.get(inner, {}) if folder else table):
                return self._file.place(*above, *filter(None, (inner,)), key)
        return self._file.where

    def _derived(self, field: str) -> ValueOrigin:
        """Give the origin of a value that nobody names."""
        path, parts = self._document.path, self._parts
        headings = [first_heading(parts.body, level) for level in (1, 0)] if field == "title" else []
        title = str(self._document.fields.get("title", ""))
        # A record may keep a former rule, by which a heading of any level was the title.
        heading = next((candidate for candidate in headings if candidate and candidate.text == title), None)
        if heading:
            line = parts.body_line + parts.body.count("\n", 0, heading.start)
            return ValueOrigin(ValueSource.TEXT, f"{path}:{line}", "the first heading")
        if field == "front_page":
            place = self._file.place("sites", self._settings.site.name, "front_page")
            return ValueOrigin(ValueSource.SETTINGS, place, "`front_page` of the site")
        if field in CREATED_WITH:
            return ValueOrigin(ValueSource.PRESSYNC, "", "a new record gets it if nobody names one")
        name = ValueOrigin(ValueSource.FILE_NAME, path, "the name of the file")
        return {
            "content": ValueOrigin(ValueSource.TEXT, f"{path}:{self._document.body_line}"),
            "parent": ValueOrigin(ValueSource.FOLDER, path.rpartition("/")[0], "the page of its folder"),
            **dict.fromkeys(("title", "slug", "date", "date_gmt"), name),
        }.get(field, ValueOrigin(ValueSource.SERVICE, "", "nobody names it"))


# A page can link to thousands of others. At most this many of them are tried.
_TRIED = 50
_CONTENT = "content"


@dataclass(frozen=True)
class Causes:
    """The causes of one update. `entries` and `manifest` are those of now, as is `content`."""

    change: Update
    content: Content
    entries: Mapping[str, Entry]
    manifest: Manifest
    file: SettingsText

    def found(self) -> tuple[Cause, ...]:
        """List the causes; none if nothing was sent, or this clone lacks the commit."""
        entry = self.change.entry
        if not entry.commit or not self.content.repository.history.known([entry.commit]):
            return ()
        desired = self.change.desired
        certain = [Cause("file", desired.path, "the file has changed")] if entry.blob != desired.blob else []
        certain += [*self._of_template(), *self._of_settings()]
        now, then = desired.parent_path, entry.parent_path
        if now != then:
            certain.append(Cause("parent", "", f"its parent is {now or 'none'}, and was {then or 'none'}"))
        elif now and "parent" in self.change.fields:
            certain.append(Cause("parent", now, "its parent has another id now"))
        files = [
            Cause("linked_file", path, "the linked file has changed")
            for path in desired.links
            if path not in self.content.sources
            and self.content.tree.files.get(path) != self._then.tree.files.get(path)
        ]
        # The basis has the id of the parent, so it cannot tell of an address as well.
        is_clear = bool(files) or "parent" in self.change.fields
        return (*certain, *files, *(() if is_clear else self._of_addresses()))

    @cached_property
    def _then(self) -> Content:
        """The content of the commit from which the record was last sent."""
        entry, now = self.change.entry, self.content
        texts = FormerTexts(now.repository, now.settings, self.entries, [entry], self.manifest)
        return texts.content(entry.commit)

    def _of_template(self) -> Iterator[Cause]:
        now, then = self.change.desired.layout, self.change.entry.layout
        if now != then:
            yield Cause("template", "", f"its template is {now or 'none'}, and was {then or 'none'}")
            return
        sources, former = (content.renderer.layouts.sources_of(now) for content in (self.content, self._then))
        for name in sorted(sources.keys() | former.keys()):
            if sources.get(name) != former.get(name):
                yield Cause(
                    "template", f"{self.content.settings.templates}/{name}", "the template has changed"
                )

    def _of_settings(self) -> Iterator[Cause]:
        now, then = self.content.settings, self._then.settings
        if now.site.blocks != then.site.blocks:
            place = self.file.place("sites", now.site.name, "blocks")
            blocks, before = (str(state.site.blocks).lower() for state in (now, then))
            yield Cause("setting", place, f"`blocks` is {blocks}, and was {before}")
        for table, fields in (("authors", {"author"}), ("terms", {"categories", "tags"})):
            if fields & {*self.change.fields} and getattr(now, table) != getattr(then, table):
                yield Cause("setting", self.file.place(table), f"`[{table}]` has changed")
        defaults, former = (self._defaults(content) for content in (self.content, self._then))
        for key in sorted(defaults.keys() | former.keys()):
            if defaults.get(key) != former.get(key):
                yield Cause("setting", self.file.where, f"the default `{key}` has changed")

    def _defaults(self, content: Content) -> Mapping[str, object]:
        """Give the defaults that hold for the file, by key; those of the innermost folder win."""
        inner = below(self.change.desired.path, content.settings.content)
        return ChainMap(*(dict(table) for _, table in inherited(inner, content.settings.site.defaults)))

    def _of_addresses(self) -> Iterator[Cause]:
        """Name the linked pages whose former addresses give the basis of the entry, else the renderer."""
        sent = self.change.entry.fingerprints.get(_CONTENT, "")
        is_sent_anew = _CONTENT in self.change.fields and sent and not is_unsure(sent)
        if not is_sent_anew or self._has_basis(self.entries):
            return
        linked = {path: entry for path in self.change.entry.links if (entry := self.entries.get(path))}
        former = {path: structs.replace(e, link=e.former[-1]) for path, e in linked.items() if e.former}
        trials: list[dict[str, Entry | None]] = [{**former}] if former else []
        trials += ({path: entry} for path, entry in former.items())
        trials += ({path: None} for path in linked)
        for tried in trials[:_TRIED]:
            entries = {path: entry for path, entry in {**self.entries, **tried}.items() if entry}
            if tried and self._has_basis(entries):
                for path in tried:
                    yield Cause("address", path, "the address of the linked page has changed")
                return
        other = "another version of pressync or of its libraries writes the text in another way"
        or_link = ", or the address of a linked page or file has changed" if self.change.entry.links else ""
        yield Cause("renderer", "", f"{other}{or_link}")

    def _has_basis(self, entries: Mapping[str, Entry]) -> bool:
        """Tell whether the files and settings of then give the basis of the entry, with these addresses."""
        entry = self.change.entry
        basis = self._then.basis(entry.layout, entry.parent_path, entry.links, entries)
        return basis == entry.basis[:BARE]

"""Puts what the manifest says, and what was read of the site, into a stage: settings, people, terms, records.

Every stage begins with the same rows and the same ids, so that the manifest of the site holds for each of
them. The interface lets nobody choose an id, so the rows themselves are put.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from msgspec import structs

from pressync.client.connect import stored_by
from pressync.content.former import LastSynced, last_synced
from pressync.model.bounds import UPLOAD
from pressync.model.interface import DOCUMENTED_TYPES, SHOWN_VALUES, Kind, SiteTypes, Taxonomy
from pressync.model.permalinks import shown_permalinks
from pressync.model.visibility import is_deleted
from pressync.model.web_address import path_of
from pressync.stage.rehearse.stage import SiteDifference
from pressync.stage.server import kinds, rows, slugs, wire
from pressync.stage.server.database import SiteSettings, write_settings
from pressync.stage.server.rows import TRASH, StoredRecord
from pressync.stage.server.wordpress.media import FOLDER, TYPES, Attachment
from pressync.stage.server.wordpress.registered import fields as fields_of
from pressync.stage.server.wordpress.terms import CATEGORY, TermRow

if TYPE_CHECKING:
    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry, Fields, Manifest, Record
    from pressync.repo.repository import Repository
    from pressync.stage.rehearse.live_site import LiveSite
    from pressync.stage.server.store import Store
    from pressync.stage.server.wordpress.session import User

_COLUMNS = frozenset(StoredRecord.__struct_fields__) - {"id", "kind", "date", "modified", "own"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSite:
    """The rows with which a stage begins, with their ids. New records get ids behind `last`.

    The terms replace those of the stage, and the users do so if they are `all_users`; else the administrator
    of the stage stays. `records` come one at a time.
    """

    settings: SiteSettings
    users: tuple[User, ...] = ()
    all_users: bool = False
    terms: tuple[TermRow, ...] = ()
    media: tuple[Attachment, ...] = ()
    records: Iterable[StoredRecord] = ()
    last: int = 0


def fill(store: Store, given: GivenSite) -> None:
    """Put everything into a store, in one transaction."""
    with store.writing() as db:
        write_settings(db, given.settings)
        for table in ("terms", *(("users",) if given.all_users else ())):
            db.execute(f"DELETE FROM {table}")
        for each in (*given.users, *given.terms, *given.media):
            each.put(db)
        for record in given.records:
            rows.save(db, record)
        if given.last >= rows.next_id(db):
            rows.reserve(db, given.last)


def stored_record(
    kind: Kind, number: int, given: Mapping[str, object], *, modified: str, offset: int
) -> StoredRecord:
    """Make a record of the members that an interface takes or shows, as they are; an unknown one is left out.

    `modified` is in GMT, and `offset` the minutes of site time ahead of GMT.
    """
    changed = _seconds(modified, 0)
    date = next((_seconds(str(given[n]), o) for n, o in (("date", offset), ("date_gmt", 0)) if n in given), 0)
    blank = StoredRecord(number, kind, guid=f"?p={number}", date=date or changed, modified=changed)
    return structs.replace(blank, own=_own(kind, given), **_plain(given))


def _own(kind: Kind, given: Mapping[str, object]) -> dict[str, Any]:
    """Give the registered fields, and the terms of the site's own taxonomies, by the names of the fields."""
    found: dict[str, Any] = {}
    for each in (*kinds.term_fields(kind), *fields_of(kind, "meta"), *fields_of(kind, "acf")):
        place = given.get(each.inside, {}) if each.inside else given
        value = place.get(each.key) if isinstance(place, Mapping) else None
        if value is not None and each.name not in _COLUMNS:
            found[each.name] = value
    return found


def _plain(given: Mapping[str, object]) -> dict[str, Any]:
    meta = given.get("meta")
    notes = {"footnotes": str(meta.get("footnotes", ""))} if isinstance(meta, Mapping) else {}
    plain = {name: value for name, value in given.items() if name in _COLUMNS}
    return notes | {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}


def _seconds(text: str, offset: int) -> int:
    try:
        return wire.seconds(wire.read_moment(text), offset=offset)
    except ValueError:
        # A draft of WordPress may have the date `0000-00-00`.
        return 0


_USUAL = "/%postname%/"
# The slug of an upload of pressync: without its bytes, it must not be found.
_OURS = re.compile("[0-9a-f]{16}$")
_NOTHING: Fields = MappingProxyType({})


def given_settings(before: SiteSettings, live: LiveSite, known: Manifest, address: str) -> SiteSettings:
    """Give the settings of a stage: the address of the site's pages, its permalinks, title and time.

    A site whose permalinks are not known has those of the addresses in the manifest, or the commonest ones.
    The title of a site that was not read is its address without `https://`.
    """
    found = live.permalinks
    if found is None:
        found = shown_permalinks(known.entries.values(), address)
    permalinks = _USUAL
    if found is not None:
        # A plug-in may give a site a structure that is not of WordPress.
        with suppress(ValueError):
            permalinks = rows.permalink_structure(found)
    front = live.front
    if front is None:
        fronts = (entry.id for entry in known.entries.values() if entry.link.rstrip("/") == address)
        front = next(fronts, 0 if known.entries else before.front)
    return replace(
        before,
        address=address,
        title=live.title or address.partition("://")[2],
        offset=live.offset or 0,
        permalinks=permalinks,
        front=front,
        bases=json.dumps(_bases(live, known, address)),
    )


def _bases(live: LiveSite, known: Manifest, address: str) -> dict[str, str]:
    """Give the path before the slugs of each type of the site's own, as the addresses of its records show it.

    The interface does not tell it. A record with a parent has a longer path, and the site knows better than
    the manifest.
    """
    found: dict[str, str] = {}
    for records in (known.entries.values(), live.records):
        shown: dict[str, str] = {}
        for each in records:
            path = path_of(each.link).removeprefix(path_of(address).rstrip("/")).rstrip("/")
            if kinds.is_own(each.kind) and "?" not in each.link and path.endswith(f"/{each.slug}"):
                base = path.removesuffix(f"/{each.slug}")
                shown[each.kind] = min(base, shown.get(each.kind, base), key=len)
        found |= shown
    return found


def terms(live: LiveSite, known: Manifest, types: SiteTypes = DOCUMENTED_TYPES) -> tuple[TermRow, ...]:
    """Give the terms; those that were not read come from the manifest's names."""
    found = {} if live.terms is None else live.terms
    read = found.keys() - {part.what for part in live.unread}
    rows = [
        TermRow(term.id, kinds.taxonomy_of(field), term.name, term.slug, term.parent)
        for field in read
        for term in found[field]
    ]
    return (*rows, *_named(known, {name: of for name, of in types.taxonomies.items() if name not in read}))


def _named(known: Manifest, unread: Mapping[str, Taxonomy]) -> Iterator[TermRow]:
    """Make the terms of unread fields whose ids the manifest knows; the first category is on every site."""
    ids = {(name.field, name.text): number for name, number in known.names.items()}
    if "categories" in unread and 1 not in ids.values():
        yield TermRow(1, CATEGORY, "Uncategorized", "uncategorized")
    for (named, text), number in ids.items():
        if named in unread:
            above, _, own = text.rpartition("/") if unread[named].hierarchical else ("", "", text)
            slug = slugs.as_wordpress(text if above else own)
            yield TermRow(number, kinds.taxonomy_of(named), own, slug, ids.get((named, above), 0))


def media(
    live: LiveSite, known: Manifest, address: str, uploads: Path, repository: Repository
) -> Iterator[Attachment]:
    """Put the uploaded files that the manifest knows at their addresses; give their rows, and those read."""
    for medium in known.media.values():
        file = _file(medium.link, address) or PurePosixPath(medium.path)
        data = repository.data(medium.blob, UPLOAD)
        if data is not None and ".." not in file.parts and not file.is_absolute():
            target = uploads / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        kind = TYPES.get(file.suffix[1:].lower(), "application/octet-stream")
        yield Attachment(medium.id, f"media-{medium.id}", file.stem, "", str(file), kind, 0, 0, 1)
    ids = {medium.id for medium in known.media.values()}
    for each in live.files:
        if each.id not in ids and not _OURS.search(each.slug):
            # Only beside a file without a record can no page have its slug.
            slug = f"media-{each.id}" if each.parent else each.slug
            file = _file(each.link, address) or PurePosixPath(str(each.id))
            yield Attachment(each.id, slug, each.slug, "", str(file), each.type, 0, 0, 1)


def _file(link: str, address: str) -> PurePosixPath | None:
    """Give the path of an uploaded file below the folder of all uploads; None for another address."""
    folder = f"{path_of(address).rstrip('/')}/{FOLDER}/"
    path = unquote(path_of(link))
    return PurePosixPath(path.removeprefix(folder)) if path.startswith(folder) else None


# WordPress filters these for those who read.
_SHOWN = frozenset({"title", "content", "excerpt"})


def synced(kept: LastSynced, dialect: str, offset: int) -> StoredRecord:
    """Make the record of an entry, with the fields as a call of this dialect would send them."""
    entry = kept.entry
    takes = {field.name for field in entry.kind.row.body}
    fields = {name: value for name, value in kept.fields.items() if name in takes}
    given = {**SHOWN_VALUES, **stored_by(dialect)(entry.kind, fields)}
    return stored_record(entry.kind, entry.id, given, modified=entry.modified_gmt, offset=offset)


def as_it_is(record: Record, dialect: str, offset: int, synced: Fields = _NOTHING) -> StoredRecord:
    """Make a record that was read from the site, with each value as the site stores it.

    A visitor does not see all fields. The others are those that were last synced.
    """
    takes = {field.name for field in record.kind.row.body}
    before = {name: value for name, value in synced.items() if name in takes}
    fields = {**before, **record.fields}
    given = dict(stored_by(dialect)(record.kind, fields, stored=record.raw))
    given["slug"] = record.slug
    if given.get("status") == TRASH:
        given["desired"] = slugs.restored(record.slug)
    return stored_record(record.kind, record.id, given, modified=record.modified_gmt, offset=offset)


def last_id(live: LiveSite, known: Manifest) -> int:
    """Give the largest id that records and files of the site are known to have."""
    ids = [entry.id for entry in known.entries.values()]
    ids += [medium.id for medium in known.media.values()]
    ids += [file.id for file in live.files]
    return max([*ids, *(record.id for record in live.records)], default=0)


@dataclass(slots=True)
class GivenRecords:
    """The records of the manifest, and over them those that were read; they are made while one iterates.

    Then `changed` has the entries that changed, and `lost` the paths of the records whose texts are nowhere.
    """

    workspace: Workspace
    known: Manifest
    live: LiveSite
    changed: list[Entry] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[StoredRecord]:
        """Give each record."""
        live, workspace = self.live, self.workspace
        dialect, offset = workspace.settings.site.dialect, live.offset or 0
        read = {(record.kind, record.id): record for record in live.records}
        for kept in last_synced(workspace.repository, workspace.settings, self.known):
            record = read.pop((kept.entry.kind, kept.entry.id), None)
            if record:
                yield as_it_is(self._as_sent(record, kept), dialect, offset, kept.fields)
            elif not (kept.entry.id in live.gone or is_deleted(kept.entry)):
                yield synced(kept, dialect, offset)
                self.lost += [] if kept.has_text else [kept.entry.path]
            self._note(kept.entry, record)
        for record in read.values():
            yield as_it_is(record, dialect, offset)

    def _as_sent(self, record: Record, kept: LastSynced) -> Record:
        """Leave out the texts of a record that nobody edited since we sent them, if a visitor read it.

        A visitor gets texts as they are shown: without the comments of blocks, with other quotation marks.
        """
        if self.live.user or record.modified_gmt != kept.entry.modified_gmt:
            return record
        fields, raw = (
            {name: value for name, value in texts.items() if name not in _SHOWN}
            for texts in (record.fields, record.raw)
        )
        return replace(record, fields=fields, raw=raw)

    def _note(self, entry: Entry, record: Record | None) -> None:
        """Keep what the service changed in fields of a record that were not read."""
        before = self.known.entries[entry.path]
        noted = {
            name: digest
            for name, digest in entry.changed_by_service.items()
            if record is None or name not in record.fields
        }
        if not noted.items() <= before.changed_by_service.items():
            merged = {**before.changed_by_service, **noted}
            self.changed.append(structs.replace(before, changed_by_service=merged))

    def differences(self, found: Iterable[tuple[str, str, str]]) -> tuple[SiteDifference, ...]:
        """Say which of these facts of the site are known and differ, and what has no text."""
        rows = [SiteDifference(what, stage, site) for what, stage, site in found if site]
        if self.lost:
            more = f" and {len(self.lost) - 1} more" if self.lost[1:] else ""
            rows.append(SiteDifference(f"the text of {min(self.lost)}{more}", "empty", ""))
        return tuple(rows)


def site_of(records: GivenRecords, before: SiteSettings, uploads: Path) -> GivenSite:
    """Give the whole site; the uploaded files of the manifest go into a folder.

    `before` are the settings with which the stage begins; a site without an address has the one in them.
    """
    workspace, known, live = records.workspace, records.known, records.live
    address = live.home or workspace.settings.site.home or before.address
    return GivenSite(
        settings=given_settings(before, live, known, address),
        users=live.users,
        all_users=bool(live.users and live.user),
        terms=terms(live, known, workspace.settings.types),
        media=tuple(media(live, known, address, uploads, workspace.repository)),
        records=records,
        last=last_id(live, known),
    )

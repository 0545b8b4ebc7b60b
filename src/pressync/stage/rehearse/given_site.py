"""Puts what the manifest says, and what was read of the site, into a stage: settings, people, terms, records.

Every stage begins with the same rows and the same ids, so that the manifest of the site holds for each of
them. The interface lets nobody choose an id, so the rows themselves are put.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, fields, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

from msgspec import structs

from pressync.app import last_synced
from pressync.client.wordpress import WORDPRESS
from pressync.client.wordpress.permalinks import structure
from pressync.client.wordpress.record import body
from pressync.model.bounds import UPLOAD
from pressync.model.interface import BODIES, SHOWN_VALUES, Kind
from pressync.model.visibility import is_deleted
from pressync.model.web_address import origin_of, path_of
from pressync.stage.rehearse.stage import SiteDifference
from pressync.stage.server import rows, slugs, wire
from pressync.stage.server.database import read_settings, write_settings
from pressync.stage.server.rows import TAXONOMIES, TRASH, StoredRecord
from pressync.stage.server.wordpress.media import FOLDER, TYPES, Attachment
from pressync.stage.server.wordpress.session import CAPABILITIES, User
from pressync.stage.server.wordpress.terms import CATEGORY, TermRow

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from pressync.app.last_synced import LastSynced
    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry, Fields, Manifest, Record
    from pressync.repo.repository import Repository
    from pressync.stage.rehearse.live_site import LiveSite
    from pressync.stage.server.database import SiteSettings
    from pressync.stage.server.store import Store

_TABLES: Mapping[type, str] = {User: "users", TermRow: "terms", Attachment: "media"}
_COLUMNS = frozenset(StoredRecord.__struct_fields__) - {"id", "kind", "date", "modified"}


@dataclass(frozen=True, slots=True)
class _StoreRows:
    """One write transaction of a store, in which rows are put as they are."""

    _db: sqlite3.Connection

    def settings(self) -> SiteSettings:
        return read_settings(self._db)

    def set(self, settings: SiteSettings) -> None:
        write_settings(self._db, settings)

    def put(self, given: Iterable[User | TermRow | Attachment]) -> None:
        for each in given:
            names = ", ".join(field.name for field in fields(each))
            marks = ", ".join("?" * len(astuple(each)))
            self._db.execute(
                f"INSERT OR REPLACE INTO {_TABLES[type(each)]} ({names}) VALUES ({marks})", astuple(each)
            )

    def clear(self, kind: type[User | TermRow]) -> None:
        self._db.execute(f"DELETE FROM {_TABLES[kind]}")

    def save(self, given: StoredRecord) -> None:
        rows.save(self._db, given)

    def reserve_ids(self, last: int) -> None:
        if last >= rows.next_id(self._db):
            self._db.execute("DELETE FROM sqlite_sequence WHERE name = 'records'")
            self._db.execute("INSERT INTO sqlite_sequence (seq, name) VALUES (?, 'records')", (last,))


@contextmanager
def writing(store: Store) -> Iterator[_StoreRows]:
    """Lend the one write transaction of a store."""
    with store.writing() as db:
        yield _StoreRows(db)


def stored_record(
    kind: Kind, number: int, given: Mapping[str, object], *, modified: str, offset: int
) -> StoredRecord:
    """Make a record of the members that an interface takes or shows, as they are; an unknown one is left out.

    `modified` is in GMT, and `offset` the minutes of site time ahead of GMT.
    """
    changed = _seconds(modified, 0)
    date = next((_seconds(str(given[n]), o) for n, o in (("date", offset), ("date_gmt", 0)) if n in given), 0)
    blank = StoredRecord(number, kind, guid=f"?p={number}", date=date or changed, modified=changed)
    return structs.replace(blank, **_plain(given))


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
_DATED = re.compile(r"/([0-9]{4})/([0-9]{2})(?:/([0-9]{2}))?/")
_NOTHING: Fields = MappingProxyType({})


def given_settings(before: SiteSettings, live: LiveSite, known: Manifest, address: str) -> SiteSettings:
    """Give the settings of a stage: the address of the site's pages, its permalinks, title and time.

    The title of a site that was not read is its address without `https://`.
    """
    return replace(
        before,
        address=address,
        title=live.title or address.partition("://")[2],
        offset=live.offset or 0,
        permalinks=_permalinks(live, known, address),
        front=_front(before, live, known, address),
    )


def _front(before: SiteSettings, live: LiveSite, known: Manifest, address: str) -> int:
    """Give the front page of the site, or that of the manifest, whose address is the site's own."""
    if live.front is not None:
        return live.front
    front = (entry.id for entry in known.entries.values() if entry.link.rstrip("/") == address)
    return next(front, 0 if known.entries else before.front)


def _permalinks(live: LiveSite, known: Manifest, address: str) -> str:
    """Give the site's permalink structure, or that of the addresses in the manifest, or the commonest one."""
    found = live.permalinks
    if found is None:
        posts = (entry for entry in known.entries.values() if entry.kind is Kind.POST)
        found = structure(map(_with_date, posts), home=address)
    try:
        return _USUAL if found is None else rows.permalink_structure(found)
    except ValueError:
        return _USUAL


def _with_date(post: Entry) -> dict[str, object]:
    """Give the members of a post that show the structure; an address with a date has its date."""
    date = _DATED.search(post.link)
    return {
        "id": post.id,
        "slug": post.slug,
        "link": post.link,
        # An empty part of a date would be in every address.
        "date": "-".join(filter(None, date.groups())) if date else "?",
    }


def users(live: LiveSite) -> tuple[User, ...]:
    """Give the users that were read; one without a visible role may do what editors may."""
    return tuple(
        User(
            each.id,
            each.login or each.slug,
            each.email or f"user-{each.id}@localhost",
            each.name,
            each.slug,
            each.role if each.role in CAPABILITIES else "editor",
            visible=True,
        )
        for each in live.users
    )


def people_and_terms(
    live: LiveSite, known: Manifest
) -> Iterator[tuple[type[User | TermRow], tuple[User | TermRow, ...]]]:
    """Give the users and the terms by their kind; those that were not read come from the manifest's names."""
    found = users(live)
    if found:
        yield User, found
    unread = {part.what for part in live.unread}
    terms = {} if live.terms is None else live.terms
    read = [
        TermRow(term.id, TAXONOMIES[field], term.name, term.slug, term.parent)
        for field in terms.keys() - unread
        for term in terms[field]
    ]
    yield TermRow, (*read, *_named(known, TAXONOMIES.keys() - (terms.keys() - unread)))


def _named(known: Manifest, unread: Collection[str]) -> Iterator[TermRow]:
    """Make the terms of unread fields whose ids the manifest knows; the first category is on every site."""
    ids = {(name.field, name.text): number for name, number in known.names.items()}
    if "categories" in unread and 1 not in ids.values():
        yield TermRow(1, CATEGORY, "Uncategorized", "uncategorized")
    for (named, text), number in ids.items():
        if named in unread:
            above, _, own = text.rpartition("/") if named == "categories" else ("", "", text)
            slug = slugs.as_wordpress(text if above else own)
            yield TermRow(number, TAXONOMIES[named], own, slug, ids.get((named, above), 0))


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


def synced(kept: LastSynced, dialect: str, offset: int) -> StoredRecord:
    """Make the record of an entry, with the fields as a call of this dialect would send them."""
    entry = kept.entry
    takes = {field.name for field in BODIES[entry.kind]}
    fields = {name: value for name, value in kept.fields.items() if name in takes}
    given = {**SHOWN_VALUES, **(body(entry.kind, fields) if dialect == WORDPRESS.name else fields)}
    return stored_record(entry.kind, entry.id, given, modified=entry.modified_gmt, offset=offset)


def as_it_is(record: Record, dialect: str, offset: int, synced: Fields = _NOTHING) -> StoredRecord:
    """Make a record that was read from the site; a classic text is without a block, as on the site.

    A visitor does not see all fields. The others are those that were last synced.
    """
    takes = {field.name for field in BODIES[record.kind]}
    before = {name: value for name, value in synced.items() if name in takes}
    fields = {**before, **record.fields}
    given = dict(body(record.kind, fields)) if dialect == WORDPRESS.name else dict(fields)
    if dialect == WORDPRESS.name and record.classic and "content" in record.fields:
        given["content"] = record.fields["content"]
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


class GivenRows(Protocol):
    """The place of the rows: the store of the embedded service, or what another stage is told."""

    def settings(self) -> SiteSettings:
        """Give the settings with which the stage begins."""

    def set(self, settings: SiteSettings) -> None:
        """Replace the settings."""

    def clear(self, kind: type[User | TermRow]) -> None:
        """Remove the users, or the terms, with which the stage begins."""

    def put(self, given: Iterable[User | TermRow | Attachment]) -> None:
        """Put users, terms or files."""

    def save(self, given: StoredRecord) -> None:
        """Put a record; it replaces the one with its id."""

    def reserve_ids(self, last: int) -> None:
        """Give no new record an id up to this one."""


@dataclass(slots=True)
class GivenRecords:
    """The entries that changed, and the paths of the records whose texts are nowhere to be found."""

    changed: list[Entry] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def differences(self) -> Iterator[SiteDifference]:
        """Say which records have no text on the stage."""
        if self.lost:
            more = f" and {len(self.lost) - 1} more" if self.lost[1:] else ""
            yield SiteDifference(f"the text of {min(self.lost)}{more}", "empty", "")


def put(
    rows: GivenRows, workspace: Workspace, known: Manifest, live: LiveSite, uploads: Path
) -> GivenRecords:
    """Put everything; the uploaded files of the manifest go into a folder."""
    _put_site(rows, workspace, known, live, uploads)
    given = _put_records(rows, workspace, known, live)
    rows.reserve_ids(last_id(live, known))
    return given


def _put_site(rows: GivenRows, workspace: Workspace, known: Manifest, live: LiveSite, uploads: Path) -> None:
    """Put the settings, users, terms and files of the site."""
    address = live.home or home_of(workspace.settings.site.url or "")
    rows.set(given_settings(rows.settings(), live, known, address))
    for kind, some in people_and_terms(live, known):
        # Without a user of the site, the administrator of the stage stays.
        if kind is not User or live.user:
            rows.clear(kind)
        rows.put(some)
    rows.put(media(live, known, address, uploads, workspace.repository))


def _put_records(rows: GivenRows, workspace: Workspace, known: Manifest, live: LiveSite) -> GivenRecords:
    """Put the records of the manifest, and over them those that were read."""
    given = GivenRecords()
    dialect, offset = workspace.settings.site.dialect, live.offset or 0
    read = {(record.kind, record.id): record for record in live.records}
    for kept in last_synced.records(workspace, known, workspace.repository.commit()):
        record = read.pop((kept.entry.kind, kept.entry.id), None)
        if record:
            rows.save(as_it_is(record, dialect, offset, kept.fields))
        elif not (kept.entry.id in live.gone or is_deleted(kept.entry)):
            rows.save(synced(kept, dialect, offset))
            given.lost += [] if kept.has_text else [kept.entry.path]
        before = known.entries[kept.entry.path]
        noted = {
            name: digest
            for name, digest in kept.entry.changed_by_service.items()
            if record is None or name not in record.fields
        }
        if not noted.items() <= before.changed_by_service.items():
            given.changed.append(
                structs.replace(before, changed_by_service={**before.changed_by_service, **noted})
            )
    for record in read.values():
        rows.save(as_it_is(record, dialect, offset))
    return given


def home_of(url: str) -> str:
    """Give the address of a site's pages, as far as the address of its interface shows it."""
    path = path_of(url).partition("/wp-json")[0].partition("/index.php")[0].rstrip("/")
    return f"{origin_of(url)}{path if '/wp-json' in url or '?' in url else ''}"

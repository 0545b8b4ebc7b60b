"""The stored content of the service, and what each of the five operations does to it.

Each operation is one durable write transaction. So two callers who want one slug get two different slugs, and
an acknowledged write is never half there (section 4). The interface leaves some decisions about values open
(sections 2.3 and 4.6), and this module makes them: the allowed values, the defaults of omitted fields, and
when a record is scheduled.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from msgspec import structs

from pressync.model.interface import BLOG_KIND, DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.model.web_address import split
from pressync.stage.server import database, rows, slugs
from pressync.stage.server.rows import ALLOWED, TRASH, Permalinks, RecordJson, StoredRecord, to_json
from pressync.stage.server.wire import FormFields, HttpRefusal, chosen_second, invalid

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.stage.server.database import Connection


_HELLO = """\
<p>This site is served by <code>pressync serve</code> from one SQLite file on your own machine.</p>
<p>The interface does not show how to create a post, so this one was here from the start. Make it yours:</p>
<pre><code>pressync adopt content/posts/hello.md 1
pressync sync</code></pre>
"""


class Store:
    """The records of one site. It may be used from any thread; `clock` gives seconds since 1970."""

    def __init__(
        self,
        path: Path,
        *,
        address: str | None = None,
        title: str | None = None,
        structure: str | None = None,
        served_at: str | None = None,
        with_post: bool = True,
        types: SiteTypes = DOCUMENTED_TYPES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the site's database, and make it if needed, with one post unless `with_post` is false.

        `address`, `title` and the `structure` of permalinks change the stored settings; None keeps them. But
        a site whose address is on this machine moves to `served_at`, because nobody answers at its address.
        Raises UnusableDatabase if the file is not a database of pressync, and ValueError if `address` or
        `structure` is not valid.
        """
        self._clock = clock
        self.database = database.Database(path, types)
        with self.writing() as db:
            settings = database.read_settings(db)
            if address is None and served_at and _is_local(settings.address):
                # Other machines reach the address of a new site only if it has that address from the start.
                address = served_at if _is_local(served_at) or rows.next_id(db) == 1 else None
            changed = replace(
                settings,
                address=settings.address if address is None else site_address(address),
                title=settings.title if title is None else title,
                permalinks=settings.permalinks if structure is None else rows.permalink_structure(structure),
            )
            if changed != settings:
                database.write_settings(db, changed)
            if with_post and rows.next_id(db) == 1:
                self._create(db, BLOG_KIND, {"title": {"raw": "Hello"}, "content": {"raw": _HELLO}}, changed)

    @property
    def settings(self) -> database.SiteSettings:
        """The site's title, address and time zone offset."""
        with self.database.reading() as db:
            return database.read_settings(db)

    @property
    def own_addresses(self) -> frozenset[str]:
        """Every address that the site has or had."""
        with self.database.reading() as db:
            return database.own_addresses(db)

    def now(self) -> int:
        """Give the current time in whole seconds since 1970."""
        return math.floor(self._clock())

    def create(self, kind: Kind, fields: FormFields) -> RecordJson:
        """Make a record (4.1); the interface shows this for pages only. Raises HttpRefusal (400)."""
        with self.writing() as db:
            settings = database.read_settings(db)
            return _shown(db, self._create(db, kind, fields, settings), settings)

    def update(self, kind: Kind, record_id: int, fields: FormFields) -> RecordJson:
        """Change the named fields of a record (4.2, 4.4). Raises HttpRefusal (400, 404).

        A record in the trash stays there unless `fields` has a status.
        """
        with self.writing() as db:
            stored, settings = _existing(db, kind, record_id), database.read_settings(db)
            return _shown(db, self._written(db, stored, fields, settings), settings)

    def delete(self, kind: Kind, record_id: int, *, force: bool = False) -> RecordJson:
        """Move a record to the trash, or remove it for ever with `force` (4.3, 4.5).

        Gives the record after the move, or before its removal. The children of a removed page move to the
        root, as in WordPress. Raises HttpRefusal: 404, or 410 if the record is in the trash already.
        """
        with self.writing() as db:
            stored, settings = _existing(db, kind, record_id), database.read_settings(db)
            if not force:
                if stored.status == TRASH:
                    raise HttpRefusal(
                        410, "already_trashed", f"The {kind} {record_id} is in the trash already."
                    )
                trashed = self._written(db, structs.replace(stored, status=TRASH), {}, settings)
                return _shown(db, trashed, settings)
            last = _shown(db, stored, settings)
            db.execute("DELETE FROM records WHERE id = ?", (record_id,))
            for child in rows.children(db, kind, record_id):
                self._written(db, structs.replace(child, parent=0), {}, settings)
            return last

    def read(self, kind: Kind, record_id: int) -> RecordJson | None:
        """Read one record for the web site; the interface has no operation for this."""
        with self.database.reading() as db:
            stored = rows.find(db, kind, record_id)
            return _shown(db, stored, database.read_settings(db)) if stored else None

    def records(self, kind: Kind) -> list[RecordJson]:
        """Read all records of a kind by id, trash included; the interface has no operation for this."""
        with self.database.reading() as db:
            settings = database.read_settings(db)
            return [
                _shown(db, stored, settings)
                for stored in StoredRecord.read(db, "WHERE kind = ? ORDER BY id", (kind,))
            ]

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Lend a connection inside the only write transaction. A busy file raises HttpRefusal (503)."""
        try:
            with self.database.writing() as db:
                yield db
        except database.Busy:
            raise HttpRefusal(503, "busy", "Another process is writing; nothing was changed.") from None

    def _create(
        self, db: Connection, kind: Kind, fields: FormFields, settings: database.SiteSettings
    ) -> StoredRecord:
        now, record_id = self.now(), rows.next_id(db)
        guid = f"{settings.address}/?p={record_id}"
        # `modified` is one second earlier, so that the first write sets it to now.
        blank = StoredRecord(id=record_id, kind=kind, guid=guid, date=now, modified=now - 1)
        return self._written(db, blank, fields, settings)

    def _written(
        self,
        db: Connection,
        stored: StoredRecord,
        fields: FormFields,
        settings: database.SiteSettings,
    ) -> StoredRecord:
        check(fields)
        changed = applied(stored, fields, now=self.now(), offset=settings.offset)
        if "parent" in fields:
            _check_parent(db, changed)
        changed = structs.replace(changed, slug=_free_slug(db, changed))
        rows.save(db, changed)
        return changed


def site_address(address: str) -> str:
    """Give an address without its last slash, so that links can begin with it; ValueError for any other."""
    scheme, _, rest = address.rstrip("/").partition("://")
    if scheme not in {"http", "https"} or not rest or any(char in rest for char in "/?#@ "):
        raise ValueError(
            f"{address!r} is not the address of a site; write it like {database.DEFAULT_ADDRESS}"
        )
    return f"{scheme}://{rest}"


def _is_local(address: str) -> bool:
    """Whether an address is one that `serve` gives to a site by itself."""
    parts = split(address)
    return parts is not None and parts.hostname in {"127.0.0.1", "::1"}


def _shown(db: Connection, stored: StoredRecord, settings: database.SiteSettings) -> RecordJson:
    return to_json(stored, Permalinks(db, settings).path(stored), settings)


def _existing(db: Connection, kind: Kind, record_id: int) -> StoredRecord:
    stored = rows.find(db, kind, record_id)
    if stored is None:
        raise HttpRefusal(404, "no_such_record", f"There is no {kind} {record_id}.")
    return stored


def _check_parent(db: Connection, page: StoredRecord) -> None:
    """Refuse a parent that is not a page, is in the trash, is the page itself, or is below it."""
    if page.parent == 0:
        return
    if page.parent == page.id:
        raise invalid("parent", f"The page {page.id} cannot be its own parent.")
    parent = rows.find(db, page.kind, page.parent)
    if parent is None:
        raise invalid("parent", f"There is no page {page.parent} to be the parent.")
    if parent.status == TRASH:
        raise invalid("parent", f"The page {page.parent} is in the trash and cannot be a parent.")
    if page.id in (above for above, _ in rows.upwards(db, page.parent)):
        raise invalid("parent", f"The page {page.parent} is below the page {page.id}: that would be a cycle.")


def _free_slug(db: Connection, record: StoredRecord) -> str:
    """Give the wanted slug, or the first numbered one that no other record of its kind and parent has."""
    at_root = record.kind.row.hierarchical and record.parent == 0
    return next(
        slug
        for slug in slugs.candidates(record.slug)
        if not (at_root and slug in rows.RESERVED)
        and rows.id_at(db, record.kind, record.parent, slug) in {None, record.id}
    )


# The least value of each field that is the id of another object; 0 means none.
_LEAST: Mapping[str, int] = {"author": 1, "featured_media": 0, "parent": 0}


def check(fields: FormFields) -> None:
    """Refuse (400) values that a record can never have."""
    for name, values in ALLOWED.items():
        if name in fields and fields[name] not in values:
            raise invalid(name, f"{name} must be one of {', '.join(values)}.")
    for name, least in _LEAST.items():
        value = fields.get(name, least)
        if isinstance(value, int) and value < least:
            raise invalid(name, f"{name} must be {least} or more.")
    for name in ("categories", "tags"):
        value = fields.get(name, ())
        if isinstance(value, tuple) and any(term < 1 for term in value):
            raise invalid(name, f"{name} must hold ids, which are 1 or more.")


def applied(stored: StoredRecord, fields: FormFields, *, now: int, offset: int) -> StoredRecord:
    """Give the record after the change; its slug is the wanted one, and may not be free.

    `offset` is the minutes of site time ahead of GMT. `modified` always moves forward: if the clock has not
    passed the last value, it is that value plus one second.
    """
    modified, date = max(now, stored.modified + 1), chosen_second(fields, offset)
    date = stored.date if date is None else date
    columns: dict[str, Any] = {}
    for name, value in fields.items():
        # Of each object one member is stored; the service computes the others.
        if isinstance(value, Mapping):
            column, member = ("footnotes", "footnotes") if name == "meta" else (name, "raw")
            if member in value:
                columns[column] = value[member]
        elif name not in {"date", "date_gmt"}:
            columns[name] = value
    changed = structs.replace(stored, **columns, modified=modified, date=date)
    if "slug" in fields or not changed.slug:
        slug = slugs.sanitise(changed.slug) or changed.generated_slug
    else:
        slug = slugs.restored(changed.slug) if stored.status == TRASH else changed.slug
    status = changed.status
    if status in {"publish", "future"}:
        # A record is scheduled if it is published in the future, and public as soon as it is due.
        status = "future" if changed.date > now else "publish"
    if status == TRASH:
        # The slug itself becomes free.
        slug += slugs.TRASHED
    return structs.replace(changed, status=status, slug=slug)

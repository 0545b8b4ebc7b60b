"""Reads a live WordPress site: pages and posts, with the names of their terms, authors and pictures.

Nothing is written to the site. The password goes to the configured site only, at the address in the
settings. Any other address, from the command line or from a page, is read as a visitor reads it. A visitor
gets only published records, as WordPress shows them.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.client.address import parse
from pressync.client.connect import open_service
from pressync.client.probe import probe
from pressync.client.record_json import is_id
from pressync.client.retry import Patience, Retry
from pressync.client.wordpress import WordPressService, discover
from pressync.client.wordpress.lists import ROWS
from pressync.client.wordpress.whole_site import WholeSite
from pressync.content.sources import below
from pressync.importers.item import LeftOut, Origin, Place
from pressync.importers.media import Uploads
from pressync.importers.wordpress_record import Names, paths_of, shown, stored
from pressync.model.errors import BadAnswer, ConfigError
from pressync.model.interface import Kind
from pressync.model.records import Name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.client.wordpress.whole_site import Row
    from pressync.importers.item import ImportSource, Item, Items
    from pressync.model.records import Record

_SAY_NOTHING = Retry(Patience(), time.sleep, lambda _sentence: None)
# What people know these types of WordPress as; any other is named by its type.
_OTHERS = {
    "comment": "comment",
    "nav_menu_item": "menu item",
    "wp_navigation": "menu",
    "wp_block": "pattern",
}
_NOT_CARRIED = "pressync carries pages and posts"


def recognises(source: ImportSource) -> bool:
    """Tell whether the source is an address."""
    return source.path is None and source.given.startswith(("https://", "http://"))


def items(source: ImportSource) -> Items:
    """Read a site from its address, or from that of its interface.

    :raises ConfigError: the address is not one of https or of this machine.
    :raises ServiceError: the site cannot be read.
    """
    base = interface_of(source.given)
    own = source.own if source.own is not None and source.own.is_at(base) else None
    if own is None or not own.has_credentials:
        with closing(open_service(base, dialect="wordpress")) as service:
            yield from _Reading.of(service, source, edit=False).items()
        return
    with own.connect() as service:
        own.is_source = True
        reading = _Reading.of(service, source, edit=True)
        reading.check_user()
        yield from reading.items()


def interface_of(address: str) -> str:
    """Find the interface of the site at an address; no request has credentials.

    :raises ConfigError: the address would be read without encryption, from another machine.
    :raises BadAnswer: there is no WordPress.
    """
    place = parse(address)
    if place.scheme != "https" and not place.loopback:
        raise ConfigError(
            f"{place.host} would be read without encryption", where="SOURCE", todo="write https://"
        )
    if place.query or place.path.rstrip("/").endswith("/wp-json"):
        base = address if place.query else address.rstrip("/")
    else:
        base = discover(address, tell=lambda _sentence: None)
    if parse(base).scheme != "https" and not parse(base).loopback:
        raise ConfigError(f"the interface of {place.host} is not encrypted", where="SOURCE", todo=_EXPORT)
    if not probe(base).wordpress:
        raise BadAnswer("the interface at this address is not that of WordPress", todo=_EXPORT)
    return base


_EXPORT = "export the site (Tools → Export) and import the file"


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a site."""

    service: WordPressService
    site: WholeSite
    source: ImportSource

    @classmethod
    def of(cls, service: object, source: ImportSource, *, edit: bool) -> _Reading:
        """Begin to read a site; `edit` reads texts as they are stored."""
        if not isinstance(service, WordPressService):
            raise ConfigError(
                "the site's dialect has no way to read records", todo='set `dialect = "wordpress"`'
            )
        return cls(service, WholeSite(service.transport.send, _SAY_NOTHING, edit), source)

    def check_user(self) -> None:
        """Check that the credentials count: to WordPress, a wrong password is a visitor.

        :raises Refused: they do not.
        """
        self.service.identity()

    def items(self) -> Items:
        """Give the site's address, its files, its records, and what is left out."""
        home = self.site.home()
        yield Origin(home)
        parts = urlsplit(home)
        yield Uploads(self.source.media, f"{parts.scheme}://{parts.netloc}")
        names = Names(
            paths_of(self.site.terms("categories"), nested=True),
            paths_of(self.site.terms("tags"), nested=False),
            self.site.people(),
            {},
        )
        for kind in (Kind.PAGE, Kind.POST):
            yield from self._records(kind, names)
        for other in self.site.others():
            sort = _OTHERS.get(other.type, f"type {other.type}")
            yield LeftOut(sort, Place(other.link or home), _NOT_CARRIED)

    def _records(self, kind: Kind, names: Names) -> Items:
        read = 0
        for rows in _in_hundreds(self.site.records(kind)):
            read += len(rows)
            featured = [n for row in rows if isinstance(n := row.get("featured_media"), int) and is_id(n)]
            known = replace(names, pictures=self.site.pictures(featured) if featured else {})
            for row in rows:
                yield self._stored(kind, row, known) if self.site.edit else shown(kind, row, known)
        # A list leaves out the rows that this user may not read, and counts them.
        for _ in range(read, self.site.count(kind)):
            yield LeftOut("hidden", Place(self.source.given), f"this user may not read the {kind}")

    def _stored(self, kind: Kind, row: Row, names: Names) -> Item | LeftOut:
        found = stored(kind, row)
        item = found.item(names, all_statuses=self.source.all_statuses)
        own = self.source.own
        if isinstance(item, LeftOut) or own is None:
            return item
        own.note(item.key, found.record)
        own.names |= dict(_ids(item, found.record, names))
        settings = self.source.settings
        path = own.paths.get((kind, found.record.id), "")
        inner = below(path, settings.content) if settings and path else ""
        return replace(item, path=inner or item.path)


def _ids(item: Item, record: Record, names: Names) -> Iterator[tuple[Name, int]]:
    """Give the ids of the names in an item."""
    for field, known in (("categories", names.categories), ("tags", names.tags)):
        ids = record.fields.get(field, ())
        for number in ids if isinstance(ids, tuple) else ():
            if number in known:
                yield Name(field, known[number]), number
    author = record.fields.get("author")
    if item.author and isinstance(author, int):
        yield Name("author", item.author), author


def _in_hundreds(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while some := list(islice(rows, ROWS)):
        yield some

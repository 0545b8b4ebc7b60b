"""Reads a live WordPress site: pages and posts, with the names of their terms, authors and pictures.

Nothing is written to the site. The password goes to the configured site only, at the address in the
settings. Any other address, from the command line or from a page, is read as a visitor reads it. A visitor
gets only published records, as WordPress shows them.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from shlex import quote
from typing import TYPE_CHECKING

from pressync.app.editors import PATIENCE
from pressync.app.site_schema import read as read_schema
from pressync.client.address import parse
from pressync.client.connect import open_service
from pressync.client.dialects import WORDPRESS
from pressync.client.discovery import discover
from pressync.client.port import ROWS
from pressync.client.probe import probe
from pressync.client.record_json import is_id
from pressync.client.retry import retrying
from pressync.client.terms import DEEPEST_TERM, paths_of
from pressync.config.settings import schema_path
from pressync.content.front_matter.keys import Authors
from pressync.content.front_matter.registered import uploads
from pressync.importing.importers import Importer
from pressync.importing.sources.item import (
    NOT_CARRIED,
    Expected,
    Item,
    LeftOut,
    Note,
    Origin,
    OwnFacts,
    Place,
    or_left_out,
    seen,
)
from pressync.importing.sources.links import Uploads
from pressync.importing.sources.wordpress_record import BLOCK, Names, shown, stored_item
from pressync.model import site_schema
from pressync.model.errors import BadAnswer, ConfigError, Refused, ServiceError
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.model.records import Entry, Name, Record
from pressync.model.web_address import origin_of, path_of, split
from pressync.pull.draft import term_in_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.client.abilities import Other, Row, SiteFacts, WholeSite
    from pressync.client.port import LibraryService
    from pressync.client.terms import Term
    from pressync.importing.sources.item import ImportSource, Items, KnownFile, OwnSite

SIGN = "an address that begins with https://"
# The names by which people know these types of WordPress; any other is named by its type.
_OTHERS = {
    "comment": "comment",
    "comment on hold": "comment that waits for moderation",
    "nav_menu_item": "menu item",
    "wp_navigation": "menu",
    "wp_block": "pattern",
}
_BLOCKS = (
    "The site has texts of the block editor. With `blocks = true` in the site's settings an edit keeps them "
    "blocks: set it, and import again."
)


def recognises(source: ImportSource) -> bool:
    """Tell whether the source is an address."""
    return source.path is None and source.given.startswith(("https://", "http://"))


def items(source: ImportSource) -> Items:
    """Read a site from its address, or from that of its interface.

    :raises ConfigError: the address is not one of https or of this machine, or the site cannot be read.
    """
    if source.path is not None:
        raise ConfigError(f"this is not {SIGN}", where=source.given, todo="write the whole address")
    read, unread = 0, ""
    try:
        for each in _items(source):
            read += isinstance(each, Item)
            if isinstance(each, Note) and each.text.startswith(_UNREAD):
                unread = f". Before that: {each.text.removesuffix(f'. {_WITHOUT}')}"
            yield each
    except ServiceError as error:
        how_far = f" ({read} pages and posts were read before, and nothing was written)" if read else ""
        how_far += unread
        again = "import again when the site answers"
        # The settings need not name a site.
        todo = error.todo.replace("check `url`", "check the address") or again
        raise ConfigError(f"{error.what}{how_far}", where=source.given, todo=todo) from error


def _items(source: ImportSource) -> Items:
    own = source.own
    # The settings say of the configured address what there is. Such a site may show visitors nothing.
    base = source.given if own is not None and own.is_at(source.given) else interface_of(source.given)
    own = own if own is not None and own.is_at(base) else None
    visited = partial(open_service, base, dialect=WORDPRESS.name, types=source.types)
    with closing(visited()) if own is None else own.connect() as service:
        facts, library, accounts = service.facts, service.library, service.accounts
        if facts is None or library is None or accounts is None:
            what = f"the {service.name} interface does not show how to read records"
            raise ConfigError(what, where="SOURCE", todo=f"set `{WORDPRESS.setting}`")
        if facts.is_user:
            # To WordPress, a wrong password is a visitor. This call fails without valid credentials.
            accounts.identity()
        schema, types, told = _schema(facts, source, own)
        yield from told
        site = facts.everything(source.retry, types)
        # What is only counted is not waited for as long.
        others = facts.everything(replace(source.retry, patience=PATIENCE), types).others()
        yield from _Reading(site, others, library, source, own, schema).items()


def _schema(
    facts: SiteFacts, source: ImportSource, own: OwnSite | None
) -> tuple[tuple[str, str] | None, SiteTypes, tuple[Note, ...]]:
    """Read the types of the site, if nobody has committed its schema, and if no other site is configured.

    Gives the path and the text of its file, its kinds, and what it lacks. The rights of a type are in a
    schema that an editor has read.
    """
    settings = source.settings
    if settings is None or settings.site_schema or not (facts.is_user if own else settings.site.url is None):
        return None, source.types, ()
    # A person waits, and the pages can be read without it. A site that is away is waited for below.
    retry = replace(source.retry, patience=PATIENCE)
    try:
        schema, told = retry.run(
            lambda: read_schema(facts, settings.site.types, visitor=not facts.is_user), harmless=True
        )
        types = site_schema.site_types(schema, settings.site.types, where=source.given)
    except (ServiceError, ConfigError) as error:
        return None, source.types, (Note(f"{_UNREAD}: {error.what}. {_WITHOUT}"),)
    if not site_schema.has_more_than_stock(schema):
        return None, source.types, tuple(map(Note, told))
    return (schema_path(settings.site.name), site_schema.encode(schema)), types, tuple(map(Note, told))


_UNREAD = "The types and fields of the site cannot be read"
_WITHOUT = "Pages and posts are imported without them; `pressync schema site` asks again."


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
    seen = probe(base)
    if seen.is_closed:
        raise BadAnswer(f"GET {seen.asked}: {seen.status}; {seen.wordpress}", todo=_OWN)
    if not seen.wordpress:
        raise BadAnswer("the interface at this address is not that of WordPress", todo=_EXPORT)
    return base


_EXPORT = "export the site (Tools → Export) and import the file"
_OWN = f"name the site with a user in pressync.toml (`pressync init` writes it), or {_EXPORT}"


@dataclass(slots=True)
class _Reading:
    """One reading of a site; `own` is the configured site, if it is this one, and `schema` is as in `Origin`.

    `others` are the records that are only counted. `seen`, `conflicts` and `names` become its `OwnFacts`.
    `has_blocks` tells of a text of the block editor. `hidden` are the types and taxonomies that the schema
    has, and that the site does not show. `logins` are those of users, by id, where settings name users.
    """

    site: WholeSite
    others: Iterator[Other]
    library: LibraryService
    source: ImportSource
    own: OwnSite | None
    schema: tuple[str, str] | None
    seen: dict[str, Entry] = field(default_factory=dict)
    conflicts: dict[str, Entry] = field(default_factory=dict)
    names: dict[Name, int] = field(default_factory=dict)
    has_blocks: bool = False
    hidden: list[str] = field(default_factory=list)
    logins: Mapping[int, str] = field(default_factory=dict)

    def items(self) -> Items:
        """Give the site's address, its files, its records, and what is left out."""
        home = self.site.home()
        yield Origin(home, self.schema, self.site.types)
        if self._names_a_page(path_of(home)):
            part = quote(path_of(self.source.given))
            yield Note(
                f"{self.source.given} is one address of {home}. The whole site was read; `--under {part}` "
                "imports what is below it."
            )
        uploads = Uploads(self.source.media, origin_of(home))
        yield uploads
        terms: dict[str, Mapping[int, str]] = {}
        for field_, taxonomy in self.site.types.taxonomies.items():
            found: list[Term] = []
            with self._if_shown(field_):
                found = self.site.terms(taxonomy)
            terms[field_] = paths_of(found, nested=taxonomy.hierarchical)
            if lost := len({term.id for term in found} - terms[field_].keys()):
                said = f"{taxonomy.name.capitalize()} below more than {DEEPEST_TERM} others"
                yield Note(f"{said}: {lost}. No file has them.")
        names = Names(terms, people := self.site.people(), {})
        if self.own and self.site.edit and self.source.settings and self.source.settings.authors:
            self.logins = retrying(self.library, self.source.retry).logins(people)
        counts: dict[Kind, int] = {}
        for kind in self.site.types.kinds:
            with self._if_shown(kind):
                counts[kind] = self.site.count(kind)
        yield Expected(sum(counts.values()))
        for kind, count in counts.items():
            yield from self._records(kind, count, names)
        yield from self._notes()
        if self.own and self.site.edit:
            copied = uploads.path_of if self.source.media else None
            yield OwnFacts(self.seen, conflicts=self.conflicts, names=self.names, copied=copied)
        try:
            for other in self.others:
                sort = _OTHERS.get(other.type, f"type {other.type}")
                yield LeftOut(sort, Place(other.link or home), NOT_CARRIED)
        except ServiceError as error:
            what = "Comments, menus and records of other types cannot all be counted"
            yield Note(f"{what}: {error.what}")

    def _notes(self) -> Iterator[Note]:
        if self.has_blocks and not (self.source.settings and self.source.settings.site.blocks):
            yield Note(_BLOCKS)
        if self.hidden:
            yield Note(f"The schema has what this site does not show: {', '.join(self.hidden)}.")
        if self.conflicts:
            what = f"Edited here and on the site: {len(self.conflicts)}, such as {min(self.conflicts)}"
            todo = "`pressync pull` merges the edits of the site into them"
            yield Note(f"{what}. The files stay as they are; {todo}.")

    @contextmanager
    def _if_shown(self, name: str) -> Iterator[None]:
        """Read a part of the site; a type or a taxonomy that only the schema has may not be there."""
        try:
            yield
        except Refused:
            if name in {*DOCUMENTED_TYPES.kinds, "categories", "tags"}:
                raise
            self.hidden.append(name)

    def _names_a_page(self, home: str) -> bool:
        """Tell whether the address is neither that of the site nor that of its interface."""
        if self.own and self.own.is_at(self.source.given):
            return False
        given = split(self.source.given)
        path = path_of(self.source.given).rstrip("/").removesuffix("/wp-json")
        return path != home.rstrip("/") and not (given and "rest_route" in given.query)

    def _records(self, kind: Kind, count: int, names: Names) -> Items:
        read = 0
        held = self.own.known() if self.own and self.site.edit else {}
        # The pictures of so many rows are one request.
        records = self.site.records(kind)
        while rows := list(islice(records, ROWS)):
            read += len(rows)
            files = [n for row in rows for n in _file_ids(kind, row) if isinstance(n, int) and is_id(n)]
            known = replace(names, pictures=self.site.pictures(files) if files else {})
            for row in rows:
                try:
                    place = Place(str(row.get("link") or self.source.given))
                    if self.site.edit:
                        yield or_left_out(place, self._stored, kind, row, known, held)
                    else:
                        yield or_left_out(place, self._shown, kind, row, known)
                except BadAnswer as error:
                    # A plugin can break one record. The others do not have to wait for it.
                    yield LeftOut("broken record", Place(self.source.given), error.what)
        # A list leaves out the rows that this user may not read, and counts them. Somebody may have deleted
        # records while it was read.
        for _ in range(read, min(count, self.site.count(kind)) if read < count else read):
            yield LeftOut("hidden", Place(self.source.given), f"this user may not read the {kind}")

    def _shown(self, kind: Kind, row: Row, names: Names) -> Item | LeftOut:
        return shown(self.site.record(kind, row), row, names)

    def _stored(
        self, kind: Kind, row: Row, names: Names, files: Mapping[tuple[Kind, int], KnownFile]
    ) -> Item | LeftOut:
        record = self.site.record(kind, row)
        item = stored_item(record, names, all_statuses=self.source.all_statuses)
        if isinstance(item, LeftOut) or self.own is None:
            return item
        self.names |= dict(_ids(item, record, names))
        item = self._as_files_say(item, record)
        self.has_blocks |= BLOCK in item.body
        file, settings = files.get((record.kind, record.id)), self.source.settings
        is_current = file is not None and file.is_current(record)
        if not is_current:
            self.seen[item.key] = seen(record)
        if file is not None and (conflict := file.conflict(record)):
            self.conflicts[file.path] = conflict
        return file.of(item, settings.content if settings else "", is_current=is_current) if file else item

    def _as_files_say(self, item: Item, record: Record) -> Item:
        """Give an item of the own site the names that files have for its terms and its author."""
        settings, user = self.source.settings, record.fields.get("author")
        if settings is None or not (settings.authors or settings.terms):
            return item

        def words(of: str, paths: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(term_in_files(of, path, settings) or path for path in paths)

        authors, author = Authors(settings.authors), item.author
        number = user if isinstance(user, int) else 0
        login = self.logins.get(number, "")
        name = authors.name_of(login, number)
        # A displayed name in the table would mean somebody else.
        if login and name and (name != login or authors.has(author)):
            author = name
            self.names[Name("author", login)] = number
        own = {of: words(of, item.fields[of]) for of in self.site.types.taxonomies if of in item.fields}
        return replace(
            item,
            author=author,
            categories=words("categories", item.categories),
            tags=words("tags", item.tags),
            fields={**item.fields, **own},
        )


def _file_ids(kind: Kind, row: Row) -> Iterator[object]:
    """Give the ids of uploads that a record names."""
    yield row.get("featured_media")
    for each in kind.row.body:
        objects = row.get(each.inside) if each.has_files else None
        if isinstance(objects, dict):
            yield from uploads(each.schema, objects.get(each.key))


def _ids(item: Item, record: Record, names: Names) -> Iterator[tuple[Name, int]]:
    for name, known in names.terms.items():
        ids = record.fields.get(name, ())
        for number in ids if isinstance(ids, tuple) else ():
            if number in known:
                yield Name(name, known[number]), number
    author = record.fields.get("author")
    if item.author and isinstance(author, int):
        yield Name("author", item.author), author


IMPORTER = Importer(recognises, items)

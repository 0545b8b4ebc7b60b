"""The records between a source of an import and the files that the import writes.

Every tool has an importer, and there is one writer of files. So an item says everything that a file needs,
and nothing of the tool that it came from. An importer yields an item for each thing that pressync can carry,
and a `LeftOut` for each other thing, because the account must name all of them. The source may be the site to
which the repository is synced: `OwnSite` says so, and `OwnFacts` are what an importer finds out about it.
"""

from __future__ import annotations

import posixpath

# `msgspec` looks up the types of an item when it reads the item back, so it needs these names.
from collections.abc import Iterator, Mapping  # noqa: TC003
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from urllib.parse import unquote

from msgspec import structs

from pressync.client.address import parse
from pressync.client.retry import READS
from pressync.content.sources import below
from pressync.model.errors import ConfigError
from pressync.model.fingerprint import fingerprints
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.model.printable import one_line
from pressync.model.records import Medium
from pressync.sync import echo, field_comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pressync.client.abilities import Uploaded
    from pressync.client.port import Service
    from pressync.client.retry import Retry
    from pressync.config.settings import Settings
    from pressync.model.records import Entry, Name, Record

Given = ParamSpec("Given")
Made = TypeVar("Made")
# The errors of a value that is not of the kind that everybody writes there.
ODD = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_LONGEST_REASON = 200
# The characters that stay in an address.
SAFE = "/:@!$&'()*+,;=~-._"
NOT_CARRIED = "pressync carries pages, posts, and the types of the schema that `pressync schema site` reads"


class Form(StrEnum):
    """The language of a body.

    `HTML` is HTML as a reader gets it. `BLOCKS` is the text that WordPress stores: with the comments of the
    block editor, or without paragraphs as the classic editor leaves it.
    """

    MARKDOWN = "markdown"
    HTML = "html"
    BLOCKS = "blocks"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the source: a file or an address, and a line if it is known."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        """Write it like a compiler does."""
        return f"{self.path}:{self.line}" if self.line else self.path

    def below(self, rows: int) -> Place:
        """Give the place so many lines further down."""
        return Place(self.path, self.line + rows if self.line else 0)


@dataclass(frozen=True, slots=True)
class Remainder:
    """A part of an item that stays verbatim or is missing, like `shortcode figure` or `liquid include`."""

    kind: str
    place: Place
    text: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A thing of the source that the import does not carry, like `comment`, `revision` or `draft`.

    `address` is its old address from the root of the host, if it has one. `is_wanted` says that a person has
    asked for it. `leads_to` is where a redirect led: an old address, or that of another host.
    """

    kind: str
    place: Place
    why: str
    address: str = ""
    is_wanted: bool = False
    leads_to: str = ""


# Why a redirect is not a page.
REDIRECT = (
    "it only leads to another page, whose `aliases` have its address; if it led to another host, "
    "addresses.csv has the target"
)


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the account, about the source as a whole."""

    text: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The source as a whole: its public address (`https://example.org/blog`), "" if it names none.

    `schema` is that of a site as the path and the text of its file, which nobody has committed yet, and
    `types` are its kinds.
    """

    address: str
    schema: tuple[str, str] | None = None
    types: SiteTypes | None = None


@dataclass(frozen=True, slots=True)
class ContentRoot:
    """A folder of the source with pages: each of them is an item, or left out, or `is_part` of other pages.

    The import compares the folder with everything that the importer yields, and names the pages in between.
    """

    folder: str
    is_part: Callable[[str], bool] = lambda _path: False


@dataclass(frozen=True, slots=True)
class Expected:
    """How many items a source says that it has, for people who wait."""

    count: int


@dataclass(frozen=True, slots=True)
class Item:
    """One page or post of a source.

    `key` is unique in the source, and `parent` is such a key. `path` is the wanted file below the content
    folder; if it is empty, the parents and the slug give the path. `address` is the old address from the root
    of the host, as are `aliases`. A date has its offset if the source knows the moment. `fields` are further
    keys of front matter, and `uploads` are the addresses of the files whose ids are inside of their values.
    The file of an item that `is_current` says what the source says: it is not written, because people may
    have edited it. Nobody knows this of one that `is_unsent`: its file was bound to a record, and stays if it
    says other things. `heading_ids` is the tool's way to make ids of headings, "" for the renderer's.
    """

    key: str
    kind: Kind
    place: Place
    path: str = ""
    address: str = ""
    aliases: tuple[str, ...] = ()
    title: str = ""
    slug: str = ""
    date: str = ""
    modified: str = ""
    status: str = ""
    excerpt: str = ""
    author: str = ""
    parent: str = ""
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    order: int | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    heading_ids: str = ""
    form: Form = Form.MARKDOWN
    remainders: tuple[Remainder, ...] = ()
    id: int | None = None
    uploads: Mapping[int, str] = field(default_factory=dict)
    is_current: bool = False
    is_unsent: bool = False


class SourceFiles:
    """The files of a source that bodies can link to, like pictures. An importer yields them first."""

    def __init__(self) -> None:
        self._copies: dict[str, Path] = {}

    def file_of(self, address: str) -> str | None:
        """Give the path below the content folder for a file at an old address from the root of the host.

        It is None for an address without such a file. A file that was asked for is copied. Percent signs in
        the address are decoded or not.
        """
        raise NotImplementedError

    def copies(self) -> list[tuple[str, Path]]:
        """Give the files that were asked for: the path below the content folder, and the file to copy."""
        return sorted(self._copies.items())

    def stay(self, address: str) -> None:
        """Note the address of a file that stays in a text, so that people can copy the file by hand."""

    def missing(self) -> list[str]:
        """Give the addresses that stay in texts, and should have a file of the new site."""
        return []


# The ends of the address of the interface, after the address of the site.
_INTERFACES = ("/wp-json", "/?rest_route=/", "/index.php?rest_route=/")


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file of the work tree that has a record: its entry, its path now, and the blob id of its text."""

    entry: Entry
    path: str
    blob: str

    @property
    def is_edited(self) -> bool:
        """Whether somebody has edited or renamed the file since it was synced; no import overwrites it."""
        return self.path != self.entry.path or (not self.is_unsent and self.blob != self.entry.blob)

    @property
    def is_unsent(self) -> bool:
        """Whether no sync has sent the file yet: somebody said that the record is that of the file."""
        return not self.entry.fingerprints

    def is_current(self, record: Record) -> bool:
        """Tell whether the file stays: somebody has edited it, or the site has exactly what was sent."""
        if self.is_edited:
            return True
        entry = self.entry
        is_as_sent = not self.is_unsent and "content" not in entry.changed_by_service
        return is_as_sent and not entry.conflict and not field_comparison.edits(entry, record)

    def of(self, item: Item, content: str, *, is_current: bool) -> Item:
        """Give an item this file, which may have been renamed; `content` is the content folder."""
        path = below(self.path, content) if content else ""
        return replace(item, path=path, is_current=is_current, is_unsent=self.is_unsent)

    def conflict(self, record: Record) -> Entry | None:
        """Give the entry with what others edited in the record of a file that somebody edited here."""
        edits = field_comparison.edits(self.entry, record) if self.is_edited else {}
        return structs.replace(self.entry, conflict=edits) if edits else None


@dataclass(frozen=True, slots=True)
class OwnSite:
    """The site that the repository is synced to.

    `connect` opens it with its credentials, if there are any. `known` gives the files that
    have a record already. `not_ours` says of records without a file which ones are not for this repository:
    the kind of the reason, and the reason. `retry` says how a read is repeated.
    """

    url: str
    connect: Callable[[], AbstractContextManager[Service]]
    known: Callable[[], Mapping[tuple[Kind, int], KnownFile]] = dict
    not_ours: Callable[[Collection[tuple[Kind, int]]], Mapping[tuple[Kind, int], tuple[str, str]]] = (
        lambda _records: {}
    )
    retry: Retry = READS

    def is_at(self, url: str) -> bool:
        """Tell whether this is the interface of the site; the scheme and the host decide as well."""
        here, there = _comparable(self.url), _comparable(url)
        return here is not None and here == there

    def is_exported_from(self, home: str) -> bool:
        """Tell whether an export that names this address of a site is one of this site."""
        return bool(home) and any(self.is_at(f"{home.rstrip('/')}{end}") for end in _INTERFACES)


@dataclass(frozen=True, slots=True)
class OwnFacts:
    """An importer yields this if the own site is its source: the facts that it found out about the site.

    `seen` has each record by the key of its item; of its text only the fingerprint is kept. `changed` are the
    records that are newer than their items, whose text is a conflict. `conflicts` are the records whose files
    are edited, too: the entry with what the site has, by the path of the file. `names` are the ids of terms
    and people, and `library` are the files of the site; `copied` gives the path of one that texts ask for.
    """

    seen: Mapping[str, Entry] = field(default_factory=dict)
    changed: Mapping[str, Record] = field(default_factory=dict)
    conflicts: Mapping[str, Entry] = field(default_factory=dict)
    names: Mapping[Name, int] = field(default_factory=dict)
    library: tuple[Uploaded, ...] = ()
    copied: Callable[[str], str | None] | None = None

    def media(self, folder: str, blobs: Mapping[str, str], known: Mapping[str, Medium]) -> list[Medium]:
        """Give the files of the library that were copied below a folder; `blobs` are the ids by path.

        A file that the manifest knows already stays as it is while the library has it: pressync may have
        uploaded it, or the library has the same bytes twice.
        """
        found: dict[str, Medium] = {}
        here = {picture.id for picture in self.library}
        for picture in self.library if self.copied else ():
            inner = self.copied(picture.link) if self.copied else None
            path = posixpath.join(folder, inner or "")
            if inner and (blob := blobs.get(path)) and (blob not in known or known[blob].id not in here):
                found.setdefault(blob, Medium(blob, path, picture.id, picture.link, foreign=True))
        return list(found.values())


def seen(record: Record) -> Entry:
    """Give what the site has for an item, without a path."""
    return echo.of_record("", record, "", fingerprints(record.fields))


def _comparable(url: str) -> tuple[object, ...] | None:
    try:
        address = parse(url)
    except ConfigError:
        return None
    return address.origin, address.path.rstrip("/"), address.query


@dataclass(frozen=True, slots=True)
class ImportSource:
    """The thing to import: a file or folder at `path`, or else an address.

    `given` is the text that a person typed. `media` is a copy of the source's files, if there is one. `own`
    is the configured site, which may be the source; an importer that finds this out yields its `OwnFacts`.
    `retry` says how a read of a site is repeated. A `lenient` importer leaves out an item of an export that
    cannot be read.
    """

    given: str
    path: Path | None = None
    all_statuses: bool = False
    media: Path | None = None
    settings: Settings | None = None
    own: OwnSite | None = None
    retry: Retry = READS
    lenient: bool = False

    @property
    def types(self) -> SiteTypes:
        """The kinds of the site that the files are for."""
        return self.settings.types if self.settings else DOCUMENTED_TYPES

    @property
    def name(self) -> str:
        """The name of the source in the account, which is the same in every clone."""
        return self.path.resolve().name if self.path is not None else self.given


def last_part(address: str) -> str:
    """Give the last part of an address as people read it, without the ending of a page."""
    return posixpath.basename(unquote(address).rstrip("/")).removesuffix(".html")


def or_left_out(
    place: Place, make: Callable[Given, Made], *given: Given.args, **named: Given.kwargs
) -> Made | LeftOut:
    """Give what a function makes of one thing of the source, or leave out that thing.

    Any value of a source can be of any kind, because a stranger may have written it. One such value must not
    stop the other thousand things.
    """
    try:
        return make(*given, **named)
    except ODD as error:
        return LeftOut("unreadable item", place, why_odd(error))


def why_odd(error: Exception) -> str:
    """Say why a thing of the source cannot be read."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, OverflowError):
        return "a number in it is too large"
    return f"a value in it is not what it should be ({one_line(str(error))[:_LONGEST_REASON]})"


if TYPE_CHECKING:
    Imported = Item | LeftOut | Note | Origin | ContentRoot | Expected | OwnFacts | SourceFiles
    Items = Iterator[Imported]

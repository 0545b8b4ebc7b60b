"""Reads the JSON export of Ghost: posts, pages, tags and authors.

Ghost exports the tables of its database as one JSON document, with the HTML of each text. Only the members
that are needed are read, so the rest of a large export takes no memory. Ghost writes its own address as
`__GHOST_URL__`, which is the root here.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

from pressync.importing.importers import Importer
from pressync.importing.sources.item import (
    SAFE,
    Form,
    Item,
    LeftOut,
    Note,
    Origin,
    Place,
    Remainder,
    last_part,
    or_left_out,
)
from pressync.importing.sources.links import FolderFiles
from pressync.importing.sources.source_tree import SourceTree, dated, iso
from pressync.model.bounds import MIB
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind
from pressync.model.printable import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pressync.importing.sources.item import ImportSource, Items


SIGN = "a .json file that Ghost exported"
_HEAD = 64 * 1024
_SIGNATURE = re.compile(
    rb'"meta"\s*:\s*\{[^{}]{0,200}"exported_on"|"exported_on"[^{}]{0,200}\}\s*,\s*"data"\s*:'
)
_LARGEST = 512 * MIB
_URL = "__GHOST_URL__"
_INTERNAL = "internal"
_FILES = "/content"
_PARTS = ("year", "month", "day")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CARD = re.compile(r"<!--\s*kg-card-(?:begin|end)(?::[^>]{0,100})?-->\n?")
# The address of a smaller size of a picture, which means the original here.
_SIZES = re.compile(r"(/content/images)/size/w\d{1,5}(?:h\d{1,5})?(?:/format/\w{1,10})?(?=/)")
_STATUSES = {"published": "", "scheduled": "future", "draft": "draft"}
_PERMALINK = "/{slug}/"
_PLACE = re.compile(r"[:{](slug|year|month|day|primary_tag|primary_author|author|id)\}?")
_Id = str | int | None


class _Post(msgspec.Struct, frozen=True):
    """A row of the table of posts, as far as it is carried."""

    id: _Id = None
    title: str | None = None
    slug: str | None = None
    html: str | None = None
    status: str | None = None
    type: str | None = None
    page: bool | int | None = None
    visibility: str | None = None
    featured: bool | int | None = None
    feature_image: str | None = None
    image: str | None = None
    custom_excerpt: str | None = None
    published_at: str | int | None = None
    updated_at: str | int | None = None
    author_id: _Id = None
    canonical_url: str | None = None
    codeinjection_head: str | None = None
    codeinjection_foot: str | None = None


class _Named(msgspec.Struct, frozen=True):
    id: _Id = None
    name: str | None = None
    slug: str | None = None
    visibility: str | None = None


class _Pair(msgspec.Struct, frozen=True):
    post_id: _Id = None
    tag_id: _Id = None
    author_id: _Id = None
    sort_order: int | None = None


class _Meta(msgspec.Struct, frozen=True):
    post_id: _Id = None
    feature_image_alt: str | None = None
    feature_image_caption: str | None = None


class _Setting(msgspec.Struct, frozen=True):
    key: str | None = None
    value: str | int | float | bool | None = None


class _Data(msgspec.Struct, frozen=True):
    posts: list[msgspec.Raw] = []
    tags: list[_Named] = []
    users: list[_Named] = []
    posts_tags: list[_Pair] = []
    posts_authors: list[_Pair] = []
    posts_meta: list[_Meta] = []
    settings: list[_Setting] = []


class _Database(msgspec.Struct, frozen=True):
    data: _Data


class _Export(msgspec.Struct, frozen=True):
    db: list[_Database] | None = None
    data: _Data | None = None


def recognises(source: ImportSource) -> bool:
    """Tell whether a file has the name of JSON, and begins as an export of Ghost does."""
    path = source.path
    if path is None or not path.is_file() or not path.name.lower().endswith(".json"):
        return False
    with path.open("rb") as opened:
        return bool(_SIGNATURE.search(opened.read(_HEAD)))


def items(source: ImportSource) -> Items:
    """Give the pages and posts of an export. The folder of `--media` is a copy of Ghost's `content/images`.

    :raises ConfigError: it cannot be read, or is not an export.
    """
    if source.path is None or not source.path.is_file():
        raise ConfigError(f"this is not {SIGN}", where=source.given, todo="name the file")
    data = _read(source.path, source.given)
    yield Origin("")
    files: dict[str, Path] = {}
    if source.media:
        # People also copy the folder around it, which has films and documents as well.
        is_whole = (source.media / "images").is_dir()
        files = SourceTree(source.media).served("", _FILES if is_whole else f"{_FILES}/images")
    yield FolderFiles(files, below=f"{_FILES}/")
    export = _Tables.of(data, all_statuses=source.all_statuses)
    for number, raw in enumerate(data.posts, 1):
        place = Place(f"{source.path.name} post {number}")
        yield or_left_out(place, export.item, raw, place)
    hidden = sorted({tag.name or "" for tag in data.tags if tag.visibility == _INTERNAL})
    if hidden:
        yield Note(f"Internal tags, which readers do not see: {listed(hidden)}. No file has them.")


def _read(path: Path, given: str) -> _Data:
    todo = "export it again: Settings, Import/Export, Export content"
    if (size := path.stat().st_size) > _LARGEST:
        what = f"it has {size // MIB} MiB, and an export has at most {_LARGEST // MIB} MiB"
        raise ConfigError(what, where=given)
    try:
        export = msgspec.json.decode(path.read_bytes(), type=_Export)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ConfigError(f"it is not an export of Ghost: {why}", where=given, todo=todo) from None
    found = export.db[0].data if export.db else export.data
    if found is None:
        raise ConfigError("it is not an export of Ghost: it has no data", where=given, todo=todo)
    return found


@dataclass(frozen=True, slots=True)
class _Tables:
    """The names and the settings of an export, by the ids of posts."""

    tags: Mapping[_Id, Sequence[_Named]]
    authors: Mapping[_Id, Sequence[_Named]]
    users: Mapping[_Id, _Named]
    meta: Mapping[_Id, _Meta]
    permalink: str
    all_statuses: bool

    @classmethod
    def of(cls, data: _Data, *, all_statuses: bool) -> _Tables:
        """Read the tables of names."""
        tags, users = ({each.id: each for each in table} for table in (data.tags, data.users))
        settings = {each.key: each.value for each in data.settings}
        return cls(
            _by_post(data.posts_tags, lambda pair: tags.get(pair.tag_id)),
            _by_post(data.posts_authors, lambda pair: users.get(pair.author_id)),
            users,
            {each.post_id: each for each in data.posts_meta},
            str(settings.get("permalinks") or _PERMALINK),
            all_statuses,
        )

    def item(self, raw: msgspec.Raw, place: Place) -> Item | LeftOut:
        """Give the item of a row of the table of posts."""
        post = msgspec.json.decode(raw, type=_Post, strict=False)
        place = Place(f"{place.path} ({post.slug or post.id})")
        kind = Kind.PAGE if post.type == "page" or post.page else Kind.POST
        status = post.status or "draft"
        if status not in _STATUSES:
            return LeftOut(f"status {status}", place, "it was sent by mail, and has no page")
        if status == "draft" and not self.all_statuses:
            return LeftOut("draft", place, "it is not public; `--all-statuses` imports drafts, too")
        if not post.html:
            why = "the export has no HTML of it; open it in Ghost and save it, and export again"
            address = "" if status == "draft" else self._address(post, kind)
            return LeftOut("text without HTML", place, why, address)
        date, lost = dated(_date(post.published_at), place)
        # Members paid for it. As a public post, everybody would read it.
        is_private = status == "published" and post.visibility not in {None, "public"}
        image = _SIZES.sub(r"\1", (post.feature_image or post.image or "").replace(_URL, ""))
        first = self.users.get(post.author_id)
        named = self.authors.get(post.id) or ([first] if first else [])
        tags = (tag.name for tag in self.tags.get(post.id, ()) if tag.visibility != _INTERNAL)
        authors = (each.name for each in named if each.name)
        is_post = kind == Kind.POST
        return Item(
            key=f"{kind} {post.id}",
            kind=kind,
            place=place,
            path=posixpath.join(kind.row.folder, f"{post.slug or post.id}.md"),
            address="" if status == "draft" else self._address(post, kind),
            title=post.title or "",
            slug=last_part(post.slug or ""),
            date=date if status != "draft" else "",
            modified=iso(_date(post.updated_at)),
            status="private" if is_private else _STATUSES[status],
            excerpt=post.custom_excerpt or "",
            author=next(authors, ""),
            tags=tuple(filter(None, tags)) if is_post else (),
            fields={
                **({"featured_media": image} if image else {}),
                **({"sticky": True} if post.featured and is_post else {}),
            },
            body=_SIZES.sub(r"\1", _CARD.sub("", post.html or "").replace(_URL, "")),
            form=Form.HTML,
            remainders=(*_lost(post, place), *self._lost(post, kind, named[1:], place), *lost),
        )

    def _lost(self, post: _Post, kind: Kind, further: Sequence[_Named], place: Place) -> Iterator[Remainder]:
        """Name what other tables say of a post, and no file can have."""
        meta = self.meta.get(post.id, _Meta())
        tags = (tag for tag in self.tags.get(post.id, ()) if tag.visibility != _INTERNAL)
        for name, texts in (
            ("further author", [each.name for each in further]),
            ("tag of a page", [tag.name for tag in tags if kind == Kind.PAGE]),
            ("text of the featured picture", [meta.feature_image_alt, meta.feature_image_caption]),
        ):
            if given := [text for text in texts if text]:
                yield Remainder(name, place, ", ".join(given))

    def _address(self, post: _Post, kind: Kind) -> str:
        """Give the old address of a post; "" if it has a date that cannot be read."""
        pattern = _PERMALINK if kind == Kind.PAGE else self.permalink
        day = _date(post.published_at)[:10]
        values = dict(zip(_PARTS, day.split("-"), strict=False))
        if not _DAY.fullmatch(day) and {found[1] for found in _PLACE.finditer(pattern)} & {*_PARTS}:
            return ""
        tag, author = (next(iter(names.get(post.id, ())), None) for names in (self.tags, self.authors))
        values |= {"slug": post.slug or "", "id": str(post.id)}
        values["primary_tag"] = (tag.slug if tag else None) or "all"
        values["author"] = values["primary_author"] = (author.slug if author else None) or "all"
        return quote(_PLACE.sub(lambda found: values.get(found[1], found[0]), pattern), safe=SAFE)


def _lost(post: _Post, place: Place) -> Iterator[Remainder]:
    """Name what a file does not say of a post, or says otherwise."""
    if post.visibility not in {None, "public"}:
        yield Remainder("for members only", place, str(post.visibility))
    if post.canonical_url:
        yield Remainder("canonical address", place, post.canonical_url)
    if post.codeinjection_head or post.codeinjection_foot:
        yield Remainder("code for this page alone", place)


def _by_post(pairs: Sequence[_Pair], named: Callable[[_Pair], _Named | None]) -> dict[_Id, list[_Named]]:
    found: dict[_Id, list[_Named]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.sort_order or 0):
        if (each := named(pair)) is not None:
            found.setdefault(pair.post_id, []).append(each)
    return found


def _date(value: str | int | None) -> str:
    """Give a date as text; older exports have milliseconds."""
    if isinstance(value, int):
        return dt.datetime.fromtimestamp(value / 1000, dt.UTC).isoformat()
    return value or ""


IMPORTER = Importer(recognises, items)

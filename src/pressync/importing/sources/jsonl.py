"""Reads JSON lines: what any program says of its pages and posts, one object a line.

Nobody can write an importer for every tool, and twenty lines of anybody's script can print JSON. So a line
has few members that must be there, and a bad line is left out with its number and does not stop the rest.
"""

from __future__ import annotations

import posixpath
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import msgspec

from pressync.content.front_matter.value import read_date
from pressync.importing.importers import Importer
from pressync.importing.sources.item import (
    SAFE,
    Form,
    Item,
    LeftOut,
    Origin,
    Place,
    Remainder,
    last_part,
    or_left_out,
)
from pressync.importing.sources.links import FolderFiles
from pressync.importing.sources.source_tree import SourceTree
from pressync.model.bounds import MIB, PAGE
from pressync.model.errors import ConfigError
from pressync.model.interface import TREE_KIND, SiteTypes
from pressync.model.web_address import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pressync.importing.sources.item import ImportSource, Items

_ENDINGS = (".jsonl", ".ndjson", ".json")
_EXPORT = "import.json"
_LONGEST = 2 * PAGE.most  # JSON writes some characters with two or six
# A file must not have these: a password is a secret, and an id belongs to another site.
_NEVER = frozenset({"password", "id"})
_Texts = tuple[str, ...] | str | None


class Line(msgspec.Struct, frozen=True):
    """The members of a line, as `pressync schema import` describes them; null is as good as nothing."""

    kind: str = "page"
    key: str | None = None
    source: str | None = None
    line: int | None = None
    path: str | None = None
    address: str | None = None
    aliases: _Texts = None
    title: str | None = None
    slug: str | None = None
    date: str | None = None
    modified: str | None = None
    status: str | None = None
    excerpt: str | None = None
    author: str | None = None
    parent: str | None = None
    categories: _Texts = None
    tags: _Texts = None
    order: int | None = None
    front_matter: dict[str, Any] | None = None
    body: str | None = None
    form: Form = Form.MARKDOWN
    why: str | None = None


_MEMBERS = frozenset(field.name for field in msgspec.structs.fields(Line))


def recognises(source: ImportSource) -> bool:
    """Tell whether a file has the name of JSON lines and begins with an object; or a folder has one."""
    for file in _files(source.path) if source.path is not None else ():
        with file.open("rb") as opened:
            if opened.read(1000).lstrip(b"\xef\xbb\xbf\r\n\t ").startswith(b"{"):
                return True
    return False


def items(source: ImportSource) -> Items:
    """Give an item for each line of a file, or of all files of a folder.

    The folder of `--media`, else the folder itself, has the pictures of the site at their addresses.

    :raises ConfigError: there is no file, or the first line of a file is not a JSON object.
    """
    files = list(_files(source.path)) if source.path else []
    if not files:
        raise ConfigError("there is no file of JSON lines", where=source.given, todo="name a .jsonl file")
    folder = source.path if source.path and source.path.is_dir() else None
    if folder:
        yield from SourceTree(folder).links()
    if media := source.media or folder:
        yield FolderFiles(SourceTree(media).served("", ""))
    # The host of the site is that of the first whole address of all files.
    origin = ""
    for found in chain.from_iterable(map(_read, files)):
        if isinstance(found, LeftOut):
            yield found
            continue
        line, unfit, place = found
        host = origin_of(line.address or "")
        if not origin and host.startswith(("http:", "https:")):
            origin = f"{host}/"
            yield Origin(origin)
        yield or_left_out(place, _imported, line, place, origin, unfit, source.types)


def _files(path: Path) -> Iterator[Path]:
    """Give the file itself; of a folder, the files of JSON lines at its top and one folder below."""
    if path.is_file():
        yield from [path] if path.name.lower().endswith(_ENDINGS) else []
        return
    for file in sorted(path / inner for inner in SourceTree(path).files() if inner.count("/") <= 1):
        is_named = file.name == _EXPORT or file.name.lower().endswith(_ENDINGS[:2])
        if is_named and file.is_file() and not file.is_symlink():
            yield file


def _read(file: Path) -> Iterator[tuple[Line, dict[str, str], Place] | LeftOut]:
    """Give each line of a file with the reason for each member that it cannot take, and with its place."""
    for number, data in _lines(file):
        place = Place(file.name, number)
        if data is None:
            yield LeftOut("unreadable line", place, f"it is longer than {_LONGEST // MIB} MiB")
            continue
        try:
            raw = msgspec.json.decode(data, type=dict[str, Any])
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            if number == 1 and not data.startswith(b"{"):
                what, todo = "the first line is not a JSON object", "see `pressync schema import`"
                raise ConfigError(what, where=f"{file.name}:1", todo=todo) from None
            yield LeftOut("unreadable line", place, str(error) or "it is nested too deeply")
            continue
        found = or_left_out(place, _converted, raw)
        yield found if isinstance(found, LeftOut) else (*found, place)


def _converted(raw: Mapping[str, Any]) -> tuple[Line, dict[str, str]]:
    """Give a line without the members that it cannot take, and the reason for each of these."""
    fit: dict[str, Any] = {}
    unfit = {name: "it is not known" for name in raw if name not in _MEMBERS}
    for name in _MEMBERS & raw.keys():
        try:
            msgspec.convert({name: raw[name]}, Line)
        except (msgspec.MsgspecError, RecursionError) as error:
            unfit[name] = str(error) or "it is nested too deeply"
        else:
            fit[name] = raw[name]
    return msgspec.convert(fit, Line), unfit


def _lost(unfit: Mapping[str, str], line: Line, place: Place) -> Iterator[Remainder]:
    """Name the members that a line cannot have, and dates that are not dates."""
    for name, why in sorted(unfit.items()):
        yield Remainder(f"member {name}", place, why)
    for name, date in (("date", line.date), ("modified", line.modified)):
        try:
            read_date(date or "2000-01-01")
        except ValueError:
            yield Remainder(name, place, date or "")


def _lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Give the lines that are not blank with their numbers; None for one that is too long."""
    number = 0
    with path.open("rb") as opened:
        while data := opened.readline(_LONGEST + 1):
            number += 1
            is_long = len(data) > _LONGEST
            while is_long and data and not data.endswith(b"\n"):
                data = opened.readline(_LONGEST)
            bare = data.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else data.strip()
            if is_long or bare:
                yield number, None if is_long else bare


def _imported(
    line: Line, place: Place, origin: str, unfit: Mapping[str, str], types: SiteTypes
) -> Item | LeftOut:
    where = Place(line.source, line.line or 0) if line.source else place
    address = _from_root(line.address or "", origin)
    kind = types.by_name.get(line.kind)
    if kind is None:
        why = line.why or f"it is not one of {', '.join(types.kinds)}"
        return LeftOut(line.kind, where, why, address)
    path = line.path or ""
    if not path and kind == TREE_KIND and address and not line.parent:
        inner = unquote(address).strip("/").removesuffix(".html") or "index"
        path = posixpath.join(kind.row.folder, inner) + ".md"
    aliases = [_from_root(alias, origin) for alias in _texts(line.aliases)]
    given = line.front_matter or {}
    fields = {key: value for key, value in given.items() if key not in _NEVER}
    return Item(
        key=line.key or address or line.source or str(place),
        kind=kind,
        place=where,
        path=path,
        address=address,
        aliases=tuple(aliases),
        title=line.title or "",
        slug=line.slug or last_part(address),
        date=line.date or "",
        modified=line.modified or "",
        status=line.status or "",
        excerpt=line.excerpt or "",
        author=line.author or "",
        parent=_from_root(line.parent, origin) if line.parent else "",
        categories=_texts(line.categories),
        tags=_texts(line.tags),
        order=line.order,
        fields=fields,
        body=line.body or "",
        form=line.form,
        remainders=tuple(_lost(unfit, line, place)),
    )


def _texts(value: _Texts) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


def _from_root(address: str, origin: str) -> str:
    """Take the origin from an address, and percent-encode what needs it; other text stays as it is."""
    if origin and f"{address}/".startswith(origin):
        address = f"/{address.removeprefix(origin.rstrip('/')).lstrip('/')}"
    return quote(address, safe=f"{SAFE}%?#")


IMPORTER = Importer(recognises, items)

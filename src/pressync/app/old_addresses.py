"""Reads the addresses that a site had: from its sitemap, from a table of an import, or from a list.

A sitemap comes from a site that somebody else may run. So it is read as a stream with a largest size, and a
document type is refused, because entities can make gigabytes of a kilobyte. An index names further sitemaps
by their addresses; they are read from the folder of the index, because this command downloads nothing.
"""

from __future__ import annotations

import csv
import gzip
import io
import posixpath
import zlib
from dataclasses import dataclass, field
from shlex import quote
from typing import TYPE_CHECKING
from xml.parsers import expat

from pressync.content.sources import IMPORT_FOLDER
from pressync.model.errors import ConfigError
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from urllib.parse import SplitResult

# The protocol of sitemaps allows 50 MB a file; this is the sum of all files.
_LARGEST = 500_000_000
_AT_ONCE = 64 * 1024
_LONGEST = 8_192
# Elements of a sitemap are not nested deeper.
_DEEPEST = 12
_GZIP = b"\x1f\x8b"
# The names that the first column of a table may have.
_NAMES = ("address", "url", "loc", "old")
TABLE = "addresses.csv"


@dataclass(frozen=True, slots=True)
class OldAddress:
    """An address that the site had. `file` is the document that it has become, `to` a person's choice."""

    address: str
    place: str
    file: str = ""
    to: str = ""


def read(file: Path, name: str) -> list[OldAddress]:
    """Read all addresses of a file, each once; `name` is the file's name in messages.

    A folder stands for the tables of imports in it. If two sources have one address, the row counts that
    leads somewhere.

    :raises ConfigError: it cannot be read, it has a document type, or it names no address.
    """
    if file.is_dir():
        tables = [*file.glob(TABLE), *sorted(file.glob(f"*/{TABLE}"))]
        if not tables:
            raise ConfigError(f"it has no {TABLE}", where=name, todo="name a file, or import first")
        rows = [row for table in tables for row in read(table, f"{name}/{table.relative_to(file)}")]
        rows_of = {row.address: row for row in sorted(rows, key=lambda row: (bool(row.to), bool(row.file)))}
        return [rows_of[address] for address in dict.fromkeys(row.address for row in rows)]
    try:
        with file.open("rb") as opened:
            head = opened.read(_AT_ONCE)
        is_xml = head.startswith(_GZIP) or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        rows = list(_Sitemaps().read(file, name) if is_xml else _rows(file, name))
    except OSError as error:
        raise _unreadable(name, error.strerror or str(error)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        todo = "name a sitemap, or a table in UTF-8 with the addresses in its first column"
        raise ConfigError(f"it is neither XML nor a table ({error})", where=name, todo=todo) from error
    for row in rows:
        _split(row.address, row.place)
        _split(row.to, row.place)
    distinct = {row.address: row for row in reversed(rows)}
    if not distinct:
        raise ConfigError("it names no address", where=name, todo="name the sitemap of the old site")
    return [*reversed(distinct.values())]


def folder_of_imports(file: Path) -> Path | None:
    """Give the folder of imports, if a file is the table of one source and another source has one too."""
    if file.name != TABLE:
        return None
    folder = next((parent for parent in file.resolve().parents[:2] if parent.match(IMPORT_FOLDER)), None)
    further = folder is not None and len([*folder.glob(TABLE), *folder.glob(f"*/{TABLE}")]) > 1
    return folder if further else None


def _rows(file: Path, name: str) -> Iterator[OldAddress]:
    """Read a table with a header, like that of an import, or a list with one address a line."""
    rows = csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig"), newline=""))
    header: Mapping[str, int] = {"address": 0}
    for number, row in enumerate(rows, 1):
        lower = [cell.strip().lower() for cell in row]
        first = next((name for name in _NAMES if name in lower), None) if number == 1 else None
        if first:
            header = {"address": lower.index(first)} | {column: at for at, column in enumerate(lower)}
            continue
        cells = {column: row[at].strip() for column, at in header.items() if at < len(row)}
        address = cells.get("address", "")
        if not address or address.startswith("#"):
            continue
        if not address.startswith(("/", "http://", "https://")) or len(address) > _LONGEST:
            raise _no_address(address, f"{name}:{number}")
        yield OldAddress(address, f"{name}:{number}", cells.get("file", ""), cells.get("to", ""))


def _split(address: str, place: str) -> SplitResult:
    parts = split(address)
    if parts is None:
        raise _no_address(address, place)
    return parts


def _no_address(address: str, place: str) -> ConfigError:
    todo = "write it like /about/ or https://example.org/about/"
    return ConfigError(f"'{address[:80]}' is not an address", where=place, todo=todo)


@dataclass
class _Sitemaps:
    """A sitemap, or an index of sitemaps with the files beside it."""

    _left: int = _LARGEST
    _seen: set[str] = field(default_factory=set)

    def read(self, file: Path, name: str) -> Iterator[OldAddress]:
        self._seen.add(file.name)
        for kind, line, address in Locations(name).of(self._parts(file, name)):
            if kind == "url":
                yield OldAddress(address, f"{name}:{line}")
                continue
            part = posixpath.basename(_split(address, f"{name}:{line}").path)
            part_file = file.parent / part
            if part in self._seen or not part:
                continue
            if not part_file.is_file():
                todo = "download it there"
                if address.startswith(("http://", "https://")):
                    todo += f": `curl -O {quote(address)}`"
                raise ConfigError(
                    f"it is an index, and {part} is not beside it", where=f"{name}:{line}", todo=todo
                )
            yield from self.read(part_file, part)

    def _parts(self, file: Path, name: str) -> Iterator[bytes]:
        with file.open("rb") as plain:
            packed = plain.read(2) == _GZIP
            plain.seek(0)
            opened = gzip.GzipFile(fileobj=plain) if packed else plain
            try:
                while data := opened.read(_AT_ONCE):
                    self._left -= len(data)
                    if self._left < 0:
                        raise _unreadable(name, f"it has more than {_LARGEST // 1_000_000} MB")
                    yield data
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise _unreadable(name, str(error)) from error


class Locations:
    """Collects the text of each `loc` of a `url` or a `sitemap`, and not that of pictures in them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: list[str] = []
        self._text: list[str] = []
        self._done: list[tuple[str, int, str]] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def of(self, parts: Iterator[bytes]) -> Iterator[tuple[str, int, str]]:
        """Give the kind, the line and the address of each location."""
        try:
            for data in parts:
                self._parser.Parse(data)
                yield from self._taken()
            self._parser.Parse(b"", True)  # noqa: FBT003 - its own signature
            yield from self._taken()
        except expat.ExpatError as error:
            why = expat.ErrorString(error.code)
            raise ConfigError(
                f"the XML is broken: {why}", where=f"{self._name}:{error.lineno}", todo="download it again"
            ) from None
        except (ValueError, LookupError) as error:
            # The parser raises these for an encoding that it does not know.
            raise _unreadable(self._name, str(error)) from None

    def _taken(self) -> list[tuple[str, int, str]]:
        done, self._done = self._done, []
        return done

    def _start(self, name: str, _attributes: object) -> None:
        if len(self._open) > _DEEPEST:
            raise _unreadable(self._name, "it is nested deeper than a sitemap")
        self._open.append(name.rpartition(" ")[2])
        self._text = []

    def _end(self, _name: str) -> None:
        inner, above = self._open.pop(), self._open[-1] if self._open else ""
        text = "".join(self._text).strip()
        if inner == "loc" and above in {"url", "sitemap"} and text:
            self._done.append((above, self._parser.CurrentLineNumber, text))
        self._text = []

    def _characters(self, text: str) -> None:
        if self._open and self._open[-1] == "loc" and sum(map(len, self._text)) < _LONGEST:
            self._text.append(text)

    def _refuse_doctype(self, *_declared: object) -> None:
        raise ConfigError(
            "it declares a document type, and a sitemap has none",
            where=f"{self._name}:{self._parser.CurrentLineNumber}",
            todo="download the sitemap itself",
        )


def _unreadable(name: str, why: str) -> ConfigError:
    return ConfigError(
        f"it cannot be read: {why}", where=name, todo="download it again, or name another file"
    )

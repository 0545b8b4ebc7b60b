"""Reads the XML of an export of WordPress: packed or not, in UTF-8 or UTF-16, in bounded memory.

Plugins leave control characters in texts, and a download ends early. So the 29 characters that XML forbids
are removed and counted, and every other fault is an error with its place: a parser that recovers would lose
text silently. If a person accepts the loss, the item with the fault is left out as a whole, and named.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, cast
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from pressync.importing.sources.source_tree import SourceTree
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


_AT_ONCE = 64 * 1024
_SIGNATURE = b"wordpress.org/export/"
_HEAD = 64 * 1024
_GZIP = b"\x1f\x8b"
_ENDINGS = (".xml", ".xml.gz", ".zip")
_FORBIDDEN = bytes([*range(9), 11, 12, *range(14, 32)])
# The elements around those that are yielded: `rss` and `channel`.
_DEPTH = 2
_ITEM = "item"
# The text of an item may have these tags as well, but hardly one after the other.
_ITEM_END = re.compile(rb"</item>(?=\s*<(?:item|/channel)>)")
_LENIENT = "repair that line, export again, or leave out this item with `--lenient`"
# A packed file may have a million names.
_MOST = 1000
# The errors of files that are packed, or that end early.
UNREADABLE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError)
# More levels than an export ever has; a tree of elements is read by functions that call themselves.
_DEEPEST = 12


@dataclass(slots=True)
class XmlElement:
    """An element by its local name, with its line; `space` is the namespace, which names the version."""

    name: str
    space: str
    line: int
    attributes: Mapping[str, str]
    children: list[XmlElement] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its own text. Several CDATA sections are one text."""
        return "".join(self.parts)

    def all(self, name: str) -> Iterator[XmlElement]:
        """Give the children of a name."""
        return (child for child in self.children if child.name == name)

    def value(self, name: str) -> str:
        """Give the text of the first child of a name; "" without one."""
        return next((child.text for child in self.all(name)), "")


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file with an export, or a `member` of a packed one."""

    path: Path
    member: str = ""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"{self.path.name}/{self.member}" if self.member else self.path.name

    def open(self) -> BinaryIO:
        """Open the export unpacked, and in UTF-8 if it is in UTF-16; it can be read from its beginning only.

        :raises OSError: it cannot be read, as with all of `UNREADABLE`.
        """
        file = self._unpacked()
        start = file.read(len(codecs.BOM_UTF16))
        file.seek(0)
        if start in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
            return cast("BinaryIO", codecs.EncodedFile(file, "utf-8", "utf-16"))
        return file

    def _unpacked(self) -> BinaryIO:
        if self.member:
            with zipfile.ZipFile(self.path) as packed:
                return cast("BinaryIO", packed.open(self.member))
        file = self.path.open("rb")
        start = file.read(len(_GZIP))
        file.seek(0)
        return cast("BinaryIO", gzip.open(file)) if start == _GZIP else file

    @property
    def is_export(self) -> bool:
        """Whether it begins as an export does."""
        with suppress(*UNREADABLE), self.open() as opened:
            return _SIGNATURE in opened.read(_HEAD)
        return False


def exports(path: Path) -> list[ExportFile]:
    """Give the exports at a path: the file, those that are packed in it, or those of the folder."""
    files = [path]
    if path.is_dir():
        tree = SourceTree(path)
        files = [each for each in sorted(path.iterdir()) if each.name.lower().endswith(_ENDINGS)]
        files = [each for each in files if tree.is_file(each.name)]
    found = (each for file in files if file.is_file() for each in _inside(file))
    return [each for each in found if each.is_export]


def _inside(file: Path) -> list[ExportFile]:
    with suppress(*UNREADABLE):
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as packed:
                names = sorted(packed.namelist())
            return [ExportFile(file, name) for name in names if name.lower().endswith(".xml")][:_MOST]
    return [ExportFile(file)]


class WxrFile:
    """One export, which is read once.

    `removed` counts the forbidden characters, and `first_removed` is the line of the first. `left_out` has
    the items that cannot be read: of each, its line and the reason.
    """

    def __init__(self, file: ExportFile, *, lenient: bool = False) -> None:
        """Open an export; a `lenient` reader leaves out an item that cannot be read."""
        self.removed = 0
        self.first_removed = 0
        self.left_out: list[tuple[int, str]] = []
        self.name = file.name
        self._lenient = lenient
        self._file = file
        # The lines before the bytes that the parser got first.
        self._skipped = 0
        self._open: list[XmlElement] = []
        self._done: list[XmlElement] = []
        # The bytes of the item that is open, if the reader is lenient, and where it begins.
        self._kept, self._item_at = b"", 0
        self._has_fault = False
        self._encoding: str | None = None
        self._spaces: dict[str, str] = {}
        self._parsed = 0
        self._parser = self._new_parser(None)

    def _new_parser(self, encoding: str | None) -> expat.XMLParserType:
        parser = expat.ParserCreate(encoding, " ")
        parser.buffer_text = True
        parser.XmlDeclHandler = self._declared
        parser.StartNamespaceDeclHandler = self._named
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        return parser

    def elements(self) -> Iterator[XmlElement]:
        """Give the elements of the channel in their order; each is complete, and nobody keeps it.

        :raises ConfigError: it cannot be read, or it is not an export; the error has the line.
        """
        line = 1
        try:
            with self._file.open() as file:
                if isinstance(file, codecs.StreamRecoder):
                    self._encoding = "utf-8"
                    self._parser = self._new_parser("utf-8")
                # A plugin with a blank line before its code writes it before everything else, too.
                start = file.read(_AT_ONCE)
                data = start.lstrip()
                self._skipped = start[: len(start) - len(data)].count(b"\n")
                line += self._skipped
                while data:
                    clean = data.translate(None, _FORBIDDEN)
                    if len(clean) != len(data) and not self.first_removed:
                        first = next(at for at, byte in enumerate(data) if byte in _FORBIDDEN)
                        self.first_removed = line + data.count(b"\n", 0, first)
                    self.removed += len(data) - len(clean)
                    line += data.count(b"\n")
                    yield from self._complete(clean)
                    data = file.read(_AT_ONCE)
                yield from self._complete(b"", last=True)
        except UNREADABLE as error:
            why = (error.strerror if isinstance(error, OSError) else "") or error
            raise ConfigError(
                f"cannot be read: {why}", where=self.name, todo="export or download it again"
            ) from error

    def _complete(self, data: bytes, *, last: bool = False) -> Iterator[XmlElement]:
        """Parse some bytes and give the elements that are complete now."""
        rest: bytes | None = data
        while rest is not None:
            rest = self._parse(rest, last=last)
            done, self._done = self._done, []
            yield from done

    def _parse(self, data: bytes, *, last: bool) -> bytes | None:
        """Parse some bytes; give those behind an item that is left out, and None if all are parsed."""
        if self._has_fault:
            return self._after_item(data, last=last)
        try:
            self._parser.Parse(data, last)
        except expat.ExpatError as error:
            self._keep(data)
            if not (self._lenient and self._is_in_item) or (last and not _ITEM_END.search(self._kept)):
                raise self._fault(error, last=last) from None
            place = f"{error.lineno + self._skipped}:{error.offset + 1}"
            why = f"{expat.ErrorString(error.code)} in line {place}"
            self.left_out.append((self._open[_DEPTH].line, why))
            self._has_fault = True
            return b""
        except (ValueError, LookupError) as error:
            raise ConfigError(f"cannot be read: {error}", where=self.name, todo="save it as UTF-8") from None
        self._keep(data)
        return None

    def _keep(self, data: bytes) -> None:
        """Keep the bytes of the item that is open; one that is left out is searched for its end."""
        if self._lenient:
            begun = self._item_at - (self._parsed - len(self._kept))
            self._kept = (self._kept + data)[begun:] if self._is_in_item else b""
            self._parsed += len(data)

    @property
    def _is_in_item(self) -> bool:
        return len(self._open) > _DEPTH and self._open[_DEPTH].name == _ITEM

    def _fault(self, error: expat.ExpatError, *, last: bool) -> ConfigError:
        reason, where = expat.ErrorString(error.code), self._place(error.lineno, error.offset)
        todo = _LENIENT if self._is_in_item else "repair that line, or export again"
        if last or error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
            reason = f"the export ends here, in the middle ({reason})"
            todo, where = "export or download it again", self._place(error.lineno)
        return ConfigError(reason, where=where, todo=todo)

    def _after_item(self, data: bytes, *, last: bool) -> bytes | None:
        """Find the end of an item with a fault, and begin again behind it; None if it comes later.

        A new parser gets the beginning of the channel, because the names of its elements need that.
        """
        self._kept += data
        end, line = _ITEM_END.search(self._kept), self._open[_DEPTH].line
        if end is None:
            if last:
                what = "the export ends in the middle of the item that begins here"
                raise ConfigError(what, where=f"{self.name}:{line}", todo="export or download it again")
            return None
        rest, self._skipped = self._kept[end.end() :], line - 1 + self._kept.count(b"\n", 0, end.end())
        self._has_fault, self._kept, self._open = False, b"", []
        self._parser = self._new_parser(self._encoding)
        spaces = "".join(f" xmlns:{prefix}={quoteattr(uri)}" for prefix, uri in self._spaces.items())
        begun = f"<rss{spaces}><channel>".encode("ascii", "xmlcharrefreplace")
        self._parser.Parse(begun, False)  # noqa: FBT003 - the parser takes no names
        self._parsed = len(begun)
        return rest

    def _declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self._encoding = self._encoding or encoding

    def _named(self, prefix: str | None, uri: str) -> None:
        if prefix and len(self._open) <= _DEPTH:
            self._spaces[prefix] = uri

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        space, _, name = tag.rpartition(" ")
        line = self._parser.CurrentLineNumber + self._skipped
        if not self._open and name != "rss":
            what = f"its first element is <{name}>, and an export of WordPress begins with <rss>"
            raise ConfigError(what, where=self._place(), todo="name an export")
        if len(self._open) >= _DEEPEST:
            what = f"more than {_DEEPEST} elements are open"
            raise ConfigError(what, where=self._place(), todo="export again")
        element = XmlElement(name, space, line, attributes)
        if len(self._open) == _DEPTH:
            self._item_at = self._parser.CurrentByteIndex
        if len(self._open) > _DEPTH:
            self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, _tag: str) -> None:
        element = self._open.pop()
        if len(self._open) == _DEPTH:
            self._done.append(element)

    def _text(self, data: str) -> None:
        if len(self._open) > _DEPTH:
            self._open[-1].parts.append(data)

    def _place(self, line: int = 0, column: int = -1) -> str:
        place = f"{self.name}:{(line or self._parser.CurrentLineNumber) + self._skipped}"
        return f"{place}:{column + 1}" if column >= 0 else place

    def _refuse_doctype(self, *_: object) -> None:
        what = "it has a DOCTYPE, which can define entities, and no export of WordPress has one"
        raise ConfigError(what, where=self._place(), todo="export it again")

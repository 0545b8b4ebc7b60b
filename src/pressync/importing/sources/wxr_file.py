"""Reads an export of WordPress (WXR) as a stream of elements, in bounded memory.

Exports break in practice: plugins leave control characters in texts, a download ends early, and files of
200 MB are common. The parser of the standard library gives the line of every element, and refuses everything
that is not XML. So the 29 characters that XML forbids are removed and counted, and every other fault is an
error with its line. A parser that recovers would lose text silently.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_AT_ONCE = 64 * 1024
_FORBIDDEN = bytes([*range(9), 11, 12, *range(14, 32)])
# The elements around those that are yielded: `rss` and `channel`.
_DEPTH = 2
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
        """Its text, without that of the elements in it. Several CDATA sections are one text."""
        return "".join(self.parts)

    def all(self, name: str) -> Iterator[XmlElement]:
        """Give the children of a name."""
        return (child for child in self.children if child.name == name)

    def value(self, name: str) -> str:
        """Give the text of the first child of a name; "" without one."""
        return next((child.text for child in self.all(name)), "")


class WxrFile:
    """One export. `removed` counts the forbidden characters, and `first_removed` is the line of the first."""

    def __init__(self, path: Path, name: str) -> None:
        """Open an export; `name` is its name in messages."""
        self.removed = 0
        self.first_removed = 0
        self._path = path
        self._name = name

    def elements(self) -> Iterator[XmlElement]:
        """Give the elements of the channel in their order; each is complete, and nobody keeps it.

        :raises ConfigError: it cannot be read, or it is not an export; the error has the line.
        """
        self.removed = self.first_removed = 0
        reader = _Reader(self._name)
        line = 1
        try:
            with self._path.open("rb") as file:
                # A plugin with a blank line before its code writes it before everything else, too.
                start = file.read(_AT_ONCE)
                reader.skipped = start[: len(start) - len(start.lstrip())].count(b"\n")
                file.seek(len(start) - len(start.lstrip()))
                line += reader.skipped
                while data := file.read(_AT_ONCE):
                    clean = data.translate(None, _FORBIDDEN)
                    if len(clean) != len(data) and not self.first_removed:
                        self.first_removed = line + data.count(b"\n", 0, _first(data))
                    self.removed += len(data) - len(clean)
                    line += data.count(b"\n")
                    yield from reader.feed(clean)
                yield from reader.feed(b"", last=True)
        except OSError as error:
            raise ConfigError(
                f"cannot be read: {error.strerror}", where=self._name, todo="name another file"
            ) from error


def _first(data: bytes) -> int:
    """Give the offset of the first forbidden byte."""
    return next(at for at, byte in enumerate(data) if byte in _FORBIDDEN)


class _Reader:
    """Builds the elements from what the parser reports."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.skipped = 0
        self._open: list[XmlElement] = []
        self._done: list[XmlElement] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def feed(self, data: bytes, *, last: bool = False) -> Iterator[XmlElement]:
        """Parse some bytes and give the elements that are complete now."""
        try:
            self._parser.Parse(data, last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            todo = "repair that line, or export again"
            if last or error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
                reason, todo = (
                    f"the export ends here, in the middle ({reason})",
                    "export or download it again",
                )
            raise ConfigError(reason, where=self._place(error.lineno), todo=todo) from None
        except (ValueError, LookupError) as error:
            raise ConfigError(f"cannot be read: {error}", where=self._name, todo="save it as UTF-8") from None
        done, self._done = self._done, []
        yield from done

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        space, _, name = tag.rpartition(" ")
        line = self._parser.CurrentLineNumber + self.skipped
        if not self._open and name != "rss":
            what = f"its first element is <{name}>, and an export of WordPress begins with <rss>"
            raise ConfigError(what, where=self._place(), todo="name an export")
        if len(self._open) >= _DEEPEST:
            raise ConfigError(
                f"more than {_DEEPEST} elements are open", where=self._place(), todo="export again"
            )
        element = XmlElement(name, space, line, attributes)
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

    def _place(self, line: int = 0) -> str:
        return f"{self._name}:{(line or self._parser.CurrentLineNumber) + self.skipped}"

    def _refuse_doctype(self, *_: object) -> None:
        raise ConfigError(
            "it has a DOCTYPE, which can define entities, and no export of WordPress has one",
            where=self._place(),
            todo="export it again",
        )

"""Puts the files in that the extension `pymdownx.snippets` shows in a text, mostly in its code.

A text has only the name of such a file, so readers of the new site would see the name instead of an example.
A row that is put in has its place in the file that it comes from.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pressync.importing.sources.item import Place, Remainder
from pressync.importing.sources.source_tree import strings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pressync.importing.sources.source_tree import SourceTree


NAME = "pymdownx.snippets"
_SNIPPET = re.compile(
    r"(?P<indent>[ \t]{0,80})-{1,9}8<-{1,9}"
    r"(?:[ \t]{1,9}(?P<quote>[\"'])(?P<name>[^\n]{1,500})(?P=quote))?[ \t]*"
)
_SECTION = re.compile(
    r"-8<-{1,9}[ \t]{1,9}\[[ \t]*(?P<type>start|end)[ \t]*:[ \t]*(?P<name>[\w-]{1,200})[ \t]*\]"
)
_FENCE = re.compile(r"\s{0,80}(?:`{3,}|~{3,})\s{0,9}")
# Ranges of lines, or the name of a section, stand behind the name of the file.
_TARGET = re.compile(
    r"(?P<path>.*?)(?::(?P<ranges>-?\d*(?::-?\d*)?(?:,-?\d*(?::-?\d*)?)*)|:(?P<section>[A-Za-z][\w-]*))?"
)
_DEEPEST = 8
# The characters that snippets may add to one text.
_MOST = 2_000_000


@dataclass(frozen=True, slots=True)
class RowPlace(Place):
    """The place of a row in a text that has rows of several files."""

    rows: Sequence[Place] = ()
    number: int = 0

    def below(self, rows: int) -> Place:
        """Give the place of the row that stands so many rows further down."""
        number = self.number + rows
        if number >= len(self.rows):
            return Place(self.path, self.line)
        return RowPlace(self.rows[number].path, self.rows[number].line, self.rows, number)


def plainly_placed(remainders: Iterable[Remainder]) -> list[Remainder]:
    """Give remainders with places that know nothing of other rows."""
    return [replace(left, place=Place(left.place.path, left.place.line)) for left in remainders]


@dataclass(slots=True)
class _Text:
    """The rows that a text has when its snippets are put in, with their places, and what is not put in."""

    rows: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    left: list[Remainder] = field(default_factory=list)
    added: int = 0


@dataclass(frozen=True, slots=True)
class Snippets:
    """The folders and files in which the extension searches, from the folder of the settings."""

    tree: SourceTree
    bases: tuple[str, ...] = ()

    @classmethod
    def of(cls, tree: SourceTree, extensions: Mapping[str, Mapping[str, Any]]) -> Snippets:
        """Read the settings; without the extension, nothing is put in."""
        options = extensions.get(NAME)
        given = () if options is None else strings(options.get("base_path")) or (".",)
        return cls(tree, tuple(posixpath.normpath(base) for base in given))

    def put_in(self, text: str, begin: Place) -> tuple[str, Place, list[Remainder]]:
        """Give the text with its snippets, its place, and the snippets that stay verbatim."""
        if not self.bases or "8<-" not in text:
            return text, begin, []
        made = _Text()
        rows = text.split("\n")
        self._add(made, rows, [begin.below(number) for number in range(len(rows))], ())
        first = made.places[0] if made.places else begin
        return "\n".join(made.rows), RowPlace(first.path, first.line, made.places), made.left

    def _add(
        self, made: _Text, rows: Sequence[str], places: Sequence[Place], within: tuple[str, ...]
    ) -> None:
        number, before = 0, -1
        while number < len(rows):
            found = _SNIPPET.fullmatch(rows[number])
            if not found:
                # A file ends with an empty row, and nobody shows one at the end of code.
                if number == before and _FENCE.fullmatch(rows[number]) and made.rows[-1:] == [""]:
                    made.rows.pop()
                    made.places.pop()
                made.rows.append(rows[number])
                made.places.append(places[number])
                number += 1
                continue
            end = number + 1 if found["name"] else _end(rows, number)
            names = [found["name"]] if found["name"] else rows[number + 1 : end - 1]
            for name in names:
                self._show(made, name.strip(), found["indent"], places[number], within)
            number = before = end

    def _show(self, made: _Text, name: str, indent: str, place: Place, within: tuple[str, ...]) -> None:
        if name.startswith(";"):
            return
        shown = self._rows(name) if name else (("", [(0, "")]))
        path, rows = shown or ("", [])
        size = sum(len(row) for _, row in rows)
        if path in within:
            return  # The extension shows nothing of a file in itself.
        if shown is None or len(within) > _DEEPEST or made.added + size > _MOST:
            made.left.append(Remainder("snippet", place, name))
            made.rows.append(f'{indent}--8<-- "{name}"')
            made.places.append(place)
            return
        made.added += size
        written = [f"{indent}{row}" if row else row for _, row in rows]
        self._add(made, written, [Place(path, line) if path else place for line, _ in rows], (*within, path))

    def _rows(self, name: str) -> tuple[str, list[tuple[int, str]]] | None:
        """Give the file of a snippet, and its rows with their numbers; None if there is not such a file."""
        target = _TARGET.fullmatch(name)
        path = self._path(target["path"]) if target else None
        if not target or path is None:
            return None
        rows = list(enumerate(self.tree.text(path).split("\n"), 1))
        if target["section"]:
            rows = _section(rows, target["section"])
        elif target["ranges"]:
            rows = [row for part in target["ranges"].split(",") for row in _range(rows, part)]
        return path, [(number, row) for number, row in rows if not _SECTION.search(row)]

    def _path(self, name: str) -> str | None:
        for base in self.bases:
            is_file = self.tree.is_file(base)
            path = posixpath.normpath(posixpath.join(posixpath.dirname(base) if is_file else base, name))
            if not path.startswith("..") and self.tree.is_file(path) and (not is_file or path == base):
                return path
        return None


def _end(rows: Sequence[str], begin: int) -> int:
    """Give the number behind the row that ends a block of names."""
    ends = (number for number in range(begin + 1, len(rows)) if _is_mark(rows[number]))
    return next(ends, len(rows)) + 1


def _is_mark(row: str) -> bool:
    found = _SNIPPET.fullmatch(row)
    return bool(found and not found["name"])


def _section(rows: Sequence[tuple[int, str]], name: str) -> list[tuple[int, str]]:
    """Give the rows between the two marks of a section."""
    is_inside, inner = False, []
    for number, row in rows:
        mark = _SECTION.search(row)
        if mark and mark["name"] == name:
            is_inside = mark["type"] == "start"
        elif is_inside:
            inner.append((number, row))
    return inner


def _range(rows: Sequence[tuple[int, str]], written: str) -> Sequence[tuple[int, str]]:
    """Give the rows of `3`, `3:5`, `3:` or `:5`; a number below zero counts from the end."""
    start, colon, end = written.partition(":")
    first = _number(start, rows, 1)
    return rows[first - 1 : _number(end, rows, len(rows)) if colon else first]


def _number(written: str, rows: Sequence[object], otherwise: int) -> int:
    number = int(written) if written.strip("-") else otherwise
    return max(number + len(rows) + 1 if number < 0 else number, 1)

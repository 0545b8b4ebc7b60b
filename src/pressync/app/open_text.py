"""Answers what an editor asks about a text that is not saved: its problems, its completions, its links.

The text is read as `check` reads a saved file, in the tree that was last saved. So a problem that only all
files together show is not among these. The site is not asked, and no command of the tree is run.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from pressync.app import editors
from pressync.app.revision import Revision
from pressync.content.front_matter import schema
from pressync.content.render.links import candidates
from pressync.content.sources import below
from pressync.html.titles import heading_id
from pressync.model.bounds import PAGE
from pressync.model.errors import Code, PressyncError, Problem
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pressync.app.workspace import Workspace
    from pressync.content.content import Content
    from pressync.model.records import Entry

# An editor asks again while somebody types, so a list may end here.
MOST_OFFERS = 500
# The head of a document ends within so many lines, and a line of one that people write is not longer.
_LONGEST_HEAD, _LONGEST_LINE = 500, 5_000
_FENCE = "---"
_KEY = re.compile(r"[\w-]*")
_VALUE = re.compile(r"(?P<key>[\w-]+):[ \t]+(?:\[(?:[^\[\],]*,)*[ \t]*)?(?P<begun>[^\[\]\"']*)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<begun>[^\"']*)")
_NAMED = re.compile(r"(?P<key>[\w-]+):(?P<rest>.*)")
_LINK_BEGUN = re.compile(r"\]\((?P<begun>[^()\s]*)$")
_NOTE_BEGUN = re.compile(r"\[\[(?P<begun>[^\[\]|#]*)$")
_LINKS = re.compile(r"\]\(\s*<?(?P<link>[^()<>\s]+)|\[\[(?P<note>[^\[\]|#]+)(?P<place>#[^\[\]|]*)?")


@dataclass(frozen=True, slots=True)
class Offer:
    """A text that may stand in a line from the column `start` on, and what it is."""

    text: str
    start: int
    about: str = ""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A column of a line in a text of many lines; both count from 0."""

    lines: Sequence[str]
    line: int
    column: int

    @property
    def text(self) -> str:
        """The line without its end."""
        lines = self.lines[self.line : self.line + 1]
        return lines[0].rstrip("\r\n")[:_LONGEST_LINE] if lines else ""

    @property
    def before(self) -> str:
        """The line up to the column."""
        return self.text[: self.column]

    @property
    def is_in_head(self) -> bool:
        """Whether the line is between the fences of YAML; the second one may not be there yet."""
        if not 0 < self.line < _LONGEST_HEAD or self.lines[0].rstrip() != _FENCE:
            return False
        return all(line.rstrip() != _FENCE for line in self.lines[1 : self.line + 1])

    def key(self) -> str:
        """Give the key whose list has this line; "" if it is in none."""
        for line in reversed(self.lines[1 : self.line]):
            if named := _NAMED.match(line):
                return named["key"] if not named["rest"].strip() else ""
        return ""


@dataclass(frozen=True, slots=True)
class SavedTree:
    """The documents that were last saved, the records of the manifest, and the names that both know."""

    content: Content
    entries: Mapping[str, Entry]
    keys: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, workspace: Workspace) -> Self:
        """Read the work tree and the manifest of a site.

        :raises PressyncError: they cannot be read.
        """
        content = workspace.content(Revision(worktree=True, needs_commit=False))
        with workspace.reading() as state:
            entries = state.manifest.entries
        names = editors.known_names(workspace, content)
        return cls(content, entries, schema.properties(names=names, types=workspace.settings.types))

    def has(self, path: str) -> bool:
        """Tell whether a file is a document of the site, or would be one if it were saved."""
        inner = below(path, self.content.settings.content)
        is_text = path.endswith((".md", ".markdown"))
        return path in self.content.sources or bool(inner and is_text and not self.content.excludes(path))

    def problems(self, path: str, text: str) -> tuple[Problem, ...]:
        """Give the problems of one text, as `check` does for a file that has it."""
        if not self.has(path):
            return ()
        data = text.encode(errors="replace")
        try:
            PAGE.check(len(data), path)
            return self.content.read(path, {}, data).problems
        except PressyncError as error:
            return (Problem(path, 0, error.what, error.todo, code=Code.SETTINGS),)

    def offers(self, path: str, place: Cursor) -> list[Offer]:
        """Give what may stand at a place: a key, a value of a key, or the target of a link."""
        return list(islice(self._offers(path, place), MOST_OFFERS))

    def _offers(self, path: str, place: Cursor) -> Iterator[Offer]:
        if place.is_in_head:
            yield from self._in_head(path, place)
        elif link := _LINK_BEGUN.search(place.before):
            yield from self._targets(path, link["begun"], link.start("begun"))
        elif self.content.renderer.vault and (note := _NOTE_BEGUN.search(place.before)):
            yield from self._notes(note["begun"], note.start("begun"))

    def _in_head(self, path: str, place: Cursor) -> Iterator[Offer]:
        before = place.before
        if _KEY.fullmatch(before):
            written = {named["key"] for line in place.lines[:_LONGEST_HEAD] if (named := _NAMED.match(line))}
            for key, shape in self.keys.items():
                if key.startswith(before) and key not in written:
                    yield Offer(f"{key}: ", 0, str(shape.get("description", "")))
            return
        value, item = _VALUE.fullmatch(before), _ITEM.fullmatch(before)
        key = value["key"] if value else place.key()
        if not (begun := value or item):
            return
        typed, start = begun["begun"], begun.start("begun")
        if key == "parent":
            yield from self._targets(path, typed, start, documents=True)
        for text in dict.fromkeys(_choices(self.keys.get(key, {}))):
            if text.lower().startswith(typed.lower()):
                yield Offer(_in_yaml(text), start)

    def _targets(self, path: str, begun: str, start: int, *, documents: bool = False) -> Iterator[Offer]:
        """Offer the files of the content, those of the same folder first."""
        folder, root = posixpath.dirname(path), self.content.settings.content
        files = self.content.sources if documents else self.content.tree.files
        paths = [file for file in files if below(file, root) and file != path]
        for file in sorted(paths, key=lambda file: (posixpath.dirname(file) != folder, file)):
            link = posixpath.relpath(file, folder or ".")
            if link.startswith(begun) or (begun and begun in file):
                yield Offer(link, start, self.entries[file].link if file in self.entries else "")

    def _notes(self, begun: str, start: int) -> Iterator[Offer]:
        for source in self.content.sources:
            name = posixpath.splitext(posixpath.basename(source))[0]
            if begun.lower() in name.lower():
                yield Offer(name, start, source)

    def target(self, path: str, place: Cursor) -> tuple[str, str] | None:
        """Give the file to which the link at a place leads, and its fragment; None if there is none."""
        for link in _LINKS.finditer(place.text):
            if not link.start() <= place.column <= link.end():
                continue
            if note := link["note"]:
                vault = self.content.renderer.vault
                file = vault.find(note, path)[0] if vault else None
                return (file, link["place"] or "") if file else None
            written, _, fragment = link["link"].partition("#")
            paths = candidates(written, path, self.content.settings.content) if written else (path,)
            file = next((candidate for candidate in paths if candidate in self.content.tree.files), None)
            return (file, fragment) if file else None
        return None

    def about(self, path: str, place: Cursor) -> str:
        """Say in Markdown what is at a place: a key, the page of a link, or the document itself."""
        if target := self.target(path, place):
            return self.standing(target[0])
        named = _NAMED.match(place.text) if place.is_in_head else None
        if named and named["key"] in self.keys:
            return str(self.keys[named["key"]].get("description", ""))
        return self.standing(path) if place.line == 0 and self.has(path) else ""

    def standing(self, path: str) -> str:
        """Say where a file is on the site, and whether the site has what was last saved."""
        entry, blob = self.entries.get(path), self.content.tree.files.get(path)
        if entry is None:
            state = "Not on the site yet." if self.has(path) else "Not a document of the site."
            return f"`{one_line(path)}`\n\n{state}"
        same = "as it was sent" if blob == entry.blob else "edited since it was sent"
        return f"`{one_line(path)}`\n\n{one_line(entry.link)}\n\n{entry.kind} {entry.id}, {same}."


def line_of(lines: Iterable[str], fragment: str) -> int:
    """Give the line of the heading to which a fragment leads, from 0; the first one if none has it."""
    for number, line in enumerate(lines):
        heading = line[:_LONGEST_LINE].lstrip("#").strip()
        if line.startswith("#") and fragment in {heading_id(heading), heading}:
            return number
    return 0


def _choices(shape: Mapping[str, Any]) -> Iterator[str]:
    """Give the texts that a schema names: its own, those of its alternatives and of the items of a list."""
    yield from (text for text in shape.get("enum", ()) if isinstance(text, str))
    for inner in (*shape.get("anyOf", ()), *filter(None, [shape.get("items")])):
        yield from _choices(inner)


_PLAIN = re.compile(r"[^\W\d][\w /.-]*")


def _in_yaml(text: str) -> str:
    """Write a value for YAML: quoted, unless it is plain."""
    return text if _PLAIN.fullmatch(text) else "'" + text.replace("'", "''") + "'"

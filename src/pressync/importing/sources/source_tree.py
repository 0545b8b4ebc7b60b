"""Reads the files of a folder that another tool builds: names, texts, front matter, settings and pictures.

An import may read a clone of somebody else's repository. So a symbolic link must not lead out of the folder,
a file has a largest size, and front matter is read by the bounded readers that content has. Problems are
data: one unreadable file must not stop the other thousand.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from pressync.content.documents import split, text_of
from pressync.content.front_matter.formats import JSON, TOML, YAML
from pressync.content.front_matter.value import Given, UnreadableError, read_date
from pressync.importing.importers import Importer
from pressync.importing.sources.item import (
    ODD,
    ImportSource,
    LeftOut,
    Note,
    Place,
    Remainder,
    or_left_out,
    why_odd,
)
from pressync.model.bounds import MIB, PAGE
from pressync.model.errors import ConfigError
from pressync.repo.discover import is_tracked

if TYPE_CHECKING:
    from pressync.importing.sources.item import Items

_READERS = {".toml": TOML, ".yaml": YAML, ".yml": YAML, ".json": JSON}
# Tags of YAML that only the tool can resolve, like `!ENV`. Their value is read as it is written.
# A line that begins with one sign may be a pattern that takes a file in again.
_TAG = re.compile(
    r"([:\-\[,{][ \t]+)!{1,2}[\w/:.\-]+|(^[ \t]+)(?:!![\w/:.\-]+|![\w/:.\-]+(?=[ \t]+\S))", re.MULTILINE
)
_LINK, _SPECIAL = "symbolic link", "special file"
_UNREAD = {
    _LINK: "it is a symbolic link that leads out of the folder, or to a folder",
    _SPECIAL: "it is a pipe, a socket or a device, and a reader of it could wait for ever",
}
AUTHORS = ("author", "authors")
# The endings of the files in which people write pages for one of the tools.
PAGES = (
    *(".md", ".markdown", ".mdown", ".mkdown", ".mkdn", ".mkd", ".mdx", ".mdoc", ".html", ".htm", ".xhtml"),
    *(".adoc", ".asciidoc", ".ad", ".rst", ".org", ".textile", ".pandoc", ".pdc", ".ipynb"),
)
_MOST_FOLDERS = 2000  # A stranger may name the root of the disk.
Further = ParamSpec("Further")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter of a file with keys in lower case; and its body, whose first line is `line`.

    `spelled` has the keys as they are written, for those that stay in a file. The last value of a key that
    is given twice counts, and `repeated` names the key.
    """

    values: dict[str, Any] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    body: str = ""
    line: int = 1
    repeated: tuple[Remainder, ...] = ()

    def text(self, *keys: str) -> str:
        """Give the first of these keys that has a text or a number, as text."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
                return str(value).strip()
        return ""

    def texts(self, *keys: str) -> tuple[str, ...]:
        """Give the texts of the first of these keys that is given: one value, or a list."""
        return texts_in(self.values, keys)

    def rest(self, taken: Container[str]) -> dict[str, Any]:
        """Give the values of all other keys, which keep their spelling."""
        return {self.spelled[key]: value for key, value in self.values.items() if key not in taken}

    @property
    def is_draft(self) -> bool:
        """Whether the file says that the site does not show it."""
        return self.values.get("draft") is True

    def number(self, *keys: str) -> int | None:
        """Give the first of these keys that is a whole number."""
        return next((self.values[key] for key in keys if type(self.values.get(key)) is int), None)


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A folder, and its files by paths with slashes.

    A path may lead out of the folder with `..`, but not out of `bounds`, by default the folder. `repeated`
    gets the place and the name of each key that a file of settings gives twice, and `included` the files that
    pages include.
    """

    root: Path
    repeated: list[tuple[Place, str]] = field(default_factory=list, compare=False)
    bounds: Path | None = None
    included: set[str] = field(default_factory=set, compare=False)

    @classmethod
    def of(cls, folder: Path) -> SourceTree:
        """Give a folder of a tool. A repository that has the folder bounds it: it may have pages beside it.

        A folder that nobody has committed is perhaps a stranger's, and may name any other folder.
        """
        here = folder.resolve()
        top = next((above for above in (here, *here.parents) if (above / ".git").exists()), None)
        return cls(folder, bounds=top if top and top != here and is_tracked(here, ".") else None)

    def files(self, folder: str = "") -> list[str]:
        """List the files below a folder in a steady order; hidden ones and links are not among them."""
        return [path for path, kind in self._walk(folder) if not kind]

    def links(self, folder: str = "") -> list[LeftOut]:
        """Name what is not read because it is outside of the root: links below a folder, or the folder."""
        if not self._is_below(folder):
            return self._outside(folder)
        return [LeftOut(kind, Place(path), _UNREAD[kind]) for path, kind in self._walk(folder) if kind]

    def _outside(self, folder: str) -> list[LeftOut]:
        """Count the pages of a folder out of bounds, at least one; nobody may learn their names from it."""
        walked = list(islice(os.walk(self.root / folder), _MOST_FOLDERS))
        pages = sum(name.lower().endswith(PAGES) for _, _, names in walked for name in names)
        why = "it is outside of the folder that is imported, and of a repository that has both"
        more = f"; only {_MOST_FOLDERS:,} of its folders are counted" if len(walked) == _MOST_FOLDERS else ""
        left = LeftOut("page in a folder outside", Place(folder), f"{why}: commit both to one{more}")
        return [left] * max(pages, 1)

    def _walk(self, folder: str) -> list[tuple[str, str]]:
        """Give each file below a folder, and the kind of what is not read; "" for a file that is."""
        found: list[tuple[str, str]] = []
        bounds = self._bounds
        if not self._is_below(folder):
            return found
        for place, folders, names in os.walk(self.root / folder):
            folders[:] = sorted(
                name for name in folders if not name.startswith(".") and name != "node_modules"
            )
            above = Path(place).relative_to(self.root).as_posix()
            for name in (*names, *folders):
                file = Path(place, name)
                mode = file.lstat().st_mode
                linked = stat.S_ISLNK(mode)
                if name.startswith(".") or (name in folders and not linked):
                    continue
                is_out = linked and (name in folders or not _is_file_below(file, bounds))
                kind = "" if linked or stat.S_ISREG(mode) else _SPECIAL
                kind = _LINK if is_out else kind
                found.append((posixpath.normpath(posixpath.join(above, name)), kind))
        return sorted(found)

    @property
    def _bounds(self) -> Path:
        return (self.bounds or self.root).resolve()

    def _is_below(self, folder: str) -> bool:
        """Tell whether a folder that settings name is in bounds; it may be a stranger who names it."""
        place = self.root / folder
        try:
            place.stat()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError:
            # A link may lead to itself. `resolve` follows it without an error from Python 3.13 on.
            return False
        return place.resolve().is_relative_to(self._bounds)

    def served(self, folder: str, base: str | None = None) -> dict[str, Path]:
        """Give the files below a folder by their addresses below `base`, or by their own paths."""
        files = {path: self.root / path for path in self.files(folder)}
        if base is None:
            return {posixpath.normpath(f"/{path}"): file for path, file in files.items()}
        return {f"{base}/{posixpath.relpath(path, folder)}": file for path, file in files.items()}

    def first(self, names: Iterable[str]) -> str:
        """Give the first of these files that there is; "" if there is none."""
        return next(filter(self.is_file, names), "")

    def is_folder(self, path: str) -> bool:
        """Tell whether there is such a folder."""
        return (self.root / path).is_dir()

    def is_file(self, path: str) -> bool:
        """Tell whether there is such a file, and whether it is in bounds."""
        return _is_file_below(self.root / path, self._bounds)

    def front(
        self, path: str, *, largest: int = PAGE.most, usual: Callable[[str], str] = lambda text: text
    ) -> Front | LeftOut:
        """Read a file's front matter and body, or say why that is not possible.

        `usual` writes the text of a tool that has other front matter as everybody does. A line that it adds
        is the first one.
        """
        try:
            written = self._text(path, "a page", largest)
            text = usual(written)
        except OSError as error:
            return LeftOut("unreadable file", Place(path), f"the disk says: {error.strerror}")
        except UnicodeDecodeError:
            return LeftOut("unreadable file", Place(path), "it is not UTF-8; save it as UTF-8")
        except ValueError as error:
            return LeftOut("unreadable file", Place(path), str(error))
        added = text.count("\n") - written.count("\n")
        repeated: list[tuple[int, str]] = []
        parts = split(path, text.replace("\0", ""), repeated)
        if parts.problems:
            first = parts.problems[0]
            return LeftOut("unreadable front matter", Place(path, first.line - added), first.message)
        values = {key.lower(): given.plain() for key, given in parts.values.items()}
        lines = {key.lower(): given.line - added for key, given in parts.values.items()}
        spelled = {key.lower(): key for key in parts.values}
        twice = tuple(Remainder("key given twice", Place(path, line - added), key) for line, key in repeated)
        return Front(values, spelled, lines, parts.body, parts.body_line - added, twice)

    def page(
        self,
        path: str,
        make: Callable[Concatenate[Front, Further], Made],
        *further: Further.args,
        **named: Further.kwargs,
    ) -> Made | LeftOut:
        """Give what a function makes of a file's front matter and body, or leave out the file."""
        front = or_left_out(Place(path), self.front, path)
        if isinstance(front, LeftOut):
            return front
        return or_left_out(Place(path), make, front, *further, **named)

    def text(self, path: str) -> str:
        """Give the text of a file that is a program; "" if there is none that can be read."""
        try:
            return self._text(path, "a program", PAGE.most) if self.is_file(path) else ""
        except (OSError, ValueError):
            return ""

    def body(self, path: str) -> str | None:
        """Give the body of a file that others include; None if there is none that can be read."""
        read = self.front(path) if self.is_file(path) else None
        self.included.add(path)
        return read.body if isinstance(read, Front) else None

    def _text(self, path: str, what: str, largest: int) -> str:
        file = self.root / path
        if (size := file.stat().st_size) > largest:
            raise ValueError(f"it has {size / MIB:.1f} MiB, and {what} has at most {largest // MIB} MiB")
        return text_of(file.read_bytes())

    def settings(self, path: str, *, largest: int = PAGE.most) -> dict[str, Any]:
        """Read a settings file of a tool; its format is that of its name. The last value of a key counts.

        :raises ConfigError: it cannot be read; the error has the line.
        """
        handler = _READERS[posixpath.splitext(path)[1].lower()]
        try:
            text = self._text(path, "a file of settings", largest)
            if handler is YAML:
                text = _TAG.sub(r"\1\2", text)
            repeated: list[tuple[int, str]] = []
            read: Given = handler.read(text, repeated)
            self.repeated.extend((Place(path, line), key) for line, key in repeated)
        except UnreadableError as error:
            line, what, todo = error.reasons[0]
            what = what.replace("front matter", "the file", 1)
            raise ConfigError(what, where=f"{path}:{line}", todo=todo) from None
        except OSError as error:
            raise ConfigError(f"it cannot be read: {error}", where=path, todo="correct the file") from None
        except ODD as error:
            raise ConfigError(why_odd(error), where=path, todo="correct the file") from None
        plain = read.plain()
        return plain if isinstance(plain, dict) else {}


@dataclass(frozen=True, slots=True)
class FolderTool:
    """A tool that builds a folder. One of the files of `settings` is in it, and `sign` says so to people.

    `open` reads the settings, and gives all that the folder has. Tools have settings of one name, so `is_own`
    looks at a folder that nobody named a tool for.
    """

    sign: str
    settings: Collection[str]
    open: Callable[[SourceTree, ImportSource], Items]
    is_own: Callable[[SourceTree], bool] = lambda _tree: True

    def recognises(self, source: ImportSource) -> bool:
        """Tell whether a source is a folder of this tool."""
        tree = self._tree(source)
        return tree is not None and self.is_own(tree)

    def items(self, source: ImportSource) -> Items:
        """Give the site's files, its pages and posts, and all that is not carried.

        :raises ConfigError: the source is not a folder with such settings, so its pages would be none, or
            others; or the settings cannot be read.
        """
        if (tree := self._tree(source)) is None:
            raise ConfigError(
                f"this is not {self.sign}",
                where=source.given,
                todo="name another folder, or leave out `--as`",
            )
        try:
            found = self.open(tree, source)
        except ODD as error:
            where = tree.first(self.settings)
            raise ConfigError(why_odd(error), where=where, todo="correct the file") from error
        yield from found
        for place, key in dict.fromkeys(tree.repeated):
            yield Note(f"{place}: the key '{key}' is given twice, and the last one counts. Remove the other.")

    @property
    def importer(self) -> Importer:
        """The importer of this tool."""
        return Importer(self.recognises, self.items, of_folder=True)

    def _tree(self, source: ImportSource) -> SourceTree | None:
        tree = SourceTree.of(source.path) if source.path is not None and source.path.is_dir() else None
        return tree if tree is not None and tree.first(self.settings) else None


def iso(text: str) -> str:
    """Give a date-time with its offset, if it has one; "" if it is not a date."""
    try:
        moment, utc = read_date(text)
    except ValueError:
        return ""
    return f"{moment}+00:00" if utc else moment


def dated(text: str, place: Place) -> tuple[str, list[Remainder]]:
    """Give the date in a text; a text that is not a date is a remainder."""
    date = iso(text)
    return date, [] if date or not text else [Remainder("date", place, text)]


def author_of(values: Mapping[str, Any]) -> str:
    """Give the author, if there is one: a name, or a table with a name."""
    for key in AUTHORS:
        value = values.get(key)
        first = value[0] if isinstance(value, list) and len(value) == 1 else value
        name = first.get("name") if isinstance(first, dict) else first
        if isinstance(name, str) and name.strip():
            return " ".join(name.split())
    return ""


def named_authors(table: object) -> dict[str, str]:
    """Give the names of authors by their keys, as a file of authors has them."""
    names = {key: table_in(value).get("name") for key, value in table_in(table).items()}
    return {key: str(name) for key, name in names.items() if name}


def further_fields(rest: Mapping[str, Any], pictures: Iterable[str] = ()) -> dict[str, Any]:
    """Give further front matter: the first of the `pictures`, and all keys that nothing took."""
    picture = next(iter(pictures), "")
    return {**({"featured_media": picture} if picture else {}), **({"params": rest} if rest else {})}


def texts_in(
    values: Mapping[str, Any], keys: Iterable[str], write: Callable[[str], str] = str.strip
) -> tuple[str, ...]:
    """Give the texts of the first of these keys that is given: one value, or a list; `write` writes each."""
    value = next((values[key] for key in keys if values.get(key) is not None), ())
    items = value if isinstance(value, list) else [value]
    texts = (write(str(item)) for item in items if isinstance(item, str | int | float))
    return tuple(dict.fromkeys(filter(None, texts)))


def table_in(table: object, *keys: str) -> Mapping[str, Any]:
    """Give the table below these keys, or the table itself; it is empty if something else is there."""
    for key in keys:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table if isinstance(table, Mapping) else {}


def prefixes(path: str) -> list[str]:
    """Give the folders above a path and the path itself, the outermost first; none for an empty path."""
    parts = path.split("/") if path else []
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def scalar_at(table: object, path: str) -> str | None:
    """Give the text or number at a dotted path of keys in a table, as text; None for anything else."""
    for part in path.split("."):
        table = table.get(part) if isinstance(table, Mapping) else None
    is_scalar = isinstance(table, str | int | float) and not isinstance(table, bool)
    return str(table) if is_scalar else None


def strings(value: object) -> tuple[str, ...]:
    """Give the texts of a setting: one, or a list of them."""
    items = value if isinstance(value, list) else [value]
    return tuple(item for item in items if isinstance(item, str) and item)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge tables with the tables in them; the values of the one `above` win."""
    found = dict(below)
    for key, value in above.items():
        own = found.get(key)
        found[key] = merged(own, value) if isinstance(own, Mapping) and isinstance(value, Mapping) else value
    return found


def _is_file_below(file: Path, root: Path) -> bool:
    try:
        found = file.resolve(strict=True)
    except (OSError, RuntimeError):
        return False
    return found.is_file() and found.is_relative_to(root)

"""Reads the files of a folder that another tool builds: names, texts, front matter and settings.

An import may read a clone of somebody else's repository. So a symbolic link must not lead out of the folder,
a file has a largest size, and front matter is read by the bounded readers that content has. Problems are
data: one unreadable file must not stop the other thousand.
"""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pressync.content.documents import LARGEST, MIB, text_of
from pressync.content.front_matter.handlers import JSON, TOML, YAML
from pressync.content.front_matter.split import split
from pressync.content.front_matter.value import RawFrontMatter, UnreadableError
from pressync.importers.item import LeftOut, Place
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.content.front_matter.value import Given
    from pressync.importers.item import ImportSource

_READERS = {".toml": TOML, ".yaml": YAML, ".yml": YAML, ".json": JSON}
# Tags of YAML that only the tool can resolve, like `!ENV`. Their value is read as it is written.
_TAG = re.compile(r"((?:^|[:\-\[,{])[ \t]+)!{1,2}[\w/:.\-]+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter of a file with keys in lower case; and its body, whose first line is `line`.

    `spelled` has the keys as they are written, for those that stay in a file.
    """

    values: dict[str, Any] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    body: str = ""
    line: int = 1

    def text(self, *keys: str) -> str:
        """Give the first of these keys that has a text or a number, as text."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
                return str(value).strip()
        return ""

    def texts(self, *keys: str) -> tuple[str, ...]:
        """Give the texts of the first of these keys that is given: one value, or a list."""
        value = next((self.values[key] for key in keys if self.values.get(key) is not None), ())
        items = value if isinstance(value, list) else [value]
        found = (str(item).strip() for item in items if isinstance(item, str | int | float))
        return tuple(dict.fromkeys(text for text in found if text))

    def number(self, *keys: str) -> int | None:
        """Give the first of these keys that is a whole number."""
        return next((self.values[key] for key in keys if type(self.values.get(key)) is int), None)


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A folder, and its files by paths with slashes."""

    root: Path

    def files(self, folder: str = "") -> list[str]:
        """List the files below a folder in a steady order; hidden ones and links are not among them."""
        return [path for path, link in self._walk(folder) if not link]

    def links(self, folder: str = "") -> list[LeftOut]:
        """Name what is not read because it is outside of the root: links below a folder, or the folder."""
        if not self._is_below(folder):
            why = "it is outside of the folder that is imported"
            return [LeftOut("folder outside", Place(folder), why)]
        why = "it is a symbolic link that leads out of the folder, or to a folder"
        return [LeftOut("symbolic link", Place(path), why) for path, link in self._walk(folder) if link]

    def _walk(self, folder: str) -> list[tuple[str, bool]]:
        found: list[tuple[str, bool]] = []
        root = self.root.resolve()
        if not self._is_below(folder):
            return found
        for place, folders, names in os.walk(self.root / folder):
            folders[:] = sorted(
                name for name in folders if not name.startswith(".") and name != "node_modules"
            )
            above = Path(place).relative_to(self.root).as_posix()
            for name in (*names, *folders):
                file = Path(place, name)
                linked = file.is_symlink()
                if name.startswith(".") or (name in folders and not linked):
                    continue
                is_out = linked and (name in folders or not _is_file_below(file, root))
                found.append((posixpath.normpath(posixpath.join(above, name)), is_out))
        return sorted(found)

    def _is_below(self, folder: str) -> bool:
        """Tell whether a folder that settings name is in the root; it may be a stranger who names it."""
        return (self.root / folder).resolve().is_relative_to(self.root.resolve())

    def is_folder(self, path: str) -> bool:
        """Tell whether there is such a folder."""
        return (self.root / path).is_dir()

    def is_file(self, path: str) -> bool:
        """Tell whether there is such a file, and whether it is in the root."""
        return _is_file_below(self.root / path, self.root.resolve())

    def front(self, path: str, *, largest: int = LARGEST) -> Front | LeftOut:
        """Read a file's front matter and body, or say why that is not possible."""
        try:
            text = self._text(path, "a page", largest)
        except OSError as error:
            return LeftOut("unreadable file", Place(path), f"the disk says: {error.strerror}")
        except UnicodeDecodeError:
            return LeftOut("unreadable file", Place(path), "it is not UTF-8; save it as UTF-8")
        except ValueError as error:
            return LeftOut("unreadable file", Place(path), str(error))
        parts = split(path, text.replace("\0", ""))
        if parts.problems:
            first = parts.problems[0]
            return LeftOut("unreadable front matter", Place(path, first.line), first.message)
        values = {key.lower(): given.plain() for key, given in parts.values.items()}
        lines = {key.lower(): given.line for key, given in parts.values.items()}
        spelled = {key.lower(): key for key in parts.values}
        return Front(values, spelled, lines, parts.body, parts.body_line)

    def _text(self, path: str, what: str, largest: int) -> str:
        file = self.root / path
        if (size := file.stat().st_size) > largest:
            raise ValueError(f"it has {size / MIB:.1f} MiB, and {what} has at most {largest // MIB} MiB")
        return text_of(file.read_bytes())

    def settings(self, path: str, *, largest: int = LARGEST) -> dict[str, Any]:
        """Read a settings file of a tool; its format is that of its name.

        :raises ConfigError: it cannot be read; the error has the line.
        """
        handler = _READERS[posixpath.splitext(path)[1].lower()]
        try:
            text = self._text(path, "a file of settings", largest)
            if handler is YAML:
                text = _TAG.sub(r"\1", text)
            read: Given = handler.read(RawFrontMatter(text, 1))
        except UnreadableError as error:
            line, what, todo = error.reasons[0]
            what = what.replace("front matter", "the file", 1)
            raise ConfigError(what, where=f"{path}:{line}", todo=todo) from None
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"it cannot be read: {error}", where=path, todo="correct the file") from None
        plain = read.plain()
        return plain if isinstance(plain, dict) else {}


def opened(source: ImportSource, settings_of: Callable[[SourceTree], str], sign: str) -> SourceTree:
    """Open the folder of a tool; `settings_of` gives the path of the tool's settings in it.

    :raises ConfigError: the source is not a folder with such settings, so its pages would be none, or others.
    """
    if source.path is not None and source.path.is_dir() and settings_of(tree := SourceTree(source.path)):
        return tree
    raise ConfigError(
        f"this is not {sign}", where=source.given, todo="name another folder, or leave out `--as`"
    )


def _is_file_below(file: Path, root: Path) -> bool:
    try:
        found = file.resolve(strict=True)
    except (OSError, RuntimeError):
        return False
    return found.is_file() and found.is_relative_to(root)

"""The folders that `--mount` gives to a WordPress stage: a theme, plugins, or the files of WordPress itself.

WordPress may write into its own files. So a stage gets copies, and the folders themselves stay as they are.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable

_PLUGIN = re.compile(rb"^[ \t/*#@]*Plugin Name:", re.MULTILINE | re.IGNORECASE)
# WordPress reads the headers of a file from its first bytes.
_HEAD = 8192

# Folders of developers, which may be large and are not needed.
_LEFT_OUT = shutil.ignore_patterns(".git", "node_modules", ".svn")


@dataclass(frozen=True, slots=True)
class Mounts:
    """The folders by what they are; `plugins` have the path of the main file below the plugins' folder."""

    theme: Path | None = None
    plugins: tuple[tuple[Path, str], ...] = ()
    wordpress: Path | None = None

    @classmethod
    def of(cls, given: Iterable[str]) -> Mounts:
        """Read the values of `--mount`, such as `theme=DIR`.

        :raises ConfigError: a value names no such folder, or a second theme.
        """
        themes, plugins, sources = [], [], []
        for text in given:
            kind, _, name = text.partition("=")
            folder = Path(name).expanduser().absolute()
            if kind not in {"theme", "plugin", "wordpress"} or not name:
                raise _wrong(text, "does not name what the folder is", "write theme=DIR or plugin=DIR")
            if not folder.is_dir():
                raise _wrong(text, "names no folder", "check the path")
            if kind == "theme":
                themes.append(_with(folder, "style.css", text, "the folder of a theme has a `style.css`"))
            elif kind == "plugin":
                plugins.append((folder, f"{folder.name}/{_main_file(folder, text)}"))
            else:
                todo = "name the folder into which WordPress was unpacked"
                sources.append(_with(folder, "wp-includes/version.php", text, todo))
        for several in (themes, sources):
            if len(several) > 1:
                raise _wrong(str(several[1]), "is the second of its kind", "name one theme and one WordPress")
        return cls(next(iter(themes), None), tuple(plugins), next(iter(sources), None))

    @property
    def named(self) -> tuple[str, ...]:
        """The names of theme and plugins."""
        return tuple(path.name for path in (self.theme, *(folder for folder, _ in self.plugins)) if path)


def copy(source: Path, target: Path) -> Path:
    """Copy a folder for a stage, with the files behind its links; give the copy.

    :raises StorageError: it cannot be copied.
    """
    try:
        shutil.copytree(source, target, ignore=_LEFT_OUT, ignore_dangling_symlinks=True)
    except (OSError, shutil.Error) as error:
        what = f"the folder cannot be copied for the stage ({getattr(error, 'strerror', None) or error})"
        raise StorageError(what, where=str(source), todo="see that the disk is not full") from error
    return target


def _with(folder: Path, file: str, text: str, todo: str) -> Path:
    if not (folder / file).is_file():
        raise _wrong(text, f"has no `{file}`", todo)
    return folder


def _main_file(folder: Path, text: str) -> str:
    """Find the file that WordPress loads, by its header."""
    for file in sorted(folder.glob("*.php")):
        with file.open("rb") as opened:
            if _PLUGIN.search(opened.read(_HEAD)):
                return file.name
    raise _wrong(text, "has no file with the header `Plugin Name:`", "name the plugin's own folder")


def _wrong(text: str, what: str, todo: str) -> ConfigError:
    return ConfigError(f"--mount {text} {what}", todo=todo)

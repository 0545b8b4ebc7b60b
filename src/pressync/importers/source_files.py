"""The files of a folder that its pages can show or link to, by their old addresses.

A tree has far more files than its pages use. So a file is copied only when a page asked for it, and each
file has one place below the content folder, which its address decides.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

# Files that are pages, programs or styles of the old site; a link to them stays as it is.
_NOT_MEDIA = (
    ".html",
    ".htm",
    ".md",
    ".markdown",
    ".mdx",
    ".js",
    ".css",
    ".php",
    ".xml",
    ".txt",
    ".json",
    ".map",
)


class FolderFiles:
    """The files of a source, as `SourceFiles` asks for them; `files` has them by address.

    `moved` are a folder of the source and its address, for tools whose pages link to the files beside them.
    """

    def __init__(self, files: Mapping[str, Path], moved: tuple[str, str] = ("", "")) -> None:
        self._moved = moved
        self._files = {path: file for path, file in files.items() if not path.lower().endswith(_NOT_MEDIA)}
        self._asked: dict[str, Path] = {}

    def has(self, address: str) -> bool:
        """Tell whether a file has this address; nothing is copied for it."""
        return _plain(address) in self._files

    def file_of(self, address: str) -> str | None:
        """Give the path below the content folder for the file at an address; it will be copied."""
        path = _plain(address)
        folder, above = self._moved
        if path not in self._files and folder and path.startswith(f"{folder}/"):
            path = f"{above}{path.removeprefix(folder)}"
        if path not in self._files:
            return None
        inner = f"media{path}"
        self._asked[inner] = self._files[path]
        return inner

    def copies(self) -> Iterator[tuple[str, Path]]:
        """Give the files that were asked for: the path below the content folder, and the file to copy."""
        yield from sorted(self._asked.items())

    def missing(self) -> list[str]:
        """Give the addresses that should have a file: none, because a folder has all of its files."""
        return []


def _plain(address: str) -> str:
    return posixpath.normpath(f"/{unquote(address).partition('?')[0].lstrip('/')}")

"""Finds the files of a copy of `wp-content/uploads` for the addresses in texts.

WordPress makes up to eight sizes of each picture, and texts name the sizes. So an address of a size means the
original if the copy has it. Two files with the same bytes are one file in the repository. Without a copy,
nothing is downloaded: the addresses stay, and a list of them is what `wget` needs.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.client.capabilities import FILES
from pressync.model.web_address import path_of, split

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The folder of uploads, wherever WordPress is installed.
_UPLOADS = re.compile(r"(?:^|/)wp-content/uploads/(?=[^/])")
# The end of the name of a size, and of a picture that WordPress made smaller or turned after the upload.
_SIZE = re.compile(r"-\d{1,5}x\d{1,5}\Z", re.ASCII)
_EDITED = re.compile(r"-(?:scaled|rotated)\Z")
_FOLDER = "media"


class Uploads:
    """The uploads of one site: which files the texts need, and which of them are missing."""

    def __init__(self, folder: Path | None, origin: str) -> None:
        """`folder` is the copy, or None; `origin` is the scheme and the host of the site."""
        uploads = folder / "uploads" if folder is not None else None
        # People also copy the folder around it.
        self._folder = uploads if uploads is not None and uploads.is_dir() else folder
        self._origin = origin
        self._by_digest: dict[str, str] = {}
        self._copies: dict[str, Path] = {}
        self._missing: dict[str, None] = {}
        self._asked: dict[str, str | None] = {}

    def file_of(self, address: str) -> str | None:
        """Give the path below the content folder of the file at an address; None if there is no such file.

        :param address: a full address, or one from the root of the host; percent signs are decoded or not.
        """
        inner = self._inner(address)
        if inner is None:
            return None
        if inner not in self._asked:
            self._asked[inner] = self._taken(inner)
            if self._asked[inner] is None:
                path = unquote(path_of(address))
                names = (_original_names(path)[0], path)
                self._missing.update(dict.fromkeys(f"{self._origin}{quote(name)}" for name in names))
        return self._asked[inner]

    def path_of(self, address: str) -> str | None:
        """Give the path of a file that was asked for; another address is not looked up."""
        inner = self._inner(address)
        found = self._find(inner) if inner is not None and self._copies else None
        return self._asked.get(found[0]) or self._asked.get(inner or "") if found else None

    def copies(self) -> Iterator[tuple[str, Path]]:
        """Give the files that were asked for: the path below the content folder, and the file to copy."""
        yield from sorted(self._copies.items())

    def missing(self) -> list[str]:
        """Give the full addresses of the files that were asked for and are not in the copy."""
        return sorted(self._missing)

    def _inner(self, address: str) -> str | None:
        """Give the path of an address below the folder of uploads; None if it is not there."""
        parts = split(address)
        if parts is None or (parts.netloc and f"{parts.scheme}://{parts.netloc}" != self._origin):
            return None
        path = unquote(parts.path)
        found = _UPLOADS.search(path)
        inner = posixpath.normpath(path[found.end() :]) if found else "."
        ending = posixpath.splitext(inner)[1][1:].lower()
        return None if inner.startswith((".", "/")) or "\0" in inner or ending not in FILES else inner

    def _taken(self, inner: str) -> str | None:
        found = self._find(inner)
        if found is None:
            return None
        name, file = found
        with file.open("rb") as data:
            digest = hashlib.file_digest(data, "sha256").hexdigest()
        path = self._by_digest.setdefault(digest, f"{_FOLDER}/{name}")
        self._copies.setdefault(path, file)
        self._asked[name] = path
        return path

    def _find(self, inner: str) -> tuple[str, Path] | None:
        """Find the original of a file, or else the file itself; a link to the outside is not read."""
        if self._folder is None:
            return None
        root = self._folder.resolve()
        for name in _original_names(inner):
            # Python 3.11 raises RuntimeError for a link that leads to itself.
            with suppress(OSError, RuntimeError):
                file = (root / name).resolve()
                if file.is_relative_to(root) and file.is_file():
                    return name, file
        return None


def _original_names(path: str) -> list[str]:
    """Give the names that the original of a picture may have, the likeliest first, and the name itself."""
    stem, ending = posixpath.splitext(path)
    base = _SIZE.sub("", stem)
    names = [_EDITED.sub("", base), base, f"{base}-scaled", stem]
    return list(dict.fromkeys(f"{name}{ending}" for name in names))

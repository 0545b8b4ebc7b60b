"""The templates and the files of the web pages, read once.

An update of the package replaces these files below a server that runs, and an editable install takes them
away. So a server reads all of them before it answers, and its pages stay those of one version. The digest of
all of them names that version: another process asks for it, and knows whether the server is like itself.
"""

from __future__ import annotations

import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# The address at which a server gives the digest of its files.
EDITION = "/-/edition"


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file that pages load, and its media type."""

    data: bytes
    type: str


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The templates by name, the files by name, and the digest of both."""

    templates: Mapping[str, str]
    static: Mapping[str, PageFile]
    edition: str


@cache
def page_files() -> PageFiles:
    """Read the files of this version."""
    templates, static = _read("templates"), _read("static")
    digest = hashlib.sha256(repr((templates, static)).encode())
    return PageFiles(
        {name: data.decode() for name, data in templates.items()},
        {name: PageFile(data, mimetypes.guess_type(name)[0] or "") for name, data in static.items()},
        digest.hexdigest(),
    )


def _read(folder: str) -> dict[str, bytes]:
    found = files("pressync.stage.server").joinpath(folder).iterdir()
    return {file.name: file.read_bytes() for file in sorted(found, key=lambda file: file.name)}

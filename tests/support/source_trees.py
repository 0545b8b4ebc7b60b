"""Folders as other tools have them, written for one test."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pressync.importing.sources.item import Item, LeftOut, Origin
from pressync.importing.sources.source_tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pressync.importing.sources.item import Imported


def tree(folder: Path, files: Mapping[str, str]) -> SourceTree:
    """Write files below a folder; their texts may be indented."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
    return SourceTree(folder)


def by_file(imported: Iterable[Imported]) -> dict[str, Item]:
    """Give the items by their files in the source."""
    return {each.place.path: each for each in imported if isinstance(each, Item)}


def left_out(imported: Iterable[Imported]) -> dict[str, str]:
    """Give the kinds of the things that were left out, by their files."""
    return {each.place.path: each.kind for each in imported if isinstance(each, LeftOut)}


def origin(imported: Iterable[Imported]) -> str:
    """Give the public address of a source."""
    return next(each.address for each in imported if isinstance(each, Origin))

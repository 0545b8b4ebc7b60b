"""A Jekyll site in a folder of one test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.source_trees import by_file, tree

from pressync.importers.jekyll.config import read_config
from pressync.importers.jekyll.source import JekyllSource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.importers.item import Imported, Item

EMPTY = "---\n---\n"


def imported(folder: Path, files: Mapping[str, str], config: str = "") -> list[Imported]:
    """Write a site, and read all of it."""
    site = tree(folder, {"_config.yml": config, **files})
    return list(JekyllSource(site, read_config(site)).items())


def items(folder: Path, files: Mapping[str, str], config: str = "") -> dict[str, Item]:
    """Write a site, and give its pages by their files."""
    return by_file(imported(folder, files, config))


def item(folder: Path, text: str, config: str = "", file: str = "page.md") -> Item:
    """Write a site of one page, and give that page."""
    return items(folder, {file: text}, config)[file]

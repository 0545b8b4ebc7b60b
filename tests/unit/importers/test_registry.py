"""Each importer has a name and a sign by which people know its sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.importers.item import ImportSource
from pressync.importers.registry import IMPORTERS, recognised

if TYPE_CHECKING:
    from pathlib import Path


def test_every_importer_says_how_people_recognise_its_sources() -> None:
    assert all(importer.sign for importer in IMPORTERS.values())


def test_a_folder_of_an_unknown_tool_is_not_recognised(tmp_path: Path) -> None:
    assert recognised(ImportSource(str(tmp_path), tmp_path)) is None

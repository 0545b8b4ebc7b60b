"""Names the importers, and recognises the one for a source.

A folder can look like two tools: a Hugo tree may have a `_config.yml` for something else. So the
importers are asked in the order of this table, and `--as` overrides them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.importers import jsonl, wordpress, wxr
from pressync.importers.docusaurus import source as docusaurus
from pressync.importers.hugo import source as hugo
from pressync.importers.jekyll import source as jekyll
from pressync.importers.mkdocs import source as mkdocs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.importers.item import ImportSource, Items


@dataclass(frozen=True, slots=True)
class Importer:
    """How one tool's sources are recognised and read; `sign` tells people what recognises one."""

    sign: str
    recognises: Callable[[ImportSource], bool]
    items: Callable[[ImportSource], Items]


IMPORTERS: Mapping[str, Importer] = {
    "hugo": Importer(hugo.SIGN, hugo.recognises, hugo.items),
    "docusaurus": Importer(docusaurus.SIGN, docusaurus.recognises, docusaurus.items),
    "jekyll": Importer(jekyll.SIGN, jekyll.recognises, jekyll.items),
    "mkdocs": Importer(mkdocs.SIGN, mkdocs.recognises, mkdocs.items),
    "jsonl": Importer(jsonl.SIGN, jsonl.recognises, jsonl.items),
    "wxr": Importer(wxr.SIGN, wxr.recognises, wxr.items),
    "wordpress": Importer(wordpress.SIGN, wordpress.recognises, wordpress.items),
}


def recognised(source: ImportSource) -> str | None:
    """Name the first importer that recognises a source."""
    return next((name for name, importer in IMPORTERS.items() if importer.recognises(source)), None)

"""`pressync schema` at work for the files that people write: makes the schema that an editor reads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pressync.app.editors import schema_files, site_names
from pressync.cli import console
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.cli.main import Globals


def written(globals_: Globals, document: str, kind: str | None) -> str:
    """Write the schema of pressync.toml or of front matter; with `--site`, it has the names of that site."""
    names = {}
    if globals_.site:
        with console.open_workspace(globals_) as workspace:
            names = dict(site_names.of(workspace, partial(console.tell, globals_)))
    return schema_files.text(document, Kind(kind) if kind else None, names)

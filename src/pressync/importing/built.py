"""Finds the folder into which the tool of a source builds its site, and tells whether that build is old.

The built site proves an import. Its folder is the one that the settings of the tool name, or the tool's own.
A build that is older than its source shows another text, and that difference is not one of the import.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.importing import importers
from pressync.importing.sources.hugo_config import read_config
from pressync.importing.sources.item import ImportSource
from pressync.importing.sources.source_tree import SourceTree
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class _Output:
    """The folder that a tool builds, and the key with which its settings name another one."""

    folder: str
    key: str = ""
    settings: tuple[str, ...] = ()


_ASTRO = tuple(f"astro.config.{ending}" for ending in ("mjs", "js", "ts", "mts", "cjs", "cts"))
_OUTPUTS = {
    "hugo": _Output("public", "publishdir"),
    "jekyll": _Output("_site", "destination", ("_config.yml", "_config.yaml", "_config.toml")),
    "mkdocs": _Output("site", "site_dir", ("mkdocs.yml", "mkdocs.yaml")),
    "hexo": _Output("public", "public_dir", ("_config.yml", "_config.yaml")),
    "astro": _Output("dist", "outDir", _ASTRO),
    "docusaurus": _Output("build"),
    "eleventy": _Output("_site"),
}
_PROGRAMS = (".js", ".ts", ".mjs", ".mts", ".cjs", ".cts")


@dataclass(frozen=True, slots=True)
class Build:
    """The folder with the built site of a source, which may not be there yet."""

    source: Path
    folder: Path

    @property
    def is_there(self) -> bool:
        """Whether somebody has built the site."""
        return self.folder.is_dir()

    def newer(self) -> str:
        """Name a file of the source that was saved after the last build; "" if there is none."""
        built = max((time for _, time in _times(self.folder, self.source) if time), default=0.0)
        saved = ((time, path) for path, time in _times(self.source, self.source, self.folder))
        time, path = max(saved, default=(0.0, ""))
        return path if built and time > built else ""


def build_of(source: Path, tool: str = "") -> Build | None:
    """Give the build of a folder of a tool; None if it is not one, or if its tool builds no pages.

    :raises ConfigError: the settings of the tool cannot be read.
    """
    if not tool:
        found = importers.recognised(ImportSource(str(source), source))
        tool = found[0] if found else ""
    output = _OUTPUTS.get(tool)
    if output is None:
        return None
    folder = Path(os.path.normpath(source / (_named(SourceTree(source), output) or output.folder)))
    # A stranger may have written the settings. They name nothing further away than a neighbour.
    if not folder.is_relative_to(source.absolute().parent) or folder == source.absolute():
        folder = source / output.folder
    return Build(source, folder)


def _named(tree: SourceTree, output: _Output) -> str:
    if output.key == "publishdir":
        return str(read_config(tree).table.get(output.key) or "")
    file = tree.first(output.settings)
    if file.endswith(_PROGRAMS):
        found = re.search(rf"\b{output.key}\s*:\s*['\"]([^'\"]{{1,200}})['\"]", tree.text(file))
        return found[1] if found else ""
    return str(tree.settings(file).get(output.key) or "") if file else ""


_NOT_SOURCES = frozenset({"node_modules", "vendor", "resources", "__pycache__"})


def _times(folder: Path, source: Path, without: Path | None = None) -> Iterator[tuple[str, float]]:
    """Give the files below a folder by their paths in the source, with the times at which they were saved."""
    for place, folders, names in os.walk(folder):
        inner = (each for each in folders if not each.startswith(".") and each not in _NOT_SOURCES)
        folders[:] = [each for each in inner if Path(place, each) != without]
        for name in names:
            file = Path(place, name)
            if not file.is_symlink():
                yield os.path.relpath(file, source), file.stat().st_mtime


def built_of(folder: Path, given: str) -> tuple[Path, str]:
    """Give the folder with built pages that a person means, and a newer file of its source, "" for none.

    The person names that folder, or the folder of its tool.

    :raises ConfigError: it is the folder of a tool, and nobody has built the site.
    """
    here = Path(os.path.normpath(folder.absolute()))
    if build := build_of(here):
        if not build.is_there:
            what = f"the site is not built: there is no folder {build.folder.name}"
            raise ConfigError(what, where=given, todo="build it with its tool, and compare again")
        return build.folder, build.newer()
    for above in here.parents[:2]:
        build = build_of(above)
        if build and build.folder == here:
            return here, build.newer()
    return here, ""

"""The importers by the names that `--as` takes: ours are a table, and other packages name theirs.

Another package names its importers as entry points of the group `pressync.importers`. Their names are read
without their code, so help and completion stay fast, and only an import loads what it may use. Ours come
first, and no package can take one of their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError, PressyncError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from importlib.metadata import EntryPoint

    from pressync.importing.sources.item import ImportSource, Items

GROUP = "pressync.importers"


@dataclass(frozen=True, slots=True)
class Importer:
    """How the sources of one tool are recognised and read; this is the recipe for another one.

    An importer must have:

    1. `items` yields what a source has: first the `SourceFiles` to which texts link, then an `Item` for each
       page and post, and a `LeftOut` for each thing that gets no file. The account counts them.
    2. `recognises` tells by a sign in the source whether it is one of this tool. It must not take a source of
       another tool, because the first importer that recognises a source reads it.

    It may have:

    3. `items` yields a `ContentRoot` for each folder with pages. Then the account names every page in it that
       is neither an item nor left out.
    4. `of_folder` says that the tool builds a folder. Then `import` names such a folder, if somebody gave the
       one above or below it. `FolderTool` makes an importer of the files with the tool's settings, and
       `tree_items` makes items of Markdown with front matter.
    5. A package of its own names it in its `pyproject.toml`, and nothing of pressync is changed:

           [project.entry-points."pressync.importers"]
           eleventy = "my_package:IMPORTER"
    """

    recognises: Callable[[ImportSource], bool]
    items: Callable[[ImportSource], Items]
    of_folder: bool = False

    def read(self, source: ImportSource) -> Items:
        """Give everything of a source.

        :raises ConfigError: the source cannot be read.
        """
        from pressync.importing.sources.item import ODD, why_odd  # noqa: PLC0415 - help needs no items

        try:
            yield from self.items(source)
        except ODD as error:
            todo = "correct it, or name the tool with `--as`"
            raise ConfigError(why_odd(error), where=source.given, todo=todo) from error


# In this order a source is recognised. `pyproject.toml` names the same as entry points.
OURS: Mapping[str, str] = {
    "hugo": "pressync.importing.sources.hugo:IMPORTER",
    "docusaurus": "pressync.importing.sources.docusaurus:IMPORTER",
    "astro": "pressync.importing.sources.astro:IMPORTER",
    "hexo": "pressync.importing.sources.hexo:IMPORTER",
    "jekyll": "pressync.importing.sources.jekyll:IMPORTER",
    "mkdocs": "pressync.importing.sources.mkdocs:IMPORTER",
    "push-md": "pressync.importing.sources.push_md:IMPORTER",
    # A tree of another tool may be a vault, too: people write in Obsidian.
    "obsidian": "pressync.importing.sources.obsidian:IMPORTER",
    "ghost": "pressync.importing.sources.ghost:IMPORTER",
    "jsonl": "pressync.importing.sources.jsonl:IMPORTER",
    "wxr": "pressync.importing.sources.wxr:IMPORTER",
    "wordpress": "pressync.importing.sources.wordpress:IMPORTER",
}


@cache
def _others() -> tuple[EntryPoint, ...]:
    """Read the entry points of other packages; the packages stay the same while a process runs."""
    found = entry_points(group=GROUP)
    return tuple(sorted((each for each in found if each.value != OURS.get(each.name)), key=_by_name))


def _by_name(point: EntryPoint) -> tuple[str, str]:
    return point.name, _package(point)


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def names() -> list[str]:
    """Name all importers, those of other packages too; no code of theirs is loaded."""
    return sorted({*OURS, *(point.name for point in _others())})


def importer(name: str) -> Importer:
    """Load the importer of this name.

    :raises ConfigError: another package has taken the name, or its importer cannot be loaded.
    """
    points = [point for point in _others() if point.name == name]
    if len(points) + (name in OURS) > 1:
        packages = ", ".join(sorted(map(_package, points)))
        what = f"several importers have the name '{name}': it is taken by {packages}"
        raise ConfigError(what, where="import", todo="remove one of the packages, or rename its importer")
    if name in OURS:
        module, _, attribute = OURS[name].partition(":")
        found: Importer = getattr(import_module(module), attribute)
        return found
    return _guarded(points[0])


def importers() -> Iterator[tuple[str, Importer]]:
    """Load the importers in the order in which a source is recognised.

    :raises ConfigError: as `importer`.
    """
    for name in (*OURS, *dict.fromkeys(point.name for point in _others() if point.name not in OURS)):
        yield name, importer(name)


def recognised(source: ImportSource) -> tuple[str, Importer] | None:
    """Give the first importer that recognises a source, with its name."""
    return next((each for each in importers() if each[1].recognises(source)), None)


def _guarded(point: EntryPoint) -> Importer:
    """Load the importer of another package, and name the package in whatever it raises."""

    def fault(error: Exception) -> ConfigError:
        what = f"the importer '{point.name}' of the package {_package(point)} failed"
        return ConfigError(
            f"{what}: {type(error).__name__}: {error}", where="import", todo="tell the makers of the package"
        )

    try:
        found: Importer = point.load()
    except Exception as error:
        raise fault(error) from error

    def recognises(source: ImportSource) -> bool:
        try:
            return found.recognises(source)
        except Exception as error:
            raise fault(error) from error

    def items(source: ImportSource) -> Items:
        try:
            yield from found.items(source)
        except PressyncError:
            raise
        except Exception as error:
            raise fault(error) from error

    return Importer(recognises, items, of_folder=found.of_folder)

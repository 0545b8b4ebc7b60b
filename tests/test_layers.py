"""The house, held up: every module stands in a row, and imports only rows below its own."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pressync

SOURCE = Path(pressync.__file__).parent

# From top to bottom. A folder is one step of the way, and its modules are among themselves.
ROWS: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        "__main__",
        "cli",
        "hooks merge_driver",
        "shortcut binding site_binding bygone doctor pulling starting verification",
        "workspace",
        "sitting",
        "apply bookkeeping carrying diffs occupancy turn unconfirmed workflow",
        "jobs",
        "delivery planning",
        "lookup provisions",
        "entry_evidence",
        "adoption drift inspection manifest_search naming orphans pacer pushed survey uploads",
        "address_lookup likeness trashed",
        "recognition",
        "content history embedded manifest_place manifest_ref paths revision secret_sources settings_place",
        "mentioned work_tree",
        "config",
        "local",
        "repo",
        "render documents",
        "addresses",
        "state",
        "facing",
        "signs redirects github",
        "service",
        "markup",
        "plan echo",
        "effects",
        "manifest",
        "report",
        "fingerprint sources location environment",
        "embedded_repository",
        "git_process",
        "changes",
        "model",
        "interface",
        "errors __init__",
    )
)
ROW_OF = {room: number for number, row in enumerate(ROWS) for room in row}

# Rooms that are handed everything and touch nothing.
PURE = (
    *(
        "plan",
        "echo",
        "effects",
        "manifest",
        "redirects",
        "report",
        "fingerprint",
        "sources",
        "changes",
        "model",
        "interface",
        "errors",
    ),
    *(
        "state.journal_lines",
        "state.recovery",
        "render.links",
        "render.targets",
        "documents.headings",
        "config.settings_file",
    ),
    *("render.editor_blocks", "render.plain_markup"),
    *(
        "markup",
        "pulling.body",
        "pulling.wording",
        "pulling.layout",
        "pulling.merging",
        "pulling.links",
        "pulling.seen",
    ),
    *(
        "service.answers",
        "service.capabilities",
        "service.documented",
        "service.form",
        "service.port",
        "service.sizes",
        "service.echoed",
    ),
)
TOUCHING = {"os", "pathlib", "subprocess", "socket", "requests", "git", "sqlite3", "threading", "time"}

# Where each of the libraries lives, and nowhere else.
HOMES: dict[str, frozenset[str]] = {
    "click": frozenset({"cli"}),
    "comrak": frozenset({"render"}),
    "flask": frozenset({"local"}),
    "frontmatter": frozenset({"documents"}),
    "git": frozenset({"repo"}),
    "jinja2": frozenset({"render", "local"}),
    "requests": frozenset({"service", "github"}),
    "rich": frozenset({"cli"}),
    "sqlite3": frozenset({"local"}),
    "waitress": frozenset({"local"}),
    "yaml": frozenset({"documents"}),
}


@dataclass(frozen=True)
class Import:
    """One imported module, or name of one, and whether running the module's top level imports it."""

    name: str
    at_once: bool

    @property
    def library(self) -> str:
        """The first part of its name."""
        return self.name.partition(".")[0]

    @property
    def room(self) -> str:
        """The room of this project that it is in: a file or a folder right below the package."""
        inside = self.name.removeprefix("pressync").removeprefix(".")
        first = inside.partition(".")[0]
        return first if first in ROOMS else "__init__"


def module_name(file: Path) -> str:
    """Give a file's module name below the package, `report.text`; a folder's own file is the folder."""
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(SOURCE.rglob("*.py"))}
ROOMS = {name.partition(".")[0] for name in MODULES}


@cache
def imports(module: str) -> tuple[Import, ...]:
    """List what a module imports: at its top, in its functions, and for its types."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    return tuple(Import(name, at_once=node in tree.body) for node in ast.walk(tree) for name in names(node))


def names(node: ast.AST) -> list[str]:
    """Name what one statement imports; what is taken out of one of our modules is named by that module."""
    match node:
        case ast.Import(names=found):
            return [alias.name for alias in found]
        case ast.ImportFrom(module=str(module), names=found, level=0):
            within = module.removeprefix("pressync").removeprefix(".")
            files = [".".join(filter(None, (within, alias.name))) for alias in found]
            return [f"pressync.{file}" if file in MODULES else module for file in files]
        case ast.ImportFrom():
            raise AssertionError("imports are absolute")
        case _:
            return []


def is_pure(module: str) -> bool:
    """Tell whether a module is, or is in, one of the pure rooms."""
    return any(module == room or module.startswith(f"{room}.") for room in PURE)


def test_every_room_stands_in_one_row() -> None:
    assert set(ROW_OF) == ROOMS
    assert sum(len(row) for row in ROWS) == len(ROW_OF)


def test_the_map_for_contributors_shows_every_room_once_and_what_it_imports_below() -> None:
    contributing = SOURCE.parents[1] / ".github/CONTRIBUTING.md"
    if not contributing.is_file():
        pytest.skip("not in a clone")
    table = contributing.read_text(encoding="utf-8").partition("| Row |")[2].partition("\n\n")[0]
    shown = [re.findall(r"`(\w+)/?`", line.split("|")[1]) for line in table.splitlines()[2:]]
    place = {room: number for number, rooms in enumerate(shown) for room in rooms}
    assert sorted(room for rooms in shown for room in rooms) == sorted(ROOMS - {"__main__", "__init__"})
    upwards = {
        (module, found.room)
        for module in MODULES
        for found in imports(module)
        if found.library == "pressync" and place.get(found.room, 99) < place.get(module.partition(".")[0], -1)
    }
    assert not upwards


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_rows_below(module: str) -> None:
    room = module.partition(".")[0]
    ours = {found.room for found in imports(module) if found.library == "pressync"} - {room}
    assert not {other for other in ours if ROW_OF[other] <= ROW_OF[room]}


def test_no_module_imports_itself_over_others() -> None:
    graph = {
        module: {
            found.name.removeprefix("pressync.") for found in imports(module) if found.library == "pressync"
        }
        for module in MODULES
    }
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("module", [name for name in MODULES if is_pure(name)])
def test_a_pure_room_touches_nothing(module: str) -> None:
    assert not {found.library for found in imports(module)} & TOUCHING


@pytest.mark.parametrize("library", HOMES)
def test_a_library_lives_in_its_rooms_and_nowhere_else(library: str) -> None:
    users = {
        name.partition(".")[0] for name in MODULES for found in imports(name) if found.library == library
    }
    assert users <= HOMES[library]


def test_the_embedded_service_knows_the_interface_and_nothing_else_of_us() -> None:
    inside = [name for name in MODULES if name.partition(".")[0] == "local"]
    rooms = {found.room for name in inside for found in imports(name) if found.library == "pressync"}
    assert rooms == {"local", "interface"}


def test_the_shortcut_loads_nothing_of_us_before_it_has_to() -> None:
    rooms = {found.room for found in imports("shortcut") if found.library == "pressync" and found.at_once}
    assert rooms <= {"__init__"}


def test_the_walker_sees_what_it_is_asked_to_see() -> None:
    source = "import os.path\nfrom pressync import plan, __version__\nfrom pressync.report import text\n"
    found = [name for node in ast.parse(source).body for name in names(node)]
    assert found == ["os.path", "pressync.plan", "pressync", "pressync.report.text"]

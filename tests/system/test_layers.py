"""Every module belongs to a row of the table in CONTRIBUTING, and imports only rows below its own."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pressync
from pressync.client.dialects import DIALECTS

SOURCE = Path(pressync.__file__).parent

# The rows from top to bottom. Modules of one folder may import each other.
ROWS: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        "__main__",
        "cli",
        "importing stage",
        "app",
        "pull",
        "sync",
        "plan",
        "content state",
        "config",
        "client repo",
        "html",
        "model",
        "__init__",
    )
)
ROW_OF = {room: number for number, row in enumerate(ROWS) for room in row}

# Modules that get all their data as arguments and do no I/O.
PURE = (
    "html",
    "model",
    "cli.report.comparison",
    "cli.report.documents",
    "cli.report.github",
    "cli.report.html",
    "cli.report.layout",
    "cli.report.look",
    "cli.report.markdown",
    "cli.report.text",
    "cli.report.words",
    "app.redirects",
    "importing.sources.wordpress_record",
    "importing.tables",
    "plan.decide",
    "plan.blocks",
    "plan.limits",
    "plan.order",
    "plan.reasons",
    "pull.body",
    "pull.bounded_diff",
    "pull.compose",
    "stage.compare.alignment",
    "stage.compare.page_comparison",
    "stage.compare.page_text",
    "sync.echo",
    "state.journal_lines",
    "state.manifest",
    "content.document_checks",
    "content.markdown_text",
    "content.sources",
    "content.render.editor_blocks",
    "content.render.links",
    "config.settings_file",
    "client.dialects",
    "client.documented",
    "client.port",
    "client.responses",
    "client.credentials",
    "plan.situations",
)
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 500, 45
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TOUCHING = {"os", "pathlib", "subprocess", "socket", "requests", "git", "sqlite3", "threading", "time"}

# The two wings, and the modules of the command line that open them. Everything else is the engine, and the
# command line hands in what a wing gives to it.
WINGS = frozenset({"importing", "stage"})
DOORS = frozenset(
    {
        "cli.console",  # without a configured site, a workspace has the embedded service
        "cli.commands.compare",
        "cli.commands.demo",
        "cli.commands.import_",
        "cli.commands.preview",
        "cli.commands.rehearse",
        "cli.commands.serve",
        "cli.report.comparison",  # it writes what the wing compared
        "cli.report.look",  # it writes what the browser of the wing saw
    }
)

# The command line uses `app` and the nouns of `model`. These modules still use others at run time; take one
# out, and do not add one. `plan`, `sync`, `status` and `check` do all by the API of `import pressync`: a run
# with nothing to do asks Git, and loads nothing else.
BESIDE_THE_API = {
    "cli.commands.action": "config.environment config.settings plan.limits",
    "cli.commands.adopt": "plan.reasons",
    "cli.commands.config": "config.environment",
    "cli.commands.import_": "client.retry",
    "cli.commands.init": "client.dialects client.probe config.keys config.settings config.used_settings "
    "repo.ref repo.repository",
    "cli.commands.login": "config.secrets",
    "cli.commands.manifest": "state.manifest.codec",
    "cli.commands.plan": "repo.discover",
    "cli.commands.preview": "sync.apply",
    "cli.commands.pull": "pull.bounded_diff",
    "cli.commands.rehearse": "config.agreement sync.apply",
    "cli.commands.rollback": "plan.limits sync.apply sync.control",
    "cli.commands.serve": "client.dialects config.environment repo.repository state.atomic_files",
    "cli.commands.sync": "repo.discover",
    "cli.completions": "config.keys config.settings content.sources repo.discover",
    "cli.console": "config.agreement config.settings repo.repository",
    "cli.log": "state.manifest_file",
    "cli.options": "plan.limits repo.inert",
    "cli.plain": "repo.discover",
    "cli.report.markdown": "pull.bounded_diff",
    "cli.report.text": "config.keys plan.reasons",
    "cli.report.words": "pull.bounded_diff",
    "cli.tool_server": "config.agreement config.environment repo.inert",
}

# Where each of the libraries lives, and nowhere else.
HOMES: dict[str, frozenset[str]] = {
    "click": frozenset({"cli"}),
    "comrak": frozenset({"content", "importing"}),
    "flask": frozenset({"stage"}),
    "frontmatter": frozenset({"content"}),
    "git": frozenset({"repo"}),
    "jinja2": frozenset({"cli", "content", "stage"}),
    "requests": frozenset({"client", "app", "stage"}),
    "selectolax": frozenset({"stage"}),
    "sqlite3": frozenset({"app", "stage"}),
    "waitress": frozenset({"stage"}),
    "yaml": frozenset({"content"}),
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


@dataclass(frozen=True)
class Shape:
    """The imports, the classes that have a public name, and the long functions of one module."""

    imports: tuple[Import, ...]
    classes: tuple[str, ...]
    long: tuple[str, ...]


@cache
def shape(module: str) -> Shape:
    """Read a module once for all tests; its tree is not kept, because all trees are 150 MB."""
    tree = ast.parse(text_of(module))
    nodes = list(ast.walk(tree))
    at_once = {id(node) for node in tree.body}
    functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
    return Shape(
        tuple(Import(name, at_once=id(node) in at_once) for node in nodes for name in names(node)),
        tuple(node.name for node in nodes if isinstance(node, ast.ClassDef) and node.name[0] != "_"),
        tuple(
            f"{module}.{node.name}"
            for node in functions
            if (node.end_lineno or 0) - node.lineno >= MOST_LINES_OF_A_FUNCTION
        ),
    )


def imports(module: str) -> tuple[Import, ...]:
    """List what a module imports: at its top, in its functions, and for its types."""
    return shape(module).imports


def text_of(module: str) -> str:
    """Read the source of a module."""
    return MODULES[module].read_text(encoding="utf-8")


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


def test_a_module_imports_only_rows_below() -> None:
    upwards = set()
    for module in MODULES:
        room = module.partition(".")[0]
        ours = {found.room for found in imports(module) if found.library == "pressync"} - {room}
        ours -= WINGS if module in DOORS else set()
        upwards |= {(module, other) for other in ours if ROW_OF[other] <= ROW_OF[room]}
    assert upwards == set()


def test_the_engine_imports_neither_wing() -> None:
    engine = {name for name in MODULES if name.partition(".")[0] not in WINGS}
    opening = {name for name in engine if {found.room for found in imports(name)} & WINGS}
    assert opening == DOORS
    assert all(name.startswith("cli.") for name in DOORS)


def test_the_command_line_uses_the_api_and_the_nouns() -> None:
    own = {"__init__", "app", "cli", "model", *WINGS}
    found = {}
    for command in (name for name in MODULES if name.startswith("cli.")):
        tree = ast.parse(MODULES[command].read_text(encoding="utf-8"))
        # An `if` at the top has the imports for types.
        typed = {id(node) for block in tree.body if isinstance(block, ast.If) for node in ast.walk(block)}
        used = {name for node in ast.walk(tree) if id(node) not in typed for name in names(node)}
        others = [name for name in used if Import(name, at_once=True).room not in own]
        if beside := sorted(name.removeprefix("pressync.") for name in others if name.startswith("pressync")):
            found[command] = " ".join(beside)
    assert found == BESIDE_THE_API


def test_no_folder_imports_itself_over_others() -> None:
    """An import in a function counts as well."""
    graph: dict[str, set[str]] = {room: set() for room in ROOMS}
    for module in MODULES:
        room = module.partition(".")[0]
        graph[room] |= {found.room for found in imports(module) if found.library == "pressync"} - {room}
    TopologicalSorter(graph).prepare()


def test_the_wings_do_not_import_each_other() -> None:
    others = {"importing": "stage", "stage": "importing"}
    inside = [name for name in MODULES if name.partition(".")[0] in WINGS]
    assert [
        name for name in inside if others[name.partition(".")[0]] in {found.room for found in imports(name)}
    ] == []


def test_no_module_imports_itself_over_others() -> None:
    graph = {
        module: {
            found.name.removeprefix("pressync.") for found in imports(module) if found.library == "pressync"
        }
        for module in MODULES
    }
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("listed", PURE)
def test_every_room_that_is_listed_as_pure_exists(listed: str) -> None:
    assert any(module == listed or module.startswith(f"{listed}.") for module in MODULES)


@pytest.mark.parametrize("module", [name for name in MODULES if is_pure(name)])
def test_a_pure_room_touches_nothing(module: str) -> None:
    assert not {found.library for found in imports(module)} & TOUCHING


@pytest.mark.parametrize("library", HOMES)
def test_a_library_lives_in_its_rooms_and_nowhere_else(library: str) -> None:
    users = {
        name.partition(".")[0] for name in MODULES for found in imports(name) if found.library == library
    }
    assert users <= HOMES[library]


def test_the_walker_sees_what_it_is_asked_to_see() -> None:
    source = "import os.path\nfrom pressync import cli, __version__\nfrom pressync.cli.report import text\n"
    found = [name for node in ast.parse(source).body for name in names(node)]
    assert found == ["os.path", "pressync.cli", "pressync", "pressync.cli.report.text"]


# These modules run Git. Outside of `repo`, nobody writes an argument list for it: a question to Git is a
# method with a value for an answer.
RUNNERS = frozenset({"repo.run_git"})
RUNNING = re.compile(r"\b(Git|Blobs)\(")
GIT_WORDS = {
    *("cat-file", "config", "diff", "fetch", "for-each-ref", "git", "grep", "log", "ls-files", "ls-tree"),
    *("merge-base", "push", "reflog", "rev-list", "rev-parse", "status", "symbolic-ref", "update-ref"),
}


# A source without one of these words has nothing to look for in its tree.
_MAYBE_GIT = re.compile("|".join(["run_git", *(f'"{word}"' for word in sorted(GIT_WORDS))]))


def git_command_lines(source: str) -> list[int]:
    """List the lines in which a call or a tuple has two words or more, the first of them one of Git's."""
    if not _MAYBE_GIT.search(source):
        return []
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr="run_git") | ast.Name(id="run_git"):
                found.append(node.lineno)
            case ast.Call(args=[*words]) | ast.Tuple(elts=[*words]) | ast.List(elts=[*words]):
                texts = [word.value for word in words if isinstance(word, ast.Constant)]
                own = [word for word in texts if word in GIT_WORDS]
                if own and any(
                    str(word).startswith("-") or word in {"HEAD", *GIT_WORDS - {own[0]}} for word in texts
                ):
                    found.append(node.lineno)
            case _:
                pass
    return found


@pytest.mark.parametrize(
    "source",
    [
        'repository.run_git("remote")',
        'git(base, "rev-parse", "HEAD")',
        'asked = ("log", "--max-count=1", where)',
        'subprocess.run(["git", "status"])',
    ],
)
def test_a_git_command_line_is_seen(source: str) -> None:
    assert git_command_lines(source) == [1]


_NAMES = {word for name in DIALECTS for word in (name, name.upper())}
# There the words are a tool that `import` reads, and a stage of `rehearse` and `demo`.
_OTHER_NOUNS = ("cli.commands.demo", "cli.commands.import_", "cli.commands.rehearse", "importing")


def test_only_the_client_and_the_stage_name_a_dialect() -> None:
    named = {
        name
        for name in MODULES
        if not name.startswith(("client", "stage", *_OTHER_NOUNS))
        if any(word in text_of(name) for word in _NAMES)
        for node in ast.walk(ast.parse(text_of(name)))
        if _word(node) in _NAMES
    }
    assert named == set()


_NAMESPACE = re.compile(r"wp/v\d")
# The modules of the client that only the row of a dialect names.
_DIALECTS = ("pressync.client.wordpress", "pressync.client.documented")


def services_asked(source: str) -> list[int]:
    """List the lines that ask whether an object is of the class of a service."""
    if "isinstance" not in source or "Service" not in source:
        return []
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, classes]):
                names_ = [each.id for each in ast.walk(classes) if isinstance(each, ast.Name)]
                found += [node.lineno] if any(name.endswith("Service") for name in names_) else []
            case _:
                pass
    return found


def test_one_module_names_the_namespace_of_the_interface() -> None:
    """Each path is below a namespace, which the route of a dialect puts where its host has it."""
    inside = {name: file for name, file in MODULES.items() if not name.startswith(("client", "stage"))}
    named = {name for name, file in inside.items() if _NAMESPACE.search(file.read_text(encoding="utf-8"))}
    assert named == {"model.interface"}


def test_outside_of_the_client_a_service_is_known_by_its_abilities() -> None:
    outside = {name: file for name, file in MODULES.items() if not name.startswith("client")}
    importing = {name for name in outside for found in imports(name) if found.name.startswith(_DIALECTS)}
    asking = {name for name, file in outside.items() if services_asked(file.read_text(encoding="utf-8"))}
    assert (importing, asking) == (set(), set())
    assert services_asked("x = isinstance(service, (str, WordPressService))") == [1]


def _word(node: ast.AST) -> object:
    match node:
        case ast.Constant(value=word):
            return word
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name if name.isupper() else None
    return None


def test_only_repo_speaks_to_git() -> None:
    outside = {name: file for name, file in MODULES.items() if name.partition(".")[0] != "repo"}
    importing = {
        name for name in outside for found in imports(name) if found.name.removeprefix("pressync.") in RUNNERS
    }
    importing |= {name for name, file in outside.items() if RUNNING.search(file.read_text(encoding="utf-8"))}
    speaking = {name: git_command_lines(file.read_text(encoding="utf-8")) for name, file in outside.items()}
    assert (importing, {name: lines for name, lines in speaking.items() if lines}) == (set(), {})


def test_the_map_for_contributors_shows_the_same_rows() -> None:
    contributing = SOURCE.parents[1] / ".github/CONTRIBUTING.md"
    if not contributing.is_file():
        pytest.skip("not in a clone")
    table = contributing.read_text(encoding="utf-8").partition("| Row |")[2].partition("\n\n")[0]
    shown = [frozenset(re.findall(r"`(\w+)/`", line.split("|")[1])) for line in table.splitlines()[2:]]
    assert shown == [row for row in ROWS if not row & {"__main__", "__init__"}]


def test_the_embedded_service_knows_the_interface_addresses_and_html_and_nothing_else_of_us() -> None:
    inside = [name for name in MODULES if name.startswith("stage.server.")]
    ours = {found.name for name in inside for found in imports(name) if found.library == "pressync"}
    known = {name for name in ours if not name.startswith(("pressync.stage.server", "pressync.html"))}
    assert known == {"pressync.model.interface", "pressync.model.web_address"}


def test_one_module_takes_addresses_apart() -> None:
    """Python raises ValueError for `//[`, and anybody can write that into a page or a request."""
    raising = re.compile(r"\b(?:urlsplit|urlparse|urljoin|urldefrag)\b")
    users = {name for name, file in MODULES.items() if raising.search(file.read_text(encoding="utf-8"))}
    assert users == {"model.web_address"}


def test_the_check_for_up_to_date_loads_nothing_of_us_but_what_reads_a_repository() -> None:
    found = imports("app.up_to_date")
    assert {one.room for one in found if one.library == "pressync" and one.at_once} <= {"__init__", "repo"}


def test_a_folders_own_file_is_its_face_and_holds_no_code() -> None:
    allowed = (ast.Import, ast.ImportFrom, ast.Expr, ast.Assign)
    for file in SOURCE.rglob("__init__.py"):
        body = ast.parse(file.read_text(encoding="utf-8")).body
        if file == SOURCE / "__init__.py":
            # The public names are loaded when somebody asks for one.
            body = [node for node in body if getattr(node, "name", "") not in {"__getattr__", "__dir__"}]
        assert all(isinstance(node, allowed) for node in body), file
        constants = {
            name.id
            for node in body
            if isinstance(node, ast.Assign)
            for name in node.targets
            if isinstance(name, ast.Name)
        }
        assert constants <= {"__all__", "__version__", "_PUBLIC"}, file
    assert len(ast.parse((SOURCE / "model" / "__init__.py").read_text(encoding="utf-8")).body) == 1


# These look into a text. A module that does so with a sentence for people decides by its words.
_READING = {"startswith", "endswith", "partition", "rpartition", "split", "find", "index", "removeprefix"}
_SENTENCES = {"reason", "note", "sentence"}


def _is_sentence(node: ast.AST) -> bool:
    """Tell whether an expression is the sentence of a reason: `change.reason`, `note`, `str(change.why)`."""
    match node:
        case ast.Name(id=name):
            return name in _SENTENCES
        case ast.Attribute(attr=name):
            return name in {"reason", "sentence"}
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name) | ast.Attribute(attr=name)]):
            return name in {*_SENTENCES, "why"}
        case _:
            return False


def sentences_that_decide(source: str) -> list[int]:
    """List the lines in which a sentence for people is compared, taken apart, or taken for true or false."""
    if not re.search(r"\b(?:reason|note|sentence|why)\b", source):
        return []
    asked: list[ast.AST] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Compare(left=left, comparators=others):
                asked += [left, *others]
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _READING:
                asked.append(value)
            case ast.If(test=test) | ast.IfExp(test=test) | ast.UnaryOp(op=ast.Not(), operand=test):
                asked += [test] if isinstance(test, ast.Attribute) else []
            case ast.BoolOp(values=values) | ast.comprehension(ifs=values):
                asked += [value for value in values if isinstance(value, ast.Attribute)]
    return sorted({node.lineno for node in asked if isinstance(node, ast.expr) and _is_sentence(node)})


@pytest.mark.parametrize(
    "source",
    [
        'if "pressync pull" in change.reason: pass',
        'notes = [note for note in plan.notes if not note.startswith("A sync")]',
        "settled = all(not c.reason for c in changes)",
        "shown = [c for c in changes if isinstance(c, Keep) or c.reason]",
        "same = change.reason == reasons.NEW",
        'what, _, todo = str(change.why).partition("; ")',
    ],
)
def test_a_sentence_that_decides_is_seen(source: str) -> None:
    assert sentences_that_decide(source) == [1]


@pytest.mark.sweep
def test_nothing_but_the_wording_reads_a_sentence_to_decide() -> None:
    # The rows below the plan know no reasons. Their notes are those of editors and of Git.
    knowing = {
        name: file for name, file in MODULES.items() if ROW_OF[name.partition(".")[0]] <= ROW_OF["plan"]
    }
    found = {name: sentences_that_decide(file.read_text(encoding="utf-8")) for name, file in knowing.items()}
    assert found.pop("plan.reasons")
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_one_class_name_means_one_thing() -> None:
    named = Counter(name for module in MODULES for name in shape(module).classes)
    assert {name for name, times in named.items() if times > 1} == set()


def test_files_and_functions_are_short() -> None:
    long = {module for module in MODULES if text_of(module).count("\n") > MOST_LINES}
    assert (long, [name for module in MODULES for name in shape(module).long]) == (set(), [])


def test_the_ways_that_the_map_tells_lead_through_modules_that_exist() -> None:
    map_ = (SOURCE.parents[1] / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
    ways = map_.partition("### The way of one page")[2].partition("## Rules")[0]
    front_matter = ("content/front_matter/", "content/render/", "content/", "")
    named = re.findall(r"`((?:[a-z_]+/)*[a-z_]+)`", ways)
    missing = [
        name
        for name in named
        if "/" in name
        and not name.startswith("tests/")
        and not any((SOURCE / f"{base}{name}.py").is_file() for base in front_matter)
    ]
    assert (missing, len(named) > 40) == ([], True)

"""A function is given what it needs: no module keeps a state, and no call forgets the types of its site."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pressync

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SOURCE = Path(pressync.__file__).parent
Trees = dict[str, ast.Module]
CHANGING = frozenset(
    "add append appendleft clear discard extend insert pop popitem remove setdefault update".split()  # noqa: SIM905 - twelve words
)
# A process takes its secrets out of its own environment, so that no other program gets them.
OF_THE_PROCESS = {("environ", "pop")}
DEFINITIONS = ast.ClassDef | ast.FunctionDef
# Few nodes are of these types, and a comparison with a pattern takes ten times as long as one with a type.
CHANGES = (ast.Call, ast.Subscript, ast.Attribute)
BINDING = (ast.Name, ast.arg, ast.MatchAs, ast.MatchStar, ast.ExceptHandler)
# These compare the names of kinds alone, copy the bytes of a manifest, or begin before there is a schema.
NEEDING_NONE = {
    "app.manifest: state.manifest.codec.decode",
    "config.settings: config.settings.Settings",
    "importing.run: importing.account.Account",
    "plan.known_elsewhere: state.manifest.codec.decode_for",
    "plan.manifest_search: state.manifest.codec.decode_for",
    "stage.demo_site: stage.server.server.running",
    "stage.rehearse.live_site: stage.server.wordpress.session.User",
    "stage.rehearse.wordpress_stage: stage.server.wordpress.session.User",
    "stage.server.wordpress.session: stage.server.wordpress.session.User",
    "stage.server.wordpress.users: stage.server.wordpress.session.User",
    "state.journal_lines: state.journal_lines._decoded",
}


@pytest.fixture(scope="module")
def trees() -> Trees:
    """Read all modules, for the tests of one process that need them."""
    return {
        ".".join(file.relative_to(SOURCE).with_suffix("").parts): ast.parse(file.read_text(encoding="utf-8"))
        for file in sorted(SOURCE.rglob("*.py"))
    }


def changes_of_module_names(tree: ast.Module) -> list[int]:
    """List the lines in which a module changes a value that one of its own names has."""
    own = _stored(node for node in tree.body if not isinstance(node, DEFINITIONS))
    own |= {node.name for node in tree.body if isinstance(node, DEFINITIONS)}
    found = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Global)]
    for node in tree.body:
        found += _changes(node, own, is_definition=not isinstance(node, DEFINITIONS))
    return sorted(set(found))


def _changes(node: ast.AST, own: set[str], *, is_definition: bool) -> list[int]:
    if isinstance(node, ast.FunctionDef):
        own = own - _stored([node])
    found = [node.lineno] if isinstance(node, CHANGES) and _is_change(node, own, is_definition) else []
    for child in ast.iter_child_nodes(node):
        found += _changes(child, own, is_definition=is_definition)
    return found


def _is_change(node: ast.Call | ast.Subscript | ast.Attribute, own: set[str], is_definition: bool) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in CHANGING:
            is_own = (ast.unparse(value).rpartition(".")[2], name) in OF_THE_PROCESS
            return _base(value) in own and not is_own
        case ast.Subscript(ctx=ast.Store() | ast.Del()):
            return _base(node) in own
        # The members of a class may be completed where it is defined.
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            return _base(node) in own and not is_definition
        case _:
            return False


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    """Name what these statements bind; what is imported belongs to another module."""
    found: set[str] = set()
    for node in nodes:
        for inner in (each for each in ast.walk(node) if isinstance(each, BINDING)):
            match inner:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    found.add(name)
                case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                    found.add(name)
                case ast.ExceptHandler(name=str(name)):
                    found.add(name)
                case _:
                    pass
    return found


def _base(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize(
    "source",
    [
        "def use():\n    global SEEN",
        "SEEN = {}\ndef use(name):\n    SEEN[name] = 1",
        "SEEN = {}\ndef use(name):\n    SEEN.setdefault(name, []).append(1)",
        "SEEN = {}\nSEEN.update(a=1)",
        "class Kind: ...\ndef use():\n    Kind.names = ()",
        "SEEN = {}\ndef use(name):\n    del SEEN[name]",
    ],
)
def test_a_change_of_a_module_is_seen(source: str) -> None:
    assert len(changes_of_module_names(ast.parse(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "SEEN = {}\ndef use(SEEN):\n    SEEN['a'] = 1",
        "def use():\n    seen = {}\n    seen['a'] = 1",
        "class Kind: ...\nKind.FIRST = Kind()",
    ],
)
def test_a_definition_and_a_local_name_are_not_one(source: str) -> None:
    assert changes_of_module_names(ast.parse(source)) == []


@pytest.mark.sweep
def test_no_module_changes_what_it_holds(trees: Trees) -> None:
    found = {module: changes_of_module_names(tree) for module, tree in trees.items()}
    assert {module: lines for module, lines in found.items() if lines} == {}


# Tests leave the types of a site out. In the program, a call without them would read a site with types of its
# own as one that has pages and posts alone.
def _needing_types(trees: Trees) -> set[str]:
    """Name each function and class to which a call need not give the types of a site."""
    found: set[str] = set()
    for module, tree in trees.items():
        for node in tree.body:
            match node:
                case ast.FunctionDef(name=name) if _has_usual_types(node):
                    found.add(f"{module}.{name}")
                case ast.ClassDef(name=name, body=body) if any(map(_has_usual_types, body)):
                    found.add(f"{module}.{name}")
                case _:
                    pass
    return found


def _has_usual_types(node: ast.AST) -> bool:
    match node:
        case ast.AnnAssign(target=ast.Name(id="types"), value=ast.expr() as value):
            return "DOCUMENTED_TYPES" in ast.unparse(value)
        case ast.FunctionDef(args=ast.arguments() as given):
            usual = [*given.defaults, *(each for each in given.kw_defaults if each)]
            return "DOCUMENTED_TYPES" in map(ast.unparse, usual)
        case _:
            return False


def _calls(module: str, tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Give each call of a function by the name of its module and its own."""
    bound = {node.name: f"{module}.{node.name}" for node in tree.body if isinstance(node, DEFINITIONS)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            origin = str(node.module).removeprefix("pressync.")
            bound |= {alias.asname or alias.name: f"{origin}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in bound:
                yield bound[name], node
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)) if name in bound:
                yield f"{bound[name]}.{attribute}", node
            case _:
                pass


@pytest.mark.sweep
def test_no_call_forgets_the_types_of_its_site(trees: Trees) -> None:
    needing = _needing_types(trees)
    assert {"content.sources.likely_kind", "state.journal.Journal", "client.connect.open_service"} <= needing
    forgetting = {
        f"{module}: {name}"
        for module, tree in trees.items()
        for name, call in _calls(module, tree)
        if name in needing
        if not any("types" in ast.unparse(each).lower() for each in (*call.args, *call.keywords))
    }
    assert forgetting == NEEDING_NONE

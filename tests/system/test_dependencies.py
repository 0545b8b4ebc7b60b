"""Libraries whose next release may change what we do: the tested versions, and where pyproject.toml stops."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import pressync
from pressync.content.render.markdown import TESTED_COMRAK
from pressync.stage.server.server import TESTED_WAITRESS

SOURCE = Path(pressync.__file__).parent
PROJECT = SOURCE.parents[1] / "pyproject.toml"


def following(tested: str) -> str:
    """Give the version behind a tested one: 3.1 behind 3.0."""
    *front, last = tested.split(".")
    return ".".join([*front, str(int(last) + 1)])


@pytest.mark.parametrize(("library", "tested"), [("comrak", TESTED_COMRAK), ("waitress", TESTED_WAITRESS)])
def test_what_is_installed_is_what_was_tested_and_nothing_later_can_be(library: str, tested: str) -> None:
    needed = {one.name: one for one in map(Requirement, requires("pressync") or ())}[library]
    if PROJECT.is_file():
        wanted = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
        needed = {one.name: one for one in map(Requirement, wanted)}[library]
    assert version(library) == tested or version(library).startswith(f"{tested}.")
    assert needed.specifier.contains(version(library))
    assert not needed.specifier.contains(following(tested))


@pytest.mark.parametrize("module", ["client/exchange.py", "client/http.py", "stage/server/server.py"])
def test_no_private_method_of_a_library_is_overridden_or_called(module: str) -> None:
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    inherited = {
        base: [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for base in map(ast.unparse, node.bases)
    }
    known = {"_get_conn", "_put_conn", "_new_conn", "_validate_conn", "_make_request", "_prepare_proxy"}
    assert not known & {name for names in inherited.values() for name in names}
    assert not re.findall(r"super\(\)\.(_[a-z]\w*)", ast.unparse(tree))

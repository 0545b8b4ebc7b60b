"""The files that a release publishes, the libraries that it was tested with, and nothing of the workshop.

They are built here. A release sets `PRESSYNC_DIST` to the folder of those that it publishes.
"""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from dataclasses import dataclass
from email import message_from_string
from importlib.metadata import requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

import pressync
from pressync.app.github import workflow_file
from pressync.content import rules
from pressync.content.render.markdown import TESTED_COMRAK
from pressync.stage.server.server import TESTED_WAITRESS

if TYPE_CHECKING:
    from collections.abc import Mapping


ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
# What stands in the source archive beside the source: its settings, the guide and what people read first.
ALONGSIDE = {
    "pyproject.toml",
    "PKG-INFO",
    "README.md",
    "AGENTS.md",
    "LICENSE",
    "CHANGELOG.md",
    "pressync.toml",
    ".gitignore",
}

pytestmark = pytest.mark.skipif(not find_spec("hatchling"), reason="hatchling is not there")


@dataclass(frozen=True)
class Package:
    """The content of the two files of a release, by the names of the files in them."""

    wheel: Mapping[str, bytes]
    source: Mapping[str, bytes]


def build(root: Path, folder: Path, *more: str) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), *more]
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command, cwd=root, env=environ, check=True, capture_output=True)


def unpacked(folder: Path) -> Package:
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(source) as tar:
        members = {each.name.partition("/")[2]: tar.extractfile(each) for each in tar if each.isfile()}
        return Package(files, {name: (file or io.BytesIO()).read() for name, file in members.items()})


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """Give the files that are published, or build them."""
    given = os.environ.get("PRESSYNC_DIST")
    folder = ROOT / given if given else tmp_path_factory.mktemp("dist")
    if not given:
        build(ROOT, folder)
    return unpacked(folder)


def tracked(folder: str) -> set[str]:
    """List the files of the source below a folder, without those that Python made."""
    found = (file.relative_to(ROOT) for file in (ROOT / folder).rglob("*") if file.is_file())
    return {file.as_posix() for file in found if "__pycache__" not in file.parts}


@pytest.mark.sweep
def test_the_wheel_has_the_source_the_sections_of_the_guide_and_nothing_else(package: Package) -> None:
    described = f"pressync-{pressync.__version__}.dist-info/"
    inside = {name for name in package.wheel if not name.startswith(described)}
    # The pictures of the gallery are for the demo.
    pages = (name for name in tracked("content/pages") if name.endswith(".md") or "/gallery/" in name)
    guide = {name.replace("content/pages", "pressync/guide") for name in pages} | {"pressync/guide/SKILL.md"}
    assert package.wheel["pressync/guide/SKILL.md"] == (ROOT / "AGENTS.md").read_bytes()
    assert inside == {name.removeprefix("src/") for name in tracked("src/pressync")} | guide
    assert {
        "pressync/py.typed",
        "pressync/schemas/plan.json",
        "pressync/stage/server/templates/base.html",
    } < inside
    assert {name.removeprefix(described) for name in package.wheel.keys() - inside} == {
        *("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    }
    assert package.wheel[f"{described}licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()


@pytest.mark.sweep
def test_the_source_archive_has_what_a_build_needs_and_nothing_of_the_workshop(package: Package) -> None:
    wanted = {name for folder in ("src/pressync", "content", "templates") for name in tracked(folder)}
    assert package.source.keys() == wanted | ALONGSIDE


def test_the_metadata_says_what_people_and_installers_ask_for(package: Package) -> None:
    text = package.wheel[f"pressync-{pressync.__version__}.dist-info/METADATA"].decode()
    metadata = message_from_string(text)
    assert metadata["Version"] == pressync.__version__ == PROJECT["version"]
    assert (metadata["License-Expression"], metadata["Requires-Python"]) == ("MIT", ">=3.11")
    assert f"Repository, {REPOSITORY}" in metadata.get_all("Project-URL", [])
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "/work/" not in text
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])


@pytest.mark.sweep
def test_a_build_of_the_source_archive_is_the_same_wheel(package: Package, tmp_path: Path) -> None:
    for name, data in package.source.items():
        file = tmp_path / "source" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    build(tmp_path / "source", tmp_path / "dist")
    again = unpacked(tmp_path / "dist").wheel
    assert {name for name in again if again[name] != package.wheel.get(name)} == set()
    assert again.keys() == package.wheel.keys()


def test_the_wheel_alone_runs(package: Package, tmp_path: Path) -> None:
    for name, data in package.wheel.items():
        file = tmp_path / "site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    script = (
        "import pathlib, pressync; from pressync.__main__ import main; "
        f"assert pathlib.Path(pressync.__file__).is_relative_to({str(tmp_path)!r}); main()"
    )
    environ = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
    for arguments, said in ((["--version"], pressync.__version__), (["help", "not-text"], "not UTF-8")):
        command = [sys.executable, "-P", "-c", script, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environ, check=True, capture_output=True, text=True)
        assert said in done.stdout


def test_the_address_of_the_repository_stands_in_one_place() -> None:
    """`pyproject.toml` has it. All other places have the same one, and a person who moves it sees which."""
    owned = REPOSITORY.removeprefix("https://github.com/")
    assert f"{owned}@COMMIT" == workflow_file.UNKNOWN
    files = [ROOT / "README.md", ROOT / "action.yml", *(ROOT / ".github").rglob("*.*")]
    files += [file for folder in ("content", "src") for file in (ROOT / folder).rglob("*.*")]
    for file in files:
        if file.suffix in {".md", ".yml", ".py", ".toml", ".html", ".json"}:
            text = file.read_text(encoding="utf-8")
            found = re.findall(r"github\.com/([\w.-]+/pressync)\b|([\w.-]+/pressync)@[\w.-]+", text)
            assert {one or other for one, other in found} <= {owned}, file


def test_the_change_log_has_a_place_for_what_is_new_or_for_this_version() -> None:
    heads = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heads[0] in {"Unreleased", pressync.__version__}


def test_each_rule_that_changed_names_a_version_of_the_change_log_or_waits_for_the_release() -> None:
    heads = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    possible = {"" if head == "Unreleased" else head for head in heads}
    assert {change.released for change in rules.CHANGES.values()} <= possible


SOURCE = Path(pressync.__file__).parent
DECLARED = SOURCE.parents[1] / "pyproject.toml"


def following(tested: str) -> str:
    """Give the version behind a tested one: 3.1 behind 3.0."""
    *front, last = tested.split(".")
    return ".".join([*front, str(int(last) + 1)])


@pytest.mark.parametrize(("library", "tested"), [("comrak", TESTED_COMRAK), ("waitress", TESTED_WAITRESS)])
def test_what_is_installed_is_what_was_tested_and_nothing_later_can_be(library: str, tested: str) -> None:
    needed = {one.name: one for one in map(Requirement, requires("pressync") or ())}[library]
    if DECLARED.is_file():
        wanted = tomllib.loads(DECLARED.read_text(encoding="utf-8"))["project"]["dependencies"]
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

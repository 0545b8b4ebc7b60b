"""A new kind of record is one row of `DOCUMENTED_TYPES`; nothing else of the program changes.

The tests add the kind `book` to a copy of the source, and run that copy.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pressync
from pressync.model.errors import ManifestError
from pressync.model.interface import DOCUMENTED_TYPES
from pressync.state.manifest.codec import decode

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

SOURCE = Path(pressync.__file__).parent
_ROW = (
    "SiteTypes((Kind.PAGE, Kind.POST))",
    """SiteTypes((Kind.PAGE, Kind.POST, Kind("book", KindRow(
        folder="books",
        route="/wp/v2/books",
        record=tuple(field for field in PAGE_RECORD if field.name not in PAGES_ONLY),
        body=tuple(field for field in PAGE_BODY if field.name not in PAGES_ONLY),
        verbs=(),
        rights="posts",
    ))))""",
)
_EDIT = """
import sys
from pathlib import Path
from pressync.model.interface import DOCUMENTED_TYPES
from pressync.stage.server.store import Store
book = DOCUMENTED_TYPES.kind("book")
Store(Path(sys.argv[1])).update(book, int(sys.argv[2]), {"title": {"raw": sys.argv[3]}})
"""
_MOBY = "content/books/moby-dick.md"
_WHALE = "content/books/whale.md"
_EMMA = "content/books/emma.md"
# The readers of the formats of other tools know what these call a page and a post.
_READERS = "importing/sources/"


@pytest.fixture(scope="module")
def with_books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    # With what Python has compiled, which takes longer than all that the tests do.
    shutil.copytree(SOURCE, folder / "pressync")
    file = folder / "pressync/model/interface.py"
    text = file.read_text(encoding="utf-8")
    before, after = _ROW
    assert text.count(before) == 1
    text = text.replace(before, after)
    file.write_text(text, encoding="utf-8")
    return folder


class Shelf:
    """A repository with books, and the program that knows them."""

    def __init__(self, source: Path, repository: SampleRepository) -> None:
        self.source, self.repository = source, repository

    def _python(self, *words: str) -> str:
        ended = subprocess.run(
            [sys.executable, *words],
            cwd=self.repository.root,
            env={**os.environ, "PYTHONPATH": str(self.source)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, f"{words}: {ended.returncode}\n{ended.stdout}{ended.stderr}"
        return ended.stdout

    def plan(self, *words: str) -> list[tuple[str, str, str]]:
        """Give path, kind and action of what a plan would do."""
        said = json.loads(self._python("-m", "pressync", "plan", "--format=json", *words))
        return [(row["path"], row["kind"], row["action"]) for row in said["changes"]]

    def run(self, command: str, *words: str) -> list[tuple[str, str, str]]:
        """Give path, action and result of what a sync or a rollback did."""
        said = json.loads(self._python("-m", "pressync", command, "--yes", "--format=json", *words))
        return [(row["path"], row["action"], row["result"]) for row in said["outcomes"]]

    def edit_on_site(self, title: str) -> None:
        """Change the title of the first book there, as people do."""
        self._python("-c", _EDIT, ".git/pressync/serve/site.db", "1", title)

    def entries(self) -> dict[str, tuple[str, str]]:
        """Give the kind and the slug of the manifest's entries, by path."""
        manifest = (self.repository.root / ".pressync/embedded.json").read_text(encoding="utf-8")
        return {row["path"]: (row["kind"], row["slug"]) for row in json.loads(manifest)["records"]}


@pytest.mark.sweep
def test_a_third_kind_is_planned_synced_compared_renamed_deleted_and_undone(
    with_books: Path, repository: SampleRepository
) -> None:
    shelf = Shelf(with_books, repository)
    repository.commit({_MOBY: "# Moby Dick\n"})
    assert shelf.plan() == [(_MOBY, "book", "create")]
    assert shelf.run("sync") == [(_MOBY, "create", "done")]
    assert shelf.entries() == {_MOBY: ("book", "moby-dick")}
    shelf.edit_on_site("By hand")
    assert shelf.plan("--drift") == [(_MOBY, "book", "blocked")]
    assert shelf.run("sync", "--overwrite", _MOBY) == [(_MOBY, "update", "done")]
    repository.move(_MOBY, _WHALE)
    repository.commit({_EMMA: "# Emma\n"})
    assert shelf.run("sync") == [(_EMMA, "create", "done"), (_WHALE, "update", "done")]
    assert shelf.entries() == {_EMMA: ("book", "emma"), _WHALE: ("book", "whale")}
    repository.remove(_WHALE)
    repository.commit()
    assert shelf.run("sync", "--max-delete=1") == [(_WHALE, "delete", "done")]
    assert shelf.run("rollback") == [(_WHALE, "update", "done")]
    assert shelf.entries() == {_EMMA: ("book", "emma"), _WHALE: ("book", "whale")}


def test_a_manifest_may_have_kinds_that_the_site_has_no_longer() -> None:
    kind = DOCUMENTED_TYPES.kind("film")
    assert (kind, kind.row.known) == ("film", False)
    text = '{"version": 1, "target": "x", "records": [{"path": "a.md", "kind": "A film", "id": 1}]}'
    with pytest.raises(ManifestError, match="A film"):
        decode(text, where="manifest.json")


def test_the_columns_of_a_kind_say_what_its_fields_say() -> None:
    for row in (kind.row for kind in DOCUMENTED_TYPES.kinds):
        assert row.hierarchical is row.has("parent")
        assert row.has("menu_order") is row.hierarchical
        assert row.dated is row.has("sticky")


def test_the_schemas_list_every_kind() -> None:
    lists = [
        [name for name in json.loads(found) if name]
        for file in (SOURCE / "schemas").glob("*.json")
        for found in re.findall(r'"kind": \{"enum": (\[[^]]*\])\}', file.read_text(encoding="utf-8"))
    ]
    assert lists
    assert all(found == [*DOCUMENTED_TYPES.kinds] for found in lists if "page" in found)


def _names_a_kind(file: Path) -> bool:
    text = file.read_text(encoding="utf-8")
    return "Kind." in text and any(
        isinstance(node, ast.Attribute)
        and node.attr in {kind.upper() for kind in DOCUMENTED_TYPES.kinds}
        and isinstance(node.value, ast.Name)
        and node.value.id == "Kind"
        for node in ast.walk(ast.parse(text))
    )


def test_only_these_modules_name_a_kind() -> None:
    named = {str(file.relative_to(SOURCE)) for file in SOURCE.rglob("*.py") if _names_a_kind(file)}
    assert {name for name in named if not name.startswith(_READERS)} == {"model/interface.py"}

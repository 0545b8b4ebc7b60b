"""Records of a site's own types in files: edits come into them, and no change of types loses a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import requests
from tests.support.embedded_wordpress import ENVIRON
from tests.support.kinds import SCHEMA_TEXT, TYPES
from tests.support.syncing import Bound

from pressync.app.pull import PullOptions, pull
from pressync.importing.own_site import bind, own_site
from pressync.importing.run import ImportRequest, import_source
from pressync.importing.sources.item import ImportSource
from pressync.model.changes import Blocked, Result
from pressync.model.interface import Kind
from pressync.plan.build import PlanOptions
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

SCHEMA = ".pressync/default.schema.json"
YAML = """\
---
title: Moby
genre: [Fiction]
meta:
  isbn: "1"  # the first edition
  size: {width: 1, height: 2}
  reviews:
    - good
    - bad
  keywords: [sea]
acf:
  subtitle: The Whale
seo: {title: Moby}
---

Text
"""
TOML = """\
+++
title = "Moby"
genre = ["Fiction"]
[meta]
isbn = '1'  # the first edition
reviews = ["good", "bad"]
keywords = ["sea"]
[meta.size]
width = 1
height = 2
[acf]
subtitle = "The Whale"
[seo]
title = "Moby"
+++

Text
"""
JSON = """\
{
  "title": "Moby", "genre": ["Fiction"],
  "meta": {"isbn": "1", "size": {"width": 1, "height": 2}, "reviews": ["good", "bad"], "keywords": ["sea"]},
  "acf": {"subtitle": "The Whale"}, "seo": {"title": "Moby"}
}

Text
"""


class Books(Bound):
    """A repository with a book, a chapter and a page, and the site that it is synced to."""

    def edit(self, route: str, **members: object) -> Any:  # noqa: ANN401 - JSON
        """Change a record as people do."""
        said = requests.post(f"{self.url}{route}", json=members, timeout=30)
        said.raise_for_status()
        return said.json()

    def shown(self) -> Any:  # noqa: ANN401 - JSON
        return requests.get(f"{self.url}/wp/v2/books?context=edit&status=any,trash", timeout=30).json()

    def pull(self) -> list[Any]:
        with self.workspace() as workspace:
            return pull(workspace, PullOptions(paths=("content",)))


@pytest.fixture
def books(tmp_path: Path, repository: SampleRepository) -> Iterator[Books]:
    with running(tmp_path / "site.db", dialect="wordpress", types=TYPES) as service:
        files = {
            SCHEMA: SCHEMA_TEXT,
            "content/books/moby.md": YAML,
            "content/chapters/one.md": "One\n",
            "content/pages/about.md": "About\n",
        }
        repository.commit(files)
        yield Books(repository.root, service.url, environ=ENVIRON)


@pytest.mark.parametrize("text", [YAML, TOML, JSON])
def test_edited_fields_are_taken_into_the_file_in_its_own_form(
    books: Books, repository: SampleRepository, text: str
) -> None:
    repository.commit({"content/books/moby.md": text})
    books.sync()
    number = books.entries()["content/books/moby.md"].id
    term = books.edit("/wp/v2/genres", name="Sea")["id"]
    books.edit(
        f"/wp/v2/books/{number}",
        meta={
            "isbn": "2",
            "size": {"width": 3, "height": 2},
            "reviews": ["good", "best"],
            "_yoast_wpseo_title": "The Whale",
            "copies": 7,  # nobody named it
        },
        acf={"subtitle": "Or: the whale"},
        genres=[term],
    )
    (pulled,) = books.pull()
    assert pulled.settled
    edits = {
        '"1"': '"2"',
        "'1'": "'2'",
        "width: 1": "width: 3",
        "width = 1": "width = 3",
        '"width": 1': '"width": 3',
        "- bad": "- best",
        '"bad"': '"best"',
        "seo: {title: Moby}": "seo: {title: The Whale}",
        '[seo]\ntitle = "Moby"': '[seo]\ntitle = "The Whale"',
        '"seo": {"title": "Moby"}': '"seo": {"title": "The Whale"}',
        "subtitle: The Whale": "subtitle: 'Or: the whale'",
        'subtitle = "The Whale"': 'subtitle = "Or: the whale"',
        '"subtitle": "The Whale"': '"subtitle": "Or: the whale"',
    }
    expected = text.replace("[Fiction]", "[Sea]").replace('["Fiction"]', '["Sea"]')
    for old, new in edits.items():
        expected = expected.replace(old, new)
    assert (repository.root / "content/books/moby.md").read_text() == expected
    repository.commit()
    assert books.plan().pending == ()
    assert books.sync().outcomes == ()


def test_a_conflict_is_that_of_one_field(books: Books, repository: SampleRepository) -> None:
    books.sync()
    number = books.entries()["content/books/moby.md"].id
    books.edit(f"/wp/v2/books/{number}", meta={"isbn": "2"}, acf={"subtitle": None})
    repository.commit({"content/books/moby.md": YAML.replace('"1"', '"3"')})
    books.sync()
    conflict = books.entries()["content/books/moby.md"].conflict
    assert conflict == {"acf.subtitle": "", "meta.isbn": "2"}
    (pulled,) = books.pull()
    assert (pulled.taken, pulled.conflicts) == (("acf.subtitle", "meta.isbn"), 1)
    assert "  subtitle: ''\n" in pulled.after


def rename_type(repository: SampleRepository) -> None:
    schema = SCHEMA_TEXT.replace('"book"', '"tome"').replace("/wp/v2/books", "/wp/v2/tomes")
    repository.git("mv", "content/books", "content/tomes")
    repository.commit({SCHEMA: schema})


def move_to_other_kind(repository: SampleRepository) -> None:
    repository.git("mv", "content/chapters/one.md", "content/pages/one.md")
    repository.commit()


def other_branch(repository: SampleRepository) -> None:
    repository.git("switch", "--quiet", "--create", "other")
    repository.git("rm", "--quiet", "-r", SCHEMA, "content/books")
    repository.commit()


CONSEQUENCES: dict[str, tuple[Callable[[SampleRepository], object], str]] = {
    "the schema is removed": (
        lambda files: files.git("rm", "--quiet", SCHEMA) and files.commit(),
        "unknown_type",
    ),
    "the branch has neither the schema nor the books": (other_branch, "unknown_type"),
    "the folder has another name in the settings": (
        lambda files: files.commit({"pressync.toml": '[sites.default.types.book]\nfolder = "library"\n'}),
        "outside",
    ),
    "the site has renamed the type": (rename_type, "other_kind"),
    "the file moves to the folder of another type": (move_to_other_kind, "other_kind"),
}


@pytest.mark.parametrize("case", CONSEQUENCES)
def test_a_record_whose_type_nobody_knows_any_more_is_neither_lost_nor_made_twice(
    books: Books, repository: SampleRepository, case: str
) -> None:
    books.sync()
    repository.commit()
    before, entries = books.shown(), books.entries()
    change, code = CONSEQUENCES[case]
    change(repository)
    held = entries["content/chapters/one.md" if change is move_to_other_kind else "content/books/moby.md"]
    blocked = [each for each in books.plan().changes if isinstance(each, Blocked)]
    (found,) = (each for each in blocked if each.id == held.id and each.path[-6:] == held.path[-6:])
    assert found.why.code == code
    assert "`pressync " in str(found.why)
    assert not [each for each in books.sync(keep_going=True).outcomes if each.result is Result.DONE]
    assert books.shown() == before
    assert {each.id for each in books.entries().values()} == {each.id for each in entries.values()}


def test_an_import_of_the_own_site_carries_types_and_changes_nothing(
    books: Books, repository: SampleRepository
) -> None:
    books.sync()
    repository.git("rm", "--quiet", "-r", "content")
    (repository.root / ".pressync/default.json").unlink()
    repository.commit()
    written: list[bytes] = []
    for _ in range(2):
        with books.workspace() as workspace:
            source = ImportSource(books.url, settings=workspace.settings, own=own_site(workspace))
            account = import_source(workspace.repository, workspace.settings, ImportRequest(source))
            bind(workspace, source.own, account)
        written.append((repository.root / "content/books/moby.md").read_bytes())
    assert written[0] == written[1]
    assert b"genre: [Fiction]\n" in written[0]
    assert b"\nmeta:\n  _yoast_wpseo_title: Moby\n  isbn: '1'\n" in written[0]
    repository.commit()
    assert books.plan(PlanOptions()).pending == ()
    assert books.sync().outcomes == ()

    (row,) = (repository.root / ".pressync/import/terms.txt").read_text().splitlines()
    assert row == '"genre/Fiction" = "Fiction"  # 1'
    repository.commit({"pressync.toml": '[terms]\n"genre/Fiction" = "Novels"\n'})
    assert [each.change.path for each in books.sync().outcomes] == ["content/books/moby.md"]
    terms = requests.get(f"{books.url}/wp/v2/genres", timeout=30).json()
    assert [term["name"] for term in terms if [term["id"]] == books.shown()[0]["genres"]] == ["Novels"]


def test_the_documented_interface_has_no_types(repository: SampleRepository, tmp_path: Path) -> None:
    with running(tmp_path / "site.db", dialect="documented") as service:
        plain = Bound(repository.root, service.url, environ={"PRESSYNC_DIALECT": "documented"})
        notes = '---\nmeta: {footnotes: "[]"}\n---\nText\n'
        repository.commit(
            {SCHEMA: SCHEMA_TEXT, "content/pages/a.md": notes, "content/pages/b.md": "---\ntype: book\n---\n"}
        )
        blocked = {each.path: each for each in plain.plan().changes}["content/pages/b.md"]
        assert "type cannot be 'book'" in str(blocked.why)
        plain.sync(keep_going=True)
        (stored,) = service.store.records(Kind.PAGE)
        assert stored["meta"] == {"footnotes": "[]"}

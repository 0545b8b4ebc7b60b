"""Documents are read as they were sent: with the file, the template and the settings of then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.library_repository import Shelf

from pressync.content.former import FormerTexts
from pressync.model.records import Manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.repository import SampleRepository

    from pressync.model.records import Entry, Prepared

A, B = "content/pages/a.md", "content/pages/b.md"
TEMPLATE = "templates/page.html"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a site with a page that links to another, below a template."""
    repository.commit({A: "# A\n\n[b](b.md)\n", B: "# B\n", TEMPLATE: "<!-- one -->{{ content }}"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    made.sync()
    return made


def read(shelf: Shelf, entries: Mapping[str, Entry], entry: Entry) -> Prepared | None:
    with shelf.workspace() as workspace:
        site = Manifest(workspace.settings.site.target)
        texts = FormerTexts(workspace.repository, workspace.settings, entries, entries.values(), site)
        return texts.read(entry)


def test_a_text_of_then_has_the_template_and_the_addresses_of_then(
    shelf: Shelf, repository: SampleRepository
) -> None:
    then = shelf.entries()
    sent = shelf.service.held[then[A].id].fields["content"]
    repository.commit(
        {A: "# Anew\n", B: "---\nslug: other\n---\n# B\n", TEMPLATE: "<!-- two -->{{ content }}"}
    )
    shelf.sync()
    found = read(shelf, then, then[A])
    assert found
    assert found.fields["content"] == sent
    assert {n: found.desired.fingerprints[n] for n in ("title", "content", "slug")} == {
        n: then[A].fingerprints[n] for n in ("title", "content", "slug")
    }


def test_the_folders_and_defaults_are_those_of_then(shelf: Shelf, repository: SampleRepository) -> None:
    then = shelf.entries()
    repository.move("content", "docs")
    repository.commit({"pressync.toml": 'content = "docs"\n[defaults]\nmenu_order = 5\n'})
    found = read(shelf, then, then[A])
    assert found
    assert "menu_order" not in found.fields


def test_a_text_that_was_never_committed_is_not_found(shelf: Shelf) -> None:
    then = shelf.entries()
    assert read(shelf, then, replace(then[A], blob="f" * 40)) is None
    assert read(shelf, then, replace(then[A], commit="f" * 40)), "another entry's commit has the same file"
    alone = {A: replace(then[A], commit="f" * 40)}
    assert read(shelf, alone, alone[A]) is None


def test_a_file_that_was_committed_after_its_entry_was_made_is_found(
    shelf: Shelf, repository: SampleRepository
) -> None:
    """An import writes its entries first, and a person commits the files afterwards."""
    then, first = shelf.entries(), repository.head()
    repository.commit({"content/pages/new.md": "# New\n"})
    blob = repository.git("rev-parse", "HEAD:content/pages/new.md")
    repository.commit({"content/pages/new.md": "# Newer\n"})
    made = replace(then[B], path="content/pages/new.md", blob=blob, commit=first)
    found = read(shelf, then, made)
    assert found
    assert found.fields["title"] == "New"
    assert read(shelf, then, replace(made, blob="f" * 40)) is None


def test_entries_of_several_commits_have_each_its_own_text(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({A: "# Anew\n\n[b](b.md)\n"})
    shelf.sync()
    then = shelf.entries()
    assert then[A].commit != then[B].commit
    repository.commit({A: "# Third\n", B: "# Third\n"})
    found = [read(shelf, then, then[path]) for path in (A, B)]
    assert [each.desired.title for each in found if each] == ["Anew", "B"]

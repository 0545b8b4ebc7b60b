"""Records in the trash that pressync created: this clone's files and the manifest's history tell them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.library_repository import Shelf
from tests.support.memory_service import MemoryService

from pressync.model.interface import Kind
from pressync.sync import trashed

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

PAGE, OTHER = (Kind.PAGE, 1), (Kind.PAGE, 11)


def ours(shelf: Shelf, *more: tuple[Kind, int]) -> frozenset[tuple[Kind, int]]:
    """Ask of two pages, and of more records."""
    with shelf.workspace() as workspace, workspace.reading() as state:
        return trashed.ours(workspace.repository, workspace.settings, state, {PAGE, OTHER, *more})


def test_a_page_that_the_manifest_once_had_is_ours(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    assert ours(shelf) == frozenset()
    shelf.sync()
    assert ours(shelf) == frozenset(), "it is on the site, and nobody has removed it"
    repository.commit(message="The manifest")
    repository.remove(".pressync")
    repository.commit()
    assert ours(shelf) == {PAGE}
    whole_site = [(Kind.POST, number) for number in range(100_000, 125_000)]
    assert ours(shelf, *whole_site) == {PAGE}, "so many ids have no room in a command line"


def test_a_page_that_this_clone_deleted_is_ours_whatever_was_committed(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.sync()
    number = shelf.entries()["content/pages/a.md"].id
    repository.remove("content/pages/a.md")
    repository.git("add", "content")
    repository.git("commit", "--quiet", "-m", "Removed")
    shelf.sync()
    assert isinstance(shelf.service, MemoryService)
    assert ours(shelf) == {(Kind.PAGE, number)}


def test_notes_of_another_address_or_no_notes_at_all_say_nothing(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    notes = repository.root / ".git" / "pressync" / "default.made.removed"
    notes.parent.mkdir()
    wrong: list[object] = [{"target": "elsewhere", "records": [["page", 1]]}, [], {"records": 1}]
    for said in wrong:
        notes.write_text(json.dumps(said))
        assert ours(shelf) == frozenset()


def test_a_manifest_that_is_a_reference_has_a_history_too(repository: SampleRepository) -> None:
    settings = '[sites.default]\nmanifest = "ref"\n'
    repository.commit(
        {"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n", "pressync.toml": settings}
    )
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.sync()
    number = shelf.entries()["content/pages/a.md"].id
    repository.remove("content/pages/a.md")
    repository.commit()
    shelf.sync()
    (repository.root / ".git" / "pressync" / "default.made.removed").unlink()
    assert (Kind.PAGE, number) in ours(shelf)

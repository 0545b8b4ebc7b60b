"""A document is read again only if it, or something that it depends on, has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from pressync.app.preview.remembered_content import RememberedDocuments
from pressync.app.preview.work_tree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.app.workspace import Workspace
    from pressync.content.prepared_file import PreparedFile
    from pressync.model.records import Entry

A, B, C = (f"content/pages/{name}.md" for name in "abc")


@pytest.fixture
def workspace(desk: Desk, repository: SampleRepository) -> Iterator[Workspace]:
    """Sync three pages; the second links to the first."""
    repository.commit({A: "# A\n", B: "# B\n\n[a](a.md)\n", C: "# C\n\n[x](gone.md)\n"})
    desk.sync()
    with desk.workspace() as opened:
        yield opened.opening(RememberedDocuments().open)


def read(workspace: Workspace, entries: Mapping[str, Entry] | None = None) -> dict[str, PreparedFile]:
    """Read every document of the work tree as it is now."""
    with workspace.reading() as state:
        content = workspace.content(WorkTree.now(workspace), manifest=state.manifest)
        known = state.manifest.entries if entries is None else entries
        return {path: content.read(path, known) for path in content.sources}


def again(before: dict[str, PreparedFile], after: dict[str, PreparedFile]) -> set[str]:
    """Name the documents that were read again."""
    return {path for path, found in after.items() if found is not before.get(path)}


def test_only_the_edited_file_is_read_again(workspace: Workspace, repository: SampleRepository) -> None:
    before = read(workspace)
    assert again(before, read(workspace)) == set()
    (repository.root / A).write_text("# A\n\nMore.\n")
    after = read(workspace)
    assert again(before, after) == {A}
    prepared = after[A].prepared
    assert prepared
    assert "More." in str(prepared.fields["content"])


def test_a_page_that_links_to_one_with_another_address_is_read_again(workspace: Workspace) -> None:
    before = read(workspace)
    with workspace.reading() as state:
        moved = structs.replace(state.manifest.entries[A], link="https://site.test/moved/")
        entries = {**state.manifest.entries, A: moved}
    assert again(before, read(workspace, entries)) == {B}


def test_a_new_file_and_a_template_concern_every_document(
    workspace: Workspace, repository: SampleRepository
) -> None:
    before = read(workspace)
    assert len(before[C].problems) == 1
    (repository.root / "content/pages/gone.md").write_text("# Gone\n")
    after = read(workspace)
    assert again(before, after) == {*before, "content/pages/gone.md"}
    assert after[C].problems == ()
    (repository.root / "templates").mkdir(exist_ok=True)
    (repository.root / "templates/page.html").write_text("<main>{{ content }}</main>")
    assert again(after, read(workspace)) == after.keys()


def test_who_hears_of_rendered_documents_hears_of_remembered_ones_too(workspace: Workspace) -> None:
    heard: list[str] = []
    for _ in range(2):
        content = workspace.content(
            WorkTree.now(workspace), on_rendered=lambda document, _rendered: heard.append(document.path)
        )
        content.read(A, {})
    assert heard == [A, A]

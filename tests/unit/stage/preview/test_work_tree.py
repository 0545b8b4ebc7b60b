"""The work tree as a preview follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.syncing import Site

from pressync.stage.preview.work_tree import RememberedDocuments, WatchedFiles, WorkTree, watched

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.app.workspace import Workspace
    from pressync.content.read_files import ReadFile
    from pressync.model.records import Entry


def test_a_listing_stays_while_files_change(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    new = repository.root / "content" / "pages" / "b.md"
    with Site(repository.root, "https://site.test/wp-json").workspace() as workspace:
        before = WorkTree.now(workspace)
        new.write_text("# B\n")
        assert "content/pages/b.md" not in workspace.content(before).sources
        assert "content/pages/b.md" in workspace.content(WorkTree.now(workspace)).sources
        assert "content/pages/b.md" in workspace.content(WorkTree()).sources
    assert not before.is_committed


@pytest.fixture
def files(tmp_path: Path) -> WatchedFiles:
    """Watch a folder with one file, a folder that is not there, and a file by itself."""
    (tmp_path / "content" / "pages").mkdir(parents=True)
    (tmp_path / "content" / "pages" / "a.md").write_text("a")
    folders = (tmp_path / "content", tmp_path / "templates")
    return WatchedFiles(tmp_path, folders, (tmp_path / "manifest.json",))


def test_a_file_that_is_new_or_gone_or_different_is_named(files: WatchedFiles, tmp_path: Path) -> None:
    assert files.changed() == []
    (tmp_path / "content" / "pages" / "a.md").write_text("longer")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text("b")
    (tmp_path / "manifest.json").write_text("{}")
    assert files.changed() == ["content/pages/a.md", "manifest.json", "templates/page.html"]
    (tmp_path / "content" / "pages" / "a.md").unlink()
    assert files.changed() == ["content/pages/a.md"]
    assert files.changed() == []


def test_a_file_that_an_editor_replaces_is_another_file(files: WatchedFiles, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.write_text("b")
    new.replace(tmp_path / "content" / "pages" / "a.md")
    assert files.changed() == ["content/pages/a.md"]


def test_the_work_tree_the_settings_and_the_manifest_are_watched(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "templates/page.html": "{{ content }}"})
    settings = "[sites.live]\n"
    site = Site(repository.root, "https://site.test/wp-json")
    with site.workspace() as workspace:
        files = watched(workspace)
        (repository.root / "pressync.toml").write_text(settings)
        (repository.root / "content/pages/a.md").write_text("# Other\n")
        (repository.root / "other.md").write_text("x")
        workspace.manifest_path.parent.mkdir(exist_ok=True)
        workspace.manifest_path.write_text("{}")
        manifest = workspace.settings.site.manifest
        assert files.changed() == sorted(["content/pages/a.md", "pressync.toml", manifest])
        repository.commit({"templates/page.html": "<p>{{ content }}</p>"})
        assert files.changed() == [".git/logs/HEAD", "templates/page.html"]


def test_hidden_files_and_links_to_folders_do_not_count(files: WatchedFiles, tmp_path: Path) -> None:
    (tmp_path / "content" / ".a.md.swp").write_text("x")
    (tmp_path / "content" / "loop").symlink_to(tmp_path / "content", target_is_directory=True)
    assert not [path for path in files.changed() if "swp" in path or "loop/" in path]


A, B, C = (f"content/pages/{name}.md" for name in "abc")


@pytest.fixture
def workspace(desk: Desk, repository: SampleRepository) -> Iterator[Workspace]:
    """Sync three pages; the second links to the first."""
    repository.commit({A: "# A\n", B: "# B\n\n[a](a.md)\n", C: "# C\n\n[x](gone.md)\n"})
    desk.sync()
    with desk.workspace() as opened:
        yield opened.opening(RememberedDocuments().open)


def read(workspace: Workspace, entries: Mapping[str, Entry] | None = None) -> dict[str, ReadFile]:
    """Read every document of the work tree as it is now."""
    with workspace.reading() as state:
        content = workspace.content(WorkTree.now(workspace), manifest=state.manifest)
        known = state.manifest.entries if entries is None else entries
        return {path: content.read(path, known) for path in content.sources}


def again(before: dict[str, ReadFile], after: dict[str, ReadFile]) -> set[str]:
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

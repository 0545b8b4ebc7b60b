"""Files that change on a real disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.syncing import Site

from pressync.app.preview.watched_files import WatchedFiles, watched

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


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

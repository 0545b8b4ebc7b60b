"""Files that change on a real disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.preview.watched_files import WatchedFiles

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def watched(tmp_path: Path) -> WatchedFiles:
    """Watch a folder with one file, a folder that is not there, and a file by itself."""
    (tmp_path / "content" / "pages").mkdir(parents=True)
    (tmp_path / "content" / "pages" / "a.md").write_text("a")
    folders = (tmp_path / "content", tmp_path / "templates")
    return WatchedFiles(tmp_path, folders, (tmp_path / "manifest.json",))


def test_a_file_that_is_new_or_gone_or_different_is_named(watched: WatchedFiles, tmp_path: Path) -> None:
    assert watched.changed() == []
    (tmp_path / "content" / "pages" / "a.md").write_text("longer")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text("b")
    (tmp_path / "manifest.json").write_text("{}")
    assert watched.changed() == ["content/pages/a.md", "manifest.json", "templates/page.html"]
    (tmp_path / "content" / "pages" / "a.md").unlink()
    assert watched.changed() == ["content/pages/a.md"]
    assert watched.changed() == []


def test_a_file_that_an_editor_replaces_is_another_file(watched: WatchedFiles, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.write_text("b")
    new.replace(tmp_path / "content" / "pages" / "a.md")
    assert watched.changed() == ["content/pages/a.md"]


def test_hidden_files_and_links_to_folders_do_not_count(watched: WatchedFiles, tmp_path: Path) -> None:
    (tmp_path / "content" / ".a.md.swp").write_text("x")
    (tmp_path / "content" / "loop").symlink_to(tmp_path / "content", target_is_directory=True)
    assert not [path for path in watched.changed() if "swp" in path or "loop/" in path]

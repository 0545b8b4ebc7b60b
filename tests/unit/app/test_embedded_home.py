"""Each work tree has an embedded service of its own, unless an earlier version gave it the clone's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.embedded_home import MANIFEST, home

if TYPE_CHECKING:
    from pathlib import Path


def test_a_work_tree_has_the_service_of_its_own_git_directory(tmp_path: Path) -> None:
    own, common = tmp_path / ".git/worktrees/linked", tmp_path / ".git"
    assert home(tmp_path, own, common) == own
    assert home(None, common, common) == common


def test_a_work_tree_that_was_synced_to_the_service_of_the_clone_keeps_it(tmp_path: Path) -> None:
    own, common = tmp_path / ".git/worktrees/linked", tmp_path / ".git"
    manifest = tmp_path / MANIFEST
    manifest.parent.mkdir()
    manifest.write_text("{}")
    assert home(tmp_path, own, common) == common
    (own / "pressync").mkdir(parents=True)
    assert home(tmp_path, own, common) == own

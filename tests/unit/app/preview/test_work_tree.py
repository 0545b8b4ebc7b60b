"""The working tree at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.syncing import Site

from pressync.app.preview.work_tree import WorkTree

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


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

"""The plan of a rollback: which records it is about, and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.library_repository import Shelf

from pressync.app import rollback
from pressync.app.revision import Revision
from pressync.model.changes import Blocked, Delete, Update
from pressync.plan.limits import DEFAULT_LIMIT
from pressync.sync.undo_plan import UndoPlanner

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.sync.undo_plan import Undoing

A, B, C, BELOW = (f"content/pages/{name}.md" for name in ("a", "b", "c", "c/below"))
MANIFEST = ".pressync/default.json"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a site with three pages."""
    repository.commit({A: "# A\n", B: "# B\n", "content/pages/z.md": "# Z\n"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    made.sync()
    return made


def planned(shelf: Shelf, *, reads: bool = True) -> Undoing:
    with shelf.workspace() as workspace, workspace.reading() as state:
        planner = UndoPlanner(
            workspace.content(Revision()),
            state,
            rollback.find(workspace, None),
            rollback.records_of(workspace),
        )
        return planner.plan(DEFAULT_LIMIT, shelf.service if reads else None)


def test_only_records_of_the_run_are_in_it(shelf: Shelf, repository: SampleRepository) -> None:
    repository.commit({A: "# Anew\n"})
    shelf.sync()
    plan = planned(shelf).plan
    assert [(type(change), change.path) for change in plan.changes] == [(Update, A)]
    assert plan.commit == repository.head()


def test_pages_below_a_created_page_are_trashed_first(shelf: Shelf, repository: SampleRepository) -> None:
    repository.commit({C: "# C\n", BELOW: "# Below\n"})
    shelf.sync()
    plan = planned(shelf).plan
    assert [change.path for change in plan.changes if isinstance(change, Delete)] == [BELOW, C]


def test_a_created_page_frees_the_address_of_a_deleted_one_first(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.remove(B)
    repository.commit({C: "---\nslug: b\ntitle: Another page altogether\n---\nIts text.\n"})
    shelf.sync()
    # Without a look at the site: this service in memory has no trash.
    plan = planned(shelf, reads=False).plan
    assert [(type(change), change.path) for change in plan.changes] == [(Delete, C), (Update, B)]


def test_a_look_at_the_site_finds_the_edits_of_others(shelf: Shelf, repository: SampleRepository) -> None:
    repository.commit({A: "# Anew\n"})
    shelf.sync()
    shelf.service.held[shelf.entries()[A].id].fields["title"] = "Somebody's"  # type: ignore[index]
    assert [type(change) for change in planned(shelf, reads=False).plan.changes] == [Update]
    assert [type(change) for change in planned(shelf).plan.changes] == [Blocked]


def test_a_manifest_that_was_taken_back_or_removed_is_named_with_the_command_that_restores_it(
    shelf: Shelf, repository: SampleRepository
) -> None:
    earlier = repository.commit({})
    repository.commit({A: "# Anew\n", C: "# C\n"})
    run = shelf.sync().run
    newest = repository.commit({})
    restoring = (
        f"`git restore --source={newest[:10]} -- {MANIFEST}` restores it, then `pressync rollback {run}`"
    )
    lost = f"left as it is: the manifest no longer has this record; {restoring}"
    back = f"left as it is: the manifest has the entry of before the run again; {restoring}"
    repository.git("restore", f"--source={earlier}", "--", MANIFEST)
    assert [(each.path, each.reason) for each in planned(shelf).plan.changes] == [(A, back), (C, lost)]
    repository.git("rm", "--quiet", "--force", MANIFEST)
    repository.commit({})
    assert [(each.path, each.reason) for each in planned(shelf).plan.changes] == [(A, lost), (C, lost)]
    repository.git("restore", f"--source={newest}", "--", MANIFEST)
    assert len(planned(shelf).plan.pending) == 2


def test_without_a_manifest_in_git_a_backup_is_asked_for(shelf: Shelf, repository: SampleRepository) -> None:
    repository.remove(MANIFEST)
    plan = planned(shelf).plan
    assert len(plan.changes) == 3
    assert all(f"restore {MANIFEST} from a backup, then" in change.reason for change in plan.changes)

"""A run of this clone is found by its id, and rolled back as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.library_repository import Shelf
from tests.support.undoing import rolled_back

from pressync.app import rollback
from pressync.model.changes import Result
from pressync.model.errors import ConfigError, SafetyRefusal
from pressync.plan.limits import DeleteLimit

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

A, B = "content/pages/a.md", "content/pages/b.md"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a site that has nothing yet."""
    repository.commit({A: "# A\n"})
    return Shelf(repository.root, "https://site.test/wp-json")


def test_the_default_is_the_last_sync_of_this_clone(shelf: Shelf, repository: SampleRepository) -> None:
    first = shelf.sync().run
    repository.commit({B: "# B\n"})
    run = shelf.sync().run
    with shelf.workspace() as workspace:
        assert rollback.find(workspace, None).run == run
        rolled_back(shelf)
        assert rollback.find(workspace, None).run == run, "a rollback is not a sync"
        assert rollback.is_finished(workspace, rollback.find(workspace, None))
    rolled_back(shelf, first)
    assert shelf.entries() == {}, "an earlier run is named by its id"


def test_a_run_of_another_clone_is_not_known_here(shelf: Shelf) -> None:
    with shelf.workspace() as workspace:
        with pytest.raises(ConfigError, match="does not know a run to this site"):
            rollback.find(workspace, None)
        with pytest.raises(ConfigError, match=r"manifest log.*git revert"):
            rollback.find(workspace, "20260131-101500-k3f9p")


def test_a_rollback_is_not_rolled_back(shelf: Shelf) -> None:
    shelf.sync()
    made = rolled_back(shelf).run
    with shelf.workspace() as workspace, pytest.raises(ConfigError, match="--again"):
        rollback.find(workspace, made)


def test_the_limit_on_deletions_holds_and_names_the_command(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({f"content/pages/p{n}.md": f"# P{n}\n" for n in range(12)})
    run = shelf.sync().run
    with pytest.raises(SafetyRefusal, match=f"pressync rollback {run} --max-delete 13"):
        rolled_back(shelf, limit=DeleteLimit(percent=30))
    assert len(shelf.entries()) == 13
    result = rolled_back(shelf, limit=DeleteLimit(count=13))
    assert result.counts["done"] == 13


def test_what_stays_makes_it_unfinished_and_a_second_one_goes_on(
    shelf: Shelf, repository: SampleRepository
) -> None:
    shelf.sync()
    repository.commit({A: "# Anew\n", B: "# B\n"})
    shelf.sync()
    held = shelf.service.held[shelf.entries()[A].id].fields
    held["title"] = "Somebody's"  # type: ignore[index]
    first = rolled_back(shelf)
    assert {o.change.path: o.result for o in first.outcomes} == {A: Result.BLOCKED, B: Result.DONE}
    held["title"] = "Anew"  # type: ignore[index]
    second = rolled_back(shelf)
    assert {o.change.path: o.result for o in second.outcomes} == {A: Result.DONE}
    with shelf.workspace() as workspace:
        assert rollback.is_finished(workspace, rollback.find(workspace, None))

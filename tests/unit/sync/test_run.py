"""One sync: facts that it learns on the site before the first write are in the plan that runs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import blocked, create, delete, entry, plan, update
from tests.support.library_repository import Shelf
from tests.support.peers import settle_at_once
from tests.support.states import opened, unconfirmed_in
from tests.support.syncing import Site

from pressync.cli.console import run_exit_code
from pressync.model.changes import Block, Result
from pressync.plan.build import PlannedRun, PlanOptions
from pressync.plan.order import schedule
from pressync.sync.run import carry_over, run_result, waiting_changes

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

    from pressync.model.changes import Change
    from pressync.model.outcomes import RunResult

A = "content/pages/a.md"
SENT = {"title": "A", "slug": "a", "status": "publish"}
TEXT = "A line that stays.\n" * 12


@pytest.fixture
def shelf(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """One page, whose create is unconfirmed."""
    settle_at_once(monkeypatch)
    repository.commit({A: "# A\n"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    with made.workspace() as workspace, workspace.state(writable=True) as state:
        unconfirmed_in(state, A, SENT, commit=repository.head())
        state.save()
    return made


B, CHILD, LINKING = "content/pages/b.md", "content/pages/a/child.md", "content/pages/linking.md"


@pytest.fixture
def young(repository: SampleRepository) -> Shelf:
    """Commit a page whose create was just sent, one below it, one that links to it, and one of its own."""
    files = {A: "# A\n", B: "# B\n", CHILD: "# Child\n", LINKING: "# Linking\n\n[a](a.md)\n"}
    repository.commit(files)
    made = Shelf(repository.root, "https://site.test/wp-json")
    with made.workspace() as workspace, workspace.state(writable=True) as state:
        unconfirmed_in(state, A, SENT, commit=repository.head())
        state.save()
    return made


def ended(run: RunResult) -> dict[str, Result]:
    """Give how each path ended."""
    return {outcome.change.path: outcome.result for outcome in run.outcomes}


def titles(shelf: Shelf) -> list[str]:
    """List the titles of the pages that the service holds."""
    return sorted(str(record.fields["title"]) for record in shelf.service.held.values())


def test_what_depends_on_a_create_of_the_last_moment_waits_for_the_next_sync(young: Shelf) -> None:
    run = young.sync()
    assert ended(run) == {
        A: Result.UNCONFIRMED,
        B: Result.DONE,
        CHILD: Result.BLOCKED,
        LINKING: Result.SKIPPED,
    }
    assert titles(young) == ["B"]
    assert run_exit_code(run, stopped=False) == 5
    assert any("1 unconfirmed create was sent a moment ago" in sentence for sentence in young.heard)


@pytest.mark.parametrize("came", [True, False])
def test_the_next_sync_does_the_rest_and_makes_nothing_twice(
    young: Shelf, monkeypatch: pytest.MonkeyPatch, *, came: bool
) -> None:
    young.sync()
    if came:
        young.service.hold(41, **SENT)
    settle_at_once(monkeypatch)
    assert ended(young.sync()) == dict.fromkeys((A, CHILD, LINKING), Result.DONE)
    assert (young.entries()[A].id == 41) is came
    assert titles(young) == ["A", "B", "Child", "Linking"]
    assert not young.plan().pending


@pytest.fixture
def site(repository: SampleRepository, strict: StrictService) -> Site:
    """Sync two pages that name their slugs, and a child of one."""
    pages = {
        A: f"---\nslug: a\ntitle: A\n---\n{TEXT}",
        B: f"---\nslug: b\ntitle: B\n---\n{TEXT}b\n",
    }
    repository.commit({**pages, CHILD: "# Child\n"})
    site = Site(repository.root, strict.url)
    site.sync()
    return site


def test_new_names_go_down_in_one_line_so_that_no_half_swap_is_kept(site: Site, tmp_path: Path) -> None:
    one, other = entry(A, 1), entry(B, 2)
    swapped = {A: replace(other, path=A), B: replace(one, path=B)}
    with site.workspace() as workspace, opened(tmp_path) as state:
        state.put(one, other)
        journal = tmp_path / "pressync/site.journal"
        before = len(journal.read_bytes().splitlines())
        carry_over(state, PlannedRun(plan(), schedule((), {}), swapped), workspace.repository, rewind=False)
        assert len(journal.read_bytes().splitlines()) == before + 1
        assert {path: found.id for path, found in state.manifest.entries.items()} == {
            A: 2,
            B: 1,
        }


def test_a_new_name_whose_slug_was_not_sent_yet_is_sent_by_the_next_sync(
    site: Site, strict: StrictService, repository: SampleRepository
) -> None:
    repository.commit({"content/pages/plain.md": f"# Plain\n\n{TEXT}"})
    site.sync()
    repository.move("content/pages/plain.md", "content/pages/fancy.md")
    repository.commit({"content/pages/new.md": "# New\n"})
    # The new name is written down by every sync; what follows from it is sent by one of all paths alone.
    site.sync(PlanOptions(paths=("content/pages/new.md",)))
    assert site.entries()["content/pages/fancy.md"].slug == "plain"
    site.sync()
    assert "fancy" in {page["slug"] for page in strict.pages}
    assert not site.plan().pending


def test_after_a_rewind_no_record_names_a_foreign_commit(site: Site, repository: SampleRepository) -> None:
    foreign = repository.head()
    repository.git("checkout", "--quiet", "--orphan", "another")
    here = repository.commit()
    site.sync(PlanOptions(allow_rewind=True))
    assert {entry.commit for entry in site.entries().values()} == {here} != {foreign}


LOST = "content/pages/lost.md"
YOUNG = {LOST: "lost"}
SENT_CREATE = dataclasses.replace(blocked(LOST, "no answer came"), block=Block.UNCONFIRMED)


OTHER, GRANDCHILD = "content/pages/docs/lost.md", "content/pages/a/child/grandchild.md"
LINKS, EDIT = create(A, links=(LOST,)), update(A, links=(LOST,))


@pytest.mark.parametrize(
    ("changes", "waiting"),
    [
        ((LINKS, create(B), SENT_CREATE), {A}),
        ((EDIT, delete(B)), {A}),
        # It may want the same slug.
        ((create(OTHER),), {OTHER}),
        # A new page below one that waits for its record waits too, however deep.
        (
            (LINKS, create(CHILD, parent_path=A), create(GRANDCHILD, parent_path=CHILD)),
            {A, CHILD, GRANDCHILD},
        ),
        ((EDIT, create(CHILD, parent_path=A)), {A}),
    ],
)
def test_a_page_that_needs_a_lost_create_waits(changes: tuple[Change, ...], waiting: set[str]) -> None:
    assert waiting_changes(plan(*changes), YOUNG) == dict.fromkeys(waiting, LOST)


def test_interrupted_a_delete_that_waited_for_the_pages_below_it_is_told_as_skipped() -> None:
    run = run_result(plan(delete(A), create(B, links=(LOST,)), SENT_CREATE), [], {B: LOST})
    assert [(outcome.change.path, outcome.result) for outcome in run.outcomes] == [
        (A, Result.SKIPPED),
        (B, Result.SKIPPED),
        (LOST, Result.UNCONFIRMED),
    ]

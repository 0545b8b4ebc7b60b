"""Facts that a sync records without a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import entry, plan
from tests.support.states import opened
from tests.support.syncing import Site

from pressync.plan.build import PlannedRun, PlanOptions
from pressync.plan.order import schedule
from pressync.sync.renames import carry_over

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

A, B, CHILD = "content/pages/a.md", "content/pages/b.md", "content/pages/a/child.md"
TEXT = "A line that stays.\n" * 12


@pytest.fixture
def site(repository: SampleRepository, strict: StrictService) -> Site:
    """Sync two pages that name their slugs, and a child of one."""
    pages = {A: f"---\nslug: a\ntitle: A\n---\n{TEXT}", B: f"---\nslug: b\ntitle: B\n---\n{TEXT}b\n"}
    repository.commit({**pages, CHILD: "# Child\n"})
    site = Site(repository.root, strict.url)
    site.sync()
    return site


def test_a_new_name_that_changes_nothing_sent_is_written_down(
    site: Site, strict: StrictService, repository: SampleRepository
) -> None:
    before, sent = site.entries(), len(strict.received)
    repository.move(B, "content/pages/z.md")
    repository.commit()
    assert not site.sync().outcomes
    assert len(strict.received) == sent
    assert site.entries().keys() == {A, CHILD, "content/pages/z.md"}
    assert site.entries()["content/pages/z.md"].id == before[B].id
    assert site.entries()["content/pages/z.md"].commit == repository.head()


def test_all_new_names_go_down_in_one_line_so_that_half_of_a_swap_is_never_kept(
    site: Site, tmp_path: Path
) -> None:
    one, other = entry(A, 1), entry(B, 2)
    swapped = {A: replace(other, path=A), B: replace(one, path=B)}
    with site.workspace() as workspace, opened(tmp_path) as state:
        state.put(one, other)
        journal = tmp_path / "pressync/site.journal"
        before = len(journal.read_bytes().splitlines())
        carry_over(state, PlannedRun(plan(), schedule((), {}), swapped), workspace.repository, rewind=False)
        assert len(journal.read_bytes().splitlines()) == before + 1
        assert {path: found.id for path, found in state.manifest.entries.items()} == {A: 2, B: 1}


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


def test_the_children_of_a_renamed_page_know_its_new_name(site: Site, repository: SampleRepository) -> None:
    repository.move(A, "content/pages/a/index.md")
    repository.commit()
    site.sync()
    assert site.entries()[CHILD].parent_path == "content/pages/a/index.md"
    assert not site.plan().pending


def test_after_an_accepted_rewind_no_kept_record_names_a_foreign_commit(
    site: Site, repository: SampleRepository
) -> None:
    foreign = repository.head()
    repository.git("checkout", "--quiet", "--orphan", "another")
    here = repository.commit()
    site.sync(PlanOptions(allow_rewind=True))
    assert {entry.commit for entry in site.entries().values()} == {here} != {foreign}


def test_a_sync_with_nothing_new_leaves_the_manifest_as_it_is(site: Site) -> None:
    with site.workspace() as workspace:
        file = workspace.manifest_path
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    site.sync()
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before

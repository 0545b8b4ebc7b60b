"""Plans of real repositories: what is drawn together, what is selected, what refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.syncing import Site

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.changes import Blocked
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.strict_service import StrictService

    from pressync.model.changes import Plan

A, CHILD, GRANDCHILD = "content/pages/a.md", "content/pages/a/b.md", "content/pages/a/b/c.md"
ALONE, LINKING = "content/pages/alone.md", "content/pages/linking.md"


@pytest.fixture
def site(repository: SampleRepository, strict: StrictService) -> Site:
    """Commit a line of three pages, one that links to its first, and one alone."""
    repository.commit(
        {A: "# A\n", CHILD: "# B\n", GRANDCHILD: "# C\n", ALONE: "# Alone\n", LINKING: "[a](a.md)\n"}
    )
    return Site(repository.root, strict.url)


def pending(plan: Plan) -> list[str]:
    """Name what a sync of the plan would send, in its order."""
    return [change.path for change in plan.pending]


def test_a_plan_says_how_many_documents_it_has_read(site: Site) -> None:
    told: list[tuple[int, int]] = []
    with site.workspace() as workspace:
        workspace.plan(Revision(), PlanOptions(), lambda done, total: told.append((done, total)))
    assert told == [(number, 5) for number in range(1, 6)]


def test_a_chosen_page_brings_the_parents_that_it_needs(site: Site) -> None:
    assert pending(site.plan(PlanOptions(paths=(GRANDCHILD,)))) == [A, CHILD, GRANDCHILD]


def test_a_chosen_folder_is_all_that_is_below_it(site: Site) -> None:
    assert pending(site.plan(PlanOptions(paths=("content/pages/a",)))) == [A, CHILD, GRANDCHILD]
    assert len(pending(site.plan(PlanOptions(paths=("",))))) == 5


def test_a_page_stays_while_one_below_it_is_protected(site: Site, repository: SampleRepository) -> None:
    repository.commit({CHILD: "---\nprotect: true\n---\n# B\n"})
    site.sync()
    repository.remove(A, CHILD, GRANDCHILD)
    repository.commit()
    plan = site.plan()
    assert pending(plan)[-1] == GRANDCHILD
    assert {c.path: c.reason for c in plan.changes if isinstance(c, Blocked)}[A].startswith(
        f"its file was removed, but {CHILD} stays below it"
    )
    assert pending(site.plan(PlanOptions(paths=(CHILD, A)))) == []


def test_a_page_may_take_the_address_of_one_that_goes_and_not_of_one_that_stays(
    site: Site, repository: SampleRepository
) -> None:
    site.sync()
    repository.remove(ALONE)
    repository.commit({"content/pages/new.md": "---\nslug: alone\n---\n# New\n"})
    assert [str(problem) for problem in site.plan().problems] == []
    repository.commit({"content/pages/new.md": "---\nslug: linking\n---\n# New\n"})
    (problem,) = site.plan().problems
    assert problem.what == f"it wants the same address as {LINKING}"


def test_a_template_that_breaks_every_page_is_told_once(site: Site, repository: SampleRepository) -> None:
    repository.commit({"templates/page.html": "{{ content }\n"})
    (problem,) = site.plan().problems
    assert str(problem) == (
        "templates/page.html:1: unexpected '}' (rendering content/pages/a.md and 4 more); fix the template"
    )


@pytest.mark.parametrize(
    ("files", "note"),
    [
        (
            {"content/en/a.md": "# A\n", "content/en/b.md": "# B\n"},
            "Of the 2 Markdown files below content/ none is a page or a post: move them below content/pages/",
        ),
        (
            {"docs/a.md": "# A\n", "pressync.toml": 'content = "docs"\n'},
            "The one Markdown file below docs/ is neither a page nor a post: move it below docs/pages/ or ",
        ),
        (
            {"a.md": "# A\n"},
            "There is no document in commit {}: commit Markdown below content/pages/, or set `content` in ",
        ),
    ],
)
def test_a_tree_of_another_tool_is_told_what_lacks(tmp_path: Path, files: dict[str, str], note: str) -> None:
    repository = SampleRepository.create(tmp_path / "tree")
    repository.commit(files)
    with Workspace.open(repository.root) as workspace:
        (said,) = workspace.plan(Revision(), PlanOptions()).plan.notes
    assert said.startswith(note.format(repository.head()[:10]))


def test_a_content_folder_that_is_a_submodule_is_named(tmp_path: Path) -> None:
    repository = SampleRepository.create(tmp_path / "tree")
    head = repository.commit({"readme.txt": "one"})
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},content")
    repository.git("commit", "--quiet", "--message", "The content is elsewhere")
    with Workspace.open(repository.root) as workspace:
        (said,) = workspace.plan(Revision(), PlanOptions()).plan.notes
    assert said.startswith(
        "content is a submodule or a symbolic link, and its files are in another repository"
    )

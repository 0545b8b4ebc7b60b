"""Somebody else's hand on the site between two syncs: told, and overwritten only on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live.live import Eyes, live, messages, numbered, results
from tests.live.proxy import Cut

from pressync.app.bind import forget
from pressync.app.revision import Revision
from pressync.cli.console import plan_exit_code, run_exit_code
from pressync.cli.report import words
from pressync.model.changes import Blocked
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.live.live import Live
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

EDITED = "content/pages/page-002.md"

# What a person changes in WordPress, and what the file says of the same field by then.
HANDS: dict[str, tuple[str | int, str]] = {
    "title": ("Title by hand", "# Number 2 again\n\nThe text of page 2.\n"),
    "content": ("<p>By hand</p>", "# Number 2\n\nThe new text of page 2.\n"),
    "status": ("draft", "---\nstatus: publish\n---\n# Number 2\n\nThe new text of page 2.\n"),
    "menu_order": (7, "---\nweight: 3\n---\n# Number 2\n\nThe text of page 2.\n"),
}


@pytest.fixture
def pages(repository: SampleRepository) -> SampleRepository:
    """Three pages, committed; the second has a place in the menu."""
    texts = numbered(3)
    repository.commit({**texts, EDITED: "---\nweight: 2\n---\n" + texts[EDITED]})
    return repository


def synced(pages: SampleRepository, line: Line, wordpress: Site) -> tuple[Live, Eyes, int]:
    """Sync the pages, and give the site, eyes upon it, and the id of the page that is to be edited."""
    site = live(pages, line, wordpress)
    site.sync()
    return site, Eyes(wordpress), site.ids()[EDITED]


@pytest.mark.parametrize("field", HANDS)
def test_an_edit_by_hand_stops_its_page_and_no_other_until_it_is_to_be_overwritten(
    wordpress: Site, line: Line, pages: SampleRepository, field: str
) -> None:
    site, eyes, number = synced(pages, line, wordpress)
    by_hand, text = HANDS[field]
    eyes.edit(number, **{field: by_hand})
    edited = eyes.row(number)

    pages.commit({EDITED: text, "content/pages/page-003.md": "# Number 3\n\nMore of it.\n"})
    run = site.sync()

    assert results(run) == {EDITED: "blocked", "content/pages/page-003.md": "done"}
    assert field in messages(run)[EDITED]
    assert eyes.row(number) == edited
    assert results(site.sync()) == {EDITED: "blocked"}

    assert results(site.sync(overwrite=True)) == {EDITED: "done"}
    row = eyes.row(number)
    assert raw(row[field]) not in {by_hand, raw(edited[field])}
    assert row["status"] == "publish"
    assert site.sync().outcomes == ()


def test_a_page_taken_off_the_site_is_told_and_stays_off_where_its_file_says_nothing_of_it(
    wordpress: Site, line: Line, pages: SampleRepository
) -> None:
    site, eyes, number = synced(pages, line, wordpress)
    eyes.edit(number, status="draft")

    pages.commit({EDITED: "---\nweight: 2\n---\n# Number 2\n\nNew text.\n"})
    run = site.sync()

    assert results(run) == {EDITED: "done"}
    assert "status was changed on the site by somebody else and was not overwritten" in messages(run)[EDITED]
    assert eyes.row(number)["status"] == "draft"


def test_a_slug_that_a_move_makes_wordpress_number_is_told_once_and_a_person_s_edit_still_stops_the_page(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({"content/pages/docs/index.md": "# Docs\n", "content/pages/zp.md": "# Zp\n"})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number, parent = site.ids()["content/pages/zp.md"], site.ids()["content/pages/docs/index.md"]
    eyes.make(title="By hand", slug="zp", parent=parent, status="publish")
    moved = "content/pages/docs/zp.md"

    repository.git("mv", "content/pages/zp.md", moved)
    repository.commit({})
    run = site.sync()

    assert results(run) == {moved: "done"}
    assert "changed by the service from 'zp' to 'zp-2', as an effect of this update" in messages(run)[moved]
    assert (eyes.row(number)["slug"], eyes.row(number)["parent"]) == ("zp-2", parent)
    assert run_exit_code(run, stopped=False) == 0
    assert site.sync().outcomes == ()

    repository.commit({moved: "# Zp\n\nMore.\n"})
    assert messages(site.sync()) == {moved: ""}
    eyes.edit(number, slug="by-hand")
    repository.commit({moved: "# Zp\n\nStill more.\n"})
    assert results(site.sync()) == {moved: "blocked"}


def test_a_move_whose_response_was_lost_is_not_taken_for_somebody_s_edit(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({"content/pages/docs/index.md": "# Docs\n", "content/pages/zp.md": "# Zp\n"})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    eyes.make(title="By hand", slug="zp", parent=site.ids()["content/pages/docs/index.md"], status="publish")
    repository.git("mv", "content/pages/zp.md", "content/pages/docs/zp.md")
    repository.commit({})
    line.cut = lambda passed: Cut.ANSWERED if passed.is_write else None
    assert results(site.sync()) == {"content/pages/docs/zp.md": "in_doubt"}
    line.cut = lambda _passed: None

    run = site.sync()

    assert results(run) == {"content/pages/docs/zp.md": "done"}
    assert "as an effect of this update" in messages(run)["content/pages/docs/zp.md"]
    assert site.sync().outcomes == ()


@pytest.mark.parametrize(
    ("before", "added", "told"),
    [
        ("password: open", "status: private", "password: removed by the service"),
        ("categories: []", "excerpt: More", "categories: changed by the service to '[1]'"),
    ],
)
def test_what_wordpress_changes_with_another_field_is_nobodys_edit(
    wordpress: Site,
    line: Line,
    repository: SampleRepository,
    *,
    before: str,
    added: str,
    told: str,
) -> None:
    path = "content/posts/a.md"
    repository.commit({path: f"---\n{before}\n---\n# A\n"})
    site = live(repository, line, wordpress)
    site.sync()

    repository.commit({path: f"---\n{before}\n{added}\n---\n# A\n"})
    run = site.sync()

    assert results(run) == {path: "done"}
    assert told in messages(run)[path]
    assert run_exit_code(run, stopped=False) == 0
    assert site.sync().outcomes == ()


def raw(value: object) -> object:
    """Give a field's value as people write it."""
    return value["raw"] if isinstance(value, dict) else value


def test_a_page_that_somebody_put_into_the_trash_stays_there_until_it_is_to_be_overwritten(
    wordpress: Site, line: Line, pages: SampleRepository
) -> None:
    site, eyes, number = synced(pages, line, wordpress)
    eyes.remove(number)

    pages.commit({EDITED: "# Number 2\n\nNew text.\n"})
    run = site.sync()

    assert results(run) == {EDITED: "blocked"}
    assert "trash" in messages(run)[EDITED]
    assert eyes.row(number)["status"] == "trash"

    assert results(site.sync(overwrite=True)) == {EDITED: "done"}
    row = eyes.row(number)
    assert (row["status"], row["slug"]) == ("publish", "page-002")
    assert "New text." in row["content"]["raw"]


def test_a_page_that_somebody_deleted_for_good_is_told_and_made_anew_once_it_is_forgotten(
    wordpress: Site, line: Line, pages: SampleRepository
) -> None:
    site, eyes, number = synced(pages, line, wordpress)
    eyes.remove(number, for_good=True)

    pages.commit({EDITED: "# Number 2\n\nNew text.\n", "content/pages/page-001.md": "# Number 1\n\nMore.\n"})
    run = site.sync()

    assert results(run) == {EDITED: "blocked", "content/pages/page-001.md": "done"}
    assert "`pressync forget content/pages/page-002.md`" in messages(run)[EDITED]
    assert number not in eyes.rows()

    with site.workspace() as workspace:
        forget(workspace, [EDITED])
    assert results(site.sync()) == {EDITED: "done"}
    assert site.ids()[EDITED] in eyes.rows()


@pytest.mark.parametrize("for_good", [False, True], ids=["into the trash", "for good"])
def test_removing_a_file_whose_page_somebody_removed_already_is_done(
    wordpress: Site, line: Line, pages: SampleRepository, *, for_good: bool
) -> None:
    site, eyes, number = synced(pages, line, wordpress)
    eyes.remove(number, for_good=for_good)

    pages.remove(EDITED)
    pages.commit()
    run = site.sync()

    assert results(run) == {EDITED: "done"}
    assert (number in eyes.rows()) is not for_good
    assert site.sync().outcomes == ()


def test_a_page_that_somebody_worked_on_is_not_deleted_with_its_file(
    wordpress: Site, line: Line, pages: SampleRepository
) -> None:
    site, eyes, number = synced(pages, line, wordpress)
    eyes.edit(number, content="<p>Somebody's work</p>")

    pages.remove(EDITED)
    pages.commit()

    assert results(site.sync()) == {EDITED: "blocked"}
    assert eyes.row(number)["status"] == "publish"
    assert results(site.sync(PlanOptions(overwrite=True), overwrite=True)) == {EDITED: "done"}
    assert eyes.row(number)["status"] == "trash"


def test_an_edit_of_what_no_file_names_is_nobodys_conflict(
    wordpress: Site, line: Line, pages: SampleRepository
) -> None:
    site, eyes, number = synced(pages, line, wordpress)
    eyes.edit(number, excerpt="By hand", comment_status="open")

    pages.commit({EDITED: "---\nweight: 2\n---\n# Number 2\n\nNew text.\n"})

    assert results(site.sync()) == {EDITED: "done"}
    assert eyes.row(number)["excerpt"]["raw"] == "By hand"


def test_an_edit_that_no_commit_would_touch_is_seen_by_a_look_at_the_site(
    wordpress: Site, line: Line, pages: SampleRepository
) -> None:
    site, eyes = live(pages, line, wordpress), Eyes(wordpress)
    site.sync()
    ids = site.ids()
    eyes.edit(ids[EDITED], title="Title by hand")
    eyes.remove(ids["content/pages/page-003.md"], for_good=True)
    line.passed.clear()

    with site.workspace() as workspace:
        plan = workspace.plan(Revision(), PlanOptions(), drift=True).plan

    blocked = {change.path: change for change in plan.changes if isinstance(change, Blocked)}
    assert blocked[EDITED].fields == ("title",)
    assert "somebody deleted page" in blocked["content/pages/page-003.md"].reason
    assert len(blocked) == 2
    assert line.writes == []


# The accounts that may read the pages of an administrator for an edit.
SEES = {"admin": True, "editor": True, "author": False, "contributor": False, "subscriber": False}


@pytest.mark.parametrize("user", SEES)
def test_a_look_calls_only_those_records_up_to_date_that_this_account_may_read(
    wordpress: Site, line: Line, pages: SampleRepository, user: str
) -> None:
    _, eyes, number = synced(pages, line, wordpress)
    eyes.edit(number, title="Title by hand")
    with live(pages, line, wordpress, user).workspace() as workspace:
        plan = workspace.plan(Revision(), PlanOptions(), drift=True).plan
    assert plan_exit_code(plan) == 1
    assert words.plan_counts(plan) == {
        **dict.fromkeys(("create", "update", "delete"), 0),
        **({"keep": 2, "blocked": 1, "not_compared": 0} if SEES[user] else {}),
        **({"keep": 0, "blocked": 0, "not_compared": 3} if not SEES[user] else {}),
    }

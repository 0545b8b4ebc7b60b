"""Between a pull and its commit: a sync does not send the older text of the commit, on a real repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.revision import Revision
from pressync.model.changes import Block, Blocked, Result, Update

if TYPE_CHECKING:
    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Change

ABOUT, TEAM = "content/pages/about.md", "content/pages/team.md"
TEXT = "---\ntitle: About us   # the short one\n---\nSee [the team](team.md).\n\nSecond paragraph.\n"


@pytest.fixture
def about(desk: Desk, repository: SampleRepository) -> Desk:
    """Sync two pages that link to each other."""
    repository.commit({ABOUT: TEXT, TEAM: "# Team\n\nBack to [about](about.md).\n"})
    desk.sync()
    return desk


def changes(desk: Desk) -> list[Change]:
    """List the changes of a plan of HEAD, also the blocked ones."""
    plan = desk.plan()
    return [*plan.pending, *(change for change in plan.changes if isinstance(change, Blocked))]


def test_a_pull_is_not_undone_by_a_sync_before_its_file_is_committed(
    about: Desk, repository: SampleRepository
) -> None:
    about.edit(ABOUT, status="draft")
    about.edit(TEAM, title="Our team")
    about.pull("content")
    repository.git("commit", "--quiet", "-m", "One of two", TEAM)

    run = about.sync()

    (blocked,) = changes(about)
    assert isinstance(blocked, Blocked)
    assert (blocked.path, blocked.block) == (ABOUT, Block.BLOCKED)
    assert f"commit it first (`git commit {ABOUT}`)" in blocked.reason
    assert [(each.change.path, each.result) for each in run.outcomes] == [(ABOUT, Result.BLOCKED)]
    assert about.record(ABOUT).fields["status"] == "draft"
    assert about.plan(revision=Revision(worktree=True)).pending == ()
    repository.commit()
    assert changes(about) == []
    assert about.record(ABOUT).fields["status"] == "draft"


def test_a_pull_of_a_text_that_an_older_commit_had_is_not_undone(
    about: Desk, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: TEXT.replace("Second paragraph.", "Third paragraph.")})
    about.sync()
    about.edit(ABOUT, content=("Third paragraph.", "Second paragraph."))
    about.pull(ABOUT)
    assert about.text(ABOUT) == TEXT
    (blocked,) = changes(about)
    assert isinstance(blocked, Blocked)
    assert "not committed" in blocked.reason


def test_a_commit_that_changed_no_field_is_not_a_pull(about: Desk, repository: SampleRepository) -> None:
    repository.commit({ABOUT: TEXT.replace("the short one", "no field")})
    about.sync()
    repository.commit({ABOUT: TEXT.replace("Second", "Third")})
    repository.write(ABOUT, TEXT.replace("Second", "Fourth"))
    (change,) = changes(about)
    assert isinstance(change, Update)


def test_an_overwrite_sends_the_committed_text_over_a_pull(about: Desk) -> None:
    about.edit(ABOUT, title="Theirs")
    about.pull(ABOUT)
    about.sync(overwrite=True)
    assert about.record(ABOUT).fields["title"] == "About us"


def test_a_file_with_git_s_marks_is_blocked_until_a_person_has_merged_and_committed_it(
    about: Desk, repository: SampleRepository
) -> None:
    about.edit(ABOUT, content=("Second paragraph.", "From the site."))
    repository.commit({ABOUT: TEXT.replace("Second paragraph.", "From here.")})
    about.pull(ABOUT)
    repository.write(ABOUT, TEXT.replace("Second paragraph.", "From both, soon."))
    about.sync()
    assert "From the site." in str(about.record(ABOUT).fields["content"])
    repository.commit({ABOUT: TEXT.replace("Second paragraph.", "From both.")})
    about.sync()
    assert "From both." in str(about.record(ABOUT).fields["content"])


def test_a_pull_into_a_file_that_was_renamed_since_the_last_sync_is_not_undone(
    about: Desk, repository: SampleRepository
) -> None:
    new = "content/pages/who.md"
    repository.move(ABOUT, new)
    repository.commit()
    about.edit(ABOUT, title="Theirs")
    about.pull(new)
    (blocked,) = (change for change in changes(about) if change.path == new)
    assert isinstance(blocked, Blocked)
    assert "not committed" in blocked.reason


def test_a_commit_is_sent_also_while_other_work_in_its_file_is_not_committed(
    about: Desk, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: TEXT.replace("Second paragraph.", "Committed.")})
    repository.write(ABOUT, TEXT.replace("Second paragraph.", "Not finished"))
    about.sync()
    assert "Committed." in str(about.record(ABOUT).fields["content"])


def test_a_sync_of_uncommitted_work_is_not_a_pull(about: Desk, repository: SampleRepository) -> None:
    repository.write(ABOUT, TEXT.replace("Second paragraph.", "Not committed."))
    about.sync(revision=Revision(worktree=True))
    (change,) = changes(about)
    assert isinstance(change, Update)


def test_of_many_updates_the_pulled_one_is_found(desk: Desk, repository: SampleRepository) -> None:
    paths = [f"content/pages/{number}.md" for number in range(101)]
    repository.commit(dict.fromkeys(paths, "Text.\n"))
    desk.sync()
    repository.commit(dict.fromkeys(paths, "Other text.\n"))
    desk.edit(paths[7], content=("Text.", "Text.</p>\n<p>More."))
    desk.pull(paths[7])
    found = changes(desk)
    assert [change.path for change in found if isinstance(change, Blocked)] == [paths[7]]
    assert len(found) == len(paths)

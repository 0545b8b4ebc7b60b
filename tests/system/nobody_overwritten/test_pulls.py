"""A pulled text that no commit here has is not overwritten, in this clone and in another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support import embedded_wordpress
from tests.support.clones import blocks, drift
from tests.support.embedded_wordpress import ENVIRON, PASSWORD, USER
from tests.support.repository import _ENVIRONMENT, SampleRepository
from tests.support.syncing import Bound

from pressync.app.pull import PullOptions, pull
from pressync.app.revision import Revision
from pressync.cli.main import pressync
from pressync.model.changes import Block, Blocked, Result, Update

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.desk import Desk
    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.model.changes import Change
    from pressync.pull.puller import Pulled


# Between a pull and its commit: a sync does not send the older text of the commit, on a real repository.

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


# Two clones of one repository: a pull in one of them is not undone by the other, on real repositories.

OF_TEAM = "# About us\n\nThe first paragraph is here.\n\nSecond paragraph.\n\nThe last paragraph is here.\n"
FROM_SITE = OF_TEAM.replace("Second", "The browser's")


class Team:
    """A site, and clones of its repository."""

    def __init__(self, folder: Path, wordpress: EmbeddedWordPress, *, manifest: str) -> None:
        self.folder, self.wordpress, self.in_file = folder, wordpress, manifest == "file"
        self.first = SampleRepository.create(folder / "first")
        key = "" if self.in_file else 'manifest = "ref"\n'
        toml = f'[sites.live]\nurl = "{wordpress.url}"\ndialect = "wordpress"\n{key}'
        self.first.commit({"pressync.toml": toml, ABOUT: OF_TEAM, TEAM: "# Team\n\nAll of us.\n"})
        origin = str(folder / "origin.git")
        self.first.git("clone", "--quiet", "--bare", ".", origin)
        self.first.git("remote", "add", "origin", f"file://{origin}")
        self.sync(self.first)
        self.push(self.first)
        self.first.git("branch", "--quiet", "--set-upstream-to=origin/main")

    def clone(self) -> SampleRepository:
        """Make another clone."""
        root = self.folder / "second"
        self.first.git("clone", "--quiet", f"file://{self.folder / 'origin.git'}", str(root))
        return SampleRepository(root)

    def site(self, repository: SampleRepository) -> Bound:
        """Bind a clone to the site."""
        return Bound(repository.root, self.wordpress.url, environ=ENVIRON)

    def sync(self, repository: SampleRepository) -> dict[str, Result]:
        """Sync, and give how each path ended."""
        return {each.change.path: each.result for each in self.site(repository).sync().outcomes}

    def pull(self, repository: SampleRepository, *paths: str) -> list[Pulled]:
        """Pull from the site."""
        with self.site(repository).workspace() as workspace:
            return pull(workspace, PullOptions(paths))

    def push(self, repository: SampleRepository) -> None:
        """Commit everything and push it."""
        repository.commit()
        repository.git("push", "--quiet", "origin", "HEAD:main")

    def pull_in_first(self) -> None:
        """Pull an edit of the browser in the first clone, whose manifest then reaches the others."""
        self.wordpress.post("pages/1", content=self.shown.replace("Second", "The browser's"))
        assert [each.path for each in self.pull(self.first, ABOUT)] == [ABOUT]
        if self.in_file:
            self.first.git("add", ".pressync")
            self.first.git("commit", "--quiet", "-m", "The manifest alone")
            self.first.git("push", "--quiet", "origin", "HEAD:main")

    @property
    def shown(self) -> str:
        """The text that the site has."""
        return str(self.wordpress.shown[1]["content"]["raw"])


@pytest.fixture(params=["file", "ref"])
def team(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    """Sync two pages from a clone, with the manifest in a file and in a reference."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    with embedded_wordpress.serving() as wordpress:
        made = Team(tmp_path, wordpress, manifest=request.param)
        assert wordpress.shown[1]["slug"] == "about"
        yield made


def test_a_pull_in_another_clone_is_named_and_not_overwritten(team: Team) -> None:
    team.pull_in_first()
    second = team.clone()

    assert team.sync(second) == {ABOUT: Result.BLOCKED}

    (reason,) = blocks(team.site(second).plan()).values()
    who = team.first.git("log", "-1", "--format=%cn")
    assert f"{who} pulled it into another clone on 2" in reason
    assert "`git pull` when it is pushed" in reason
    assert f"`pressync pull {ABOUT}` takes it" in reason
    assert "adopt" not in reason
    assert "The browser's" in team.shown


def test_a_clone_that_has_sent_the_page_does_not_overwrite_what_another_one_pulled(team: Team) -> None:
    second = team.clone()
    second.commit({ABOUT: OF_TEAM.replace("first", "very first")})
    assert team.sync(second) == {ABOUT: Result.DONE}
    team.push(second)
    team.first.git("pull", "--quiet")
    team.pull_in_first()
    if team.in_file:
        second.git("pull", "--quiet")

    assert team.sync(second) == {ABOUT: Result.BLOCKED}

    assert "The browser's" in team.shown


def test_a_rename_in_this_clone_does_not_send_the_older_text_in_the_second_sync_either(team: Team) -> None:
    second = team.clone()
    second.commit({ABOUT: OF_TEAM.replace("first", "very first")})
    assert team.sync(second) == {ABOUT: Result.DONE}
    team.push(second)
    team.first.git("pull", "--quiet")
    team.pull_in_first()
    if team.in_file:
        second.git("pull", "--quiet")
    moved = "content/pages/about-us.md"
    second.move(ABOUT, moved)
    second.commit()

    for _ in range(3):
        assert team.sync(second) == {moved: Result.BLOCKED}
        (reason,) = blocks(team.site(second).plan()).values()
        assert "pulled it into another clone on 2" in reason

    assert "The browser's" in team.shown
    assert [each.path for each in team.pull(second, moved)] == [moved]
    assert "The browser's" in (second.root / moved).read_text(encoding="utf-8")


def test_a_removal_in_this_clone_does_not_delete_what_another_one_pulled(team: Team) -> None:
    second = team.clone()
    team.pull_in_first()
    if team.in_file:
        second.git("pull", "--quiet")
    second.remove(ABOUT)
    second.commit()

    assert team.sync(second) == {ABOUT: Result.BLOCKED}

    (reason,) = blocks(team.site(second).plan()).values()
    assert "pulled it into another clone on 2" in reason
    assert team.wordpress.shown[1]["status"] == "publish"


@pytest.mark.parametrize("paths", [(), (ABOUT,)])
def test_a_pull_takes_what_another_clone_has_pulled(team: Team, paths: tuple[str, ...]) -> None:
    team.pull_in_first()
    second = team.clone()

    (pulled,) = team.pull(second, *paths)

    assert (pulled.path, pulled.taken, pulled.settled) == (ABOUT, ("content",), True)
    assert (second.root / ABOUT).read_text() == FROM_SITE
    second.commit()
    assert team.sync(second) == {}
    assert team.pull(second, *paths) == []


def test_edits_of_two_clones_and_of_the_browser_are_merged(team: Team) -> None:
    team.pull_in_first()
    second = team.clone()
    second.commit({ABOUT: OF_TEAM.replace("last", "very last")})
    assert team.sync(second) == {ABOUT: Result.BLOCKED}
    assert "The browser's" in team.shown

    team.pull(second, ABOUT)
    second.commit()

    assert team.sync(second) == {ABOUT: Result.DONE}
    assert "The browser's" in team.shown
    assert "The very last" in team.shown


def test_a_pull_that_was_pushed_is_in_step_after_a_git_pull(team: Team) -> None:
    team.pull_in_first()
    second = team.clone()
    team.push(team.first)
    second.git("pull", "--quiet")
    assert team.sync(second) == {}


def test_a_branch_that_has_what_was_pulled_is_named(team: Team) -> None:
    team.pull_in_first()
    second = team.clone()
    team.first.git("switch", "--quiet", "--create", "pulled")
    team.first.commit()
    team.first.git("push", "--quiet", "origin", "pulled")
    second.git("fetch", "--quiet")
    (reason,) = blocks(team.site(second).plan()).values()
    assert "merge origin/pulled, which has it" in reason


def test_a_fresh_clone_sends_what_a_person_has_merged_with_a_pull(team: Team) -> None:
    team.wordpress.post("pages/1", content=team.shown.replace("Second", "The browser's"))
    team.first.commit({ABOUT: OF_TEAM.replace("last", "very last")})
    team.pull(team.first, ABOUT)
    team.push(team.first)
    runner = team.clone()

    said = CliRunner().invoke(pressync, ["-C", str(runner.root), "explain", ABOUT], env=_secrets())
    assert (said.exit_code, "it updates content" in said.output) == (0, True), said.output
    assert team.sync(runner) == {ABOUT: Result.DONE}
    assert "The browser's" in team.shown
    assert "The very last" in team.shown


def test_an_explanation_names_the_pull_that_is_missing(team: Team) -> None:
    team.pull_in_first()
    said = CliRunner().invoke(pressync, ["-C", str(team.clone().root), "explain", ABOUT], env=_secrets())
    assert said.exit_code == 0, said.output
    assert "pulled it into another clone on" in said.output


def _secrets() -> dict[str, str]:
    return {"PRESSYNC_USER": USER, "PRESSYNC_PASSWORD": PASSWORD}


@pytest.mark.parametrize("committer", ["Ben", "A Writer"])
def test_a_plan_without_the_site_believes_only_the_person_who_pulled(
    team: Team, monkeypatch: pytest.MonkeyPatch, committer: str
) -> None:
    """A person who has pulled may have merged; only a look at the record shows it."""
    team.pull_in_first()
    second = team.clone()
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setitem(_ENVIRONMENT, f"GIT_{role}_NAME", committer)
        monkeypatch.setitem(_ENVIRONMENT, f"GIT_{role}_EMAIL", f"{committer[0]}@example.org")
    second.commit({ABOUT: OF_TEAM.replace("last", "very last")})
    assert set(blocks(team.site(second).plan())) == ({ABOUT} if committer == "Ben" else set())
    assert set(blocks(drift(team.site(second)))) == {ABOUT}
    assert team.sync(second) == {ABOUT: Result.BLOCKED}
    assert "The browser's" in team.shown

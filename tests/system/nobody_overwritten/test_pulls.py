"""A pulled text that no commit here has is not overwritten, in this clone and in another one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.support import embedded_wordpress
from tests.support.clones import blocks, drift
from tests.support.embedded_wordpress import ENVIRON, PASSWORD, USER
from tests.support.repository import _ENVIRONMENT, SampleRepository, copied
from tests.support.syncing import Bound

from pressync.app.pull import PullOptions, pull
from pressync.app.revision import Revision
from pressync.cli.main import pressync
from pressync.model.changes import Block, Blocked, Result, Update
from pressync.state.manifest import codec
from pressync.state.manifest.merge import merge

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


def test_a_pull_that_left_a_conflict_in_the_file_names_its_line(
    about: Desk, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: TEXT.replace("Second paragraph.", "Ours.")})
    about.edit(ABOUT, content=("Second paragraph.", "Theirs."))
    about.pull(ABOUT)
    line = about.text(ABOUT).splitlines().index("<<<<<<< this file") + 1

    (blocked,) = changes(about)
    (repository.root / ABOUT).unlink()
    (removed,) = changes(about)

    assert isinstance(blocked, Blocked)
    assert (
        f"resolve the conflict on line {line} of it, and commit it (`git commit {ABOUT}`)" in blocked.reason
    )
    assert isinstance(removed, Blocked)
    assert f"commit it first (`git commit {ABOUT}`)" in removed.reason


def test_a_pull_after_a_merge_of_the_manifest_keeps_what_is_committed_here(
    about: Desk, repository: SampleRepository
) -> None:
    # A merge of two manifests leaves out which blob of a record was last sent.
    sent = about.entries()[ABOUT].blob
    manifest = repository.root / ".pressync/default.json"
    repository.write(".pressync/default.json", manifest.read_text(encoding="utf-8").replace(sent, ""))
    repository.commit({ABOUT: TEXT.replace("the team", "our team")})
    about.edit(ABOUT, content=("Second paragraph.", "Theirs."))

    (pulled,) = about.pull(ABOUT)

    assert pulled.settled
    assert about.text(ABOUT) == TEXT.replace("the team", "our team").replace("Second paragraph.", "Theirs.")


@pytest.mark.parametrize("last", ["left", "right"])
@pytest.mark.parametrize("how", ["merge", "rebase"])
def test_a_pull_after_both_sides_of_a_merge_have_sent_their_text_keeps_both(
    about: Desk, repository: SampleRepository, how: str, last: str
) -> None:
    """The merged manifest does not tell which text was sent last, so the base is the one before both."""
    text = TEXT.replace("Second paragraph.", "Second paragraph.\n\nThird paragraph.")
    repository.commit({ABOUT: text})
    about.sync()
    first = repository.commit()
    file, known = repository.root / ".pressync/default.json", {}
    edits = {"left": ("the team", "our team"), "right": ("Third paragraph.", "Last paragraph.")}
    for side in sorted(edits, key=last.__eq__):
        repository.git("switch", "--quiet", "--create", side, first)
        repository.commit({ABOUT: text.replace(*edits[side])})
        about.sync(overwrite=True)
        known[side] = codec.decode(file.read_text(encoding="utf-8"), where="")
        repository.git("restore", ".")
    before = codec.decode(file.read_text(encoding="utf-8"), where="")
    if how == "rebase":
        repository.git("rebase", "--quiet", "left", "right")
        repository.git("switch", "--quiet", "right")
    else:
        repository.git("switch", "--quiet", "left")
        repository.git("merge", "--quiet", "--no-edit", "right")
    repository.write(".pressync/default.json", merge(before, known["left"], known["right"]).text)
    both = text.replace(*edits["left"]).replace(*edits["right"])
    assert about.text(ABOUT) == both
    repository.commit()
    about.edit(ABOUT, content=("Second paragraph.", "Theirs."))

    (pulled,) = about.pull(ABOUT)

    assert pulled.settled or how == "rebase"
    assert pulled.conflicts or about.text(ABOUT) == both.replace("Second paragraph.", "Theirs.")
    assert all(word in about.text(ABOUT) for word in ("our team", "Last paragraph.", "Theirs."))


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


def test_an_overwrite_sends_the_committed_text_over_a_pull(about: Desk) -> None:
    about.edit(ABOUT, title="Theirs")
    about.pull(ABOUT)
    about.sync(overwrite=True)
    assert about.record(ABOUT).fields["title"] == "About us"


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


def test_work_of_this_clone_is_not_a_pull_whether_it_is_committed_or_not(
    about: Desk, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: TEXT.replace("the short one", "no field")})
    about.sync()
    repository.commit({ABOUT: TEXT.replace("Second paragraph.", "Committed.")})
    repository.write(ABOUT, TEXT.replace("Second paragraph.", "Not finished"))
    (change,) = changes(about)
    assert isinstance(change, Update)
    about.sync()
    assert "Committed." in str(about.record(ABOUT).fields["content"])
    about.sync(revision=Revision(worktree=True))
    assert "Not finished" in str(about.record(ABOUT).fields["content"])
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


@dataclass(frozen=True)
class Team:
    """A site, and clones of its repository."""

    folder: Path
    wordpress: EmbeddedWordPress
    in_file: bool

    @property
    def first(self) -> SampleRepository:
        """The clone that has synced."""
        return SampleRepository(self.folder / "first")

    def begin(self) -> None:
        """Sync two pages from the first clone, and push them."""
        first = SampleRepository.create(self.folder / "first")
        key = "" if self.in_file else 'manifest = "ref"\n'
        toml = f'[sites.live]\nurl = "{self.wordpress.url}"\ndialect = "wordpress"\n{key}'
        first.commit({"pressync.toml": toml, ABOUT: OF_TEAM, TEAM: "# Team\n\nAll of us.\n"})
        origin = str(self.folder / "origin.git")
        first.git("clone", "--quiet", "--bare", ".", origin)
        first.git("remote", "add", "origin", f"file://{origin}")
        self.sync(first)
        self.push(first)
        first.git("branch", "--quiet", "--set-upstream-to=origin/main")

    def clone(self) -> SampleRepository:
        root = self.folder / "second"
        self.first.git("clone", "--quiet", f"file://{self.folder / 'origin.git'}", str(root))
        return SampleRepository(root)

    def site(self, repository: SampleRepository) -> Bound:
        return Bound(repository.root, self.wordpress.url, environ=ENVIRON)

    def sync(self, repository: SampleRepository) -> dict[str, Result]:
        return {each.change.path: each.result for each in self.site(repository).sync().outcomes}

    def pull(self, repository: SampleRepository, *paths: str) -> list[Pulled]:
        with self.site(repository).workspace() as workspace:
            return pull(workspace, PullOptions(paths))

    def push(self, repository: SampleRepository) -> None:
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

    def explained(self, repository: SampleRepository) -> str:
        environ = {"PRESSYNC_USER": USER, "PRESSYNC_PASSWORD": PASSWORD}
        said = CliRunner().invoke(pressync, ["-C", str(repository.root), "explain", ABOUT], env=environ)
        assert said.exit_code == 0, said.output
        return said.output

    @property
    def shown(self) -> str:
        """The text that the site has."""
        return str(self.wordpress.shown[1]["content"]["raw"])


@pytest.fixture(scope="module", params=["file", pytest.param("ref", marks=pytest.mark.sweep)])
def original(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Team, Any]]:
    """Begin once with the manifest in a file, and once in a reference; each test gets a copy."""
    with embedded_wordpress.serving() as wordpress:
        made = Team(tmp_path_factory.mktemp("original"), wordpress, request.param == "file")
        made.begin()
        assert wordpress.shown[1]["slug"] == "about"
        yield made, wordpress.memory()


@pytest.fixture
def team(original: tuple[Team, Any], tmp_path: Path) -> Team:
    made, memory = original
    made.wordpress.recall(memory)
    return replace(made, folder=copied(made.folder, tmp_path))


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
    assert "pulled it into another clone on" in team.explained(second)
    assert "The browser's" in team.shown


def test_a_clone_that_has_sent_the_page_does_not_overwrite_what_another_one_pulled_nor_after_a_rename(
    team: Team,
) -> None:
    second = team.clone()
    second.commit({ABOUT: OF_TEAM.replace("first", "very first")})
    assert team.sync(second) == {ABOUT: Result.DONE}
    team.push(second)
    team.first.git("pull", "--quiet")
    team.pull_in_first()
    if team.in_file:
        second.git("pull", "--quiet")
    assert team.sync(second) == {ABOUT: Result.BLOCKED}
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

    assert "it updates content" in team.explained(runner)
    assert team.sync(runner) == {ABOUT: Result.DONE}
    assert "The browser's" in team.shown
    assert "The very last" in team.shown


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


@pytest.mark.parametrize("original", ["file"], indirect=True)
@pytest.mark.parametrize("did", ["edited", "deleted", "edited in the browser"])
def test_an_edit_that_is_a_sync_of_the_fetched_upstream_is_pulled_by_git(team: Team, did: str) -> None:
    second = team.clone()
    second.commit({ABOUT: OF_TEAM.replace("last", "very last")})
    if did == "edited in the browser":
        team.wordpress.post("pages/1", content=team.shown.replace("Second", "The browser's"))
    else:
        changed = {TEAM: "# Team\n\nAll.\n"} | ({ABOUT: FROM_SITE} if did == "edited" else {})
        (team.first.root / ABOUT).unlink()
        team.first.commit(changed)
        team.sync(team.first)
        team.push(team.first)
    assert ABOUT not in blocks(team.site(second).plan()), "it is not fetched, and the site is not asked"
    second.git("fetch", "--quiet")

    reason = blocks(drift(team.site(second)))[ABOUT]

    assert ("origin/main has a sync of it that HEAD does not have; pull first: `git pull`" in reason) == (
        did != "edited in the browser"
    )
    assert (f"`pressync pull {ABOUT}`" in reason) == (did == "edited in the browser")
    if did == "edited":
        second.git("-c", "pull.rebase=false", "pull", "--quiet", "--no-edit")
        assert team.sync(second) == {ABOUT: Result.DONE}

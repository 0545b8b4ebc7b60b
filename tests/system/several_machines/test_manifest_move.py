"""The manifest moves from its file to a reference and back: nothing is lost, and other clones understand."""

from __future__ import annotations

from dataclasses import dataclass
from subprocess import CalledProcessError
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository, copied
from tests.support.strict_service import serving
from tests.support.syncing import Site
from tests.support.terminal import Terminal

from pressync.app import bind
from pressync.app.manifest import ManifestMove, move
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.changes import Create
from pressync.model.errors import ConfigError, RepositoryError, SafetyRefusal
from pressync.state import atomic_files
from pressync.state.clone_files import CloneFiles
from pressync.state.clone_log import CloneLog
from pressync.state.manifest_ref import ManifestRef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.strict_service import Memory, StrictService

    from pressync.model.changes import Plan

FILE = ".pressync/live.json"
REFERENCE = "refs/pressync/live"
PAGES = {f"content/pages/{name}.md": f"# {name.title()}\n" for name in "abc"}
STAGE = '[sites.stage]\nurl = "https://stage.example/wp-json"\n\n'


@dataclass
class Clone:
    """One person's clone of a repository with two sites."""

    repository: SampleRepository

    @property
    def site(self) -> Site:
        """The site `live`."""
        return LiveSite(self.repository.root, "")

    def move(self, to: str) -> ManifestMove:
        with self.site.workspace() as workspace:
            return move(workspace, to, None)

    def publish(self) -> None:
        self.repository.commit()
        self.repository.git("push", "--quiet", "origin", "main")

    def pull(self) -> None:
        self.repository.git("pull", "--quiet", "--no-rebase", "--no-edit")

    def add(self, name: str) -> None:
        """Commit a new page, and sync it."""
        self.repository.commit({f"content/pages/{name}.md": f"# {name.title()}\n"})
        self.site.sync()

    def creates(self) -> list[str]:
        return [change.path for change in self.plan().changes if isinstance(change, Create)]

    def plan(self) -> Plan:
        return self.site.plan()

    def is_in_step(self) -> bool:
        """Whether three records are known, and nothing is to be done."""
        plan = self.plan()
        return len(plan.changes) == 3 and plan.settled and not plan.refusals

    @property
    def setting(self) -> str:
        text = (self.repository.root / "pressync.toml").read_text().partition("[sites.live]")[2]
        return next((line for line in text.splitlines() if line.startswith("manifest")), "")


class LiveSite(Site):
    """One of several sites, by its name."""

    def workspace(self) -> Workspace:
        return Workspace.open(self.root, environ={"PRESSYNC_SITE": "live"}, wait=0, say=self.heard.append)


@dataclass
class Team:
    """Two clones of one origin, the first of which has synced three pages and pushed its manifest."""

    here: Clone
    there: Clone
    strict: StrictService

    def titles(self) -> list[str]:
        return sorted(page["title"]["raw"] for page in self.strict.pages)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, StrictService, Memory]]:
    """Make the two clones once; their settings also have another site, which never changes."""
    folder = tmp_path_factory.mktemp("original")
    first = SampleRepository.create(folder / "here")
    with serving() as strict:
        first.commit({"pressync.toml": f'{STAGE}[sites.live] # ours\nurl = "{strict.url}"\n', **PAGES})
        first.git("clone", "--quiet", "--bare", ".", f"{folder}/origin.git")
        first.git("remote", "add", "origin", f"{folder}/origin.git")
        here = Clone(first)
        here.site.sync()
        first.git("fetch", "--quiet", "origin")
        first.git("branch", "--quiet", "--set-upstream-to=origin/main")
        here.publish()
        first.git("clone", "--quiet", f"{folder}/origin.git", f"{folder}/there")
        yield folder, strict, strict.memory()


@pytest.fixture
def team(original: tuple[Path, StrictService, Memory], tmp_path: Path) -> Team:
    folder, strict, memory = original
    strict.recall(memory)
    copied(folder, tmp_path)
    here, there = (Clone(SampleRepository(tmp_path / name)) for name in ("here", "there"))
    return Team(here, there, strict)


@pytest.mark.sweep
def test_one_command_moves_it_to_a_reference_and_writes_the_setting(team: Team) -> None:
    sent = len(team.strict.received)
    moved = team.here.move("ref")
    assert moved == ManifestMove(3, f"{REFERENCE} on origin", ("pressync.toml", FILE))
    assert team.here.setting == 'manifest = "ref"'
    assert not (team.here.repository.root / FILE).exists()
    assert team.here.is_in_step()
    team.here.publish()
    team.there.pull()
    assert team.there.is_in_step()
    assert (team.there.repository.root / "pressync.toml").read_text().startswith(STAGE)
    assert len(team.strict.received) == sent


@pytest.mark.sweep
def test_one_command_moves_it_back(team: Team) -> None:
    before = (team.here.repository.root / FILE).read_bytes()
    team.here.move("ref")
    team.here.publish()
    team.there.pull()
    assert team.there.move("file") == ManifestMove(3, FILE, ("pressync.toml", FILE))
    assert team.there.setting == f'manifest = "{FILE}"'
    assert (team.there.repository.root / FILE).read_bytes() == before
    team.there.publish()
    team.here.pull()
    assert team.here.is_in_step()
    team.here.add("d")
    assert team.here.move("ref").records == 4
    assert len(team.here.plan().changes) == 4


@pytest.mark.parametrize("place", ["refs/heads", "refs/remotes/origin"])
def test_a_move_names_the_open_branch_with_edits_that_was_made_before_it(team: Team, place: str) -> None:
    team.here.repository.git("update-ref", f"{place}/pressync/site-edits", "HEAD")
    moved = Terminal(team.here.repository, {"PRESSYNC_SITE": "live"}).run("manifest", "move", "--to", "ref")
    told = (
        "The branch pressync/site-edits has the manifest at its old place: after that, run `pressync propose`"
    )
    assert told in moved.stderr
    assert not team.there.move("file").stale


@pytest.mark.parametrize("to", ["ref", "file"])
def test_a_second_move_changes_nothing(team: Team, to: str) -> None:
    team.here.move(to)
    team.here.repository.commit()
    assert team.here.move(to) == ManifestMove(3, team.here.move(to).place, ())
    assert team.here.is_in_step()


@pytest.mark.sweep
def test_a_clone_that_has_not_pulled_cannot_write_to_a_reference_that_was_left(team: Team) -> None:
    team.here.move("ref")
    team.here.publish()
    team.there.pull()
    team.there.add("d")
    team.there.publish()
    team.here.pull()
    team.here.move("file")
    team.there.repository.commit({"content/pages/e.md": "# E\n"})
    (refusal,) = team.there.plan().refusals
    assert refusal.code == "manifest_moved"
    with pytest.raises(SafetyRefusal, match="pull first: `git pull`") as refused:
        team.there.site.sync()
    assert str(refused.value) == refusal.message
    team.here.publish()
    team.there.pull()
    team.there.site.sync()
    assert team.titles() == ["A", "B", "C", "D", "E"]


@pytest.mark.sweep
def test_a_file_that_a_clone_wrote_before_it_pulled_is_put_together_with_the_reference(team: Team) -> None:
    team.here.move("ref")
    team.here.add("d")
    team.here.publish()
    team.there.add("e")
    team.there.repository.commit()
    with pytest.raises(CalledProcessError):
        team.there.pull()
    team.there.repository.git("add", FILE)
    team.there.repository.git("commit", "--quiet", "-m", "Merge")
    team.there.repository.git("push", "--quiet", "origin", "main")
    team.here.pull()
    (refusal,) = team.here.plan().refusals
    assert refusal.code == "two_manifests"
    assert f"{FILE} in the commit has 1 record that {REFERENCE} does not have" in refusal.message
    with pytest.raises(SafetyRefusal, match="manifest move --to ref"):
        team.here.site.sync()
    assert team.here.move("ref").records == 5
    team.here.publish()
    for clone in (team.here, team.there):
        clone.pull()
        assert not clone.creates()
        clone.site.sync()
    assert team.titles() == ["A", "B", "C", "D", "E"]


@pytest.mark.sweep
def test_amid_the_merge_of_a_deleted_file_the_sync_names_the_move_that_works(team: Team) -> None:
    team.here.move("ref")
    team.here.publish()
    team.there.add("d")
    team.there.repository.commit()
    with pytest.raises(CalledProcessError):
        team.there.pull()
    with pytest.raises(SafetyRefusal, match="`pressync manifest move --to ref` puts both together"):
        team.there.site.sync()
    moved = team.there.move("ref")
    assert (moved.records, moved.changed) == (4, ("pressync.toml", FILE))
    team.there.repository.git("add", *moved.changed)
    team.there.repository.git("commit", "--quiet", "-m", "Merge")
    assert team.there.plan().settled
    assert not (team.there.repository.root / FILE).exists()


@pytest.mark.sweep
def test_a_record_that_was_deleted_after_the_move_does_not_come_back_from_a_file_that_was_left(
    team: Team,
) -> None:
    team.here.move("ref")
    team.here.repository.git("checkout", "--", FILE)
    team.here.repository.remove("content/pages/a.md")
    team.here.repository.commit()
    team.here.site.sync()
    team.here.repository.commit({"content/pages/new.md": "# New\n"})
    assert not team.here.plan().refusals
    assert team.here.move("ref").records == 2


def test_a_newer_file_on_the_upstream_is_pulled_first(team: Team) -> None:
    team.here.add("d")
    team.here.publish()
    with pytest.raises(SafetyRefusal, match=f"the upstream has a newer {FILE}; pull first: `git pull`"):
        team.there.move("ref")
    team.there.pull()
    assert team.there.move("ref").records == 4


def test_a_site_that_was_never_synced_gets_the_setting(team: Team) -> None:
    for clone in (team.here, team.there):
        with Workspace.open(clone.repository.root, environ={"PRESSYNC_SITE": "stage"}, wait=0) as workspace:
            assert move(workspace, "ref", None) == ManifestMove(
                0, "refs/pressync/stage on origin", ("pressync.toml",)
            )
    assert team.here.setting == ""


@pytest.mark.sweep
def test_what_is_unconfirmed_and_what_a_killed_run_did_goes_along(team: Team) -> None:
    """The journal of a run that was killed after its last response, and a create without a response."""
    team.here.repository.commit({"content/pages/d.md": "# D\n"})
    with team.here.site.workspace() as workspace, workspace.state(writable=True) as state:
        entry = state.manifest.entries["content/pages/a.md"]
        state.intend(
            action="create",
            path="content/pages/d.md",
            kind=entry.kind,
            id=None,
            slug="d",
            fingerprints={},
            commit=entry.commit,
            blob="",
        )
    log = CloneLog(CloneFiles.of(team.here.repository.root / ".git", "live"), team.strict.url)
    known = log.bonds()
    assert known
    team.here.move("ref")
    team.here.publish()
    team.there.pull()
    for clone in (team.here, team.there):
        (create,) = [change for change in clone.plan().changes if change.path == "content/pages/d.md"]
        assert "a create was sent" in getattr(create, "reason", "")
    assert log.bonds() == known
    team.there.move("file")
    assert '"doubts"' in (team.there.repository.root / FILE).read_text()


class Killed(BaseException):
    """The process ends here."""


def kill(*_arguments: object, **_named: object) -> None:
    raise Killed


# The step at which the process ends: the reference, the new file and the settings, the old file, the report.
_STEPS = {"ref": ["arrive", "replace", "remove", "report"], "file": ["leave", "replace", "report"]}


@pytest.mark.parametrize(
    ("to", "step"),
    [
        pytest.param(to, step, marks=() if step in {"replace", "leave"} else pytest.mark.sweep)
        for to, steps in _STEPS.items()
        for step in steps
    ],
)
@pytest.mark.sweep
def test_a_move_that_was_killed_at_any_step_is_ended_by_the_next_one(
    team: Team,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, int], None],
    to: str,
    step: str,
) -> None:
    record_property("kills", 1)
    if to == "file":
        team.here.move("ref")
        team.here.publish()
    place, name = {
        "arrive": (ManifestRef, "arrive"),
        "leave": (ManifestRef, "leave"),
        "replace": (atomic_files, "replace"),
        "remove": (atomic_files, "remove"),
        "report": (ManifestMove, "__init__"),
    }[step]
    with monkeypatch.context() as patch:
        patch.setattr(place, name, kill)
        with pytest.raises(Killed):
            team.here.move(to)
    if (to, step) == ("file", "replace"):
        with pytest.raises(SafetyRefusal, match="`pressync manifest move --to file` ends the move"):
            team.here.site.sync()
    else:
        assert not team.here.creates()
    assert team.here.move(to).records == 3
    assert team.here.is_in_step()
    team.here.publish()
    team.there.pull()
    assert team.there.is_in_step()


@pytest.mark.sweep
def test_a_remote_that_refuses_the_push_leaves_everything_as_it_was(team: Team, tmp_path: Path) -> None:
    before = (team.here.repository.root / FILE).read_bytes()
    hook = tmp_path / "origin.git/hooks/pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(RepositoryError, match="refuses to move refs/pressync/live"):
        team.here.move("ref")
    assert team.here.setting == ""
    assert (team.here.repository.root / FILE).read_bytes() == before
    assert team.here.is_in_step()


def test_a_move_that_cannot_end_does_not_begin(team: Team, tmp_path: Path) -> None:
    environ = {"PRESSYNC_URL": team.strict.url, "PRESSYNC_SITE": "default"}
    for place, given, error, said in (
        (team.here.repository.root, environ, ConfigError, r"the table \[sites.default\] is not in it"),
        (team.here.repository.root, {"PRESSYNC_SITE": "embedded"}, ConfigError, "belongs to this clone"),
        (tmp_path / "origin.git", {"PRESSYNC_SITE": "live"}, RepositoryError, "change `manifest` in a clone"),
    ):
        with Workspace.open(place, environ=given) as workspace, pytest.raises(error, match=said):
            move(workspace, "ref", None)
    team.here.repository.remove(FILE)
    team.here.repository.commit()
    with pytest.raises(SafetyRefusal, match="git restore --source="):
        team.here.move("ref")
    assert team.here.setting == ""


@pytest.mark.sweep
def test_of_two_records_of_one_file_a_person_chooses_and_nothing_moves_before(team: Team) -> None:
    path = "content/pages/a.md"
    team.here.move("ref")
    team.here.publish()
    with team.here.site.workspace() as workspace:
        bind.forget(workspace, [path])
    team.here.site.sync()
    new = team.here.site.entries()[path].id
    assert new > 3
    for name in (FILE, "pressync.toml"):
        text = (team.there.repository.root / name).read_text()
        (team.here.repository.root / name).write_text(text)
    team.here.repository.commit()
    said = (
        rf"{path} is page \d here, and page {new} in the other place; `pressync forget {path}` and a second"
    )
    with pytest.raises(SafetyRefusal, match=said):
        team.here.move("ref")
    assert team.here.setting == ""
    with team.here.site.workspace() as workspace:
        (old,) = bind.forget(workspace, [path])
    assert team.here.move("ref").records == 3
    assert team.here.site.entries()[path].id == new
    with team.here.site.workspace() as workspace:
        bind.forget(workspace, [path])
        bind.adopt(workspace, {path: old.id}, Revision())
    assert team.here.site.entries()[path].id == old.id

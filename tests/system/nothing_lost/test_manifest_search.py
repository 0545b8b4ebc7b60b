"""A manifest that is not here is found in Git, with the command that brings it back, before any create."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository, copied
from tests.support.strict_service import serving
from tests.support.syncing import Site

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.errors import SafetyRefusal
from pressync.plan import manifest_search
from pressync.plan.build import PlanOptions
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.strict_service import Memory, StrictService

    from pressync.plan.manifest_search import Search

MANIFEST = ".pressync/live.json"
PAGES = {f"content/pages/{name}.md": f"# {name.title()}\n" for name in "abc"}
MORE = {"content/pages/d.md": "# D\n"}


@dataclass
class Team:
    """One clone that synced, committed its manifest and pushed; others are made of its bare remote."""

    folder: Path
    strict: StrictService
    first: SampleRepository

    def site(self, clone: SampleRepository) -> Site:
        return Site(clone.root, "")

    def clone(self, *options: str) -> SampleRepository:
        """Make another clone, as another person would."""
        root = self.folder / f"clone{len(list(self.folder.iterdir()))}"
        self.first.git("clone", "--quiet", *options, f"file://{self.folder}/origin.git", str(root))
        return SampleRepository(root)

    def refusal(self, clone: SampleRepository) -> str:
        """Have a sync refused that would otherwise make pages, and nothing sent."""
        calls = len(self.strict.received)
        with pytest.raises(SafetyRefusal) as refused:
            self.site(clone).sync()
        assert refused.value.exit_code == 4
        assert len(self.strict.received) == calls
        assert [str(each) for each in self.site(clone).plan().refusals] == [refused.value.what]
        return refused.value.what

    def look(self, clone: SampleRepository) -> Search:
        with self.site(clone).workspace() as workspace, Repository(clone.root) as repository:
            return manifest_search.search(repository, workspace.settings.site, repository.commit())


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Team, Memory]]:
    """Sync three pages from one clone, once; each test gets a copy."""
    folder = tmp_path_factory.mktemp("original")
    first = SampleRepository.create(folder / "first")
    with serving() as strict:
        first.commit({"pressync.toml": f'[sites.live]\nurl = "{strict.url}"\n', **PAGES})
        first.git("clone", "--quiet", "--bare", ".", f"{folder}/origin.git")
        first.git("remote", "add", "origin", f"{folder}/origin.git")
        first.git("fetch", "--quiet", "origin")
        first.git("branch", "--quiet", "--set-upstream-to=origin/main")
        made = Team(folder, strict, first)
        made.site(first).sync()
        yield made, strict.memory()


@pytest.fixture
def team(original: tuple[Team, Memory], tmp_path: Path) -> Team:
    made, memory = original
    made.strict.recall(memory)
    return Team(copied(made.folder, tmp_path), made.strict, SampleRepository(tmp_path / "first"))


def publish(clone: SampleRepository, message: str = "Sync") -> str:
    commit = clone.commit(message=message)
    clone.git("push", "--quiet", "origin", "HEAD")
    return commit


def up_to_date(team: Team, clone: SampleRepository, refusal: str) -> None:
    """Run the command that a refusal names, and see that the next sync makes nothing twice."""
    command = refusal.split("`")[1]
    environment = {"GIT_PAGER": "cat", "PATH": "/usr/bin:/bin", "HOME": str(team.folder)}
    subprocess.run(command, shell=True, cwd=clone.root, env=environment, check=True, capture_output=True)  # noqa: S602 - as a person would
    team.site(clone).sync()
    titles = [page["title"]["raw"] for page in team.strict.pages]
    assert len(titles) == len(set(titles))


def test_a_manifest_that_was_deleted_and_committed_is_in_history(team: Team) -> None:
    kept = publish(team.first)
    team.first.remove(MANIFEST)
    publish(team.first, "Tidy up")
    clone = team.clone()
    said = team.refusal(clone)
    assert f"commit {kept[:10]} has it with 3 records" in said
    assert f"`git restore --source={kept[:10]} -- {MANIFEST}` restores it" in said
    assert team.refusal(team.first) == said, "also in the clone that synced"
    up_to_date(team, clone, said)
    assert len(team.strict.pages) == 3


def test_a_manifest_that_only_a_merge_dropped_is_in_history(team: Team) -> None:
    team.first.git("switch", "--quiet", "--create", "topic")
    kept = team.first.commit()
    team.first.git("switch", "--quiet", "main")
    team.first.git("merge", "--quiet", "--no-ff", "--strategy=ours", "-m", "Merge", "topic")
    team.first.git("branch", "--quiet", "-D", "topic")
    team.first.git("push", "--quiet", "origin", "main")
    assert f"commit {kept[:10]}" in team.refusal(team.clone())


def test_a_manifest_that_was_not_pulled_is_pulled(team: Team) -> None:
    clone = team.clone()
    publish(team.first)
    clone.git("fetch", "--quiet")
    said = team.refusal(clone)
    assert "origin/main (" in said
    assert "`git pull` restores it" in said
    up_to_date(team, clone, said)


def test_what_was_deleted_here_and_is_on_the_upstream_is_not_said_to_come_with_a_pull(team: Team) -> None:
    publish(team.first)
    clone = team.clone()
    clone.remove(MANIFEST)
    clone.commit()
    said = team.refusal(clone)
    assert "git restore --source=" in said
    up_to_date(team, clone, said)


@pytest.mark.parametrize("reference", ["heads/other", "tags/v1", "remotes/origin/other"])
def test_a_manifest_on_another_branch_or_in_a_tag_is_found(team: Team, reference: str) -> None:
    team.first.git("switch", "--quiet", "--create", "elsewhere")
    commit = team.first.commit()
    team.first.git("switch", "--quiet", "main")
    team.first.git("update-ref", f"refs/{reference}", commit)
    team.first.git("branch", "--quiet", "-D", "elsewhere")
    (team.first.root / ".git/pressync/live.made").unlink()
    said = team.refusal(team.first)
    assert f"{reference.partition('/')[2]} ({commit[:10]}) has it with 3 records" in said
    up_to_date(team, team.first, said)


@pytest.mark.parametrize(
    ("reference", "mode"),
    [
        ("refs/pressync/live", "file"),
        ("refs/remotes/origin/pressync/live", "file"),
        ("refs/remotes/origin/pressync/live", "ref"),
        ("refs/remotes/origin/x/pressync/$(touch${IFS}made);touch${IFS}made", "ref"),
    ],
)
def test_a_manifest_in_a_reference_that_nobody_looks_at_is_found(
    team: Team, reference: str, mode: str
) -> None:
    text = (team.first.root / MANIFEST).read_text()
    (team.first.root / MANIFEST).unlink()
    (team.first.root / ".git/pressync/live.made").unlink()
    team.first.write("manifest.json", text)
    commit = team.first.commit()
    team.first.git("update-ref", reference, commit)
    # To Git this is one name, and to Unicode two lines.
    team.first.git("update-ref", "refs/heads/a\u2028b", commit)
    team.first.git("reset", "--quiet", "--hard", "HEAD^")
    if mode == "ref":
        team.first.commit({"pressync.toml": f'[sites.live]\nurl = "{team.strict.url}"\nmanifest = "ref"\n'})
    said = team.refusal(team.first)
    assert "3 records" in said
    up_to_date(team, team.first, said)
    assert not (team.first.root / "made").exists()


def test_the_server_s_manifest_is_asked_for_where_the_pushed_commits_have_one(team: Team) -> None:
    publish(team.first)
    bare = SampleRepository(team.folder / "origin.git")
    settings = team.folder / "settings.toml"
    settings.write_text(f'[sites.live]\nurl = "{team.strict.url}"\n')
    with Workspace.open(bare.root, config_file=settings, environ={}) as workspace:
        (said,) = workspace.plan(Revision(), PlanOptions()).plan.refusals
    assert "git show " in said.message
    assert "/pressync/live.json" in said.message


def test_a_manifest_of_another_target_an_empty_or_a_broken_one_refuses_nothing(team: Team) -> None:
    text = (team.first.root / MANIFEST).read_text()
    for other in (
        text.replace(team.strict.url, "https://elsewhere.test/wp-json"),
        f'{{"version": 1,\n "target": "{team.strict.url}",\n "records": []}}\n',
        "<<<<<<< ours\n",
    ):
        team.first.commit({MANIFEST: other})
    team.first.remove(MANIFEST)
    publish(team.first)
    assert team.look(team.clone()) == manifest_search.Search()


def test_a_new_manifest_is_started_on_purpose(team: Team) -> None:
    publish(team.first)
    team.first.remove(MANIFEST)
    publish(team.first)
    clone = team.clone()
    run = team.site(clone).sync(PlanOptions(new_manifest=True))
    assert run.counts["done"] == 3


def test_a_shallow_clone_says_that_it_cannot_know(team: Team) -> None:
    publish(team.first)
    team.first.remove(MANIFEST)
    publish(team.first)
    plan = team.site(team.clone("--depth=1")).plan()
    assert not plan.refusals
    (problem,) = plan.problems
    assert problem.warning
    assert "this clone is shallow, so Git cannot tell" in problem.what


def test_when_the_time_is_over_that_is_said_and_the_run_goes_on(team: Team) -> None:
    clone = team.clone()
    with team.site(clone).workspace() as workspace, Repository(clone.root) as repository:
        refusals, problems = manifest_search.lost(
            repository, workspace.settings.site, repository.commit(), seconds=1e-9
        )
    assert not refusals
    assert "was stopped after" in problems[0].what


def test_records_that_the_upstream_knows_and_we_do_not_are_pulled_first(team: Team) -> None:
    publish(team.first)
    clone = team.clone()
    team.first.commit({f"content/pages/{name}.md": "# New\n" for name in ("x", "y", "z")})
    team.site(team.first).sync()
    publish(team.first)
    clone.git("fetch", "--quiet")
    clone.commit(MORE)
    assert team.refusal(clone) == ("the manifest on origin/main has 3 more records; pull first: `git pull`")
    clone.git("pull", "--quiet", "--no-rebase", "--no-edit")
    assert team.site(clone).sync().counts["done"] == 1


def test_records_that_were_dropped_here_on_purpose_are_not_asked_for(team: Team) -> None:
    publish(team.first)
    clone = team.clone()
    clone.remove("content/pages/a.md")
    clone.commit()
    team.site(clone).sync(PlanOptions())
    clone.commit(MORE)
    team.first.commit({"README.md": "Of no concern.\n"})
    publish(team.first)
    clone.git("fetch", "--quiet")
    assert team.site(clone).sync().counts["done"] == 1


def test_a_first_sync_and_one_with_nothing_to_create_ask_nothing(team: Team) -> None:
    assert team.look(team.clone()) == manifest_search.Search()
    publish(team.first)
    clone = team.clone()
    team.first.commit(MORE)
    team.site(team.first).sync()
    publish(team.first)
    clone.git("fetch", "--quiet")
    clone.commit({"content/pages/a.md": "# A\n\nMore.\n"})
    assert team.site(clone).sync().counts["done"] == 1

"""A plan lists each limit that refuses a sync, in each format; a rebase of what was synced needs no word."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.shared_manifest import Clones
from tests.support.syncing import Site

from pressync.cli.report import documents, markdown, text
from pressync.model.changes import Update
from pressync.model.errors import SafetyRefusal
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DeleteLimit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.strict_service import StrictService


PAGES = {f"content/pages/{name}.md": f"# {name.title()}\n" for name in "abc"}
NEW = {"content/pages/new.md": "# New\n"}


@dataclass
class Team:
    """Two clones of one origin: `first` has synced and pushed, `clone` is what `first` was then."""

    first: SampleRepository
    clone: SampleRepository

    def edit_and_sync(self) -> str:
        """Sync another edit from the first clone, and push it; give the commit."""
        edit = self.first.commit({"content/pages/a.md": "# A, edited\n"})
        Site(self.first.root, "").sync()
        self.first.commit()
        self.first.git("push", "--quiet", "origin", "HEAD")
        return edit


def team(folder: Path, url: str, settings: str = "") -> Team:
    """Sync three pages from the first clone, push them with the manifest, and clone that."""
    first = SampleRepository.create(folder / "first")
    first.commit({"pressync.toml": f'[sites.live]\nurl = "{url}"\n{settings}', **PAGES})
    first.git("clone", "--quiet", "--bare", ".", f"{folder}/origin.git")
    first.git("remote", "add", "origin", f"{folder}/origin.git")
    Site(first.root, "").sync()
    first.commit()
    first.git("push", "--quiet", "--set-upstream", "origin", "main")
    first.git("clone", "--quiet", f"{folder}/origin.git", f"{folder}/clone")
    return Team(first, SampleRepository(folder / "clone"))


def on_another_branch(team: Team) -> PlanOptions:
    """Sync a commit from `main`, and leave it for a branch that does not have it."""
    team.clone.commit({"content/pages/a.md": "# A, again\n"})
    Site(team.clone.root, "").sync()
    team.clone.git("switch", "--quiet", "--create", "draft", "HEAD^")
    team.clone.commit(NEW)
    return PlanOptions()


def not_fetched(team: Team) -> PlanOptions:
    """Fetch the reference alone: it says what was synced, and the branch was not pulled."""
    team.edit_and_sync()
    team.clone.commit(NEW)
    return PlanOptions()


def fetched_and_not_merged(team: Team) -> PlanOptions:
    team.edit_and_sync()
    team.clone.git("fetch", "--quiet")
    team.clone.commit(NEW)
    return PlanOptions()


def unknown_records(team: Team) -> PlanOptions:
    """Push a page whose record our manifest does not have."""
    team.first.commit({"content/pages/theirs.md": "# Theirs\n"})
    return fetched_and_not_merged(team)


def amended(team: Team) -> PlanOptions:
    synced = team.clone.commit(NEW)
    Site(team.clone.root, "").sync()
    team.clone.git("reset", "--quiet", "--soft", f"{synced}^")
    team.clone.commit({"content/pages/new.md": "# Newer\n"}, "Again")
    return PlanOptions()


def emptied(team: Team) -> PlanOptions:
    team.clone.remove("content")
    team.clone.commit()
    return PlanOptions()


def thinned(team: Team) -> PlanOptions:
    team.clone.remove("content/pages/a.md", "content/pages/b.md")
    team.clone.commit()
    return PlanOptions(delete_limit=DeleteLimit(count=1))


def without_manifest(team: Team) -> PlanOptions:
    team.clone.remove(".pressync")
    team.clone.commit()
    return PlanOptions()


SCENARIOS: dict[str, tuple[Callable[[Team], PlanOptions], str, str]] = {
    "another branch": (on_another_branch, 'branch = "main"\n', "other_branch"),
    "not fetched": (not_fetched, 'manifest = "ref"\n', "not_pulled"),
    "not merged": (fetched_and_not_merged, 'manifest = "ref"\n', "not_pulled"),
    "unknown records": (unknown_records, "", "not_pulled"),
    "amended": (amended, "", "rewritten_history"),
    "emptied": (emptied, "", "no_documents"),
    "thinned": (thinned, "", "too_many_deletes"),
    "without its manifest": (without_manifest, "", "lost_manifest"),
}


@pytest.mark.skipif(os.geteuid() == 0, reason="modes do not hold back the superuser")
def test_a_manifest_that_cannot_be_saved_refuses_what_would_change_it(
    tmp_path: Path, strict: StrictService
) -> None:
    both = team(tmp_path, strict.url)
    site, folder = Site(both.clone.root, ""), both.clone.root / ".pressync"
    both.clone.commit(NEW)
    folder.chmod(0o500)
    try:
        (refusal,) = site.plan().refusals
        with pytest.raises(SafetyRefusal) as refused:
            site.sync()
    finally:
        folder.chmod(0o700)
    assert refusal.code == "manifest_unwritable"
    assert str(refused.value) == refusal.message
    site.sync()
    folder.chmod(0o500)
    assert not site.plan().refusals
    folder.chmod(0o700)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.sweep
def test_a_plan_says_what_a_sync_refuses(name: str, tmp_path: Path, strict: StrictService) -> None:
    prepare, settings, code = SCENARIOS[name]
    both = team(tmp_path, strict.url, settings)
    options = prepare(both)
    site, sent = Site(both.clone.root, ""), len(strict.received)
    plan = site.plan(options)
    assert [refusal.code for refusal in plan.refusals] == [code]
    with pytest.raises(SafetyRefusal) as refused:
        site.sync(options)
    assert str(refused.value) == plan.refusals[0].message
    assert refused.value.exit_code == 4
    assert len(strict.received) == sent
    assert (code == "not_pulled") == ("pull first: `git pull`" in plan.refusals[0].message)
    assert (code == "rewritten_history") == ("--allow-rewind" in plan.refusals[0].message)
    assert "--unshallow" not in text.plan(plan)


def test_every_format_of_a_plan_has_the_refusals(tmp_path: Path, strict: StrictService) -> None:
    both = team(tmp_path, strict.url, 'branch = "main"\n')
    plan = Site(both.clone.root, "").plan(on_another_branch(both))
    (refusal,) = plan.refusals
    assert f"Sync would refuse: {refusal.message}\n" in text.plan(plan)
    assert "1 reason why sync would refuse" in markdown.plan(plan)
    assert json.loads(documents.plan(plan))["refusals"] == [
        {"code": "other_branch", "message": refusal.message}
    ]


def test_a_page_that_was_not_pulled_is_not_said_to_need_a_deeper_history(
    tmp_path: Path, strict: StrictService
) -> None:
    both = team(tmp_path, strict.url, 'manifest = "ref"\n')
    both.first.commit({"content/pages/theirs.md": "# Theirs\n"})
    both.edit_and_sync()
    both.clone.commit(NEW)
    told = text.plan(Site(both.clone.root, "").plan())
    assert "--unshallow" not in told
    assert "its file is not in the commit" in told
    assert "pull first (`git pull`)" in told


A, B, THIRD = (f"content/pages/{name}.md" for name in "abc")


@pytest.fixture
def clones(tmp_path: Path, strict: StrictService) -> Clones:
    """Push two pages to an origin whose clones share the manifest in its reference."""
    return Clones.create(tmp_path, strict.url, {A: "# A\n", B: "# B\n"})


@pytest.fixture
def rebased(clones: Clones) -> tuple[Site, Site]:
    """Sync a commit, and rebase it on what somebody else has pushed meanwhile; the other clone has all."""
    here, there = clones.site(), clones.site()
    mine, theirs = clones.made
    here.sync()
    mine.commit({A: "# A2\n"})
    here.sync()
    theirs.commit({B: "# B2\n"})
    theirs.git("push", "--quiet", "origin", "HEAD:main")
    mine.git("pull", "--quiet", "--rebase")
    mine.git("push", "--quiet", "origin", "HEAD:main")
    theirs.git("pull", "--quiet")
    return here, there


def test_a_rebase_of_what_was_synced_needs_no_consent_and_the_others_need_none_afterwards(
    rebased: tuple[Site, Site], strict: StrictService
) -> None:
    here, there = rebased
    assert [(type(change), change.path) for change in here.plan().pending] == [(Update, B)]
    here.sync()
    assert not there.plan().refusals
    there.sync()
    assert there.plan().settled
    assert sorted(page["title"]["raw"] for page in strict.pages) == ["A2", "B2"]
    head = SampleRepository(here.root).head()
    assert {entry.commit for entry in there.entries().values()} == {head}


@pytest.mark.sweep
def test_a_clone_without_the_rebased_commit_may_send_what_takes_nothing_of_it_back(
    rebased: tuple[Site, Site], clones: Clones
) -> None:
    """The commit may have removed the page that looks new."""
    there = rebased[1]
    assert not there.plan().refusals
    assert not there.plan().settled, "the sync still has to note the new commit"
    clones.made[1].commit({THIRD: "# C\n"})
    (refusal,) = there.plan().refusals
    assert refusal.code == "rewritten_history"
    assert "After a rebase, a sync in the clone that did it ends this" in refusal.message
    clones.made[1].git("reset", "--quiet", "--hard", "HEAD^")
    clones.made[1].commit({A: "# A, as before\n"})
    assert there.plan().refusals
    with pytest.raises(SafetyRefusal, match="--allow-rewind"):
        there.sync()

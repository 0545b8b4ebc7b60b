"""HEAD lacks commits that were synced: a pull brings them, or somebody rewrote the history."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.config import settings
from pressync.plan import synced_commits
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.changes import Refusal
    from pressync.plan.synced_commits import Lineage

PAGE = "content/pages/a.md"
MANIFEST = ".pressync/live.json"
REFERENCE = "refs/pressync/live"
NOWHERE = "f" * 40


@dataclass
class Pair:
    """An origin and a clone of it, both on branch main."""

    origin: SampleRepository
    clone: SampleRepository

    def judge(self, *synced: str, reference: bool = False) -> Refusal | None:
        """Give the refusal of the clone's HEAD, if there is one."""
        return self.lineage(*synced, reference=reference).refusal

    def lineage(self, *synced: str, reference: bool = False) -> Lineage:
        """Judge the HEAD of the clone."""
        line = 'manifest = "ref"\n' if reference else ""
        text = f'[sites.live]\nurl = "https://example.org/wp-json"\n{line}'
        site = settings.load(text, where="pressync.toml", environ={}).site
        with Repository(self.clone.root) as opened:
            return synced_commits.lineage(opened, site, set(synced), opened.commit())

    def sentence(self, *synced: str, reference: bool = False) -> str:
        """Give the sentence of a refusal."""
        return str(self.judge(*synced, reference=reference))


@pytest.fixture
def pair(repository: SampleRepository, tmp_path: Path) -> Pair:
    """Commit a page, and clone it."""
    repository.commit({PAGE: "# A\n"})
    repository.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    return Pair(repository, SampleRepository(tmp_path / "clone"))


@pytest.mark.parametrize("reference", [False, True])
def test_a_commit_that_the_upstream_has_is_pulled(pair: Pair, reference: bool) -> None:
    theirs = pair.origin.commit({PAGE: "# Theirs\n"})
    pair.clone.git("fetch", "--quiet")
    refusal = pair.judge(theirs, reference=reference)
    assert refusal
    assert refusal.code == "not_pulled"
    assert f"lacks commit {theirs[:10]}, synced before and on origin/main" in refusal.message
    assert refusal.message.endswith("; pull first: `git pull`")
    later = pair.origin.commit({PAGE: "# Later\n"})
    pair.clone.git("fetch", "--quiet")
    both = f"lacks commit {min(theirs, later)[:10]} and 1 more, synced before and on origin/main"
    assert both in pair.sentence(theirs, later, reference=reference)
    pair.clone.git("pull", "--quiet")
    assert pair.judge(theirs, reference=reference) is None


def test_amid_a_merge_the_merge_is_finished_before_another_pull(pair: Pair) -> None:
    theirs = pair.origin.commit({PAGE: "# Theirs\n"})
    pair.clone.commit({PAGE: "# Ours\n"})
    with pytest.raises(subprocess.CalledProcessError):
        pair.clone.git("pull", "--quiet", "--no-rebase")
    assert pair.sentence(theirs).endswith("; finish the merge first: `git commit`")


def test_a_rebase_of_what_was_synced_and_not_pushed_is_told_from_a_rewritten_history(pair: Pair) -> None:
    synced = pair.clone.commit({"content/pages/ours.md": "# Ours\n"})
    pair.origin.commit({PAGE: "# Theirs\n"})
    pair.clone.git("pull", "--quiet", "--rebase")
    found = pair.lineage(synced)
    assert (found.refusal, set(found.replaced)) == (None, {synced})
    pair.clone.write("content/pages/ours.md", "# Other\n")
    pair.clone.git("commit", "--quiet", "--all", "--amend", "-m", "Ours")
    assert "it is another branch, a reset or a rewritten history" in pair.sentence(synced)


def test_without_an_upstream_the_remote_s_branch_of_the_same_name_counts(pair: Pair) -> None:
    theirs = pair.origin.commit({PAGE: "# Theirs\n"})
    pair.clone.git("fetch", "--quiet")
    pair.clone.git("branch", "--quiet", "--unset-upstream")
    assert pair.sentence(theirs).endswith("; pull first: `git pull origin main`")


def test_a_commit_that_this_clone_lacks_is_pulled(pair: Pair) -> None:
    """The reference comes with each run, and the commits that it names come with a pull."""
    theirs = pair.origin.commit({PAGE: "# Theirs\n"})
    pair.clone.git("update-ref", REFERENCE, pair.clone.head())
    assert pair.sentence(theirs, reference=True) == (
        f"this clone lacks commit {theirs[:10]}, synced before; pull first: `git pull`"
    )
    assert "--allow-rewind" not in pair.sentence(theirs)


def test_a_commit_that_a_fetch_after_the_sync_did_not_bring_may_be_rewritten(pair: Pair) -> None:
    pair.clone.git("update-ref", REFERENCE, pair.clone.head())
    pair.clone.git("fetch", "--quiet")
    later = (pair.clone.root / ".git/FETCH_HEAD").stat().st_mtime + 60
    os.utime(pair.clone.root / ".git/FETCH_HEAD", (later, later))
    assert "somebody did not push, or has rebased" in pair.sentence(NOWHERE, reference=True)
    assert "--allow-rewind" in pair.sentence(NOWHERE, reference=True)


def test_a_manifest_of_head_that_names_an_unknown_commit_is_of_a_rewritten_history(pair: Pair) -> None:
    """A squash drops the commit that was synced, and no pull brings it back."""
    pair.clone.commit({MANIFEST: f'"commit": "{NOWHERE}"\n'})
    assert "--allow-rewind" in pair.sentence(NOWHERE)
    pair.origin.commit({PAGE: "# Theirs\n"})
    pair.clone.git("fetch", "--quiet")
    assert pair.sentence(NOWHERE).endswith("pull first: `git pull`")


def test_a_history_that_was_rewritten_here_is_called_so(pair: Pair) -> None:
    synced = pair.clone.commit({PAGE: "# B\n"})
    pair.clone.write(PAGE, "# C\n")
    pair.clone.git("commit", "--quiet", "--all", "--amend", "-m", "Again")
    refusal = pair.judge(synced)
    assert refusal
    assert refusal.code == "rewritten_history"
    assert refusal.message.endswith("if this is intended, `pressync sync --allow-rewind`")


def test_a_detached_head_has_nothing_to_pull_into(pair: Pair) -> None:
    pair.clone.git("checkout", "--quiet", "--detach")
    assert pair.sentence(NOWHERE).endswith("; pull first: `git fetch`")

"""Content, manifest and service together, of which state and branch, in every kind of repository."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import Fault
from tests.support.syncing import IMPATIENT, Site
from tests.support.terminal import Terminal

from pressync.app.revision import Revision, refuse_other_branch
from pressync.app.workspace import Workspace, planned_again, site_places
from pressync.config import settings
from pressync.model.changes import Result
from pressync.model.errors import (
    LockHeld,
    ManifestError,
    Overtaken,
    RepositoryError,
    SafetyRefusal,
)
from pressync.plan.build import PlanOptions
from pressync.repo.repository import Repository
from pressync.state.clone_files import Lock
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

    from pressync.app.workspace import Places
    from pressync.model.outcomes import RunResult


@pytest.fixture
def site(repository: SampleRepository, strict: StrictService) -> Site:
    """Bind two pages to the strict service."""
    repository.commit(PAGES)
    return Site(repository.root, strict.url)


def test_nobody_agrees_nothing_is_sent(site: Site, strict: StrictService) -> None:
    with site.workspace() as workspace:
        assert synced(workspace, Approval(lambda _plan: False)) is None
    assert not strict.received


def test_while_one_holds_the_lock_it_is_told(
    repository: SampleRepository, site: Site, strict: StrictService
) -> None:
    with site.workspace() as first, first.state(writable=True):
        with pytest.raises(LockHeld, match=f"process {os.getpid()} on host .* holds the lock") as refused:
            site.sync()
        assert refused.value.exit_code == 4
        assert len(site.plan().pending) == 2, "a plan needs no lock"
    assert not strict.received
    strict.faults.append(Fault())
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    terminal.run("sync", "--yes", exits=5)
    lock = Lock(repository.root / ".git/pressync/default.lock", "pressync sync")
    lock.acquire(0, lambda _sentence: None)
    for command in ("plan", "status"):
        assert "wait for its end" in terminal.run(command).stderr
    lock.release()
    for command in ("plan", "status"):
        assert "wait for its end" not in terminal.run(command).stderr


@pytest.mark.sweep
def test_of_two_processes_in_one_clone_the_second_waits(site: Site, strict: StrictService) -> None:
    command = [sys.executable, "-m", "pressync", "-C", str(site.root), "sync", "--yes"]
    environment = {**os.environ, "PRESSYNC_URL": site.url}
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ends = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], ends
    assert len(strict.pages) == len(strict.received) == 2
    assert sum("Nothing to do" in said for said, _ in ends) == 1


@pytest.mark.sweep
def test_odd_documents_arrive_whole(repository: SampleRepository, strict: StrictService) -> None:
    line = "A line of a very long page, of which there are many.\n"
    repository.commit(
        {
            "content/pages/large.md": "# Large\n\n" + line * (5_000_000 // len(line)),
            "content/pages/empty.md": "",
            "content/pages/windows.md": b"\xef\xbb\xbf---\r\ntitle: Windows\r\n---\r\nOne.\r\n\r\nTwo.\r\n",
            "content/pages/über/日本語 ページ.md": "# 日本語\n\nGrüße 👋\n",
            "content/pages/über.md": "# Über\n",
        }
    )
    site = Site(repository.root, strict.url)
    assert results(site.sync()) == {Result.DONE: 5}
    assert not strict.violations
    titles = {str(page["title"]["raw"]): page for page in strict.pages}
    assert titles.keys() == {"Large", "Empty", "Windows", "日本語", "Über"}
    assert titles["Large"]["content"]["raw"].count(line.strip()) == 5_000_000 // len(line)
    assert "\r" not in titles["Windows"]["content"]["raw"]
    assert "<p>One.</p>" in titles["Windows"]["content"]["raw"]
    assert titles["日本語"]["parent"] == titles["Über"]["id"]
    assert "Grüße 👋" in titles["日本語"]["content"]["raw"]
    assert not site.plan().pending


def results(run: RunResult) -> Counter[Result]:
    """Count the outcomes by result."""
    return Counter(outcome.result for outcome in run.outcomes)


def synced(workspace: Workspace, consent: Approval | None = None) -> RunResult | None:
    """Sync HEAD; without an approval of the test, everybody agrees."""
    return workspace.sync(
        Revision(),
        PlanOptions(),
        RunOptions(patience=IMPATIENT),
        consent or Approval(lambda _plan: True),
        stop=threading.Event(),
        listener=RunListener(lambda _outcome: None, lambda _sentence: None),
    )


@pytest.mark.parametrize("number", [1, 3, 6])
def test_a_run_is_planned_again_until_no_other_machine_is_faster_and_five_times_at_most(number: int) -> None:
    tries: list[int] = []
    said: list[str] = []

    def attempt() -> int:
        tries.append(len(tries) + 1)
        if tries[-1] < number:
            raise Overtaken("the manifest has moved")
        return tries[-1]

    with pytest.raises(Overtaken) if number > 5 else nullcontext():
        assert planned_again(attempt, said.append) == number
    assert tries == list(range(1, min(number, 5) + 1))
    assert said == ["the manifest has moved; reading it and planning again"] * (len(tries) - 1)


@contextmanager
def places(root: Path, url: str = "") -> Iterator[Places]:
    """Open the places of the site in a repository."""
    with Workspace.open(root, environ={"PRESSYNC_URL": url} if url else {}) as workspace:
        yield site_places(workspace.clone)


def test_the_embedded_service_belongs_to_a_work_tree(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit()
    beside = tmp_path / "beside"
    repository.git("worktree", "add", "--quiet", str(beside))
    with places(repository.root) as here, places(beside) as there:
        assert here.address is there.address is None
        assert here.clone_files.directory != there.clone_files.directory
    with places(repository.root, "https://site.test") as here, places(beside, "https://site.test") as there:
        assert here.clone_files == there.clone_files
    repository.commit({"pressync.toml": '[sites.live]\nurl = "https://site.test"\nmanifest = "ref"\n'})
    with places(repository.root) as found:
        assert found.reference() is found.reference() is not None


def test_a_manifest_outside_of_the_work_tree_is_refused(repository: SampleRepository, tmp_path: Path) -> None:
    (repository.root / ".pressync").symlink_to(tmp_path)
    url = {"PRESSYNC_URL": "https://site.test"}
    with (
        Workspace.open(repository.root, environ=url) as workspace,
        pytest.raises(ManifestError, match="outside"),
    ):
        workspace.state(writable=False)


A, B, C = (f"content/pages/{name}.md" for name in "abc")


PAGES = {"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"}


@pytest.fixture
def opened(repository: SampleRepository) -> Iterator[Repository]:
    """Open a repository of two pages, on its branch `main`."""
    repository.commit(PAGES)
    with Repository(repository.root) as opened:
        yield opened


def files(opened: Repository, revision: Revision) -> set[str]:
    return set(revision.tree(opened, ["content", "templates"]).files)


def check(opened: Repository, ref: str = "HEAD", *, branch: str | None = "main") -> None:
    """Ask whether a site of this branch may be synced from a revision."""
    line = f'branch = "{branch}"' if branch else ""
    text = f'[sites.live]\nurl = "https://example.org/wp-json"\n{line}\n'
    site = settings.load(text, where=settings.FILE_NAME, environ={}).site
    refuse_other_branch(Revision(ref), opened, site)


def everything_below(folder: Path) -> dict[str, bytes]:
    """Read every file of a folder, to tell whether anything was written there."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_what_is_staged_is_read_without_a_trace(repository: SampleRepository, opened: Repository) -> None:
    repository.write("content/pages/staged.md", "# Staged\n")
    repository.git("add", ".")
    repository.write("content/pages/not-staged.md", "# Not\n")
    before = everything_below(repository.root)
    assert files(opened, Revision(staged=True)) == {*PAGES, "content/pages/staged.md"}
    assert everything_below(repository.root) == before


def test_a_rebase_that_was_stopped_is_named_with_its_commands(
    repository: SampleRepository, opened: Repository
) -> None:
    repository.commit({"content/pages/a.md": "# Ours\n"})
    repository.git("switch", "--quiet", "--create", "theirs", "HEAD~1")
    repository.commit({"content/pages/a.md": "# Theirs\n"})
    repository.git("switch", "--quiet", "main")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("rebase", "--quiet", "theirs")

    with pytest.raises(
        SafetyRefusal, match="a detached HEAD'; a rebase is stopped here: `git rebase --continue`"
    ):
        check(opened)


def test_another_branch_is_refused_with_the_way(repository: SampleRepository, opened: Repository) -> None:
    repository.commit({"content/pages/later.md": "# Later\n"})
    repository.git("switch", "--quiet", "--create", "draft")
    repository.commit({"content/pages/draft.md": "# Draft\n"})
    with pytest.raises(SafetyRefusal) as refused:
        check(opened)
    assert str(refused.value) == (
        "site 'live' is synced from branch 'main' only, and this is 'draft'; "
        "`git switch main`, or change `branch` in pressync.toml"
    )
    check(opened, "main")
    check(opened, "refs/heads/main")
    repository.git("switch", "--quiet", "main")
    check(opened, "main~1")
    with pytest.raises(SafetyRefusal, match="branch 'main' only, and this is 'draft'"):
        check(opened, "draft")
    with pytest.raises(RepositoryError):
        check(opened, "nowhere")


def test_a_detached_head_is_no_branch_and_a_bare_repository_has_none_checked_out(
    repository: SampleRepository, opened: Repository, tmp_path: Path
) -> None:
    repository.git("switch", "--quiet", "--detach")
    with pytest.raises(SafetyRefusal, match="a detached HEAD"):
        check(opened)
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    with Repository(tmp_path / "bare.git") as bare:
        check(bare)

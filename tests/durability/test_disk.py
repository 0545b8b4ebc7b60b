"""The disk refuses in the middle of a run, or the clock is wrong: what was done is known to the next run."""

from __future__ import annotations

import datetime as dt
import re
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import Fault
from tests.support.syncing import Site

from pressync.model.errors import PressyncError, SafetyRefusal, StorageError
from pressync.state import clone_files, state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

MANIFESTS, JOURNALS = ".pressync", ".git/pressync"
PAGES = {f"content/pages/{name}.md": f"# {name.title()}\n" for name in "abc"}


@pytest.fixture
def site(repository: SampleRepository, strict: StrictService) -> Site:
    """Bind three pages to the strict service."""
    repository.commit(PAGES)
    return Site(repository.root, strict.url)


@contextmanager
def small_disk(folder: Path, options: str) -> Iterator[None]:
    """Put a disk of 64 KiB in a folder's place; skip the test, with a word, where nobody may mount one."""
    folder.mkdir(parents=True, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size=64k,{options}", "pressync-test", str(folder)],
        check=False,
        capture_output=True,
        text=True,
    )
    if mounted.returncode:
        pytest.skip(f"a small disk takes root and mount: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(ballast: Path) -> None:
    """Take all the room that is left on a small disk."""
    with suppress(OSError):
        ballast.write_bytes(bytes(64 * 1024))


def is_whole(site: Site, strict: StrictService) -> None:
    """See that the next run has everything, makes no page twice, and is done."""
    site.sync()
    assert sorted(page["title"]["raw"] for page in strict.pages) == ["A", "B", "C"]
    assert len(site.entries()) == 3
    assert not site.plan().pending
    assert not (site.root / ".git/pressync/default.journal").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="tmpfs is Linux's")
class TestASmallDisk:
    """Real disks of 64 KiB, mounted for the purpose."""

    @pytest.mark.parametrize(
        ("disk", "error", "said"),
        [
            ((MANIFESTS, "mode=755"), SafetyRefusal, "(No space left on device), so nothing was sent"),
            ((MANIFESTS, "ro"), SafetyRefusal, "saved (Read-only file system), so nothing was sent"),
            ((JOURNALS, "mode=700"), StorageError, "(No space left on device), so this was not sent: create"),
            ((JOURNALS, "ro"), StorageError, "the lock cannot be taken (Read-only file system), so nothing"),
        ],
    )
    def test_one_that_takes_nothing_for_the_manifest_or_the_journal_lets_nothing_be_sent(
        self,
        site: Site,
        strict: StrictService,
        *,
        disk: tuple[str, str],
        error: type[PressyncError],
        said: str,
    ) -> None:
        with small_disk(site.root / disk[0], disk[1]):
            if disk == (MANIFESTS, "mode=755"):
                fill(site.root / MANIFESTS / "ballast")
            with pytest.raises(error, match=re.escape(said)):
                site.sync()
        assert strict.received == []
        is_whole(site, strict)

    def test_one_that_is_full_for_the_manifest_afterwards_leaves_the_truth_in_the_journal(
        self, site: Site, strict: StrictService
    ) -> None:
        with small_disk(site.root / ".pressync", "mode=755"):
            ballast = site.root / ".pressync/ballast"
            with pytest.raises(StorageError) as refused:
                site.sync(on_outcome=lambda _: fill(ballast))
            assert "the manifest cannot be saved (No space left on device)" in str(refused.value)
            assert str(site.root / ".git/pressync/default.journal") in str(refused.value)
            assert len(strict.pages) == len(site.entries()) == 3
            (site.root / ".pressync/ballast").unlink()
            is_whole(site, strict)


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_repository_cannot_keep_the_manifest_from_being_saved(
    site: Site, strict: StrictService, repository: SampleRepository, kind: str
) -> None:
    occupied = repository.root / ".pressync/.default.json.new"
    if kind == "folder":
        repository.write(".pressync/.default.json.new/file", "")
    else:
        occupied.parent.mkdir()
        occupied.symlink_to("/nonexistent/anywhere")
    repository.commit()
    assert site.sync().counts["done"] == 3
    assert (repository.root / ".pressync/default.json").is_file()
    is_whole(site, strict)


def test_a_clock_set_back_a_year_changes_nothing(
    site: Site, strict: StrictService, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict.faults.extend([None, Fault(acts=True, end="reset")])
    site.sync(concurrency=1)

    class LastYear(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> LastYear:
            return super().now(tz).replace(year=2001)

    for module in (state, clone_files):
        monkeypatch.setattr(module, "datetime", LastYear)
    repository.commit({"content/pages/a.md": "# A\n\nMore.\n"})
    site.sync(concurrency=1)
    assert "More" in strict.pages[0]["content"]["raw"]
    # The create that got no answer is unconfirmed still: once, and no twin of it was made.
    with site.workspace() as workspace, workspace.reading() as known:
        assert list(known.unconfirmed) == ["content/pages/b.md"]
    assert sorted(page["title"]["raw"] for page in strict.pages) == ["A", "B", "C"]
    assert not site.plan().pending

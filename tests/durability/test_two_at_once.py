"""Several processes sync one clone at the same time: one after the other, and each page is made once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import Fault
from tests.support.syncing import Site

from pressync.app import bind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

_PAGES = 8


@pytest.fixture
def site(repository: SampleRepository, strict: StrictService) -> Site:
    """Eight pages, bound to the strict service."""
    repository.commit({f"content/pages/p{n}.md": f"# Page {n}\n" for n in range(_PAGES)})
    return Site(repository.root, strict.url)


PRESSYNC = (sys.executable, "-m", "pressync")


def started(site: Site, wait: int, program: Sequence[str] = PRESSYNC) -> subprocess.Popen[str]:
    """Start a sync in a process of its own."""
    return subprocess.Popen(
        [*program, "-C", str(site.root), "sync", "--yes", "--wait", str(wait)],
        env={**os.environ, "PRESSYNC_URL": site.url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def stuck(site: Site, strict: StrictService) -> Iterator[subprocess.Popen[str]]:
    """Start a sync whose first create the service carries out and never answers."""
    strict.faults.append(Fault(end="hang"))
    with started(site, 0) as process:
        strict.wait_for_requests(1, lambda: process.poll() is not None)
        yield process
        process.kill()


def assert_each_once(site: Site, strict: StrictService) -> None:
    """Hold the service and the manifest to one record for each page."""
    slugs = Counter(str(page["slug"]) for page in strict.pages)
    assert slugs == Counter(f"p{n}" for n in range(_PAGES))
    assert sorted(entry.id for entry in site.entries().values()) == [page["id"] for page in strict.pages]
    assert not site.sync().outcomes
    assert not strict.violations


@pytest.mark.sweep
def test_the_second_says_who_holds_the_lock_and_sends_nothing(
    site: Site, strict: StrictService, stuck: subprocess.Popen[str]
) -> None:
    with started(site, 0) as second:
        _, told = second.communicate(timeout=60)
    assert second.returncode == 4
    assert f"process {stuck.pid} on host" in told
    assert "try again when it is done" in told
    assert len(strict.received) == 1


@pytest.mark.sweep
def test_the_lock_of_a_killed_process_is_free_at_once_and_what_it_did_is_known(
    site: Site, strict: StrictService, stuck: subprocess.Popen[str]
) -> None:
    stuck.kill()
    stuck.wait(60)
    with started(site, 0) as second:
        told, _ = second.communicate(timeout=60)
    assert second.returncode == 5
    assert "p0.md" in told
    with site.workspace() as workspace:
        bind.resolve(workspace, {"content/pages/p0.md": int(str(strict.pages[0]["id"]))})
    site.sync()
    assert_each_once(site, strict)


@pytest.mark.sweep
def test_who_waits_is_told_for_whom_and_goes_on_when_that_one_dies(
    site: Site, strict: StrictService, stuck: subprocess.Popen[str]
) -> None:
    with started(site, 60) as second:
        assert second.stderr is not None
        assert second.stderr.readline().startswith(f"waiting for process {stuck.pid} on host")
        stuck.kill()
        assert second.wait(60) == 5
    assert Counter(str(page["slug"]) for page in strict.pages) == Counter(f"p{n}" for n in range(_PAGES))


def test_of_ten_at_once_one_makes_each_page_and_the_others_find_nothing_to_do(
    site: Site, strict: StrictService, program: Path
) -> None:
    processes = [started(site, 100, [str(program)]) for _ in range(10)]
    told = [process.communicate(timeout=110)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 10
    assert sum(f"{_PAGES} done" in text for text in told) == 1
    assert len(strict.received) == _PAGES
    assert_each_once(site, strict)

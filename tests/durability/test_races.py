"""Machines that sync a site at once, with the manifest in a reference: each page once, a line of history."""

from __future__ import annotations

import random
import shutil
import signal
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.memory_service import MemoryService
from tests.support.share import share
from tests.support.shared_manifest import HASTY, Clones, kept, started
from tests.support.strict_service import serving

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace, site_places
from pressync.plan.build import PlanOptions
from pressync.plan.decide import adopted
from pressync.state.clone_files import CloneFiles
from pressync.state.state import open_state
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.claim import announced_creates
from pressync.sync.control import Approval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.strict_service import StrictService

    from pressync.app.workspace import Places, SiteClone
    from pressync.client.port import Limits

_JOBS = 3


def slugs(service: StrictService) -> Counter[str]:
    return Counter(str(page["slug"]) for page in service.pages)


def race(clones: Clones, service: StrictService, program: Path, *, rounds: int, pages: int) -> None:
    """Let three processes in three clones sync the same commit at once, round after round."""
    machines = [clones.clone() for _ in range(_JOBS)]
    for number in range(rounds):
        names = [f"r{number}p{page}" for page in range(pages)]
        machines[0].commit({f"content/pages/{name}.md": f"# {name}\n" for name in names})
        machines[0].git("push", "--quiet", "origin", "main")
        for machine in machines[1:]:
            machine.git("pull", "--quiet", "--ff-only")
        jobs = [started(machine.root, "sync", "--yes", program=program) for machine in machines]
        ends = [(job.communicate()[0], job.returncode) for job in jobs]
        assert [code for _, code in ends] == [0] * _JOBS, ends
    expected = {"index", *(f"r{number}p{page}" for number in range(rounds) for page in range(pages))}
    assert slugs(service) == dict.fromkeys(expected, 1), "each page once"
    assert clones.is_linear
    assert not service.violations


@pytest.mark.sweep
def test_three_jobs_in_three_clones_make_each_page_once(tmp_path: Path, program: Path) -> None:
    with serving() as service:
        clones = Clones.create(tmp_path, service.url, {"content/pages/index.md": "# Index\n"})
        race(clones, service, program, rounds=1, pages=4)
        assert sum(subject.startswith("Sync of ") for subject in clones.subjects()) == 1


@pytest.mark.sweep
def test_what_a_killed_job_of_a_lost_clone_was_about_to_make_is_unconfirmed_to_the_next(
    tmp_path: Path,
) -> None:
    with serving() as service:
        files = {f"content/pages/{name}.md": f"# {name}\n" for name in ("a", "b", "index")}
        clones = Clones.create(tmp_path, service.url, files)
        doomed = started(clones.clone().root, "sync", "--yes", "--concurrency", "1")
        while not service.received and doomed.poll() is None:
            pass
        doomed.send_signal(signal.SIGKILL)
        doomed.communicate()
        made = sorted(slugs(service))

        survivor = clones.site()
        unconfirmed = [change.path for change in survivor.plan().changes]
        assert sorted(unconfirmed) == sorted(files), "what may be there is not planned again"
        assert not survivor.plan().pending
        assert sorted(slugs(service)) == made


def far_places(clone: SiteClone, far: MemoryService) -> Places:
    """Give the places of a machine for which every claim is that of a dead run; its site is in memory."""
    times = replace(HASTY, dead=0, poll=0)
    held = kept(clone.repository.root or Path(), target=clone.settings.site.target, times=times)

    @contextmanager
    def service(concurrency: int, limits: Limits | None) -> Iterator[MemoryService]:
        assert concurrency
        assert limits is None or limits.total
        yield far

    return replace(site_places(clone), reference=lambda: held, service=service)


class Readable(Workspace):
    """A workspace whose site can be read."""

    capabilities = MemoryService().capabilities


@contextmanager
def machine(root: Path, far: MemoryService, said: Callable[[str], None] = print) -> Iterator[Workspace]:
    """Open the workspace of one machine."""
    with Workspace.open(root, environ={}, say=said) as opened:
        yield Readable(opened.clone, far_places(opened.clone, far))


def test_a_site_that_can_be_read_is_asked_what_a_lost_job_has_made(tmp_path: Path) -> None:
    files = {
        "content/pages/a.md": "# A\n",
        "content/pages/a/below.md": "# Below\n",
        "content/pages/b.md": "See [a](a.md).\n",
        "content/pages/c.md": "# C\n",
    }
    clones, far = Clones.create(tmp_path, "http://127.0.0.1:9/wp-json", files), MemoryService()
    with machine(clones.clone().root, far) as lost, lost.state(writable=True) as state:
        state.claim(
            announced_creates(lost.plan(Revision(), PlanOptions()).plan, "2024-01-31T12:00:00+00:00"), "Sync"
        )
    # It made three of the four, the last one with an address in it that its claim could not know; and died.
    far.hold(1, slug="a", title="A", content="")
    far.hold(2, slug="below", title="Below", content="", parent=1)
    far.hold(3, slug="b", title="B", content='<p>See <a href="https://site.test/a/">a</a>.</p>')

    heard: list[str] = []
    with machine(clones.clone().root, far, heard.append) as heir:
        ended = heir.sync(
            Revision(),
            PlanOptions(),
            RunOptions(),
            Approval(lambda _plan: True),
            stop=threading.Event(),
            listener=RunListener(lambda _outcome: None, heard.append),
        )
        assert ended is not None
        with heir.reading() as state:
            entries = {path: entry.id for path, entry in state.manifest.entries.items()}
            assert not state.unconfirmed
    assert entries == dict(zip(files, (1, 2, 3, 4), strict=True))
    assert Counter(record.slug for record in far.held.values()) == dict.fromkeys(("a", "below", "b", "c"), 1)
    assert any("content/pages/a/below.md (page 2)" in said and "they were created" in said for said in heard)
    assert "content/pages/c.md was unconfirmed: it was not created." in heard


@pytest.mark.sweep
def test_a_remote_that_takes_no_push_ends_a_run_before_its_first_call(tmp_path: Path) -> None:
    with serving() as service:
        clones = Clones.create(tmp_path, service.url, {"content/pages/a.md": "# A\n"})
        hook = clones.origin / "hooks" / "update"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\necho read-only token >&2\nexit 1\n")
        hook.chmod(0o755)
        job = started(clones.clone().root, "sync", "--yes")
        said = job.communicate()[0]
        assert job.returncode == 4
        assert "origin refuses to move refs/pressync/live" in said
        assert "permissions: contents: write" in said
        assert not service.received


@pytest.mark.sweep
def test_a_bare_repository_on_a_server_keeps_the_reference_for_all(tmp_path: Path) -> None:
    with serving() as service:
        clones = Clones.create(tmp_path, service.url, {"content/pages/a.md": "# A\n"})
        job = started(clones.origin, "sync", "--yes")
        assert (job.communicate()[0].splitlines()[-1][:13], job.returncode) == ("Sync of live ", 0)
        assert [path for path, entry in clones.site().entries().items() if entry.id] == ["content/pages/a.md"]


@pytest.mark.sweep
@pytest.mark.parametrize("seed", share(range(6), 3))
def test_jobs_killed_again_and_again_in_clones_that_are_thrown_away(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seeded walk, no secret
    files = {f"content/pages/p{n}.md": f"# {n}\n\n[next](p{(n + 3) % 30}.md)\n" for n in range(30)}
    with serving() as service:
        clones = Clones.create(tmp_path, service.url, files)
        for _ in range(6):
            killed(clones, service, requests=chance.randint(0, 9))
            resolved(clones, service)
        last = started(clones.clone().root, "sync", "--yes")
        assert (last.communicate()[0], last.returncode)[1] == 0
        assert slugs(service) == Counter(Path(path).stem for path in files), "each page once, none lost"
        assert clones.is_linear
        assert not service.violations


def killed(clones: Clones, service: StrictService, *, requests: int) -> None:
    """Start a job in a new clone, kill it once it has sent some requests, and throw the clone away."""
    root = clones.clone().root
    target = len(service.received) + requests
    job = started(root, "sync", "--yes", "--concurrency", "4")
    while len(service.received) < target and job.poll() is None:
        pass
    job.send_signal(signal.SIGKILL)
    job.communicate()
    shutil.rmtree(root)


def resolved(clones: Clones, service: StrictService) -> None:
    """Take over from the dead job, and say of each unconfirmed create what the site says."""
    keeper = kept(clones.clone().root, target=service.url, times=replace(HASTY, dead=0, poll=0))
    notes = CloneFiles(keeper._notes._log.path.parent, "live")  # noqa: SLF001
    with open_state(keeper, notes, service.url, writable=True) as state:
        held = {entry.id for entry in state.manifest.entries.values()}
        for path, create in state.unconfirmed.items():
            made = [int(page["id"]) for page in service.pages if page["slug"] == create.slug]
            left = [number for number in made if number not in held]
            state.resolve(path, adopted(path, create.kind, left[0]) if left else None)
        state.save("Resolve")


@pytest.mark.sweep
def test_ten_rounds_of_three_jobs(tmp_path: Path, program: Path) -> None:
    with serving() as service:
        clones = Clones.create(tmp_path, service.url, {"content/pages/index.md": "# Index\n"})
        race(clones, service, program, rounds=len(share(range(10), 3)), pages=5)

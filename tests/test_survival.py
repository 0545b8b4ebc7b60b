"""Killed at any request, a run goes on where it stopped: each page once, none lost, doubts told.

The kills come from outside, at chosen requests, while other calls are under way. What a person does with
a create in doubt is done here by looking into the service's own records.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.strict_service import serving
from tests.syncing import Site

from pressync import binding

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.repository import SampleRepository
    from tests.strict_service import StrictService

_PAGES = 60
_KILLS = 6


def _killed(site: Site, service: StrictService, requests: int, number: signal.Signals) -> None:
    """Start a sync in a process of its own, and end it once it has sent some requests."""
    target = len(service.received) + requests
    process = subprocess.Popen(
        [sys.executable, "-m", "pressync", "-C", str(site.root), "sync", "--yes", "--concurrency", "4"],
        env={**os.environ, "PRESSYNC_URL": service.url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while len(service.received) < target and process.poll() is None:
        pass
    process.send_signal(number)
    process.wait(60)


def _resolved(site: Site, service: StrictService) -> int:
    """Do what a person would: look each create in doubt up on the site, and say what became of it."""
    with site.workspace() as workspace:
        with workspace.reading() as state:
            known = {entry.id for entry in state.manifest.entries.values()}
            doubts = sorted(state.doubts)
        for path in doubts:
            made = [int(str(p["id"])) for p in service.pages if p["slug"] == Path(path).stem]
            left = [number for number in made if number not in known]
            binding.resolve(workspace, path, left[0] if left else None)
    return len(doubts)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_killed_again_and_again_makes_each_page_once(
    seed: int, repository: SampleRepository, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seeded walk, no secret
    files = {f"content/pages/p{n}.md": f"# Page {n}\n\n[next](p{(n + 7) % 10}.md)\n" for n in range(10)}
    files |= {f"content/pages/p{n % 10}/q{n}.md": f"# Page {n}\n" for n in range(10, _PAGES)}
    repository.commit(files)
    in_doubt = 0
    with serving() as service:
        site = Site(repository.root, service.url)
        for _ in range(_KILLS):
            number = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
            _killed(site, service, chance.randint(1, 9), number)
            in_doubt += _resolved(site, service)
        site.sync()
        slugs = Counter(str(page["slug"]) for page in service.pages)
        assert slugs == Counter(Path(path).stem for path in files), "each page once, none lost"
        assert not site.plan().pending
        assert not service.violations
    record_property("kills", _KILLS)
    record_property("in_doubt", in_doubt)

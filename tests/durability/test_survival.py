"""Killed at any moment, a run goes on where it stopped: each page once, none lost, doubts told.

The kills come from outside, at moments left to chance, while up to four calls are under way. What a person
does with a create in doubt is done here by looking into the service's own records.
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
from tests.durability.sweeps.stage import resolve
from tests.support.peers import PEERS, PROGRAM, settle_at_once
from tests.support.syncing import Bound

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

_PAGES = 60
_KILLS = 6
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@pytest.fixture(autouse=True)
def settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look doubts up at once."""
    settle_at_once(monkeypatch)


def _killed(site: Bound, service: StrictService, requests: int, later: float, number: signal.Signals) -> bool:
    """Start a sync in a process of its own, and end it some seconds after it has sent some requests."""
    target = len(service.received) + requests
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "-C", str(site.root), "sync", "--yes", "--concurrency", "4"],
        env={**os.environ, "PRESSYNC_URL": service.url, **site.environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    service.wait_for_requests(target, process)
    # Any instant is right: this one is chosen, and nothing is waited for.
    service.stopping.wait(later)
    alive = process.poll() is None
    process.send_signal(number)
    process.wait(60)
    service.wait_until_idle()
    return alive


def _walk_of_kills(
    seed: int, peer: str, repository: SampleRepository, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seeded walk, no secret
    files = {f"content/pages/p{n}.md": f"# Page {n}\n\n[next](p{(n + 7) % 10}.md)\n" for n in range(10)}
    files |= {f"content/pages/p{n % 10}/q{n}.md": f"# Page {n}\n" for n in range(10, _PAGES)}
    repository.commit(files)
    serving, environ = PEERS[peer]
    killed = in_doubt = 0
    with serving() as service:
        site = Bound(repository.root, service.url, environ=environ)
        for _ in range(_KILLS):
            requests = chance.randint(1, 9 if peer == "documented" else 5)
            killed += _killed(site, service, requests, chance.random() / 100, chance.choice(_SIGNALS))
            with site.workspace() as workspace, workspace.reading() as state:
                in_doubt += len(state.doubts)
            resolve(site, service)
        site.sync()
        slugs = Counter(str(page["slug"]) for page in service.pages)
        wanted = Counter(Path(path).stem for path in files)
        record_property(f"runs killed ({peer})", killed)
        record_property(f"creates in doubt ({peer})", in_doubt)
        record_property(f"made twice ({peer})", (slugs - wanted).total())
        record_property(f"lost ({peer})", (wanted - slugs).total())
        assert slugs == wanted, "each page once, none lost"
        assert not site.plan().pending
        assert not service.violations


@pytest.mark.parametrize("peer", PEERS)
def test_a_run_killed_again_and_again_makes_each_page_once(
    peer: str, repository: SampleRepository, record_property: Callable[[str, object], None]
) -> None:
    _walk_of_kills(1, peer, repository, record_property)


@pytest.mark.sweep
@pytest.mark.timeout(300)
@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("seed", range(2, 20))
def test_many_runs_killed_again_and_again_make_each_page_once(
    seed: int, peer: str, repository: SampleRepository, record_property: Callable[[str, object], None]
) -> None:
    _walk_of_kills(seed, peer, repository, record_property)

"""Killed at any request, a run goes on where it stopped: each page once, none lost, doubts told.

The kills come from outside, at chosen requests, while other calls are under way. What a person does with
a create in doubt is done here by looking into the service's own records.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.repository import SampleRepository
from tests.strict_service import StrictService, serving

_PAGES = 60
_KILLS = 8


def _command(repository: SampleRepository, service: StrictService, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pressync", "-C", str(repository.root), *arguments],
        env={**os.environ, "PRESSYNC_URL": service.url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _run(repository: SampleRepository, service: StrictService, *arguments: str) -> str:
    process = _command(repository, service, *arguments)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, output + errors
    return output


def _killed(
    repository: SampleRepository, service: StrictService, requests: int, number: signal.Signals
) -> None:
    """Start a sync and end it once it has sent some requests."""
    target = len(service.received) + requests
    process = _command(repository, service, "sync", "--yes", "--concurrency", "8")
    while len(service.received) < target and process.poll() is None:
        pass
    process.send_signal(number)
    process.communicate(timeout=60)


def _resolved(repository: SampleRepository, service: StrictService) -> int:
    """Do what a person would: look each create in doubt up on the site, and say what became of it."""
    rows = json.loads(_run(repository, service, "status", "--format", "json"))["records"]
    known = {row["id"] for row in rows}
    doubts = [row["path"] for row in rows if row["state"] == "in_doubt"]
    for path in doubts:
        slug = Path(path).stem
        made = [p["id"] for p in service.pages if p["slug"] == slug and p["id"] not in known]
        answer = ["--id", str(made[0])] if made else ["--not-created"]
        _run(repository, service, "resolve", path, *answer)
    return len(doubts)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_killed_again_and_again_makes_each_page_once(
    seed: int, repository: SampleRepository, record_property: pytest.RecordProperty
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seeded walk, no secret
    files = {f"content/pages/p{n}.md": f"# Page {n}\n\n[next](p{(n + 7) % 10}.md)\n" for n in range(10)}
    files |= {f"content/pages/p{n % 10}/q{n}.md": f"# Page {n}\n" for n in range(10, _PAGES)}
    repository.commit(files)
    in_doubt = 0
    with serving() as service:
        for _ in range(_KILLS):
            number = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
            _killed(repository, service, chance.randint(1, 9), number)
            in_doubt += _resolved(repository, service)
        _run(repository, service, "sync", "--yes")
        slugs = Counter(str(page["slug"]) for page in service.pages)
        assert slugs == Counter(Path(path).stem for path in files), "each page once, none lost"
        assert "Nothing to do" in _run(repository, service, "plan")
        assert not service.violations
    record_property("kills", _KILLS)
    record_property("in_doubt", in_doubt)

"""A sync that still reads and renders ends at the first signal, and leaves no lock behind."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import serving

from pressync.app.hooks import subprocess_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

# Each page takes its template a good part of its steps; all of them take minutes.
TEMPLATE = "{% for a in range(900) %}{% for b in range(900) %}{% endfor %}{% endfor %}{{ content }}\n"
PAGES = {f"content/pages/page-{number}.md": f"# Page {number}\n" for number in range(600)}


@pytest.fixture
def service(repository: SampleRepository) -> Iterator[StrictService]:
    repository.commit({**PAGES, "templates/page.html": TEMPLATE})
    with serving() as running:
        yield running


def locks(repository: SampleRepository) -> list[Path]:
    return list((repository.root / ".git/pressync").rglob("*lock*"))


def is_free(lock: Path) -> bool:
    with lock.open("rb") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.sweep)])
def test_the_first_signal_ends_a_sync_that_renders(
    repository: SampleRepository, service: StrictService, number: signal.Signals
) -> None:
    environ = {**os.environ, "PRESSYNC_URL": service.url}
    command = [sys.executable, "-m", "pressync", "sync", "--yes"]
    with subprocess.Popen(
        command, cwd=repository.root, env=environ, stderr=subprocess.PIPE, text=True
    ) as sync:
        try:
            while sync.poll() is None and all(map(is_free, locks(repository))):
                time.sleep(0.02)
            sync.send_signal(number)
            _, said = sync.communicate(timeout=60)
        finally:
            sync.kill()
    assert sync.returncode == 130, said
    assert said.endswith("Interrupted.\n")
    assert service.pages == []
    assert all(map(is_free, locks(repository)))


@pytest.mark.sweep
def test_a_hook_past_its_limit_leaves_no_lock_behind(
    repository: SampleRepository, service: StrictService
) -> None:
    environ = {**os.environ, "PRESSYNC_URL": service.url}
    words = ["-q", "-C", str(repository.root), "sync", "--yes", "--format", "json"]
    ended = subprocess_run.run(words, environ, time.monotonic() + 4)
    assert ended.stopped
    assert ended.code is not None
    assert all(map(is_free, locks(repository)))

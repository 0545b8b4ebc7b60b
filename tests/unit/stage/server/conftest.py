"""A store on disk with a clock that stands still until told, and a service on a real socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.stage.server.server import RunningService, running
from pressync.stage.server.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# 2024-03-01T12:00:00 in GMT.
NOON = 1709294400


class Clock:
    """Stands at noon of 1 March 2024 until somebody moves it."""

    def __init__(self) -> None:
        self.now = float(NOON)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    opened = Store(tmp_path / "site.db", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def service(tmp_path: Path, clock: Clock) -> Iterator[RunningService]:
    with running(tmp_path / "site.db", title="Field Notes", clock=clock) as up:
        yield up


@pytest.fixture
def pages(service: RunningService) -> str:
    return f"{service.url}/wp/v2/pages"


@pytest.fixture
def hello(service: RunningService) -> str:
    return f"{service.url}/wp/v2/posts/1"

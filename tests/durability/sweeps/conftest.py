"""The stage of the sweeps, with each of the two peers, and their counts."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.durability.sweeps.preloaded import preloaded
from tests.durability.sweeps.stage import Stage
from tests.durability.sweeps.strace import Watched
from tests.support.peers import PEERS, settle_at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.durability.sweeps.preloaded import Preloaded

Tally = Counter[str]


@pytest.fixture(autouse=True)
def settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look unconfirmed creates up at once."""
    settle_at_once(monkeypatch)


@pytest.fixture(params=PEERS)
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    """Set the stage with each of the two peers in turn."""
    serving, environ = PEERS[request.param]
    with serving() as service:
        yield Stage(tmp_path, service, environ)


@pytest.fixture(scope="session")
def program() -> Iterator[Preloaded]:
    """Load pressync once, in a process of its own."""
    with preloaded() as loaded:
        yield loaded


@pytest.fixture
def watched(program: Preloaded, stage: Stage) -> Watched:
    """Give the sync of the stage, with one call at a time: each run is like the one before."""
    return Watched(program, stage.arguments(), stage.environ)


@pytest.fixture
def counted(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Callable[[], AbstractContextManager[Tally]]:
    """Give a tally that the summary shows, also if the test fails."""

    @contextmanager
    def counting() -> Iterator[Tally]:
        tally = Tally()
        try:
            yield tally
        finally:
            peer = "wordpress" if "wordpress" in request.node.name else "documented"
            for name, number in tally.items():
                record_property(f"{name} ({peer})", number)

    return counting

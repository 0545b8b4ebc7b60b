"""Live tests run on a real WordPress of each version, and only when they are asked for."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.live.live import empty, own_types
from tests.live.proxy import line_to
from tests.live.sites import LIVE, NAMES, site
from tests.support.share import IS_SHARED, TURN
from xdist.scheduler import LoadScopeScheduling

from pressync.stage.rehearse.playground import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.live.proxy import Line
    from tests.live.sites import Site

    from pressync.client.wordpress import WordPressService


# Seven, so that each site gets each kind of case; one for `mid`, which has the tests of the stage as well.
_TURNS = ("old", "new", "old", "mid", "old", "new", "old")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip this folder's tests unless `tests/live/run` asked for them, and share them out."""
    here = __file__.removesuffix("conftest.py")
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker("wordpress")
            if not LIVE:
                item.add_marker(pytest.mark.skip(reason="live: tests/live/run runs them"))
    if IS_SHARED:
        left = _for_another_site(items)
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def _for_another_site(items: list[pytest.Item]) -> list[pytest.Item]:
    """Name the cases that are not in turn on their site: each case is tried on one of the three.

    Three turns have each case on each site. One that is marked `one_site` costs the most where the tests of
    the stage are, so it is there less often.
    """
    numbers: dict[str, int] = {}
    left = []
    for item in items:
        if site := _site_of(item.nodeid):
            number = TURN + numbers.setdefault(item.nodeid.replace(site, "", 1), len(numbers))
            is_single = item.get_closest_marker("one_site") is not None
            turns = _TURNS if is_single else NAMES[1:] + NAMES[:1]
            left += [item] if site != turns[number % len(turns)] else []
    return left


def _site_of(nodeid: str) -> str | None:
    """Give the site that the name of a test has among its parameters."""
    words = nodeid.partition("[")[2].rstrip("]").split("-")
    return next((word for word in words if word in NAMES), None)


class OneTestOfASiteAtATime(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """The tests of a site run one after the other, and beside those of the other sites."""

    def _split_scope(self, nodeid: str) -> str:
        """Give the site that the name of a test has; a test without one belongs to its module."""
        return _site_of(nodeid) or nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> OneTestOfASiteAtATime | None:
    """Share a live run out by sites."""
    return OneTestOfASiteAtATime(config, log) if LIVE else None


def pytest_configure(config: pytest.Config) -> None:
    """Name the markers of the live tests."""
    config.addinivalue_line("markers", "wordpress: needs the three real sites of tests/live/stand")
    words = "the versions do not differ in it: where a share is asked for, each case takes one site, not two"
    config.addinivalue_line("markers", f"one_site: {words}")


@pytest.fixture(params=NAMES)
def wordpress(request: pytest.FixtureRequest) -> Site:
    """Each of the three sites in turn."""
    return site(request.param)


@pytest.fixture
def service(wordpress: Site) -> Iterator[WordPressService]:
    """Open the site as its administrator."""
    opened = wordpress.service()
    yield opened
    opened.close()


@pytest.fixture
def line(wordpress: Site) -> Iterator[Line]:
    """Open a line to the site, emptied, that the test can watch and cut."""
    empty(wordpress)
    with line_to(wordpress.url) as opened:
        yield opened


@pytest.fixture
def types_without(wordpress: Site) -> Iterator[Callable[[str], None]]:
    """Give the site types of its own for this test; a call takes some away."""
    with own_types(wordpress) as without:
        yield without


@pytest.fixture
def without_trash(wordpress: Site) -> Iterator[None]:
    """Turn the trash of the site off for this test."""
    yield from _present(wordpress.folder / "trash-off", "")


@pytest.fixture
def in_maintenance(wordpress: Site) -> Iterator[None]:
    """Put the site into maintenance for this test, as it is while it updates itself."""
    yield from _present(wordpress.folder / "usr/share/wordpress/.maintenance", "<?php $upgrading = time();")


def _present(file: Path, text: str) -> Iterator[None]:
    file.write_text(text, encoding="utf-8")
    yield
    file.unlink()


@pytest.fixture
def playground() -> None:
    """Skip where Node.js is missing, or where npm reaches no registry."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("Node.js with npm is not installed")
    try:
        subprocess.run([npm, "view", PACKAGE, "version"], check=True, capture_output=True, timeout=60)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("npm reaches no registry")

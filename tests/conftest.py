"""Fixtures of many tests: a real repository, an environment without settings, the sweeps' counts."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from itertools import count
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from tests.support.repository import SampleRepository
from tests.support.strict_service import serving
from tests.support.warm import warm_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.strict_service import StrictService

# Every run has the same examples, so that a test does not pass by luck. `--hypothesis-profile=long` has
# twenty times as many, and `--hypothesis-profile=default` looks for new ones.
_CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
settings.register_profile(
    "steady", derandomize=True, deadline=None, max_examples=50, suppress_health_check=_CHECKS
)
settings.register_profile("long", settings.get_profile("steady"), max_examples=1000)
settings.load_profile("steady")

# The tests start some thousand processes. With this variable, which images of Python often set, each of them
# compiles the whole source again: half of the time of a sync.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


# The tests flush small files some hundred thousand times, which takes longer on a disk than all the rest.
_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it
_ROOM = 4_000_000_000
_NUMBERS = pytest.StashKey["count[int]"]()


def pytest_configure(config: pytest.Config) -> None:
    """Put the tests' files into memory if there is room, unless TMPDIR or `--basetemp` names a place."""
    if "TMPDIR" in os.environ or config.option.basetemp or not _MEMORY.is_dir():
        return
    if shutil.disk_usage(_MEMORY).free > _ROOM:
        folder = tempfile.mkdtemp(prefix="pressync-tests-", dir=_MEMORY)
        os.environ["TMPDIR"] = folder
        tempfile.tempdir = None
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_collection_finish() -> None:
    """Take what was collected out of the collections of garbage: it lives as long as the process.

    With Python's own thresholds, the others would be a fifteenth of all work.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No PRESSYNC_ or GIT_ variable of the person who runs the tests reaches a test, nor a repository."""
    folder = tmp_path_factory.getbasetemp()
    ours = {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        # The temporary folder may be inside of somebody's repository.
        "GIT_CEILING_DIRECTORIES": str(folder),
        "GIT_AUTHOR_NAME": "A Writer",
        "GIT_AUTHOR_EMAIL": "writer@example.org",
        "GIT_COMMITTER_NAME": "A Writer",
        "GIT_COMMITTER_EMAIL": "writer@example.org",
    }
    if "PRESSYNC_TEST_WORDPRESS" not in os.environ:
        # The live tests use the Playground that the person has installed there.
        ours["XDG_CACHE_HOME"] = str(folder / "cache")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            # A job of CI checks a commit, and a person checks what is saved.
            if name.startswith(("PRESSYNC_", "GIT_")) or name == "CI":
                patch.delenv(name)
        for name, value in ours.items():
            patch.setenv(name, value)
        patch.setattr("pressync.state.claims._folder", lambda: folder / f"pressync-{os.getuid()}")
        yield


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Make the folder of a test. Pytest's own fixture lists the folders of all tests before it."""
    numbers = request.config.stash.setdefault(_NUMBERS, count())
    folder = tmp_path_factory.getbasetemp() / f"{request.node.originalname[:30]}{next(numbers)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> SampleRepository:
    """Make an empty repository on branch main."""
    return SampleRepository.create(tmp_path / "repository")


@pytest.fixture
def strict() -> Iterator[StrictService]:
    """Serve with an independent service that refuses any deviation from the document."""
    with serving() as service:
        yield service


@pytest.fixture
def site() -> Iterator[EmbeddedWordPress]:
    """Serve an empty site with the embedded service's face of WordPress."""
    from tests.support import embedded_wordpress  # noqa: PLC0415 - few tests need it, and it takes 0.2 s

    with embedded_wordpress.serving() as service:
        yield service


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def logged() -> Iterator[list[logging.LogRecord]]:
    """Give what the program logs. The plug-in of `caplog` is off: it costs each test a millisecond.

    The level is set here, because the library of MCP sets the root's for the whole process.
    """
    handler, root = _Records(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    yield handler.records
    root.setLevel(level)
    root.removeHandler(handler)


@pytest.fixture(scope="session")
def program() -> Iterator[Path]:
    """Give a program that is pressync, and starts at once."""
    with warm_program() as path:
        yield path


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Add up, file by file, what tests marked `sweep` gave to `record_property`; one line each."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for status in ("passed", "failed"):
        for report in terminalreporter.getreports(status):
            if report.when == "call" and "sweep" in report.keywords:
                sweep = PurePosixPath(report.fspath).stem.removeprefix("test_")
                counts[sweep].update({name: int(str(value)) for name, value in report.user_properties})
    for sweep, counted in sorted(counts.items()):
        numbers = ", ".join(f"{number} {name}" for name, number in counted.items())
        terminalreporter.write_line(f"Sweep of {sweep}: {numbers}.")

"""The weight of each room and the way of one changed title. A number may only be raised by hand.

A feature that needs more raises its number in the same commit, where a reviewer sees it. A room that became
smaller lowers its number, so that it stays small.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.embedded_wordpress import ENVIRON, serving

import pressync

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

SOURCE = Path(pressync.__file__).parent

# The files and the lines of each room, at most.
MOST = {
    "app": (40, 7893),
    "cli": (41, 7555),
    "client": (28, 5038),
    "config": (7, 1634),
    "content": (34, 7525),
    "html": (11, 2176),
    "importing": (34, 8987),
    "model": (13, 2375),
    "plan": (20, 4864),
    "pull": (6, 1398),
    "repo": (12, 2226),
    "stage": (36, 9466),
    "state": (17, 3882),
    "sync": (20, 5331),
}
# The modules of which a command runs a function, if one page of a synced site has a new title.
MOST_MODULES = {"plan": 70, "sync": 111, "nothing to do": 7}
# A room that is smaller than its number by more than this share lowers its number.
SLACK = 0.03


def weight(room: Path) -> tuple[int, int]:
    """Count the files of a room, and their lines."""
    files = sorted(room.rglob("*.py"))
    return len(files), sum(file.read_text(encoding="utf-8").count("\n") for file in files)


ROOMS = {
    room.name: weight(room) for room in sorted(SOURCE.iterdir()) if room.is_dir() and any(room.rglob("*.py"))
}


def test_every_room_has_its_numbers() -> None:
    assert set(MOST) == set(ROOMS)


@pytest.mark.parametrize("room", MOST)
def test_a_room_grows_only_by_hand(room: str) -> None:
    files, lines = ROOMS[room]
    assert (files <= MOST[room][0], lines <= MOST[room][1]) == (True, True), (
        f"{room} has {files} files and {lines} lines; merge or cut, or raise its number here and say why"
    )


@pytest.mark.parametrize("room", MOST)
def test_a_room_that_became_smaller_lowers_its_number(room: str) -> None:
    files, lines = ROOMS[room]
    assert lines >= MOST[room][1] * (1 - SLACK) - 40, (
        f"{room} has {files} files and {lines} lines now: lower it"
    )


# Names the modules of which a command runs a named function, each once, in any of its threads. The body of a
# module or of a class is not optimised code, and an import runs it.
_TRACE = """
import sys, threading
from inspect import CO_OPTIMIZED as OPTIMISED
ran = set()
def see(frame, event, _argument):
    code = frame.f_code
    if event == "call" and code.co_flags & OPTIMISED and "<" not in code.co_name[0] + code.co_filename[0]:
        ran.add(frame.f_globals.get("__name__", ""))
threading.setprofile(see)
sys.setprofile(see)
from pressync.cli.main import pressync
try:
    pressync(sys.argv[1:], prog_name="pressync")
except SystemExit as end:
    assert not end.code, end.code
finally:
    sys.setprofile(None)
print("\\n" + " ".join(sorted(name for name in ran if name.split(".")[0] == "pressync")))
"""
PAGE = "content/pages/guide/install.md"


def modules_run(root: Path, url: str, *arguments: str) -> list[str]:
    """Run a command in a process of its own; give the modules of which it ran a function."""
    done = subprocess.run(
        [sys.executable, "-c", _TRACE, *arguments],
        cwd=root,
        env={**os.environ, **ENVIRON, "PRESSYNC_URL": url},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1].split()


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    with serving() as service:
        yield service


def test_one_changed_title_runs_through_few_modules(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    repository.commit(
        {"content/pages/guide.md": "# Guide\n", PAGE: "# Install\n", "content/posts/a.md": "# A\n"}
    )
    modules_run(repository.root, wordpress.url, "sync", "--yes")
    repository.commit({PAGE: "# How to install\n"})
    ran = {
        "plan": modules_run(repository.root, wordpress.url, "plan"),
        "sync": modules_run(repository.root, wordpress.url, "sync", "--yes"),
        "nothing to do": modules_run(repository.root, wordpress.url, "sync", "--yes"),
    }
    counts = {run: len(modules) for run, modules in ran.items()}
    told = "\n".join(f"{run}: {' '.join(modules)}" for run, modules in ran.items())
    assert all(counts[run] <= most for run, most in MOST_MODULES.items()), f"{counts}\n{told}"
    assert all(counts[run] > most - 5 for run, most in MOST_MODULES.items()), f"lower the numbers: {counts}"

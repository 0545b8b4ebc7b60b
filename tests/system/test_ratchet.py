"""The way of one changed title is short, and a room of the source does not grow without a reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.embedded_wordpress import ENVIRON, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

# The most modules of which a command runs a function, if one page of a synced site has a new title.
MOST_MODULES = {"plan": 77, "sync": 116, "nothing to do": 7}

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


RATCHET = Path(__file__).parents[2] / ".ci/ratchet"


def compared(repository: SampleRepository) -> tuple[int, str]:
    """Compare a branch with the one from which it began."""
    done = subprocess.run(
        [sys.executable, RATCHET, "main"],
        cwd=repository.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.skipif(not RATCHET.is_file(), reason="not in a clone")
def test_a_room_that_grew_by_more_than_one_per_cent_wants_a_reason(repository: SampleRepository) -> None:
    sync, plan = "src/pressync/sync/run.py", "src/pressync/plan/build.py"
    repository.commit({sync: "a\n" * 200, plan: "a\n" * 200})
    repository.git("checkout", "--quiet", "-b", "branch")
    repository.commit({sync: "a\n" * 202, plan: "a\n" * 150})
    assert compared(repository) == (0, "")
    repository.commit({sync: "a\n" * 203})
    todo = "Make them smaller, or end the message of a commit with `Grows: sync (WHY)`.\n"
    assert compared(repository) == (1, f"sync: 200 -> 203 lines; no commit says why\n{todo}")
    repository.commit({plan: "a\n" * 300}, "Ask twice\n\nGrows: sync, plan (each is asked twice)")
    assert compared(repository) == (0, "plan: 200 -> 300 lines\nsync: 200 -> 203 lines\n")

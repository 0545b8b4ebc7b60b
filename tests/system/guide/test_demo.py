"""`pressync demo` tells its story, checks it, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.support.film import FILM, TRANSCRIPT, compared, shown
from tests.support.share import in_turn

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 120.0


class Place:
    """An empty home with a folder for temporary files, in which a demo runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.temporary = root / "tmp"
        self.temporary.mkdir()
        (root / "home").mkdir()

    def start(self, *arguments: str, **environ: str) -> subprocess.Popen[str]:
        """Start a demo without a terminal."""
        places = {"HOME": str(self.root / "home"), "TMPDIR": str(self.temporary)}
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "pressync", "demo", *arguments],
            cwd=self.root,
            env={**os.environ, **places, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def is_left(self) -> list[str]:
        """Give what is left of a demo when the process that cleans up had its time."""
        until = time.monotonic() + PATIENCE
        while (left := [each.name for each in self.temporary.iterdir()]) and time.monotonic() < until:
            time.sleep(0.05)
        return left


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.sweep
def test_the_story_is_true_and_the_film_shows_what_it_prints(place: Place) -> None:
    # A demo must not reach the site of the person who starts it.
    demo = place.start(PRESSYNC_URL="http://127.0.0.1:9/wp-json", PRESSYNC_USER="me", GIT_DIR="/nowhere")

    told, _ = demo.communicate(timeout=PATIENCE)

    assert demo.returncode == 0, told
    assert place.is_left() == []
    film = TRANSCRIPT.read_text(encoding="utf-8")
    assert compared(told) == compared(film), "run `python -m tests.support.film`: the film is older"
    # Only those who do not ask for less motion see it move.
    style = FILM.read_text(encoding="utf-8").partition("@keyframes")[0]
    assert re.findall(r"^.*animation:.*$", style, re.MULTILINE) == re.findall(
        r"^@media \(prefers-reduced-motion:no-preference\).*$", style, re.MULTILINE
    )
    assert [line for line in shown() if line] == [line.rstrip() for line in film.splitlines() if line.strip()]


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        (signal.SIGTERM, "1/7"),
        pytest.param(signal.SIGKILL, "$ pressync sync --yes", marks=pytest.mark.sweep),
        pytest.param(signal.SIGKILL, "$ pressync sync --yes --rate", marks=pytest.mark.sweep),
    ],
)
def test_a_killed_demo_leaves_nothing(place: Place, number: int, moment: str) -> None:
    demo = place.start()
    assert demo.stdout
    next(line for line in demo.stdout if moment in line)

    demo.send_signal(number)

    demo.wait(PATIENCE)
    demo.stdout.close()
    assert place.is_left() == []


@in_turn(0, 2)
@pytest.mark.sweep
def test_a_kept_folder_is_a_repository_that_goes_on(place: Place) -> None:
    demo = place.start("--keep")
    told, _ = demo.communicate(timeout=PATIENCE)
    assert demo.returncode == 0, told
    folder = place.root / "pressync-demo"

    plan = subprocess.run(
        [sys.executable, "-P", "-m", "pressync", "-C", str(folder), "plan"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "Nothing to do: 64 records" in plan.stdout
    again, _ = place.start("--keep").communicate(timeout=PATIENCE)
    assert "pressync-demo: the folder cannot be made (File exists); remove it" in again


@in_turn(1, 2)
@pytest.mark.sweep
def test_a_step_that_does_not_do_what_it_says_ends_the_demo(place: Place) -> None:
    programs = place.root / "programs"
    programs.mkdir()
    (programs / "rm").write_text("#!/bin/sh\n")
    (programs / "rm").chmod(0o755)
    demo = place.start(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")

    told, _ = demo.communicate(timeout=PATIENCE)

    line = "git commit --quiet --all --message 'No page About'"
    last = f"Error: `{line}` ended with 1; the demo wanted the exit code 0"
    assert (demo.returncode, told.splitlines()[-1]) == (1, last)
    assert place.is_left() == []

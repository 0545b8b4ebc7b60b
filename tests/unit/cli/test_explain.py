"""The printing of an explanation: problems of the file come with it, and colour only where it is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.terminal import Terminal

ABOUT = "content/pages/about.md"


def test_the_problems_of_the_file_are_told_and_the_plan_says_that_it_is_blocked(terminal: Terminal) -> None:
    terminal.repository.commit({ABOUT: "---\ntitle: About us\nstatus: bogus\n---\n"})
    result = terminal.run("explain", ABOUT)
    assert f"{ABOUT}:3: status cannot be 'bogus'" in result.stderr
    assert "it does nothing here, because something is in the way: its file has problems" in result.stdout


def test_colour_is_for_a_person(terminal: Terminal) -> None:
    assert "\x1b[1mThe next sync\x1b[0m" in terminal.run("explain", ABOUT, "--color", "always").stdout
    assert "\x1b" not in terminal.run("explain", ABOUT, "--color", "never").stdout

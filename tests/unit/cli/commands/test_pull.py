"""`pressync pull` as people type it: what it takes, and what it says where the site cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


def test_over_the_documented_interface_it_says_what_to_do_instead(terminal: Terminal) -> None:
    result = terminal.run("pull", exits=2)
    assert "plan --diff" in result.stderr


def test_a_path_that_nobody_knows_is_named_before_the_site_is_asked(terminal: Terminal) -> None:
    assert "content/pages/no.md" in terminal.run("pull", "content/pages/no.md", exits=2).stderr

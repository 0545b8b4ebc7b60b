"""The options and the output of `pressync rehearse`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


def test_a_stage_that_does_not_exist_is_a_usage_error(terminal: Terminal) -> None:
    assert "'embedded'" in terminal.run("rehearse", "--on", "mars", exits=2).stderr

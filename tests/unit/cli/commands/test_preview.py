"""The options and the output of `pressync preview`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


def test_a_port_is_a_number_of_a_port(terminal: Terminal) -> None:
    assert "70000 is not in the range" in terminal.run("preview", "--port", "70000", exits=2).stderr

"""`pressync action`: its inputs reach the step, and an empty input of a workflow is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from pressync.cli import action
from pressync.cli.action import ActionInputs
from pressync.cli.main import pressync

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def inputs(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ActionInputs]:
    """Give a function that types the command and returns the inputs with which the step runs."""

    def typed(*arguments: str) -> ActionInputs:
        ran: list[ActionInputs] = []
        monkeypatch.setattr(action, "run", lambda _globals, given: ran.append(given))
        result = CliRunner().invoke(pressync, ["action", *arguments])
        assert result.exit_code == 0, result.output
        return ran[0]

    return typed


def test_without_an_input_the_event_decides(inputs: Callable[..., ActionInputs]) -> None:
    assert inputs() == ActionInputs("auto", comment=True, args="", flags=())


def test_a_workflow_gives_an_input_that_it_does_not_set_as_empty_text(
    inputs: Callable[..., ActionInputs],
) -> None:
    assert inputs("--site", "", "--max-delete", "") == ActionInputs("auto", comment=True, args="", flags=())


def test_every_input_reaches_the_step(inputs: Callable[..., ActionInputs]) -> None:
    given = inputs(
        *("--mode", "plan", "--site", "staging", "--max-delete", "5", "--comment", "false"),
        *("--strict", "true", "--keep-going", "true", "--args", "--limit 5"),
    )
    flags = ("--max-delete=5", "--strict", "--keep-going")
    assert given == ActionInputs("plan", comment=False, args="--limit 5", flags=flags)


def test_another_mode_is_a_mistake_of_the_command_line() -> None:
    result = CliRunner().invoke(pressync, ["action", "--mode", "publish"])
    assert result.exit_code == 2
    assert "'auto', 'plan', 'sync', 'drift'" in result.output

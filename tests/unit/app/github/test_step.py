"""The files of a step are written as the runner reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pressync.app.github.step import Step
from pressync.model.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path


def test_an_output_may_hold_lines_that_look_like_another(tmp_path: Path) -> None:
    file = tmp_path / "output"
    Step({"GITHUB_OUTPUT": str(file)}).output(exit_code="0", counts='{"a": 1}\nexit-code=9\nEOF')
    blocks = re.findall(
        r"^([a-z-]+)<<(pressync-[0-9a-f]{32})\n(.*?)\n\2$", file.read_text(), re.MULTILINE | re.DOTALL
    )
    assert [(name, value) for name, _, value in blocks] == [
        ("exit-code", "0"),
        ("counts", '{"a": 1}\nexit-code=9\nEOF'),
    ]


def test_a_summary_is_added_to_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    file.write_text("before\n", encoding="utf-8")
    step = Step({"GITHUB_STEP_SUMMARY": str(file)})
    step.summarise("### Ä")
    assert step.summarises
    assert file.read_text(encoding="utf-8") == "before\n### Ä\n"


def test_outside_of_a_workflow_nothing_is_written(tmp_path: Path) -> None:
    step = Step({"RUNNER_TEMP": str(tmp_path)})
    step.output(a="1")
    step.summarise("x")
    assert not step.summarises
    assert list(tmp_path.iterdir()) == []


def test_two_reports_of_one_name_are_two_files(tmp_path: Path) -> None:
    step = Step({"RUNNER_TEMP": str(tmp_path)})
    first, second = step.keep("plan.json", "1"), step.keep("plan.json", "2")
    assert first.name == second.name == "plan.json"
    assert (first.read_text(), second.read_text()) == ("1", "2")


def test_a_file_that_cannot_be_written_is_told_by_its_variable(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="GITHUB_OUTPUT"):
        Step({"GITHUB_OUTPUT": str(tmp_path / "gone/output")}).output(a="1")
    with pytest.raises(StorageError, match="report"):
        Step({"RUNNER_TEMP": str(tmp_path / "gone")}).keep("plan.json", "")

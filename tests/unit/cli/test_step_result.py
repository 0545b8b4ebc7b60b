"""`--format github`: in a workflow the report is the job's summary, elsewhere it is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.terminal import Terminal


@pytest.fixture
def summary(terminal: Terminal, tmp_path: Path) -> Path:
    """Give the terminal a job's page for summaries."""
    file = tmp_path / "summary.md"
    terminal.environ["GITHUB_STEP_SUMMARY"] = str(file)
    return file


def test_a_plan_is_summarised_and_its_problems_are_annotated(terminal: Terminal, summary: Path) -> None:
    terminal.repository.commit({"content/pages/bad.md": "---\nmenu_order: many\n---\n"})
    said = terminal.run("plan", "--format", "github", exits=2).stdout
    assert said.startswith("::error file=content/pages/bad.md,line=2::")
    assert "Plan: 3 to create, 1 blocked" in said
    assert summary.read_text(encoding="utf-8").startswith("### pressync: plan for default at `")


def test_a_run_is_summarised(terminal: Terminal, summary: Path) -> None:
    said = terminal.run("sync", "--yes", "--format", "github").stdout
    assert said.startswith(
        f"Sync of default at {terminal.repository.head()[:10]}: 3 done, 0 up to date. Run "
    )
    assert "<details><summary>3 done</summary>" in summary.read_text(encoding="utf-8")


def test_a_file_that_was_asked_for_has_the_whole_report(
    terminal: Terminal, summary: Path, tmp_path: Path
) -> None:
    terminal.run("plan", "--format", "github", "--out", str(tmp_path / "plan.md"))
    assert "<summary>3 to create</summary>" in (tmp_path / "plan.md").read_text(encoding="utf-8")
    assert not summary.exists()


def test_without_a_job_it_is_printed_as_markdown(terminal: Terminal) -> None:
    assert terminal.run("plan", "--format", "github").stdout.startswith("### pressync: plan for default")

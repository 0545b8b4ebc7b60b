"""A GitHub workflow: the runner reads the annotations, and a job has the report as its summary."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.builders import blocked, plan
from tests.support.plan_samples import (
    BLOCKED,
    CREATE,
    PLAN,
    PROBLEMS,
    REFUSED,
    RUN,
    UPDATE,
    hostile_plan,
    hostile_run,
)

from pressync.cli.report import github, markdown
from pressync.model.changes import Outcome, Result
from pressync.model.outcomes import RunResult

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.terminal import Terminal


def commands(text: str) -> list[str]:
    """Read text as the runner does: a line that begins with `::`, or one with `##[` anywhere in it."""
    lines = [line.lstrip() for line in re.split(r"\r\n|\r|\n", text)]
    return [line for line in lines if line.startswith("::") or "##[" in line]


def test_a_plan_annotates_what_needs_a_person_and_then_is_markdown() -> None:
    drawn = replace(PLAN, problems=PROBLEMS[:1], refusals=REFUSED.refusals)
    assert github.plan(drawn) == (
        "::error file=content/pages/bad.md,line=3::no number; write one\n"
        "::error::it would delete 1 of 1 records\n"
        "::error file=content/posts/hello.md::the service cannot create a post\n" + markdown.plan(drawn)
    )


def test_a_run_annotates_failures_and_values_that_the_service_changed() -> None:
    assert github.run(RUN) == (
        "::warning file=content/pages/new.md::slug: sent 'new', the service made it 'new-2'\n"
        "::error file=content/pages/old.md::failed: the service refused with 403\n"
        "::error file=content/posts/hello.md::blocked: the service cannot create a post\n" + markdown.run(RUN)
    )
    ended = RunResult(
        plan(UPDATE, BLOCKED, CREATE),
        (
            Outcome(UPDATE, Result.UNCONFIRMED, "no answer"),
            Outcome(BLOCKED, Result.SKIPPED, "stopped"),
            Outcome(CREATE, Result.DONE),
        ),
    )
    assert commands(github.run(ended)) == ["::error file=content/pages/about.md::unconfirmed: no answer"]


def test_a_file_with_problems_is_annotated_once_and_signs_of_a_command_are_escaped() -> None:
    drawn = plan(blocked("content/pages/bad.md", "its file has problems"), problems=PROBLEMS[:1])
    assert github.of_plan(drawn) == ["::error file=content/pages/bad.md,line=3::no number; write one"]
    drawn = plan(blocked("a,b:c%.md", "100% of it, see: x"))
    assert commands(github.plan(drawn)) == ["::error file=a%2Cb%3Ac%25.md::100%25 of it, see: x"]


def test_nothing_from_outside_becomes_a_command() -> None:
    in_plan, in_run = commands(github.plan(hostile_plan())), commands(github.run(hostile_run()))
    assert [line.split("::")[1].split()[0] for line in in_plan] == ["error", "warning", "error"]
    assert [line.split("::")[1].split()[0] for line in in_run] == [
        *("error", "warning"),
        *("warning", "error", "error", "error"),
    ]
    for line in in_plan + in_run:
        assert re.fullmatch(r"::(?:error|warning)(?: file=[^:,]*(?:,line=3)?)?::.*", line)


def test_a_plan_and_a_run_are_summarised_and_problems_are_annotated(
    terminal: Terminal, tmp_path: Path
) -> None:
    file = tmp_path / "summary.md"
    terminal.environ["GITHUB_STEP_SUMMARY"] = str(file)
    terminal.run("plan", "--format", "github", "--out", str(tmp_path / "plan.md"))
    assert "<summary>3 to create</summary>" in (tmp_path / "plan.md").read_text(encoding="utf-8")
    assert not file.exists()
    said = terminal.run("sync", "--yes", "--format", "github").stdout
    head = terminal.repository.head()[:10]
    assert said.startswith(f"Sync of default at {head}: 3 done, 0 up to date. Run ")
    assert "<details><summary>3 done</summary>" in file.read_text(encoding="utf-8")
    file.unlink()
    terminal.repository.commit({"content/pages/bad.md": "---\nmenu_order: many\n---\n"})
    said = terminal.run("plan", "--format", "github", exits=2).stdout
    assert said.startswith("::error file=content/pages/bad.md,line=2::")
    assert "Plan: 1 blocked" in said
    assert file.read_text(encoding="utf-8").startswith("### pressync: plan for default at `")

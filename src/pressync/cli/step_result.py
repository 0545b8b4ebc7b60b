"""The result of a workflow step, for all its readers: the runner, a person and a later step.

An early error, a plan and a run have the same few members, so one function can report each of them. This
module prints nothing.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.app.github.step import SUMMARY_LIMIT, Step
from pressync.cli import console
from pressync.cli.report import documents, github, markdown, text
from pressync.model.errors import Code, ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.model.changes import Plan
    from pressync.model.errors import PressyncError
    from pressync.model.outcomes import KeptManifest, RunResult

# A line of an error in the settings file begins with its place.
_PLACE = re.compile(r"(?P<path>[^\s:]+):(?P<line>\d+): (?P<what>.+)")


@dataclass(frozen=True, slots=True)
class StepResult:
    """An exit code, annotations for the runner, a log for people, and Markdown of at most a given length.

    `document` is the JSON of the plan or run. `quiet` tells that the result needs no attention.
    """

    code: int
    annotations: list[str]
    log: str
    markdown: Callable[[int], str]
    counts: dict[str, int] = field(default_factory=dict)
    document: str = ""
    quiet: bool = False

    def kept(
        self, run: RunResult, manifest: KeptManifest | None, trouble: PressyncError | None
    ) -> StepResult:
        """Add to the document whether the manifest is where other clones find it."""
        if manifest and trouble:
            manifest = replace(manifest, committed=False)
        return replace(self, document=documents.run(replace(run, manifest=manifest)))

    def with_failure(self, error: PressyncError) -> StepResult:
        """Add an error that came after the plan or run."""
        annotations = [*self.annotations, github.error(str(error))]
        return replace(self, code=self.code or error.exit_code, annotations=annotations, quiet=False)


def from_plan(plan: Plan, title: str, notes: list[str]) -> StepResult:
    """Report a plan. Its exit code is that of the sync, or says that changes are pending."""
    return StepResult(
        code=_code(plan),
        annotations=github.of_plan(plan),
        log=text.plan(plan),
        markdown=lambda limit: markdown.plan(plan, title=title, notes=notes, limit=limit),
        counts=documents.plan_counts(plan),
        document=documents.plan(plan),
        quiet=not (plan.pending or github.of_plan(plan)),
    )


def from_run(result: RunResult, notes: list[str], *, stopped: bool) -> StepResult:
    """Report a run."""
    return StepResult(
        code=console.run_exit_code(result, stopped=stopped),
        annotations=github.of_run(result),
        log=text.run(result),
        markdown=lambda limit: markdown.run(result, notes=notes, limit=limit),
        counts=result.counts,
        document=documents.run(result),
    )


def from_error(error: PressyncError, notes: list[str]) -> StepResult:
    """Report an error that left neither a plan nor a run."""
    problems = list(error.problems) if isinstance(error, ContentError) else _located(error)
    sentences = [] if problems and not isinstance(error, ContentError) else [str(error)]
    what = sentences[0] if sentences else "The settings are wrong; nothing was sent."
    return StepResult(
        code=error.exit_code,
        annotations=[*github.problems(problems), *map(github.error, sentences)],
        log="",
        markdown=lambda limit: markdown.failure([what, *notes], problems, limit=limit),
    )


def for_github(result: StepResult, whole: str) -> str:
    """Give the output of `--format github`. Inside a job the Markdown goes to the job's summary instead.

    :raises StorageError: the job's summary cannot be written.
    """
    step = Step(os.environ)
    if not step.summarises:
        return whole
    step.summarise(result.markdown(SUMMARY_LIMIT))
    return "".join(f"{annotation}\n" for annotation in result.annotations) + result.log


def _code(plan: Plan) -> int:
    if any(not problem.warning for problem in plan.problems):
        return console.WRONG
    return console.REFUSED if plan.refusals else console.plan_exit_code(plan)


def _located(error: PressyncError) -> list[Problem]:
    """Find the places in an error of the settings file, which has one line for each problem."""
    found = [_PLACE.fullmatch(line) for line in str(error).splitlines()]
    if not all(found):
        return []
    return [
        Problem(place["path"], int(place["line"]), place["what"], code=Code.SETTINGS)
        for place in found
        if place
    ]

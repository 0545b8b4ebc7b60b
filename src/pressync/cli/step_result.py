"""How a step of a workflow ended, as facts for all who read them: the runner, a person, a later step.

It must not do anything, nor print. What decided its shape: an error before the first call, a plan and a run
are told through the same few members, so whoever tells them has one way to do it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.app.github.step import SUMMARY_LIMIT, Step
from pressync.cli import console
from pressync.cli.report import documents, github, json, markdown, text
from pressync.model.errors import ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.model.changes import Plan
    from pressync.model.errors import PressyncError
    from pressync.model.outcomes import Kept, RunResult

# How a line of a settings file's error begins: its place.
_PLACE = re.compile(r"(?P<path>[^\s:]+):(?P<line>\d+): (?P<what>.+)")


@dataclass(frozen=True, slots=True)
class StepResult:
    """A task's end: its exit code, annotations for the runner, a log for people, and Markdown by its limit.

    `document` is the JSON of the plan or run. `quiet` tells that there is nothing to look at.
    """

    code: int
    annotations: list[str]
    log: str
    markdown: Callable[[int], str]
    counts: dict[str, int] = field(default_factory=dict)
    document: str = ""
    quiet: bool = False

    def kept(self, run: RunResult, manifest: Kept | None, trouble: PressyncError | None) -> StepResult:
        """Tell the same, and in the document whether the manifest got to where other clones find it."""
        if manifest and trouble:
            manifest = replace(manifest, committed=False)
        return replace(self, document=json.run(replace(run, manifest=manifest)))

    def with_failure(self, error: PressyncError) -> StepResult:
        """Tell the same, and that something failed after it."""
        annotations = [*self.annotations, github.error(str(error))]
        return replace(self, code=self.code or error.exit_code, annotations=annotations, quiet=False)


def from_plan(drawn: Plan, title: str, notes: list[str]) -> StepResult:
    """Tell a plan. Its exit code says what a sync would end with, or that changes are pending."""
    return StepResult(
        code=_code(drawn),
        annotations=github.of_plan(drawn),
        log=text.plan(drawn),
        markdown=lambda limit: markdown.plan(drawn, title=title, notes=notes, limit=limit),
        counts=documents.plan_counts(drawn),
        document=json.plan(drawn),
        quiet=not (drawn.pending or github.of_plan(drawn)),
    )


def from_run(ended: RunResult, notes: list[str], *, stopped: bool) -> StepResult:
    """Tell a run."""
    return StepResult(
        code=console.run_exit_code(ended, stopped=stopped),
        annotations=github.of_run(ended),
        log=text.run(ended),
        markdown=lambda limit: markdown.run(ended, notes=notes, limit=limit),
        counts=ended.counts,
        document=json.run(ended),
    )


def from_error(error: PressyncError, notes: list[str]) -> StepResult:
    """Tell why there is neither a plan nor a run."""
    problems = list(error.problems) if isinstance(error, ContentError) else _located(error)
    said = [] if problems and not isinstance(error, ContentError) else [str(error)]
    what = said[0] if said else "The settings are wrong; nothing was sent."
    return StepResult(
        code=error.exit_code,
        annotations=[*github.problems(problems), *map(github.error, said)],
        log="",
        markdown=lambda limit: markdown.failure([what, *notes], problems, limit=limit),
    )


def for_github(ended: StepResult, whole: str) -> str:
    """Give what `--format github` prints: annotations, and the Markdown unless the job has a page for it.

    :raises StorageError: the job's summary cannot be written.
    """
    step = Step(os.environ)
    if not step.summarises:
        return whole
    step.summarise(ended.markdown(SUMMARY_LIMIT))
    return "".join(f"{annotation}\n" for annotation in ended.annotations) + ended.log


def _code(drawn: Plan) -> int:
    if any(not problem.warning for problem in drawn.problems):
        return console.WRONG
    return console.REFUSED if drawn.refusals else console.plan_exit_code(drawn)


def _located(error: PressyncError) -> list[Problem]:
    """Find the places in an error of the settings file, which has a line for each of its problems."""
    found = [_PLACE.fullmatch(line) for line in str(error).splitlines()]
    if not all(found):
        return []
    return [Problem(place["path"], int(place["line"]), place["what"]) for place in found if place]

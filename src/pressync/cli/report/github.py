"""A plan and a run for a GitHub workflow: annotations, the report in Markdown, and the result of a step.

The runner reads a command from every line that begins with `::`. So all text from outside is escaped as the
runner's own toolkit escapes it: percent, carriage return and newline; in properties also colon and comma.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pressync.cli import console
from pressync.cli.report import documents, markdown, text, words
from pressync.cli.report.words import NO_EXTRAS, RESULT_WORDS, PlanExtras
from pressync.model.changes import Blocked, NotCompared, Plan, Result
from pressync.model.errors import Code, ContentError, PressyncError, Problem
from pressync.model.outcomes import RunResult, approval
from pressync.model.printable import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pressync.app.propose import Proposal

# A line of an error in the settings file begins with its place.
_PLACE = re.compile(r"(?P<path>[^\s:]+):(?P<line>\d+): (?P<what>.+)")
_ALARMING = frozenset({Result.FAILED, Result.BLOCKED, Result.UNCONFIRMED})


def of_plan(plan: Plan) -> list[str]:
    """Annotate problems, refusals, and files that are blocked or not compared."""
    lines = _grouped(plan.problems)
    lines += [error(str(refusal)) for refusal in plan.refusals]
    # A file with problems has an annotation for each problem already.
    annotated = {problem.path for problem in plan.problems if not problem.warning}
    wanting = (change for change in plan.changes if isinstance(change, Blocked | NotCompared))
    rows = words.change_rows(change for change in wanting if change.path not in annotated)
    return lines + [error(row.why(named=True), row.change.path) for row in rows]


def of_run(result: RunResult) -> list[str]:
    """Annotate problems, and every outcome that needs a person."""
    messages = [(o.change.path, o.message) for o in result.outcomes if o.result is Result.DONE and o.message]
    changed_by_service = [
        _command("warning", group[0][1] + words.others([path for path, _ in group[1:]]), file=group[0][0])
        for group in words.grouped_messages(messages)
    ]
    lines = [*_grouped(result.plan.problems), *changed_by_service]
    for row in words.outcome_rows(o for o in result.published.outcomes if o.result in _ALARMING):
        word = RESULT_WORDS[row.result] if row.result else ""
        lines.append(error(f"{word}: {row.why(named=True)}", row.change.path))
    return lines


def error(message: str, path: str = "") -> str:
    """Make an annotation of a failure, on its file if it has one."""
    return _command("error", message, file=path)


def warning(message: str) -> str:
    """Make an annotation of something that did not stop the run."""
    return _command("warning", message)


def problems(located: Iterable[Problem]) -> list[str]:
    """Make an annotation for each problem, on its line."""
    return [
        _command(problem.severity, problem.message, file=problem.path, line=problem.line)
        for problem in located
    ]


def _grouped(ungrouped: Iterable[Problem]) -> list[str]:
    return problems(map(words.merged_problem, words.grouped_problems(ungrouped)))


def _command(name: str, message: str, *, file: str = "", line: int = 0) -> str:
    properties = [f"file={_escaped(file, ':,')}"] if file else []
    properties += [f"line={line}"] if line else []
    about = f" {','.join(properties)}" if properties else ""
    return f"::{name}{about}::{_escaped(message)}"


def _escaped(text: str, also: str = "") -> str:
    text = one_line(text)
    for sign in "%\r\n" + also:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


@dataclass(frozen=True, slots=True)
class StepResult:
    """An exit code, annotations for the runner, a log for people, and Markdown of at most a given length.

    `document` is the JSON of the plan or run. `blueprint` opens the changed pages in WordPress. `approval` is
    the digest that a later sync wants. `quiet` tells that the result needs no attention.
    """

    code: int
    annotations: list[str]
    log: str
    markdown: Callable[[int], str]
    counts: dict[str, int] = field(default_factory=dict)
    document: str = ""
    blueprint: str = ""
    approval: str = ""
    quiet: bool = False

    def whole(self) -> str:
        """Write the annotations, then the Markdown."""
        return "\n".join([*self.annotations, self.markdown(markdown.LIMIT)])


def from_plan(
    plan: Plan,
    *,
    title: str = "plan for",
    notes: Sequence[str] = (),
    extras: PlanExtras = NO_EXTRAS,
    diffs: Mapping[str, str] | None = None,
) -> StepResult:
    """Report a plan. Its exit code is that of the sync, or says that changes are pending."""
    code = console.plan_exit_code(plan)
    if any(not problem.warning for problem in plan.problems):
        code = console.WRONG
    annotations = of_plan(plan)
    notes_of_editors = "".join(f"{line}\n" for line in text.editor_notes(extras.noted))
    return StepResult(
        code=code,
        annotations=annotations,
        log=text.plan(plan) + notes_of_editors,
        markdown=lambda limit: markdown.plan(
            plan, title=title, notes=notes, limit=limit, extras=extras, diffs=diffs
        ),
        counts=words.plan_counts(plan),
        document=documents.plan(plan),
        approval=approval(plan) if plan.approve else "",
        quiet=not plan.pending and not annotations,
    )


def from_run(result: RunResult, notes: Sequence[str] = (), *, stopped: bool = False) -> StepResult:
    """Report a run."""
    return StepResult(
        code=console.run_exit_code(result, stopped=stopped),
        annotations=of_run(result),
        log=text.run(result.published),
        markdown=lambda limit: markdown.run(result, notes=notes, limit=limit),
        counts=result.counts,
        document=documents.run(result.published),
    )


def from_proposal(made: Proposal, lines: Sequence[str]) -> StepResult:
    """Report the edits of a site; those that are left need a person."""
    annotations = [error(f"an edit of the site is left: {why}", path) for path, why in made.left]
    return StepResult(
        code=console.FAILED if made.left else console.DONE,
        annotations=annotations,
        log="".join(f"{printable(line)}\n" for line in lines),
        markdown=lambda limit: markdown.proposal(made, limit=limit),
        counts={"update": len(made.edits), "blocked": len(made.left)},
    )


def from_error(cause: PressyncError, notes: Sequence[str] = ()) -> StepResult:
    """Report an error that left neither a plan nor a run."""
    located = (
        [problem.published for problem in cause.problems]
        if isinstance(cause, ContentError)
        else _located(cause)
    )
    sentences = [] if located and not isinstance(cause, ContentError) else [str(cause)]
    headline = sentences[0] if sentences else "The settings are wrong; nothing was sent."
    return StepResult(
        code=cause.exit_code,
        annotations=[*problems(located), *map(error, sentences)],
        log="",
        markdown=lambda limit: markdown.failure([headline, *notes], located, limit=limit),
    )


def _located(error: PressyncError) -> list[Problem]:
    """Find the places in an error of the settings file, which has one line for each problem."""
    matches = [_PLACE.fullmatch(line) for line in str(error).splitlines()]
    places = [place for place in matches if place] if all(matches) else []
    return [Problem(place["path"], int(place["line"]), place["what"], code=Code.SETTINGS) for place in places]

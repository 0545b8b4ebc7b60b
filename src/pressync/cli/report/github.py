"""A plan and a run for a GitHub workflow: annotations on standard output, then the report in Markdown.

The runner reads a command from every line that begins with `::`. So all text from outside is escaped as the
runner's own toolkit escapes it: percent, carriage return and newline; in properties also colon and comma.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.cli.report import groups, markdown
from pressync.cli.report.documents import RESULT_WORDS
from pressync.model.changes import Blocked, Result
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pressync.model.changes import Outcome, Plan
    from pressync.model.errors import Problem
    from pressync.model.outcomes import RunResult

_ALARMING = frozenset({Result.FAILED, Result.BLOCKED, Result.UNCONFIRMED})


def plan(plan: Plan, *, diffs: Mapping[str, str] | None = None) -> str:
    """Annotate the changes that need a person, then write the plan as Markdown."""
    return "\n".join([*of_plan(plan), markdown.plan(plan, diffs=diffs)])


def run(result: RunResult) -> str:
    """Annotate the outcomes that need a person, then write the run as Markdown."""
    return "\n".join([*of_run(result), markdown.run(result)])


def of_plan(plan: Plan) -> list[str]:
    """Annotate problems, refusals and blocked files."""
    lines = _grouped(plan.problems)
    lines += [error(str(refusal)) for refusal in plan.refusals]
    # A file with problems has an annotation for each problem already.
    annotated = {problem.path for problem in plan.problems if not problem.warning}
    blocked = (
        change for change in plan.changes if isinstance(change, Blocked) and change.path not in annotated
    )
    for alike in groups.of_changes(blocked):
        why = groups.sentence([(change.path, change.reason) for change in alike], named=True)
        lines.append(error(why, alike[0].path))
    return lines


def of_run(result: RunResult) -> list[str]:
    """Annotate problems, and every outcome that needs a person."""
    messages = [(o.change.path, o.message) for o in result.outcomes if o.result is Result.DONE and o.message]
    changed_by_service = [
        _command("warning", group[0][1] + groups.others([path for path, _ in group[1:]]), file=group[0][0])
        for group in groups.of_messages(messages)
    ]
    return [
        *_grouped(result.plan.problems),
        *changed_by_service,
        *(_outcome(alike) for alike in groups.of_outcomes(result.outcomes) if alike[0].result in _ALARMING),
    ]


def error(message: str, path: str = "") -> str:
    """Make an annotation of a failure, on its file if it has one."""
    return _command("error", message, file=path)


def warning(message: str) -> str:
    """Make an annotation of something that did not stop the run."""
    return _command("warning", message)


def problems(found: Iterable[Problem]) -> list[str]:
    """Make an annotation for each problem, on its line."""
    return [
        _command(
            "warning" if problem.warning else "error",
            f"{problem.what}; {problem.todo}" if problem.todo else problem.what,
            file=problem.path,
            line=problem.line,
        )
        for problem in found
    ]


def _grouped(found: Iterable[Problem]) -> list[str]:
    return problems(map(groups.merged_problem, groups.of_problems(found)))


def _outcome(alike: Sequence[Outcome]) -> str:
    message = groups.sentence([(each.change.path, each.message) for each in alike], named=True)
    return error(f"{RESULT_WORDS[alike[0].result]}: {message}", alike[0].change.path)


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

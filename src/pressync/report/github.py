"""Plan and run for a GitHub workflow: annotations on standard output, then the report in Markdown.

The runner reads commands from any line that begins with `::`, so everything from outside is escaped as
the runner's own toolkit does (percent, carriage return, newline; colon and comma in properties).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model import Blocked, Result
from pressync.report import markdown
from pressync.report.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.errors import Problem
    from pressync.model import Outcome, Plan
    from pressync.report.facts import Run

_ALARMING = frozenset({Result.FAILED, Result.BLOCKED, Result.IN_DOUBT})


def plan(drawn: Plan) -> str:
    """Annotate problems, refusals and blocked files, then give the plan in Markdown."""
    lines = [*problems(drawn.problems)]
    lines += [_command("error", refusal) for refusal in drawn.refusals]
    lines += [_command("error", c.reason, file=c.path) for c in drawn.changes if isinstance(c, Blocked)]
    return "\n".join([*lines, markdown.plan(drawn)])


def run(ended: Run) -> str:
    """Annotate everything that needs a person, then give the run in Markdown."""
    lines = [*problems(ended.plan.problems), *filter(None, map(_outcome, ended.outcomes))]
    return "\n".join([*lines, markdown.run(ended)])


def problems(found: Iterable[Problem]) -> list[str]:
    """Make one annotation per problem, on its line."""
    return [
        _command(
            "warning" if problem.warning else "error",
            f"{problem.what}; {problem.todo}" if problem.todo else problem.what,
            file=problem.path,
            line=problem.line,
        )
        for problem in found
    ]


def _outcome(outcome: Outcome) -> str:
    path, message = outcome.change.path, outcome.message
    if outcome.result in _ALARMING:
        return _command("error", f"{outcome.result.value.replace('_', ' ')}: {message}", file=path)
    if outcome.result is Result.DONE and message:
        return _command("warning", message, file=path)
    return ""


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

"""Plan and run for a GitHub workflow: annotations on standard output, a summary in Markdown.

The runner reads commands from any line that begins with `::`, so everything from outside is escaped as
the runner's own toolkit does (percent, carriage return, newline; colon and comma in properties).
"""

from __future__ import annotations

from collections.abc import Iterable

from pressync.errors import Problem
from pressync.model import Blocked, Outcome, Plan, Result
from pressync.report import markdown
from pressync.report.facts import Run
from pressync.report.printable import one_line


def plan(drawn: Plan) -> str:
    """Annotations of problems, refusals and blocked files, then the plan in Markdown."""
    lines = [*problems(drawn.problems)]
    lines += [_command("error", refusal) for refusal in drawn.refusals]
    lines += [_command("error", c.reason, file=c.path) for c in drawn.changes if isinstance(c, Blocked)]
    return "\n".join([*lines, markdown.plan(drawn)])


def run(ended: Run) -> str:
    """Annotations of everything that needs a person, then the run in Markdown."""
    lines = [*problems(ended.plan.problems), *filter(None, map(_outcome, ended.outcomes))]
    return "\n".join([*lines, markdown.run(ended)])


def problems(found: Iterable[Problem]) -> list[str]:
    """One annotation per problem, on its line."""
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
    if outcome.result in {Result.FAILED, Result.BLOCKED, Result.IN_DOUBT}:
        return _command("error", f"{outcome.result.value}: {outcome.message}", file=outcome.change.path)
    if outcome.result is Result.DONE and outcome.message:
        return _command("warning", outcome.message, file=outcome.change.path)
    return ""


def _command(name: str, message: str, *, file: str = "", line: int = 0) -> str:
    properties = [f"file={_escaped(file, ':,')}"] if file else []
    properties += [f"line={line}"] if line else []
    about = f" {','.join(properties)}" if properties else ""
    return f"::{name}{about}::{_escaped(one_line(message))}"


def _escaped(text: str, also: str = "") -> str:
    for sign in "%\r\n" + also:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text

"""Plan and run as Markdown: for a pull request's comment or a job's summary.

Paths and reasons come from outside and may hold anything, so they are put into table cells as code or
with every Markdown sign escaped: a page called `![](https://…)` must not load a picture, and one called
`@everyone` must not write to anybody.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.cli.report.text import plan_summary, run_summary
from pressync.model.changes import Blocked, Create, Delete, Result, Update
from pressync.model.outcomes import action
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from pressync.model.changes import Plan
    from pressync.model.outcomes import RunResult

_ORDER = (Blocked, Delete, Create, Update)
# Beyond this many rows a table helps nobody, and a comment on GitHub ends at 65,536 characters.
_ROWS = 200
_SIGNS = re.compile(r"[\\`*_{}\[\]<>()#+!|~&]")
# What GitHub makes of plain text: mentions, references, links. A backslash does not stop it; a space without
# width does. A dollar sign, which would begin a formula, is written as its number.
_REFERENCES = re.compile(r"@|#(?=\d)|\bGH(?=-\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
# Backticks do not keep a bar from ending a cell; a runner obeys `##[` and what it looks like afterwards.
_NO_CODE = re.compile(r"[|\\]|##\[")


def plan(drawn: Plan) -> str:
    """Give the plan as a heading, a sentence and a table; what needs a person comes first."""
    lines = [_heading(f"plan for {drawn.site}", drawn), "", cell(plan_summary(drawn)), ""]
    lines += [f"> **Sync would refuse:** {cell(refusal)}\n" for refusal in drawn.refusals]
    lines += [f"{cell(note)}\n" for note in drawn.notes]
    changes = [change for kind in _ORDER for change in drawn.changes if isinstance(change, kind)]
    if changes:
        lines += ["| | file | record | why |", "|---|---|---|---|", *map(_row, changes[:_ROWS])]
    return _finished(lines, len(changes))


def run(ended: RunResult) -> str:
    """Give the run as a heading, a sentence, and a table of what needs a person."""
    lines = [_heading(f"sync of {ended.plan.site}", ended.plan), "", cell(run_summary(ended)), ""]
    rows = [o for o in ended.outcomes if o.result not in {Result.KEPT, Result.DONE} or o.message]
    if rows:
        lines += ["| | file | what happened |", "|---|---|---|"]
        lines += [
            f"| {o.result.value.replace('_', ' ')} | {code(o.change.path)} | {cell(o.message)} |"
            for o in rows[:_ROWS]
        ]
    return _finished(lines, len(rows))


def cell(text: str) -> str:
    """Show text in a table cell or a sentence as it is written, whatever it holds."""
    escaped = _SIGNS.sub(r"\\\g<0>", one_line(text))
    return _REFERENCES.sub("\\g<0>&#8203;", escaped).replace("$", "&#36;")


def code(text: str) -> str:
    """Show text as inline code in a table cell."""
    inner = one_line(text)
    if _NO_CODE.search(inner):
        return cell(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", inner)), default=0) + 1)
    return f"{fence} {inner} {fence}" if "`" in inner else f"`{inner}`"


def _heading(what: str, drawn: Plan) -> str:
    return f"### pressync: {cell(what)} at {code(drawn.commit[:10])}"


def _row(change: Create | Update | Delete | Blocked) -> str:
    record = "" if isinstance(change, Create) or change.id is None else f" {change.id}"
    about = f"{change.kind.value}{record}"
    return f"| {action(change)} | {code(change.path)} | {about} | {cell(change.reason)} |"


def _finished(lines: list[str], rows: int) -> str:
    more = [f"\n… and {rows - _ROWS} more."] if rows > _ROWS else []
    return "\n".join([*lines, *more]).rstrip() + "\n"

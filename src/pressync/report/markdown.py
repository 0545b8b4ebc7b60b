"""Plan and run as Markdown: for a pull request's comment or a job's summary.

Paths and reasons come from outside and may hold anything, so they are put into table cells as code or
with every Markdown sign escaped: a page called `![](https://…)` must not load a picture.
"""

from __future__ import annotations

import re

from pressync.model import Blocked, Create, Delete, Plan, Result, Update
from pressync.report.facts import Run, action
from pressync.report.printable import one_line
from pressync.report.text import plan_summary, run_summary

_ORDER = (Blocked, Delete, Create, Update)
# Beyond this many rows a table helps nobody, and a comment on GitHub ends at 65,536 characters.
_ROWS = 200


def plan(drawn: Plan) -> str:
    """The plan as a heading, a sentence and a table; what needs a person comes first."""
    lines = [f"### pressync: plan for {cell(drawn.site)} at `{drawn.commit[:10]}`", "", plan_summary(drawn), ""]
    lines += [f"> **Sync would refuse:** {cell(refusal)}\n" for refusal in drawn.refusals]
    changes = [change for kind in _ORDER for change in drawn.changes if isinstance(change, kind)]
    if changes:
        lines += ["| | file | record | why |", "|---|---|---|---|"]
        for change in changes[:_ROWS]:
            record = "" if isinstance(change, Create) or change.id is None else f" {change.id}"
            lines.append(
                f"| {action(change)} | {code(change.path)} | {change.kind.value}{record} | {cell(change.reason)} |"
            )
        if len(changes) > _ROWS:
            lines.append(f"\n… and {len(changes) - _ROWS} more.")
    return "\n".join(lines).rstrip() + "\n"


def run(ended: Run) -> str:
    """The run as a heading, a sentence, and a table of what needs a person."""
    lines = [f"### pressync: sync of {cell(ended.plan.site)} at `{ended.plan.commit[:10]}`", "", run_summary(ended), ""]
    rows = [o for o in ended.outcomes if o.result not in {Result.KEPT, Result.DONE} or o.message]
    if rows:
        lines += ["| | file | what happened |", "|---|---|---|"]
        lines += [
            f"| {o.result.value.replace('_', ' ')} | {code(o.change.path)} | {cell(o.message)} |" for o in rows[:_ROWS]
        ]
        if len(rows) > _ROWS:
            lines.append(f"\n… and {len(rows) - _ROWS} more.")
    return "\n".join(lines).rstrip() + "\n"


def cell(text: str) -> str:
    """Text for a table cell or a sentence: shown as written, whatever it holds."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~@&])", r"\\\1", one_line(text))


def code(text: str) -> str:
    """Text as inline code in a table cell."""
    inner = one_line(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", inner)), default=0) + 1)
    return f"{fence} {inner} {fence}" if "`" in inner else f"`{inner}`"



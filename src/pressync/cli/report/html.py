"""A plan as one HTML page without scripts, to attach to a review or to keep with the files of a build."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pressync.cli.report import change_groups, visitors, warning_groups
from pressync.cli.report.documents import TO_REVIEW, record
from pressync.cli.report.text import plan_summary
from pressync.model.outcomes import action
from pressync.model.printable import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.changes import Change, Plan

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid #8884; }
td:first-child { font-weight: 600; }
.create { color: #2a7d3a; } .update { color: #a06a00; } .delete, .blocked, .refusal { color: #c03030; }
td:nth-child(3) { white-space: nowrap; }
code { overflow-wrap: anywhere; }
@media (min-width: 50rem) { td:nth-child(2) { min-width: 20rem; } }
pre { margin: 0; padding: .4rem .6rem; white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; }
ins, del { text-decoration: none; } ins { color: #2a7d3a; } del { color: #c03030; }
"""


def plan(plan: Plan, *, diffs: Mapping[str, str] | None = None) -> str:
    """Write the whole page. Changes that need a person come first, and each diff stands under its change."""
    title = f"pressync: plan for {plan.site} at {plan.commit[:10]}"
    changes = [change for kind in TO_REVIEW for change in plan.changes if isinstance(change, kind)]
    rows = [
        _row(change, warning_groups.others([other.path for other in alike]))
        + _diff((diffs or {}).get(change.path, ""))
        for change, *alike in change_groups.of_changes(changes, diffs or ())
    ]
    notes = [f"<p>{_text(note)}</p>" for note in (*visitors.of_plan(plan), *plan.notes)]
    refusals = [
        f'<p class="refusal">Sync would refuse: {_text(str(refusal))}</p>' for refusal in plan.refusals
    ]
    table = (
        ["<table>", "<tr><th>change<th>file<th>record<th>status<th>why", *rows, "</table>"] if rows else []
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f"<title>{_text(title)}</title><style>{_STYLE}</style>",
            f"<h1>{_text(title)}</h1>",
            f"<p>{_text(plan_summary(plan))}</p>",
            *refusals,
            *notes,
            *table,
            "</html>",
            "",
        ]
    )


def _row(change: Change, others: str) -> str:
    word = action(change)
    cells = [
        f'<td class="{word}">{word}',
        f"<td><code>{_text(change.path)}</code>{_text(others)}",
        f"<td>{record(change)}",
        f"<td>{visitors.status(change)}",
        f"<td>{_text(visitors.reason(change))}",
    ]
    return "<tr>" + "".join(cells)


def _diff(text: str) -> str:
    """Write a row with the edits of a file; an empty text if there are none."""
    lines = "\n".join(_diff_line(line) for line in printable(text).splitlines())
    return f'\n<tr><td><td colspan="4"><pre>{lines}</pre>' if lines else ""


def _diff_line(line: str) -> str:
    tag = "ins" if line.startswith("+") else "del" if line.startswith("-") else ""
    return f"<{tag}>{escape(line)}</{tag}>" if tag else escape(line)


def _text(text: str) -> str:
    return escape(one_line(text))

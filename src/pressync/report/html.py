"""The plan as one HTML page without scripts: to be attached to a review or opened from a build's files."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pressync.changes import Blocked, Create, Delete, Update
from pressync.report.facts import action
from pressync.report.printable import one_line
from pressync.report.text import plan_summary

if TYPE_CHECKING:
    from pressync.changes import Plan

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid #8884; }
td:first-child { font-weight: 600; }
.create { color: #2a7d3a; } .update { color: #a06a00; } .delete, .blocked, .refusal { color: #c03030; }
code { overflow-wrap: anywhere; }
"""
_ORDER = (Blocked, Delete, Create, Update)


def plan(drawn: Plan) -> str:
    """Give the whole page; what needs a person comes first."""
    title = f"pressync: plan for {drawn.site} at {drawn.commit[:10]}"
    rows = [_row(change) for kind in _ORDER for change in drawn.changes if isinstance(change, kind)]
    refusals = [f'<p class="refusal">Sync would refuse: {_text(refusal)}</p>' for refusal in drawn.refusals]
    table = ["<table>", "<tr><th>change<th>file<th>record<th>why", *rows, "</table>"] if rows else []
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f"<title>{_text(title)}</title><style>{_STYLE}</style>",
            f"<h1>{_text(title)}</h1>",
            f"<p>{_text(plan_summary(drawn))}</p>",
            *refusals,
            *table,
            "</html>",
            "",
        ]
    )


def _row(change: Create | Update | Delete | Blocked) -> str:
    word = action(change)
    record = "" if isinstance(change, Create) or change.id is None else f" {change.id}"
    cells = [
        f'<td class="{word}">{word}',
        f"<td><code>{_text(change.path)}</code>",
        f"<td>{change.kind.value}{record}",
        f"<td>{_text(change.reason)}",
    ]
    return "<tr>" + "".join(cells)


def _text(text: str) -> str:
    return escape(one_line(text))

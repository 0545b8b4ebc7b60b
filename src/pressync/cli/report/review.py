"""Plan and run as Markdown for reviewers: the numbers first, each kind of change folded below, and an end.

Everything from outside is escaped as in `markdown`. What decided its shape: a comment on GitHub that is too
long is refused whole, so the text is measured as it is made: whole rows are left out and counted, what
needs a person is put in first, and no table is ever cut through.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.cli.report.markdown import cell, code
from pressync.cli.report.text import plan_summary, run_summary
from pressync.model.changes import Blocked, Create, Delete, Result, Update
from pressync.model.outcomes import action

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pressync.model.changes import Outcome, Plan
    from pressync.model.errors import Problem
    from pressync.model.outcomes import RunResult

_KINDS: tuple[tuple[type[Create | Update | Delete | Blocked], str], ...] = (
    (Blocked, "blocked"),
    (Delete, "to delete"),
    (Create, "to create"),
    (Update, "to update"),
)
# Kept outcomes need no row.
_RESULTS = (Result.IN_DOUBT, Result.FAILED, Result.BLOCKED, Result.SKIPPED, Result.DONE)
# Room for the sentence that says how many rows of a table were left out.
_MORE = 80


@dataclass(frozen=True, slots=True)
class _Fold:
    """One table that opens with a click: what it counts (in the singular and plural), columns, rows."""

    one: str
    many: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def head(self) -> str:
        """Everything above the rows."""
        words = self.one if len(self.rows) == 1 else self.many
        title = f"<details><summary>{len(self.rows)} {words}</summary>"
        return f"\n{title}\n\n{_line(self.columns)}{_line(('---',) * len(self.columns))}"


def plan(drawn: Plan, *, limit: int, title: str = "plan for", notes: Sequence[str] = ()) -> str:
    """Give a plan in at most `limit` characters; `notes` are sentences that stand above the tables."""
    lead = [_heading(title, drawn), plan_summary(drawn), *notes]
    refusals = _fold("reason why sync would refuse", ("why",), ((cell(text),) for text in drawn.refusals))
    changes = [
        _fold(words, ("file", "record", "why"), (_change(c) for c in drawn.changes if isinstance(c, kind)))
        for kind, words in _KINDS
    ]
    errors, warnings = _problems(drawn.problems)
    return _fitted(lead, [errors, refusals, *changes, warnings], limit)


def run(ended: RunResult, *, limit: int, notes: Sequence[str] = ()) -> str:
    """Give a run in at most `limit` characters."""
    lead = [_heading("sync of", ended.plan), run_summary(ended), *notes]
    outcomes = [
        _fold(
            result.value.replace("_", " "),
            ("file", "change", "record", "what happened"),
            (_outcome(outcome) for outcome in ended.outcomes if outcome.result is result),
        )
        for result in _RESULTS
    ]
    errors, warnings = _problems(ended.plan.problems)
    return _fitted(lead, [errors, *outcomes, warnings], limit)


def failure(sentences: Sequence[str], problems: Sequence[Problem], *, limit: int) -> str:
    """Tell why there is neither a plan nor a run."""
    return _fitted(["### pressync", *sentences], list(_problems(problems)), limit)


def _heading(title: str, drawn: Plan) -> str:
    return f"### pressync: {title} {cell(drawn.site)} at {code(drawn.commit[:10])}"


def _problems(found: Sequence[Problem]) -> tuple[_Fold, _Fold]:
    rows = [
        (p.warning, (code(f"{p.path}:{p.line}" if p.line else p.path), cell(p.what), cell(p.todo)))
        for p in found
    ]
    columns = ("place", "what", "what to do")
    errors, warnings = ([row for warning, row in rows if warning is wanted] for wanted in (False, True))
    return _fold("problem", columns, errors, "problems"), _fold("warning", columns, warnings, "warnings")


def _change(change: Create | Update | Delete | Blocked) -> tuple[str, ...]:
    number = None if isinstance(change, Create) else change.id
    return code(change.path), _record(change.kind.value, number), cell(change.reason)


def _outcome(outcome: Outcome) -> tuple[str, ...]:
    change, entry = outcome.change, outcome.entry
    number = entry.id if entry else None if isinstance(change, Create) else change.id
    said = outcome.message or (entry.link if entry else "")
    return code(change.path), action(change), _record(change.kind.value, number), cell(said)


def _record(kind: str, number: int | None) -> str:
    return kind if number is None else f"{kind} {number}"


def _fold(one: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]], many: str = "") -> _Fold:
    return _Fold(one, many or one, columns, tuple(rows))


def _fitted(lead: Sequence[str], folds: Sequence[_Fold], limit: int) -> str:
    """Put as many rows of each table below the lead as there is room for, the first tables first."""
    shown = [fold for fold in folds if fold.rows]
    text = "\n\n".join([lead[0], *(cell(sentence) for sentence in lead[1:])]) + "\n"
    end = "\n</details>\n"
    room = limit - len(text) - sum(len(fold.head) + len(end) + _MORE for fold in shown)
    for fold in shown:
        rows = []
        for row in map(_line, fold.rows):
            if len(row) <= room:
                rows.append(row)
                room -= len(row)
        left = len(fold.rows) - len(rows)
        more = f"\n… and {left} more: there is no room for them here.\n" if left else ""
        text += f"{fold.head}{''.join(rows)}{more}{end}"
    return text


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"

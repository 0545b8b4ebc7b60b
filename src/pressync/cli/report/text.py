"""A plan, a run and a status as text, for a person at a terminal or in a log.

Each change is one line with its reason. The numbers come last, because the last line is what people see
first. The caller decides about colour, because only the caller knows the terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.cli.report import change_groups, visitors, warning_groups
from pressync.cli.report.documents import RESULT_WORDS, plan_counts, record
from pressync.model.changes import Block, Blocked, Create, Delete, Keep, Result, Update
from pressync.model.printable import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pressync.model.changes import Change, Outcome, Plan
    from pressync.model.outcomes import RunResult, Standing

_GREEN, _YELLOW, _RED, _DIM, _BOLD = "32", "33", "31", "2", "1"
CHANGE_MARKS: Mapping[type[Change], tuple[str, str]] = {
    Create: ("+", _GREEN),
    Update: ("~", _YELLOW),
    Delete: ("-", _RED),
    Blocked: ("!", _RED),
    Keep: ("=", _DIM),
}
_RESULT_COLOURS: Mapping[Result, str] = {
    Result.DONE: _GREEN,
    Result.FAILED: _RED,
    Result.SKIPPED: _DIM,
    Result.BLOCKED: _RED,
    Result.IN_DOUBT: _RED,
    Result.KEPT: _DIM,
}
# The state in JSON -> the words for people, and their colour.
_STATES: Mapping[str, tuple[str, str]] = {
    "in_step": ("up to date", _GREEN),
    "changed": ("changed", _YELLOW),
    "new": ("new", _YELLOW),
    "deleted": ("deleted", _YELLOW),
    "blocked": ("blocked", _RED),
    "conflict": ("conflict", _RED),
    "in_doubt": ("unconfirmed", _RED),
}
# The word for one of these states says enough without a reason.
_PLAIN = frozenset({"in_step", "changed", "deleted"})


def plan(plan: Plan, *, colour: bool = False, diffs: Mapping[str, str] | None = None) -> str:
    """Show the plan for its reviewer; each text of `diffs` stands under the change of its path."""
    lines = [plan_head(plan), ""]
    shown = [change for change in plan.changes if not isinstance(change, Keep) or change.reason]
    groups = change_groups.of_changes(shown, diffs or ())
    cells = [_cells(group[0]) for group in groups]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for change, *alike in groups:
        others = warning_groups.others([other.path for other in alike])
        lines.append(_change_line(change, widths, colour=colour) + others)
        if diffs and change.path in diffs:
            lines += [_diff_line(line, colour=colour) for line in diffs[change.path].splitlines()]
    if shown:
        lines.append("")
    if diffs is None:
        lines += _hint(plan.changes)
    return "\n".join([*lines, *plan_end(plan, colour=colour)]) + "\n"


def _hint(changes: Iterable[Change]) -> list[str]:
    """Name the command that shows both sides of conflicts."""
    count = sum(isinstance(change, Blocked) and change.block is Block.CONFLICT for change in changes)
    shows = "`pressync plan --diff` shows what was last sent and what the site has now"
    return [f"{counted(count, 'conflict')}: {shows}."] if count else []


def plan_head(plan: Plan) -> str:
    """Name the site and the commit of a plan."""
    return f"Plan for site {one_line(plan.site)} at commit {plan.commit[:10]} ({one_line(plan.target)})"


def plan_end(plan: Plan, *, colour: bool = False) -> list[str]:
    """Write the lines below the changes: refusals, notes and numbers."""
    refusals = (f"Sync would refuse: {one_line(str(refusal))}" for refusal in plan.refusals)
    return [
        *(_paint(refusal, _RED, colour=colour) for refusal in refusals),
        *(one_line(note) for note in (*visitors.of_plan(plan), *plan.notes)),
        _paint(plan_summary(plan), _BOLD, colour=colour),
    ]


def plan_summary(plan: Plan) -> str:
    """Summarise the plan in one sentence, or in two."""
    counts = plan_counts(plan)
    if not plan.pending and not counts["blocked"]:
        return f"Nothing to do: {_up_to_date(counts['keep'])}."
    parts = [f"{counts[name]} to {name}" for name in ("create", "update", "delete") if counts[name]]
    parts += [f"{counts['blocked']} blocked"] if counts["blocked"] else []
    parts.append(f"{counts['keep']} up to date")
    sentence = f"Plan: {', '.join(parts)}."
    if plan.second_writes:
        pages = "page is" if plan.second_writes == 1 else "pages are"
        sentence += (
            f" {plan.second_writes} {pages} written a second time, "
            "to complete links to pages made or moved in this run."
        )
    return sentence


def question(plan: Plan) -> str:
    """Ask whether to send a plan, after the numbers of what speaks against it."""
    warnings = sum(problem.warning for problem in plan.problems)
    found = [(len(plan.problems) - warnings, "problem"), (warnings, "warning")]
    counts = ", ".join(counted(number, word) for number, word in found if number)
    return f"{counts}. " * bool(counts) + f"Send {counted(len(plan.pending), 'change')}?"


def counted(number: int, word: str) -> str:
    """Write a number with its noun; the noun takes an s where there is not exactly one."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def run(result: RunResult, *, colour: bool = False) -> str:
    """Show what a sync did: the outcomes that need a person, then the numbers.

    One reason can skip thousands of changes, and one rule of a service can change thousands of values.
    Nobody would find a failure between so many lines, so equal messages become one line.
    """
    changed = [(o.change.path, o.message) for o in result.outcomes if o.result is Result.DONE and o.message]
    word = _paint("warning", _YELLOW, colour=colour)
    lines = [f"{word}: {warning_groups.line(group)}" for group in warning_groups.groups(changed)]
    for outcome, *alike in change_groups.of_outcomes(result.outcomes):
        lines.append(_outcome_line(outcome, colour=colour, more=len(alike)))
    lines += _hint(outcome.change for outcome in result.outcomes)
    lines += map(one_line, visitors.of_run(result.outcomes))
    lines.append(_paint(run_summary(result), _BOLD, colour=colour))
    return "\n".join(lines) + "\n"


def run_summary(result: RunResult) -> str:
    """Summarise a run in one sentence."""
    counts, site = result.counts, one_line(result.plan.site)
    parts = [
        f"{counts[kind.value]} {word}"
        for kind, word in RESULT_WORDS.items()
        if kind is not Result.KEPT and counts[kind.value]
    ]
    if not parts:
        return f"Nothing to do: {_up_to_date(counts['kept'])} with {site}."
    return f"Sync of {site} at {result.plan.commit[:10]}: {', '.join(parts)}, {counts['kept']} up to date."


def status(standings: Sequence[Standing], *, colour: bool = False) -> str:
    """Show each record on a line: its state, kind and id, path, time of modification and address.

    If a record is blocked, in conflict or unconfirmed, the reason stands on a second line.
    """
    if not standings:
        return "No documents and no records.\n"
    width = max(len(one_line(standing.path)) for standing in standings)
    seen_width = max(len(standing.visibility.status) for standing in standings)
    lines = []
    for standing in standings:
        entry, seen = standing.entry, standing.visibility
        about = f"{standing.kind.value} {entry.id}" if entry else standing.kind.value
        word, paint = _STATES[standing.state]
        state = _paint(f"{word:<11}", paint, colour=colour)
        rest = f"{entry.modified}  {visitors.address(standing)}" if entry else standing.reason
        rest += f"  visible from {seen.date}" if seen.date else ""
        path = f"{one_line(standing.path):<{width}} "
        cells = (f"{about:<11}", f"{seen.status:<{seen_width}}", path, one_line(rest))
        lines.append(" ".join((state, *filter(None, cells))).rstrip())
        if entry and standing.state not in _PLAIN:
            lines.append(f"{'':<24}{one_line(standing.reason)}")
    return "\n".join(lines) + "\n"


def _cells(change: Change) -> tuple[str, str, str]:
    return one_line(change.path), f"{record(change):<10}", visitors.status(change)


def _change_line(change: Change, widths: Sequence[int], *, colour: bool) -> str:
    mark, paint = CHANGE_MARKS[type(change)]
    cells = [f"{cell:<{width}}" for cell, width in zip(_cells(change), widths, strict=True) if width]
    return "  ".join(
        [f"  {_paint(mark, paint, colour=colour)} " + cells[0], *cells[1:], one_line(visitors.reason(change))]
    ).rstrip()


def _outcome_line(outcome: Outcome, *, colour: bool, more: int = 0) -> str:
    word, paint = RESULT_WORDS[outcome.result], _RESULT_COLOURS[outcome.result]
    path = one_line(outcome.change.path) + (f" and {more} more" if more else "")
    parts = (_paint(word, paint, colour=colour), path, one_line(outcome.message))
    return ": ".join(filter(None, parts))


def _diff_line(line: str, *, colour: bool) -> str:
    paint = _GREEN if line.startswith("+") else _RED if line.startswith("-") else _DIM
    # A GitHub runner takes a line of blanks and `::` for a command. Behind the bar it is plain text.
    return f"      | {_paint(printable(f'| {line}').removeprefix('| '), paint, colour=colour)}"


def _up_to_date(count: int) -> str:
    return f"{count} record is up to date" if count == 1 else f"{count} records are up to date"


def _paint(text: str, code: str, *, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour and text else text

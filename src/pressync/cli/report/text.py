"""A plan and a run as text, for a person at a terminal or in a log.

Each change is one line with its reason. The numbers come last, because the last line is what people see
first. The caller decides about colour, because only the caller knows the terminal.
"""

from __future__ import annotations

import posixpath
from shlex import quote
from typing import TYPE_CHECKING

from pressync.cli.report import groups, visitors
from pressync.cli.report.documents import RESULT_WORDS, plan_counts, record
from pressync.cli.report.layout import BOLD, DIFF, DIM, GREEN, RED, YELLOW, paint, table
from pressync.config.keys import EMBEDDED
from pressync.model.changes import Block, Blocked, Create, Delete, Keep, Result, Update
from pressync.model.printable import one_line, printable
from pressync.plan.reasons import PULLABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pressync.model.changes import Change, Outcome, Plan
    from pressync.model.outcomes import RunResult

CHANGE_MARKS: Mapping[type[Change], tuple[str, str]] = {
    Create: ("+", GREEN),
    Update: ("~", YELLOW),
    Delete: ("-", RED),
    Blocked: ("!", RED),
    Keep: ("=", DIM),
}
_PULL = "pressync pull"
# A command names at most this many paths; for more of them it names their folder.
_NAMED = 3
_RESULT_COLOURS: Mapping[Result, str] = {
    Result.DONE: GREEN,
    Result.FAILED: RED,
    Result.SKIPPED: DIM,
    Result.BLOCKED: RED,
    Result.UNCONFIRMED: RED,
    Result.KEPT: DIM,
}


def plan(plan: Plan, *, head: str = "", colour: bool = False, diffs: Mapping[str, str] | None = None) -> str:
    """Show the plan for its reviewer; each text of `diffs` stands under the change of its path."""
    lines = [head or plan_head(plan), ""]
    shown = [change for change in plan.changes if not isinstance(change, Keep) or change.why]
    grouped = groups.of_changes(shown, diffs or ())
    rows = table([_cells(group) for group in grouped])
    for (change, *_), row in zip(grouped, rows, strict=True):
        mark, code = CHANGE_MARKS[type(change)]
        lines.append(f"  {paint(mark, code, colour=colour)} {row}")
        if diffs and change.path in diffs:
            lines += [_diff_line(line, colour=colour) for line in diffs[change.path].splitlines()]
    if shown:
        lines.append("")
    if diffs is None:
        lines += _hint((change for change in plan.changes if _is_conflict(change)), drift=plan.compared)
    return "\n".join([*lines, *plan_end(plan, colour=colour)]) + "\n"


def _is_conflict(change: Change) -> bool:
    """Tell whether a change has two sides to show; a record that was deleted has one."""
    return isinstance(change, Blocked) and change.block is Block.CONFLICT and bool(change.fields)


def _hint(conflicts: Iterable[Change], *, drift: bool = False) -> list[str]:
    """Name the commands for conflicts; `drift` tells that only a look finds them, so `pull` needs paths."""
    found = list(conflicts)
    paths = [change.path for change in found if change.why.code in PULLABLE]
    if len(paths) > _NAMED:
        # A command that is cut would pull some of them alone.
        paths = [posixpath.commonpath(paths) or "."]
    named = "".join(f" {quote(path)}" for path in paths) if drift else ""
    pulls = f"; `{_PULL}{named}` takes the site's text into the files" if paths else ""
    shows = f"`pressync plan {'--drift ' * drift}--diff` shows what was last sent and what the site has now"
    return [one_line(f"{counted(len(found), 'conflict')}: {shows}{pulls}.")] if found else []


def plan_head(plan: Plan) -> str:
    """Name the site and the commit of a plan."""
    return f"Plan for site {one_line(plan.site)} at commit {plan.commit[:10]} ({one_line(plan.target)})"


def plan_end(plan: Plan, *, colour: bool = False) -> list[str]:
    """Write the lines below the changes: refusals, notes and numbers."""
    refusals = (f"Sync would refuse: {one_line(str(refusal))}" for refusal in plan.refusals)
    return [
        *(paint(refusal, RED, colour=colour) for refusal in refusals),
        *(one_line(note) for note in (*visitors.of_plan(plan), *plan.notes)),
        paint(plan_summary(plan), BOLD, colour=colour),
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
        pages = "page links" if plan.second_writes == 1 else "pages link"
        them = "it" if plan.second_writes == 1 else "them"
        sentence += (
            f" {plan.second_writes} {pages} to new pages: if the site gives those other addresses than "
            f"expected, the sync sends {them} twice."
        )
    return sentence + later(plan)


def later(plan: Plan) -> str:
    """Say how many changes a limit leaves to later syncs; "" if there are none."""
    if not plan.later:
        return ""
    changes = "1 more change is" if plan.later == 1 else f"{plan.later} more changes are"
    return f" {changes} left for later syncs."


def question(plan: Plan) -> str:
    """Ask whether to send a plan, after the numbers of what speaks against it."""
    found = {
        word: [problem for problem in plan.problems if problem.warning is warning]
        for word, warning in (("problem", False), ("warning", True))
    }
    counts = ", ".join(groups.count_problems(these, word) for word, these in found.items() if these)
    return f"{counts}. " * bool(counts) + f"Send {counted(len(plan.pending), 'change')}?"


def counted(number: int, word: str) -> str:
    """Write a number with its noun; the noun takes an s where there is not exactly one."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def run(result: RunResult, *, colour: bool = False) -> str:
    """Show what a sync did: the outcomes that need a person, then the numbers."""
    lines = [*run_lines(result, colour=colour), paint(run_summary(result), BOLD, colour=colour)]
    return "\n".join(lines) + "\n"


def run_lines(
    result: RunResult, *, previews: bool = True, login: bool = True, colour: bool = False
) -> list[str]:
    """List the outcomes that need a person, and what visitors do not see with its `previews`.

    One reason can skip thousands of changes, and one rule of a service can change thousands of values.
    Nobody would find a failure between so many lines, so equal messages become one line.
    """
    changed = [(o.change.path, o.message) for o in result.outcomes if o.result is Result.DONE and o.message]
    word = paint("warning", YELLOW, colour=colour)
    lines = [f"{word}: {groups.line(group)}" for group in groups.of_messages(changed)]
    wanting = [outcome for outcome in result.outcomes if outcome.result not in {Result.DONE, Result.KEPT}]
    lines += [_outcome_line(group, colour=colour) for group in groups.of_outcomes(wanting)]
    conflicts = (
        o.change for o in result.outcomes if _is_conflict(o.change) or (o.entry and o.entry.conflict)
    )
    lines += _hint(conflicts, drift=result.plan.compared)
    lines += map(
        one_line,
        visitors.of_run(result.outcomes, previews=previews, login=login and result.plan.target != EMBEDDED),
    )
    return lines


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
    numbers = f"{', '.join(parts)}, {counts['kept']} up to date"
    run = f" Run {result.run}." if result.run else ""
    return f"Sync of {site} at {result.plan.commit[:10]}: {numbers}.{later(result.plan)}{run}"


def _cells(alike: Sequence[Change]) -> tuple[str, ...]:
    change = alike[0]
    reason = one_line(groups.sentence([(each.path, visitors.reason(each)) for each in alike], named=True))
    return one_line(change.path), f"{record(change):<10}", visitors.status(change), reason


def _outcome_line(alike: Sequence[Outcome], *, colour: bool) -> str:
    outcome, more = alike[0], len(alike) - 1
    word, code = RESULT_WORDS[outcome.result], _RESULT_COLOURS[outcome.result]
    path = one_line(outcome.change.path) + (f" and {more} more" if more else "")
    message = groups.sentence([(each.change.path, each.message) for each in alike])
    parts = (paint(word, code, colour=colour), path, one_line(message))
    return ": ".join(filter(None, parts))


def _diff_line(line: str, *, colour: bool) -> str:
    code = GREEN if line.startswith("+") else RED if line.startswith("-") else DIM
    # A GitHub runner takes a line of blanks and `::` for a command. Behind the bar it is plain text.
    return f"{DIFF}{paint(printable(f'| {line}').removeprefix('| '), code, colour=colour)}"


def _up_to_date(count: int) -> str:
    return f"{count} record is up to date" if count == 1 else f"{count} records are up to date"

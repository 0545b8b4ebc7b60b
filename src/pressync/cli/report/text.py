"""Plan, run and status as text for a person at a terminal or reading a log.

One line per change, its reason behind it, numbers last: the line that people look for is where the eye
ends up. Colour is the caller's word, since only the caller knows the terminal.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pressync.cli.report import warning_groups
from pressync.cli.report.documents import plan_counts
from pressync.model.changes import Blocked, Create, Delete, Keep, Result, Update
from pressync.model.printable import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.model.changes import Change, Outcome, Plan
    from pressync.model.outcomes import RunResult, Standing

_GREEN, _YELLOW, _RED, _DIM, _BOLD = "32", "33", "31", "2", "1"
_MARKS: Mapping[type[Change], tuple[str, str]] = {
    Create: ("+", _GREEN),
    Update: ("~", _YELLOW),
    Delete: ("-", _RED),
    Blocked: ("!", _RED),
    Keep: ("=", _DIM),
}
_RESULTS: Mapping[Result, tuple[str, str]] = {
    Result.DONE: ("done", _GREEN),
    Result.FAILED: ("failed", _RED),
    Result.SKIPPED: ("skipped", _DIM),
    Result.BLOCKED: ("blocked", _RED),
    Result.IN_DOUBT: ("in doubt", _RED),
    Result.KEPT: ("kept", _DIM),
}
_STATES: Mapping[str, str] = {
    "in_step": _GREEN,
    "changed": _YELLOW,
    "new": _YELLOW,
    "deleted": _YELLOW,
    "blocked": _RED,
    "conflict": _RED,
    "in_doubt": _RED,
}
# The states of a record that need no reason: the word says it all.
_PLAIN = frozenset({"in_step", "changed", "deleted"})


def plan(drawn: Plan, *, colour: bool = False, diffs: Mapping[str, str] | None = None) -> str:
    """Show the plan as its reviewer reads it; `diffs` stand under the changes of their paths."""
    lines = [f"Plan for site {one_line(drawn.site)} at commit {drawn.commit[:10]} ({one_line(drawn.target)})"]
    lines.append("")
    shown = [change for change in drawn.changes if not isinstance(change, Keep) or change.reason]
    width = max((len(one_line(change.path)) for change in shown), default=0)
    for change in shown:
        lines.append(_change_line(change, width, colour=colour))
        if diffs and change.path in diffs:
            lines += [_diff_line(line, colour=colour) for line in diffs[change.path].splitlines()]
    if shown:
        lines.append("")
    refusals = (f"Sync would refuse: {one_line(refusal)}" for refusal in drawn.refusals)
    lines += [_paint(refusal, _RED, colour=colour) for refusal in refusals]
    lines += [one_line(note) for note in drawn.notes]
    lines.append(_paint(plan_summary(drawn), _BOLD, colour=colour))
    return "\n".join(lines) + "\n"


def plan_summary(drawn: Plan) -> str:
    """Say the plan in one sentence, or two."""
    counts = plan_counts(drawn)
    if not drawn.pending and not counts["blocked"]:
        return f"Nothing to do: {counts['keep']} {_records(counts['keep'])} in step."
    said = [f"{counts[name]} to {name}" for name in ("create", "update", "delete") if counts[name]]
    said += [f"{counts['blocked']} blocked"] if counts["blocked"] else []
    said.append(f"{counts['keep']} in step")
    sentence = f"Plan: {', '.join(said)}."
    if drawn.second_writes:
        pages = "page is" if drawn.second_writes == 1 else "pages are"
        sentence += (
            f" {drawn.second_writes} {pages} written a second time, "
            "to complete links to pages made or moved in this run."
        )
    return sentence


def run(ended: RunResult, *, colour: bool = False, site_link: str = "") -> str:
    """Show what a sync did: whatever needs a person's eye, then the numbers.

    One reason skips thousands, and one rule of a service changes them: between so many lines nobody would
    find what failed. So those that say the same are one line.
    """
    skipped = Counter(o.message for o in ended.outcomes if o.result is Result.SKIPPED)
    bent = [(o.change.path, o.message) for o in ended.outcomes if o.result is Result.DONE and o.message]
    word = _paint("warning", _YELLOW, colour=colour)
    lines = [f"{word}: {warning_groups.line(group)}" for group in warning_groups.groups(bent)]
    for outcome in ended.outcomes:
        if outcome.result is Result.SKIPPED:
            count = skipped.pop(outcome.message, 0)
            lines += [_outcome_line(outcome, colour=colour, more=count - 1)] if count else []
        elif outcome.result not in {Result.KEPT, Result.DONE}:
            lines.append(_outcome_line(outcome, colour=colour))
    lines.append(_paint(run_summary(ended), _BOLD, colour=colour))
    if site_link:
        lines.append(f"Look at it: {one_line(site_link)}")
    return "\n".join(lines) + "\n"


def run_summary(ended: RunResult) -> str:
    """Say a run in one sentence."""
    counts, site = ended.counts, one_line(ended.plan.site)
    keys = ("done", "failed", "skipped", "blocked", "in_doubt")
    said = [f"{counts[key]} {key.replace('_', ' ')}" for key in keys if counts[key]]
    if not said:
        return f"Nothing to do: {counts['kept']} {_records(counts['kept'])} in step with {site}."
    return f"Sync of {site} at {ended.plan.commit[:10]}: {', '.join(said)}, {counts['kept']} in step."


def status(standings: Sequence[Standing], *, colour: bool = False) -> str:
    """Show every record on a line: state, kind and id, path, modified, address.

    Below a record that is neither in step nor about to be stands the reason.
    """
    if not standings:
        return "No documents and no records.\n"
    width = max(len(one_line(standing.path)) for standing in standings)
    lines = []
    for standing in standings:
        entry = standing.entry
        about = f"{standing.kind.value} {entry.id}" if entry else standing.kind.value
        state = _paint(f"{standing.state:<9}", _STATES[standing.state], colour=colour)
        rest = f"{entry.modified}  {entry.link}" if entry else standing.reason
        lines.append(f"{state} {about:<11} {one_line(standing.path):<{width}}  {one_line(rest)}".rstrip())
        if entry and standing.state not in _PLAIN:
            lines.append(f"{'':<22}{one_line(standing.reason)}")
    return "\n".join(lines) + "\n"


def _change_line(change: Change, width: int, *, colour: bool) -> str:
    mark, paint = _MARKS[type(change)]
    record = "" if isinstance(change, Create) or change.id is None else f" {change.id}"
    about = f"{change.kind.value}{record}"
    line = f"  {_paint(mark, paint, colour=colour)} {one_line(change.path):<{width}}  {about:<10}"
    return f"{line}  {one_line(change.reason)}".rstrip()


def _outcome_line(outcome: Outcome, *, colour: bool, more: int = 0) -> str:
    word, paint = _RESULTS[outcome.result]
    path = one_line(outcome.change.path) + (f" and {more} more" if more else "")
    parts = (_paint(word, paint, colour=colour), path, one_line(outcome.message))
    return ": ".join(filter(None, parts))


def _diff_line(line: str, *, colour: bool) -> str:
    paint = _GREEN if line.startswith("+") else _RED if line.startswith("-") else _DIM
    # The bar: a runner would take a line that begins with blanks and `::` for a command. Behind a bar it is
    # text, and is left as it is.
    return f"      | {_paint(printable(f'| {line}').removeprefix('| '), paint, colour=colour)}"


def _records(count: int) -> str:
    return "record" if count == 1 else "records"


def _paint(text: str, code: str, *, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour and text else text

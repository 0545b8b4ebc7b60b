"""A plan, a run, states and the manifest as text, for a person at a terminal or in a log.

Each change is one line with its reason. A site has thousands of records, so a state is a row, and a reason
that many records share stands below the rows once. The numbers come last, because the last line is what
people see first. The caller decides about colour, because only the caller knows the terminal.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from pressync.cli.log import AS_LAST_SYNCED
from pressync.cli.report import words
from pressync.cli.report.layout import BOLD, DIFF, DIM, GREEN, RED, YELLOW, paint, table, wrapped
from pressync.cli.report.words import RESULT_WORDS, PlanExtras, ReportRow, plan_counts
from pressync.config.keys import EMBEDDED
from pressync.model.changes import (
    Block,
    Blocked,
    Change,
    Create,
    Delete,
    Keep,
    NotCompared,
    Plan,
    Result,
    Update,
)
from pressync.model.printable import counted, listed, one_line, printable
from pressync.plan.reasons import PULLABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pressync.app.propose import Proposal
    from pressync.model.outcomes import RunResult, Standing
    from pressync.model.records import Manifest
    from pressync.state.clone_facts import RunRecord
    from pressync.state.clone_log import EditorNote

CHANGE_MARKS: Mapping[type[Change], tuple[str, str]] = {
    Create: ("+", GREEN),
    Update: ("~", YELLOW),
    Delete: ("-", RED),
    Blocked: ("!", RED),
    Keep: ("=", DIM),
    NotCompared: ("?", YELLOW),
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
TO_DO: dict[type[Change], str] = {
    Create: "to create",
    Update: "to update",
    Delete: "to delete",
    Blocked: "blocked",
    Keep: "to note in the manifest",
    NotCompared: "not compared",
}
_UP_TO_DATE = ("record is up to date", "records are up to date")
# More reasons of one kind, and more folders, than this are counted.
_SHOWN = 10
# `content/pages/docs` is one folder at the top.
_DEPTH = 3


class _State(NamedTuple):
    """The word of a row, its colour, and the words after the number of records in this state."""

    word: str
    colour: str
    counted: str


# The states of JSON, in the order of the numbers.
_STATES = {
    "new": _State("new", YELLOW, "to create"),
    "changed": _State("changed", YELLOW, "changed"),
    "deleted": _State("deleted", YELLOW, "to delete"),
    "blocked": _State("blocked", RED, "blocked"),
    "conflict": _State("conflict", RED, "in conflict"),
    "in_doubt": _State("unconfirmed", RED, "unconfirmed"),
    "in_step": _State("up to date", GREEN, "up to date"),
}
# For these states a person needs to know the reason.
_EXPLAINED = frozenset({"blocked", "conflict", "in_doubt"})


def plan(plan: Plan, *, head: str = "", colour: bool = False, diffs: Mapping[str, str] | None = None) -> str:
    """Show the plan for its reviewer; each text of `diffs` stands under the change of its path."""
    lines = [head or plan_head(plan), ""]
    compared = words.with_markup(plan, diffs) or {}
    named = [change for change in plan.changes if not isinstance(change, Keep) or change.why]
    report_rows = words.change_rows(named, compared)
    rows = table([_cells(row) for row in report_rows])
    for change, row in zip((report_row.change for report_row in report_rows), rows, strict=True):
        mark, code = CHANGE_MARKS[type(change)]
        lines.append(f"  {paint(mark, code, colour=colour)} {row}")
        if change.path in compared:
            lines += _diff(compared[change.path], colour=colour)
    lines += [""] * bool(named)
    if diffs is None:
        lines += _hint((change for change in plan.changes if _is_conflict(change)), drift=plan.compared)
    return "\n".join([*lines, *plan_end(plan, colour=colour)]) + "\n"


def markup(plan: Plan, *, colour: bool = False) -> str:
    """Show the texts of the site that a plan replaces as a whole, and what replaces them."""
    diffs = words.with_markup(plan, None) or {}
    lines = [line for path, diff in diffs.items() for line in (one_line(path), *_diff(diff, colour=colour))]
    return "".join(f"{line}\n" for line in lines)


def _diff(compared: str, *, colour: bool) -> Iterator[str]:
    for line in compared.splitlines():
        code = {"+": GREEN, "-": RED}.get(line[:1], DIM)
        # A GitHub runner takes a line of blanks and `::` for a command. Behind the bar it is text.
        shown = printable(f"| {line}").removeprefix("| ")
        yield f"{DIFF}{paint(shown, code, colour=colour)}"


def _is_conflict(change: Change) -> bool:
    """Tell whether a change has two sides to show; a record that was deleted has one."""
    return isinstance(change, Blocked) and change.block is Block.CONFLICT and bool(change.fields)


def _hint(conflicts: Iterable[Change], *, drift: bool) -> list[str]:
    """Name the commands for conflicts; `drift` tells that only a look finds them, so `pull` needs paths."""
    changes = list(conflicts)
    paths = [change.path for change in changes if change.why.code in PULLABLE]
    if len(paths) > _NAMED:
        # A command that is cut would pull some of them alone.
        paths = [posixpath.commonpath(paths) or "."]
    named = "".join(f" {quote(path)}" for path in paths) if drift else ""
    pulls = f"; `{_PULL}{named}` takes the site's text into the files" if paths else ""
    shows = f"`pressync plan {'--drift ' * drift}--diff` shows what was last sent and what the site has now"
    return [one_line(f"{counted(len(changes), 'conflict')}: {shows}{pulls}.")] if changes else []


def plan_extras(extras: PlanExtras) -> list[str]:
    """Write the open notes of editors, the link to the changed pages, and the pages that it does not have."""
    look = extras.look
    link = [f"{words.LOOK}: {look.address}"] if look and look.shown else []
    return [*editor_notes(extras.noted), *link, *words.look_notes(look)]


def proposal(made: Proposal) -> list[str]:
    """Say which edits of the site a branch has, and why others are left."""
    lines = []
    for edit in made.edits:
        author = made.authors[edit.path]
        lines.append(one_line(f"  {edit.path}: {', '.join(edit.taken)}{author and f' (by {author})'}"))
    for edit in made.edits:
        lines += [one_line(f"  {edit.path}: not all of it: {why}") for why in edit.problems]
    lines += [one_line(f"  {path}: left: {why}") for path, why in made.left]
    files = counted(len(made.edits), "file")
    head = f"Edits of the site {one_line(made.site)} in {files}, {len(made.left)} left."
    return [head, *lines] if lines or made.commit else ["Nothing to propose: nothing was edited on the site."]


def plan_head(plan: Plan) -> str:
    """Name the site and the commit of a plan."""
    return f"Plan for site {one_line(plan.site)} at commit {plan.commit[:10]} ({one_line(plan.target)})"


def plan_end(plan: Plan, *, colour: bool = False) -> list[str]:
    """Write the lines below the changes: refusals, notes and numbers."""
    refusals = (f"Sync would refuse: {one_line(str(refusal))}" for refusal in plan.refusals)
    return [
        *(paint(refusal, RED, colour=colour) for refusal in refusals),
        *(one_line(note) for note in (*words.plan_notes(plan), *plan.notes)),
        paint(plan_summary(plan), BOLD, colour=colour),
    ]


def plan_summary(plan: Plan) -> str:
    """Summarise the plan in one sentence, or in two."""
    counts = plan_counts(plan)
    if not (plan.pending or counts["blocked"] or plan.not_compared):
        since = "" if plan.compared else AS_LAST_SYNCED
        return f"Nothing to do: {counted(counts['keep'], *_UP_TO_DATE)}{since}."
    parts = [f"{counts[name]} to {name}" for name in ("create", "update", "delete") if counts[name]]
    parts += [f"{counts['blocked']} blocked"] if counts["blocked"] else []
    parts.append(f"{counts['keep']} up to date")
    parts += [f"{len(plan.not_compared)} not compared"] if plan.not_compared else []
    sentence = f"Plan: {', '.join(parts)}."
    if plan.second_writes:
        pages = counted(plan.second_writes, "page links", "pages link")
        them = "it" if plan.second_writes == 1 else "them"
        sentence += (
            f" {pages} to new pages: if the site gives those other addresses than expected, the sync sends "
            f"{them} twice."
        )
    return sentence + later(plan)


def later(plan: Plan) -> str:
    """Say how many changes a limit leaves to later syncs; "" if there are none."""
    changes = counted(plan.later, "more change is", "more changes are")
    return f" {changes} left for later syncs." if plan.later else ""


def question(plan: Plan) -> str:
    """Ask whether to send a plan, after the numbers of what speaks against it."""
    groups = {
        word: [problem for problem in plan.problems if problem.warning is warning]
        for word, warning in (("problem", False), ("warning", True))
    }
    counts = ", ".join(words.count_problems(these, word) for word, these in groups.items() if these)
    return f"{counts}. " * bool(counts) + f"Send {counted(len(plan.pending), 'change')}?"


def run(result: RunResult, *, colour: bool = False) -> str:
    """Show what a sync did: the outcomes that need a person, then the numbers."""
    lines = [*run_lines(result, colour=colour), paint(run_summary(result), BOLD, colour=colour)]
    return "\n".join(lines) + "\n"


def run_lines(
    result: RunResult, *, previews: bool = True, login: bool = True, colour: bool = False
) -> list[str]:
    """List the outcomes that need a person, equal ones in one line, and what visitors do not see."""
    changed = [(o.change.path, o.message) for o in result.outcomes if o.result is Result.DONE and o.message]
    word = paint("warning", YELLOW, colour=colour)
    lines = [f"{word}: {words.group_line(group)}" for group in words.grouped_messages(changed)]
    wanting = [outcome for outcome in result.outcomes if outcome.result not in {Result.DONE, Result.KEPT}]
    lines += [_outcome_line(row, colour=colour) for row in words.outcome_rows(wanting)]
    edited = (o for o in result.outcomes if _is_conflict(o.change) or getattr(o.entry, "conflict", None))
    lines += _hint((outcome.change for outcome in edited), drift=result.plan.compared)
    lines += map(
        one_line,
        words.run_notes(result.outcomes, previews=previews, login=login and result.plan.target != EMBEDDED),
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
        since = "" if result.plan.compared else AS_LAST_SYNCED
        return f"Nothing to do: {counted(counts['kept'], *_UP_TO_DATE)} with {site}{since}."
    numbers = f"{', '.join(parts)}, {counts['kept']} up to date"
    run = f" Run {result.run}." if result.run else ""
    return f"Sync of {site} at {result.plan.commit[:10]}: {numbers}.{later(result.plan)}{run}"


def _cells(row: ReportRow) -> tuple[str, ...]:
    cells = (f"{row.record:<10}", words.status(row.change), one_line(row.why(named=True)))
    return one_line(row.change.path), *cells


def _outcome_line(row: ReportRow, *, colour: bool) -> str:
    word = paint(RESULT_WORDS[row.result], _RESULT_COLOURS[row.result], colour=colour) if row.result else ""
    return ": ".join(filter(None, (word, one_line(listed(row.paths, 1)), one_line(row.why()))))


def numbers(plan: Plan, *, colour: bool = False) -> str:
    """Count the changes of a plan, with a line for each kind, reason and folder."""
    changes = [change for change in plan.changes if not isinstance(change, Keep) or change.why]
    lines = [plan_head(plan), ""]
    for type_, to_do in TO_DO.items():
        mark, _ = CHANGE_MARKS[type_]
        for kind in sorted({change.kind for change in changes if type(change) is type_}):
            some = [change for change in changes if type(change) is type_ and change.kind == kind]
            lines.append(f"  {mark} {counted(len(some), str(kind))} {to_do}")
            lines += _counted_reasons(some)
    lines += [""] * bool(changes)
    lines += _folders(changes)
    for warning, word in ((False, "problem"), (True, "warning")):
        codes = Counter(str(problem.code) for problem in plan.problems if problem.warning is warning)
        if codes:
            named = ", ".join(f"{count} {code}" for code, count in codes.most_common())
            lines.append(f"{counted(codes.total(), word)}: {named}; `pressync check` lists them.")
    return "\n".join([*lines, *plan_end(plan, colour=colour)]) + "\n"


def _counted_reasons(changes: list[Change]) -> list[str]:
    """Count equal reasons, with the status of what is created."""
    firsts: dict[object, str] = {}
    counts: Counter[object] = Counter()
    for change in changes:
        status = words.status(change) if isinstance(change, Create) else ""
        same = (status, words.alike(change))
        reason = words.general(change.reason, change.path)
        firsts.setdefault(same, ", ".join(filter(None, (one_line(reason), status))))
        counts[same] += 1
    lines = [f"      {count:>6,}  {firsts[same]}" for same, count in counts.most_common(_SHOWN)]
    left = counts.most_common()[_SHOWN:]
    return lines + ([f"      {sum(n for _, n in left):>6,}  for {len(left)} other reasons"] if left else [])


def _folders(changes: Iterable[Change]) -> list[str]:
    by_folder: dict[str, Counter[str]] = {}
    for change in changes:
        folder = "/".join(change.path.split("/")[:-1][:_DEPTH]) or "."
        by_folder.setdefault(folder, Counter())[CHANGE_MARKS[type(change)][0]] += 1
    if len(by_folder) < 2:  # noqa: PLR2004 - one folder says nothing that the numbers above do not say
        return []
    rows = sorted(by_folder.items(), key=lambda row: (-row[1].total(), row[0]))
    width = max(len(one_line(folder)) for folder, _ in rows[:_SHOWN])
    lines = [f"  {one_line(folder):<{width}}  {_marks(counts)}" for folder, counts in rows[:_SHOWN]]
    left = rows[_SHOWN:]
    if left:
        rest = _marks(sum((counts for _, counts in left), Counter()))
        lines.append(f"  {f'{len(left)} other folders':<{width}}  {rest}")
    return [*lines, ""]


def _marks(counts: Counter[str]) -> str:
    return "  ".join(f"{mark} {count:,}" for mark, count in sorted(counts.items()))


def editor_notes(notes: Iterable[EditorNote]) -> list[str]:
    """Write a line for each open note of an editor: place, id, who, about what, and the text."""
    return [one_line(f"{note.path}:{note.line}: {words.editor_note(note)}") for note in notes]


def status(
    standings: Sequence[Standing],
    notes: Sequence[EditorNote] = (),
    *,
    colour: bool = False,
    columns: int | None = None,
) -> str:
    """Show each record in a row; below the rows stand the reasons that need a person, and the numbers."""
    if not standings:
        return "No documents and no records; `pressync plan` says where documents have to be.\n"
    states = [_STATES[standing.state] for standing in standings]
    indent = max(len(state.word) for state in states) + 2
    lines = []
    rows = list(map(_row, standings))
    heads = [head if any(cells) else "" for head, cells in zip(_HEADS, zip(*rows, strict=True), strict=True)]
    first, *rest = table([heads, *rows])
    lines.append(paint(wrapped(first, columns, indent), BOLD, colour=colour))
    for state, row in zip(states, rest, strict=True):
        word = paint(state.word, state.colour, colour=colour)
        lines.append(word + wrapped(row, columns, indent).removeprefix(state.word))
    lines.append("")
    explained = (standing for standing in standings if standing.state in _EXPLAINED)
    for alike in words.grouped(explained, lambda standing: words.same_reason(standing.why, standing.path)):
        pairs = [(standing.path, standing.reason) for standing in alike]
        lines += [wrapped(line, columns, 4) for line in words.whole_group(pairs)]
    shown = {standing.path for standing in standings}
    lines += [wrapped(note, columns, 4) for note in editor_notes(n for n in notes if n.path in shown)]
    numbers = Counter(standing.state for standing in standings)
    counts = ", ".join(f"{numbers[name]} {state.counted}" for name, state in _STATES.items() if numbers[name])
    noted = sum(standing.notes for standing in standings)
    counts += f"; {counted(noted, 'note')} of editors" if noted else ""
    lines.append(paint(f"{counts}.", BOLD, colour=colour))
    return "\n".join(lines) + "\n"


# The date is the one that the site gave the record, in its own time, when pressync last read or wrote it.
_HEADS = ("State", "Record", "Status", "File", "Modified, site time", "Address", "Visible from", "Notes")


def _row(standing: Standing) -> tuple[str, ...]:
    entry, seen, word = standing.entry, standing.visibility, _STATES[standing.state].word
    about = f"{standing.kind} {entry.id}" if entry else str(standing.kind)
    there = (entry.modified, words.look_at(entry)) if entry else ("", "")
    noted = counted(standing.notes, "note") if standing.notes else ""
    return tuple(map(one_line, (word, about, seen.status, standing.path, *there, seen.date or "", noted)))


def manifest(manifest: Manifest) -> str:
    """Show a manifest: a line for each record, name, file and unconfirmed create, and the numbers."""
    rows: dict[str, list[tuple[str, ...]]] = {"records": [], "names": [], "files": [], "unconfirmed": []}
    for path, entry in sorted(manifest.entries.items()):
        rows["records"].append((f"{entry.kind} {entry.id}", path, entry.modified, entry.link))
    for name, number in sorted(manifest.names.items()):
        rows["names"].append((f"{name.field} {number}", name.text))
    for medium in sorted(manifest.media.values(), key=lambda medium: medium.path):
        rows["files"].append((f"media {medium.id}", medium.path, medium.link))
    for create in sorted(manifest.unconfirmed, key=lambda create: create.key):
        rows["unconfirmed"].append((str(create.kind), create.path, create.time))
    lines: list[str] = []
    for group in filter(None, rows.values()):
        lines += [*table([tuple(map(one_line, row)) for row in group]), ""]
    counts = ", ".join(f"{len(group)} {name}" for name, group in rows.items() if group or name == "records")
    return "\n".join((*lines, f"{counts} on {one_line(manifest.target)}.")) + "\n"


def run_line(record: RunRecord) -> str:
    """Write a run of this clone as one line: its id, which begins with its time, and what it was about."""
    about = f"rollback of {record.undoes}" if record.undoes else f"sync of {record.commit[:10]}"
    end = "" if record.after is not None else ", did not end"
    return f"run {record.run}  {about}: {counted(len(record.touched), 'change')}{end}"

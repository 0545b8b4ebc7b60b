"""A plan and a run as Markdown, for a pull request's comment, a job's summary or a file.

GitHub refuses a comment that is too long, so the renderer leaves out whole rows and counts them. Paths and
reasons come from outside: they are code, or every Markdown sign is escaped. A page called `![](https://…)`
must not load a picture, and a page called `@everyone` must not notify anybody.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.cli.report import words
from pressync.cli.report.text import TO_DO, plan_summary, run_summary
from pressync.cli.report.words import NO_EXTRAS, RESULT_WORDS, TO_REVIEW, PlanExtras, ReportRow
from pressync.model.changes import Delete, Plan, Result
from pressync.model.printable import one_line, printable
from pressync.pull.bounded_diff import unified

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pressync.app.propose import Proposal
    from pressync.model.errors import Problem
    from pressync.model.outcomes import RunResult

# GitHub: "Body is too long (maximum is 65536 characters)".
LIMIT = 65_536
# A kept outcome needs no row.
_RESULTS = (Result.UNCONFIRMED, Result.FAILED, Result.BLOCKED, Result.SKIPPED, Result.DONE)
# Room for the sentence that says how many rows of a table were left out.
_MORE = 80
_PROPOSAL = (
    "People edited these pages in WordPress. Each commit has the edits of one page. After the merge, a sync "
    "has nothing to send for them. pressync renews this branch, and closes this pull request if nothing "
    "differs any more: do not push to it."
)
_SIGNS = re.compile(r"[\\`*_{}\[\]<>()#+!|~&]")
# GitHub makes mentions, references and links of plain text. A backslash does not stop it; a space without
# width does. A dollar sign, which would begin a formula, is written as its number.
_REFERENCES = re.compile(r"@|#(?=\d)|\bGH(?=-\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
# Backticks do not keep a bar from ending a cell, nor a GitHub runner from obeying `##[`.
_NO_CODE = re.compile(r"[|\\]|##\[")


@dataclass(frozen=True, slots=True)
class _Fold:
    """One table that opens with a click: its title in the singular, its columns and its rows.

    `count` is the number of what the rows stand for, where a row stands for several. `plural` ends the title.
    A table that is `open` needs no click: a reviewer must not overlook it.
    """

    one: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    count: int
    plural: str = ""
    open: bool = False

    @property
    def head(self) -> str:
        """Everything above the rows."""
        title = f"{self.count} {self.one}{self.plural * (self.count != 1)}"
        shown = f"**{title}**" if self.open else f"<details><summary>{title}</summary>"
        return f"\n{shown}\n\n{_line(self.columns)}{_line(('---',) * len(self.columns))}"

    @property
    def end(self) -> str:
        """Everything below the rows."""
        return "" if self.open else "\n</details>\n"


def plan(
    plan: Plan,
    *,
    limit: int = LIMIT,
    title: str = "plan for",
    notes: Sequence[str] = (),
    diffs: Mapping[str, str] | None = None,
    extras: PlanExtras = NO_EXTRAS,
) -> str:
    """Write a plan in at most `limit` characters; `notes` are sentences that stand above the tables.

    The texts of `diffs` stand below the tables, as far as there is room. The address of the pages
    in WordPress has no sign of Markdown.
    """
    look = extras.look
    head = [_heading(title, plan), *([f"[{words.LOOK}]({look.address})"] if look and look.shown else [])]
    lead = [plan_summary(plan), *words.plan_notes(plan), *plan.notes, *words.look_notes(extras.look), *notes]
    why = [(sentence(str(refusal)),) for refusal in plan.refusals]
    refusals = _Fold("reason why sync would refuse", ("why",), why, len(why))
    changes = []
    # What is deleted comes first, so that no other table takes its room.
    for kind in sorted(TO_REVIEW, key=lambda kind: kind is not Delete):
        of_kind = [change for change in plan.changes if isinstance(change, kind)]
        rows = [*map(_change, words.change_rows(of_kind))]
        head_of_rows = ("file", "record", "status", "why")
        changes.append(_Fold(TO_DO[kind], head_of_rows, rows, len(of_kind), open=kind is Delete))
    errors, warnings = _problems(plan.problems)
    noted = [(code(f"{note.path}:{note.line}"), cell(words.editor_note(note))) for note in extras.noted]
    open_notes = _Fold("open note", ("place", "note"), noted, len(noted), "s")
    deletes, *others = changes
    text = _fitted(head, lead, [deletes, errors, refusals, open_notes, *others, warnings], limit)
    return text + _edits(words.with_markup(plan, diffs) or {}, limit - len(text))


def run(result: RunResult, *, limit: int = LIMIT, notes: Sequence[str] = ()) -> str:
    """Write a run in at most `limit` characters."""
    public = result.published.outcomes
    lead = [run_summary(result), *words.run_notes(result.outcomes, previews=False), *notes]
    outcomes = []
    for kind in _RESULTS:
        of_kind = [outcome for outcome in public if outcome.result is kind]
        rows = [*map(_outcome, words.outcome_rows(of_kind))]
        head = ("file", "change", "record", "what happened")
        outcomes.append(_Fold(RESULT_WORDS[kind], head, rows, len(of_kind)))
    errors, warnings = _problems(result.plan.problems)
    return _fitted([_heading("sync of", result.plan)], lead, [errors, *outcomes, warnings], limit)


def failure(sentences: Sequence[str], problems: Sequence[Problem], *, limit: int) -> str:
    """Tell why there is neither a plan nor a run."""
    return _fitted(["### pressync"], sentences, _problems(problems), limit)


def proposal(made: Proposal, *, limit: int = LIMIT) -> str:
    """Write the text of a pull request with the edits of a site, in at most `limit` characters."""
    lead = [_PROPOSAL]
    who = made.authors
    rows = [(code(edit.path), cell(", ".join(edit.taken)), cell(who[edit.path])) for edit in made.edits]
    parts = [(code(edit.path), sentence(why)) for edit in made.edits for why in edit.problems]
    left = [(code(path), sentence(why)) for path, why in made.left]
    folds = [
        _Fold("edit, left to a person", ("file", "why"), left, len(left)),
        _Fold("part of an edit, left to a person", ("file", "why"), parts, len(parts)),
        _Fold("edited file", ("file", "fields", "by"), rows, len(rows), "s"),
    ]
    diffs = {
        edit.path: "\n".join(unified(edit.before, edit.after, f"a/{edit.path}", f"b/{edit.path}", 3))
        for edit in made.edits
    }
    text = _fitted([f"### pressync: edits of {cell(made.site)}"], lead, folds, limit)
    return text + _edits(diffs, limit - len(text))


def cell(text: str) -> str:
    """Show any text in a table cell or a sentence exactly as it is written."""
    escaped = _SIGNS.sub(r"\\\g<0>", one_line(text))
    return _REFERENCES.sub("\\g<0>&#8203;", escaped).replace("$", "&#36;")


def sentence(text: str) -> str:
    """Show a sentence of ours: a command or a value between two backticks is code."""
    parts = one_line(text).split("`")
    if len(parts) % 2 == 0:
        return cell(text)
    return "".join((cell, code)[number % 2](part) for number, part in enumerate(parts) if part)


def code(text: str) -> str:
    """Show any text as inline code in a table cell."""
    inner = one_line(text)
    if _NO_CODE.search(inner):
        return cell(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", inner)), default=0) + 1)
    return f"{fence} {inner} {fence}" if "`" in inner else f"`{inner}`"


def _heading(title: str, plan: Plan) -> str:
    return f"### pressync: {title} {cell(plan.site)} at {code(plan.commit[:10])}"


def _problems(problems: Sequence[Problem]) -> list[_Fold]:
    """Make the table of errors and the table of warnings; equal ones are one row."""
    folds = []
    for word, is_warning in (("problem", False), ("warning", True)):
        some = [problem for problem in problems if problem.warning is is_warning]
        rows = [
            (_files(problem.place for problem in alike), sentence(alike[0].what), sentence(alike[0].todo))
            for alike in words.grouped_problems(some)
        ]
        folds.append(_Fold(word, ("place", "what", "what to do"), rows, len(some), "s"))
    return folds


def _change(row: ReportRow) -> tuple[str, ...]:
    return _files(row.paths), row.record, words.status(row.change), sentence(row.why())


def _outcome(row: ReportRow) -> tuple[str, ...]:
    happened = row.why() or (words.look_at(row.entry) if row.entry else "")
    return _files(row.paths), row.change.action, row.record, sentence(happened)


def _files(paths: Iterable[str]) -> str:
    first, *others = paths
    return code(first) + cell(words.others(others))


def _fitted(head: Sequence[str], lead: Sequence[str], folds: Sequence[_Fold], limit: int) -> str:
    """Put as many rows of each table below the lead as there is room for, the first tables first.

    The head is Markdown, and the lead are sentences.
    """
    shown = [fold for fold in folds if fold.rows]
    text = "\n\n".join([*head, *map(sentence, lead)]) + "\n"
    room = limit - len(text) - sum(len(fold.head) + len(fold.end) + _MORE for fold in shown)
    for fold in shown:
        rows = []
        for row in map(_line, fold.rows):
            if len(row) <= room:
                rows.append(row)
                room -= len(row)
        left = len(fold.rows) - len(rows)
        more = f"\n… and {left} more: there is no room for them here.\n" if left else ""
        text += f"{fold.head}{''.join(rows)}{more}{fold.end}"
    return text


def _edits(diffs: Mapping[str, str], room: int) -> str:
    """Write each diff as a code block that opens with a click."""
    blocks, left = [], 0
    for path, text in diffs.items():
        inner = printable(text)
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", inner)), 3)
        name = f"<code>{html.escape(one_line(path))}</code>"
        block = (
            f"\n<details><summary>Edits of {name}</summary>\n\n{fence}diff\n{inner}\n{fence}\n\n</details>\n"
        )
        if text and len(block) <= room - _MORE:
            blocks.append(block)
            room -= len(block)
        else:
            left += bool(text)
    more = f"\n… and the edits of {left} more files: there is no room for them here.\n" if left else ""
    return "".join(blocks) + more


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"

"""The numbers of a plan and of nothing else: by kind of change, by reason, and by folder at the top.

The first plan of a large tree has thousands of lines. People first ask how much there is, and where.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pressync.cli.report import groups, visitors
from pressync.cli.report.text import CHANGE_MARKS, counted, plan_end, plan_head
from pressync.model.changes import Blocked, Create, Delete, Keep, Update
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.model.changes import Change, Plan

_WORDS: dict[type[Change], str] = {
    Create: "to create",
    Update: "to update",
    Delete: "to delete",
    Blocked: "blocked",
    Keep: "to note in the manifest",
}
# More reasons of one kind, and more folders, than this are counted.
_SHOWN = 10
# `content/pages/docs` is one folder at the top.
_DEPTH = 3


def plan(plan: Plan, *, colour: bool = False) -> str:
    """Count the changes of a plan, with a line for each kind, reason and folder."""
    changes = [change for change in plan.changes if not isinstance(change, Keep) or change.why]
    kinds = sorted({(list(_WORDS).index(type(change)), change.kind) for change in changes})
    lines = [plan_head(plan), ""]
    for number, kind in kinds:
        some = [c for c in changes if type(c) is list(_WORDS)[number] and c.kind is kind]
        mark, _ = CHANGE_MARKS[type(some[0])]
        lines.append(f"  {mark} {counted(len(some), kind.value)} {_WORDS[type(some[0])]}")
        lines += _reasons(some)
    lines += [""] * bool(kinds)
    lines += _folders(changes)
    lines += _problems(plan)
    return "\n".join([*lines, *plan_end(plan, colour=colour)]) + "\n"


def _reasons(changes: list[Change]) -> list[str]:
    """Count equal reasons, with the status of what is created."""
    firsts: dict[object, str] = {}
    found: Counter[object] = Counter()
    for change in changes:
        status = visitors.status(change) if isinstance(change, Create) else ""
        same = (status, groups.alike(change))
        reason = groups.general(change.reason, change.path)
        firsts.setdefault(same, ", ".join(filter(None, (one_line(reason), status))))
        found[same] += 1
    lines = [f"      {count:>6,}  {firsts[same]}" for same, count in found.most_common(_SHOWN)]
    left = found.most_common()[_SHOWN:]
    return lines + ([f"      {sum(n for _, n in left):>6,}  for {len(left)} other reasons"] if left else [])


def _folders(changes: Iterable[Change]) -> list[str]:
    found: dict[str, Counter[str]] = {}
    for change in changes:
        folder = "/".join(change.path.split("/")[:-1][:_DEPTH]) or "."
        found.setdefault(folder, Counter())[CHANGE_MARKS[type(change)][0]] += 1
    if len(found) < 2:  # noqa: PLR2004 - one folder says nothing that the numbers above do not say
        return []
    rows = sorted(found.items(), key=lambda row: (-row[1].total(), row[0]))
    width = max(len(one_line(folder)) for folder, _ in rows[:_SHOWN])
    lines = [f"  {one_line(folder):<{width}}  {_marks(counts)}" for folder, counts in rows[:_SHOWN]]
    left = rows[_SHOWN:]
    if left:
        rest = _marks(sum((counts for _, counts in left), Counter()))
        lines.append(f"  {f'{len(left)} other folders':<{width}}  {rest}")
    return [*lines, ""]


def _marks(counts: Counter[str]) -> str:
    return "  ".join(f"{mark} {count:,}" for mark, count in sorted(counts.items()))


def _problems(plan: Plan) -> list[str]:
    """Count problems and warnings by their codes."""
    lines = []
    for warning, word in ((False, "problem"), (True, "warning")):
        codes = Counter(str(problem.code) for problem in plan.problems if problem.warning is warning)
        if codes:
            named = ", ".join(f"{count} {code}" for code, count in codes.most_common())
            lines.append(f"{counted(codes.total(), word)}: {named}; `pressync check` lists them.")
    return lines

"""A plan as one HTML page for a reviewer: filters, keys, and both sides of each change.

A plan can have thousands of changes, and a person opens a few. So a change is one line, and its diff is data
in the page until it is opened. The texts are from outside: the policy of the page allows only the page's own
script, and rendered texts are shown in a frame without rights.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from importlib.resources import files
from shlex import quote
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

from pressync.app import comparisons
from pressync.cli.report import words
from pressync.cli.report.text import plan_summary
from pressync.cli.report.words import TO_REVIEW
from pressync.model.changes import Change, Create, Delete, Plan, Update
from pressync.model.printable import counted, one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pressync.app.comparisons import Comparison
    from pressync.app.playground import Playground
    from pressync.cli.report.words import ReportRow
    from pressync.model.errors import Problem

# The diff of one change, and those of all changes, have at most this many characters. A browser opens a page
# of that length at once.
LONGEST, WHOLE = 400_000, 16_000_000
# At most this many groups of problems, and this many folders, are named.
_PROBLEMS, _FOLDERS = 200, 300


def plan(plan: Plan, diffs: Mapping[str, Comparison] | None = None, look: Playground | None = None) -> str:
    """Write the whole page, with its `diffs`. Changes that need a person come first.

    `look` opens the changed pages in WordPress.
    """
    changes = [change for kind in TO_REVIEW for change in plan.changes if isinstance(change, kind)]
    data = _Data(plan, diffs or {})
    rows = [_row(row, data) for row in words.change_rows(changes, diffs or ())]
    style = _own_file("plan.css") + comparisons.part("comparison.css")
    script = comparisons.script(_own_file("plan.js"))
    notes = (*words.plan_notes(plan), *plan.notes, *data.notes(), *words.look_notes(look))
    actions, kinds = (
        Counter(change.action for change in changes),
        Counter(str(change.kind) for change in changes),
    )
    address = look.address if look and look.shown else ""
    return _filled(
        "plan",
        style,
        _policy(script, style),
        title=f"pressync: plan for {one_line(plan.site)} at {plan.commit[:10]}",
        script=Markup(script),  # noqa: S704 - it is our own
        summary=one_line(plan_summary(plan)),
        refusals=[*map(one_line, map(str, plan.refusals))],
        notes=[*map(one_line, notes)],
        look=address,
        look_words=words.LOOK,
        problems=[*_problems(plan.problems)],
        rows=rows,
        actions=actions.items(),
        kinds=kinds.items(),
        folders=_folders(change.path for change in changes),
    )


class _Data:
    """The comparisons as data in the page, as far as there is room."""

    def __init__(self, plan: Plan, diffs: Mapping[str, Comparison]) -> None:
        self._comparisons = diffs
        self._live = "the site now" if plan.compared else "as last sent"
        self._room = WHOLE
        self._cut = 0

    def of(self, change: Change) -> Markup | None:
        """Write the comparison of a change, or why it is not in the page; None if it has no two sides."""
        diff = self._comparisons.get(change.path)
        if diff is None:
            return None
        will = "deleted" if isinstance(change, Delete) else "the file"
        live = "nothing yet" if isinstance(change, Create) else self._live
        text = _json(
            {
                "source": printable(diff.source),
                "rendered": diff.rendered or "",
                "why": one_line(diff.why),
                "heading": f"Rendered: {live} | {will}",
            }
        )
        if len(text) > min(LONGEST, self._room):
            self._cut += 1
            command = f"pressync plan --diff {quote(one_line(change.path))}"
            text = _json({"cut": f"This page has no room for this diff. `{command}` prints its source."})
        self._room -= len(text)
        return Markup(text)  # noqa: S704 - it has no sign of HTML

    def notes(self) -> Iterator[str]:
        """Say how many diffs were left out."""
        if self._cut:
            yield (
                f"The diffs of {counted(self._cut, 'change')} are left out, because this page would be too "
                "long; `pressync plan --diff PATH` prints them."
            )


def _json(value: Mapping[str, str]) -> str:
    """Write data that cannot end its element, with every unsafe character as JSON's own escape."""
    return printable(json.dumps(value, ensure_ascii=False)).replace("<", "\\u003c").replace("&", "\\u0026")


def _row(row: ReportRow, data: _Data) -> dict[str, object]:
    """Make one line of the page."""
    change = row.change
    path, *others = map(one_line, row.paths)
    return {
        "word": change.action,
        "kind": str(change.kind),
        "path": path,
        "others": others,
        "title": one_line(change.desired.title) if isinstance(change, Create | Update) else "",
        "record": row.record,
        "status": words.status(change),
        "why": one_line(row.why()),
        "sides": data.of(change),
    }


def _problems(problems: Sequence[Problem]) -> Iterator[dict[str, object]]:
    """Make the lists of errors and of warnings; equal problems are one line."""
    for word in ("error", "warning"):
        some = [problem for problem in problems if problem.severity == word]
        alike = words.grouped_problems(some)
        lines = [one_line(str(words.merged_problem(group))) for group in alike[:_PROBLEMS]]
        if alike[_PROBLEMS:]:
            lines.append(f"… and {len(alike) - _PROBLEMS} more, which `pressync check` prints")
        if some:
            yield {"word": word, "title": counted(len(some), word), "lines": lines}


def _folders(paths: Iterable[str]) -> list[tuple[str, int]]:
    """Count the changes in each folder, those of the folders below it included."""
    counts: Counter[str] = Counter()
    for path in paths:
        parts = one_line(path).split("/")[:-1]
        counts.update("/".join(parts[: number + 1]) + "/" for number in range(len(parts)))
    return sorted(counts.most_common(_FOLDERS))


def _policy(script: str, style: str) -> str:
    """Allow this script and these style sheets; texts may have styles of their own elements, and no more."""
    styles = " ".join(map(comparisons.allowed, (style, comparisons.part("frame.css"))))
    return (
        f"default-src 'none'; script-src {comparisons.allowed(script)}; style-src {styles}; "
        "style-src-attr 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def sheet(name: str, **values: object) -> str:
    """Fill a sheet of comparisons, a template with its own style; it may have pictures, and no script."""
    style = comparisons.part("frame.css") + _own_file(f"{name}.css")
    policy = (
        f"default-src 'none'; style-src {comparisons.allowed(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return _filled(name, style, policy, **values)


def _filled(name: str, style: str, policy: str, **values: object) -> str:
    page = _environment().get_template(f"{name}.html")
    return page.render(policy=policy, style=Markup(style), **values)  # noqa: S704 - it is our own


@cache
def _environment() -> jinja2.Environment:
    """Give the templates of the pages of HTML, which escape every text."""
    loader = jinja2.PackageLoader("pressync.cli.report", "static")
    return jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)


def _own_file(name: str) -> str:
    """Read a file beside the templates."""
    return (files("pressync.cli.report") / "static" / name).read_text(encoding="utf-8")

"""The report of a run as JSON and Markdown: what to do next, what was slow, what the service changed."""

from __future__ import annotations

import re
from shlex import quote
from typing import TYPE_CHECKING, Any

from pressync.cli.report import json
from pressync.cli.report.documents import RESULT_WORDS, VERSION
from pressync.model.changes import Block, Blocked, Result
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.changes import Outcome
    from pressync.model.outcomes import RunResult

# A message names the next command between backquotes.
_COMMAND = re.compile(r"`((?:pressync|git) [^`]+)`")
_GOOD = frozenset({Result.DONE, Result.KEPT})


def document(result: RunResult, undone: str = "") -> dict[str, object]:
    """Make the report as a document; `undone` is the run that a rollback has undone."""
    account = result.account
    return {
        "version": VERSION,
        "run": result.run,
        **({"rolled_back": undone} if undone else {}),
        "site": result.plan.site,
        "commit": result.plan.commit,
        "began": account.began if account else None,
        "seconds": round(account.seconds, 3) if account else None,
        "counts": result.counts,
        "requests": account.requests if account else 0,
        "bytes": {
            "sent": account.sent if account else 0,
            "received": account.received if account else 0,
        },
        "failures": _failures(result),
        "changed_by_service": [
            {"path": outcome.change.path, "message": outcome.message}
            for outcome in result.outcomes
            if outcome.result is Result.DONE and outcome.message
        ],
        "slowest": [
            {"path": slow.path, "changes": slow.changes, "seconds": round(slow.seconds, 3)}
            for slow in (account.slowest if account else ())
        ],
    }


def as_json(result: RunResult, undone: str = "") -> str:
    """Write the report as JSON; `undone` is the run that a rollback has undone."""
    return json.text(document(result, undone))


def as_markdown(result: RunResult) -> str:
    """Write the report as Markdown, for a person or a summary of a workflow."""
    account = result.account
    counts = ", ".join(
        f"{result.counts[kind.value]} {word}"
        for kind, word in RESULT_WORDS.items()
        if result.counts[kind.value]
    )
    lines = [
        f"# Run {result.run or 'without a change'}",
        "",
        f"Sync of {_code(result.plan.site)} at {_code(result.plan.commit[:10])}: {counts or 'nothing'}.",
    ]
    if account:
        took = f"It began at {account.began} and took {account.seconds:.1f} s"
        size = f"{account.sent} bytes sent, {account.received} bytes received"
        lines += ["", f"{took}: {account.requests} requests, {size}."]
    failures = _failures(result)
    lines += ["", "## To do", ""] if failures else []
    for failure in failures:
        paths = [str(path) for path in failure["paths"]]  # type: ignore[attr-defined]
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        lines.append(
            f"- {failure['result']}: {_code(paths[0])}{more}: {one_line(str(failure['message']))}. "
            f"Next: {_code(str(failure['next']))}"
        )
    changed = [o for o in result.outcomes if o.result is Result.DONE and o.message]
    lines += ["", "## Changed by the service", ""] if changed else []
    lines += [f"- {_code(o.change.path)}: {one_line(o.message)}" for o in changed]
    slowest = account.slowest if account else ()
    lines += ["", "## The slowest requests", ""] if slowest else []
    for slow in slowest:
        more = f" and {slow.changes - 1} more" if slow.changes > 1 else ""
        lines.append(f"- {slow.seconds:.2f} s: {_code(slow.path)}{more}")
    return "\n".join(lines) + "\n"


def line(report: Mapping[str, Any]) -> str:
    """Write a kept report as one line: its run, its time, how it ended, and what it took."""
    counts = report.get("counts") or {}
    ended = ", ".join(
        f"{counts[kind.value]} {word}"
        for kind, word in RESULT_WORDS.items()
        if kind is not Result.KEPT and counts.get(kind.value)
    )
    undoes = f"rollback of {report['rolled_back']}: " if report.get("rolled_back") else ""
    took = f"{report.get('seconds')} s, {report.get('requests')} requests"
    return f"run {report.get('run')}  {report.get('began')}  {undoes}{ended or 'nothing changed'}  {took}"


def _failures(result: RunResult) -> list[dict[str, object]]:
    """Group the outcomes that need a person by their message, the largest group first."""
    groups: dict[tuple[Result, str], list[Outcome]] = {}
    for outcome in result.outcomes:
        if outcome.result not in _GOOD:
            # Messages that differ only in the path of their document are one.
            alike = outcome.message.replace(outcome.change.path, "…")
            groups.setdefault((outcome.result, alike), []).append(outcome)
    return [
        {
            "result": RESULT_WORDS[kind],
            "message": alike[0].message,
            "next": _next(alike[0]),
            "paths": [outcome.change.path for outcome in alike],
        }
        for (kind, _), alike in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]


def _next(outcome: Outcome) -> str:
    """Name the command that goes on from there."""
    named = _COMMAND.search(outcome.message)
    if named:
        return named[1]
    path, change = quote(outcome.change.path), outcome.change
    if outcome.result is Result.UNCONFIRMED:
        return f"pressync resolve {path}"
    if isinstance(change, Blocked):
        look = "--drift --diff " if change.block is Block.CONFLICT else ""
        return f"pressync plan {look}{path}"
    return f"pressync sync {path}"


def _code(text: str) -> str:
    return f"`{one_line(text).replace('`', chr(39))}`"

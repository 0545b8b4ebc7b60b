"""Tells of files that come back, whose records a run of this clone has put into the trash.

After `git revert` of a removal, the manifest has no record for the file, so a sync makes a new one with
another id. Only the records of this clone's runs still know the old one, which a rollback brings back.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.changes import Create
from pressync.plan.reasons import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.model.changes import Change
    from pressync.state.run_records import RunRecord, RunRecords, TouchedRecord

# The file of a larger run is not read, because that takes longer than the plan. Such a run has thousands of
# changes, and nobody rolls it back for one page.
_LARGEST = 4_000_000


def notes(changes: Iterable[Change], runs: RunRecords | None) -> list[str]:
    """Name the creates at whose paths this clone has deleted a record, one sentence for each run."""
    paths = {change.path for change in changes if isinstance(change, Create)}
    found: dict[str, tuple[str, str]] = {}
    for run in runs.all(largest=_LARGEST) if runs and paths else ():
        for touched in run.touched:
            found.pop(touched.path, None)
            if touched.path in paths and _is_deleted(run, touched):
                found[touched.path] = run.run, f"{touched.path} was {touched.kind} {touched.id}"
    by_run: dict[str, list[str]] = {}
    for _, (name, was) in sorted(found.items()):
        by_run.setdefault(name, []).append(was)
    return [_sentence(name, each) for name, each in by_run.items()]


def _is_deleted(run: RunRecord, touched: TouchedRecord) -> bool:
    """Whether a run has put a record into the trash; the record of a killed run does not say so."""
    is_gone = run.after is not None and touched.path not in run.after
    return touched.before is not None and is_gone and not run.permanent and not run.undoes


def _sentence(run: str, were: list[str]) -> str:
    one = len(were) == 1
    them, its, new = ("it", "its id", "a new one") if one else ("them", "their ids", "new ones")
    rollback = f"`pressync rollback {quote(run)}` undoes that run and brings {them} back with {its}"
    return f"{listed(were)} until run {run} put {them} into the trash: {rollback}, and a sync makes {new}."

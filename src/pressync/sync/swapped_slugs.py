"""Sends a slug again that got a number, because another record of the run still had it. Pure.

The order of a plan frees a slug before another record takes it. Where records take each other's, as two that
swap, one write must come first, and the service gives its record `about-2`. After the other records have
moved, the slug is free, and a second write takes it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.model.changes import Delete, Result, Update, UpdateCall
from pressync.plan.order import Prerequisites
from pressync.sync import echo
from pressync.sync.jobs import SLUG, Job

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.changes import Outcome
    from pressync.model.records import Entry, Manifest
    from pressync.plan.order import Wave
    from pressync.sync.jobs import Pending


def numbered(waves: Iterable[Wave], outcomes: Mapping[str, Outcome]) -> list[Update]:
    """Give the updates whose slug the service has changed, and whose place another record has left since."""
    done = {path: outcome.entry for path, outcome in outcomes.items() if outcome.result is Result.DONE}
    writes = [change for wave in waves for change in wave if not isinstance(change, Delete)]
    bent = [
        write
        for write in writes
        if isinstance(write, Update) and (entry := done.get(write.path)) and SLUG in entry.changed_by_service
    ]
    before = Prerequisites(writes, {}) if bent else None
    return [write for write in bent if before and not done.keys().isdisjoint(before.leaving(write))]


def expecting(change: Update, outcome: Outcome, entry: Entry) -> Outcome:
    """Give the outcome of such an update before its second write: what it tells of the slug is not the end.

    Its entry says that the slug is not sure, so the next sync sends it if this one ends before.
    """
    message = echo.without_notice_of_slug(outcome.message, change.entry, change.desired.slug, entry.slug)
    return replace(outcome, message=message, entry=echo.unsure(entry, (SLUG,)))


def again(change: Pending, manifest: Manifest) -> Job:
    """Make the job that sends the slug of such an update alone; its entry says what else the record holds."""
    if not isinstance(change, Update):
        raise TypeError("only an update leaves a slug that another record takes")
    entry = manifest.entries[change.path]
    desired = structs.replace(
        change.desired, blob=entry.blob, basis=entry.basis, layout=entry.layout, links=entry.links
    )
    return Job(change, UpdateCall(change.kind, entry.id, {SLUG: desired.slug}), desired, entry)

"""Tells who sees a record: its status as words, and the address at which an editor sees a draft. Pure.

The manifest keeps no values, only fingerprints. A status has five values, so its fingerprint gives it away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked, Create, Update
from pressync.model.fingerprint import fingerprint
from pressync.model.records import TRASH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.changes import Change
    from pressync.model.records import Desired, Entry

PUBLISH, FUTURE = "publish", "future"
# Visitors do not see records of these statuses. WordPress shows them to people who may edit them.
HIDDEN = frozenset({"draft", "pending", FUTURE, "private"})
# The manifest notes a record that somebody deleted as a conflict with this value of its status.
DELETED = "deleted"
_NAMES = {fingerprint(status): status for status in (PUBLISH, *sorted(HIDDEN))}
# WordPress gives this address to a record that is not published, also where other records have pretty ones.
_PLAIN = re.compile(r"[?&](?:p|page_id)=\d+$")


@dataclass(frozen=True, slots=True)
class Visibility:
    """The status of a record or document, "" if it is not known; `date` is when one of `future` appears."""

    status: str
    date: str = ""

    def __str__(self) -> str:
        return f"{self.status} {self.date}".rstrip()

    @property
    def hidden(self) -> bool:
        """Whether visitors do not see it."""
        return self.status in HIDDEN


def is_deleted(entry: Entry) -> bool:
    """Tell whether the site no longer had the record when a sync last looked."""
    return entry.conflict.get("status") == DELETED


def is_thrown_away(entry: Entry) -> bool:
    """Tell whether somebody put the record into the trash or deleted it."""
    return entry.conflict.get("status") in {TRASH, DELETED}


def of_entry(entry: Entry, date: str = "") -> Visibility:
    """Name the status that the site has, as far as the manifest knows it.

    `date` is the date in the document.
    """
    stored = entry.changed_by_service.get("status") or entry.fingerprints.get("status", "")
    return _at(entry.conflict.get("status") or _NAMES.get(stored, ""), date)


def of_desired(desired: Desired) -> Visibility:
    """Name the status that the record of a document will have; "" if front matter names none."""
    asked: Mapping[str, str] = {**desired.create_only, **desired.fingerprints}
    return _at(_NAMES.get(asked.get("status", ""), ""), desired.date)


def of_change(change: Change) -> Visibility:
    """Name the status that the record of a change will have, or has."""
    match change:
        case Create(desired=desired):
            return of_desired(desired)
        case Update(desired=desired, entry=entry, fields=fields):
            # If the file names a status no longer, the update sends the one of a new record.
            sent = "status" in desired.fingerprints or "status" in fields
            return of_desired(desired) if sent else of_entry(entry, desired.date)
        case Blocked():
            return Visibility("")
        case _:
            return of_entry(change.entry)


def _at(status: str, date: str) -> Visibility:
    """Follow the service: of `publish` and `future`, the date and the clock decide which one it is."""
    if status not in {PUBLISH, FUTURE} or not date:
        return Visibility(status)
    return Visibility(FUTURE, date) if _is_later(date) else Visibility(PUBLISH)


def _is_later(date: str) -> bool:
    try:
        read = datetime.fromisoformat(date)
    except ValueError:
        return False
    # A date without an offset is in the site's time, which is not known here.
    return (read if read.tzinfo else read.replace(tzinfo=UTC)) > datetime.now(UTC)


def preview(link: str) -> str:
    """Give the address at which somebody who may edit a hidden record sees it."""
    return f"{link}&preview=true" if _PLAIN.search(link) else link

"""Tells who sees a record: its status as words, and the address at which an editor sees a draft. Pure.

The manifest keeps no values, only fingerprints. A status has five values, so its fingerprint gives it away.

WordPress keeps the front page in the settings of the site. Here it is a field of the page, so that it gets
all that a field has: a line in the plan, the journal, drift and conflicts.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from pressync.model.fingerprint import UNSURE, fingerprint, may_be, unsure
from pressync.model.records import TRASH, Desired, Entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.changes import Change


PUBLISH, FUTURE = "publish", "future"
# Visitors do not see records of these statuses. WordPress shows them to people who may edit them.
HIDDEN = frozenset({"draft", "pending", FUTURE, "private"})
# The manifest notes a record that somebody deleted as a conflict with this value of its status.
DELETED = "deleted"
_NAMES = {fingerprint(status): status for status in (PUBLISH, *sorted(HIDDEN))}
# WordPress gives this address to a record that is not published, also where other records have pretty ones.
_PLAIN = re.compile(r"[?&](?:p|page_id)=\d+$")


class Visibility(msgspec.Struct, frozen=True):
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
    """Name the status that the site has, as far as the manifest knows it; `date` is the document's."""
    stored = entry.changed_by_service.get("status") or entry.fingerprints.get("status", "")
    return _at(entry.conflict.get("status") or _NAMES.get(stored, ""), date)


def of_desired(desired: Desired) -> Visibility:
    """Name the status that the record of a document will have; "" if front matter names none."""
    asked: Mapping[str, str] = {**desired.create_only, **desired.fingerprints}
    return _at(_NAMES.get(asked.get("status", ""), ""), desired.date)


def of_change(change: Change) -> Visibility:
    """Name the status that the record of a change will have, or has."""
    from pressync.model.changes import Blocked, Create, Update  # noqa: PLC0415 - a check of an edit has no changes

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
    read = _read(date)
    return Visibility(FUTURE, date) if read and read > datetime.now(UTC) else Visibility(PUBLISH)


def _read(date: str) -> datetime | None:
    try:
        read = datetime.fromisoformat(date)
    except ValueError:
        return None
    # A date without an offset is in the site's time, which is not known here.
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def is_older(date: str, days: int) -> bool:
    """Tell whether a date, as a document has it, is more than so many days ago; "" is not."""
    read = _read(date)
    return read is not None and read < datetime.now(UTC) - timedelta(days)


def preview(link: str) -> str:
    """Give the address at which somebody who may edit a hidden record sees it."""
    return f"{link}&preview=true" if _PLAIN.search(link) else link


FRONT_PAGE = "front_page"
_YES, _NO = map(fingerprint, (True, False))


def is_wanted(fingerprints: Mapping[str, str]) -> bool:
    """Tell whether a document, by its fingerprints, is to be the front page."""
    return fingerprints.get(FRONT_PAGE) == _YES


def is_front(entry: Entry) -> bool:
    """Tell whether a record is, or may be, the front page, as the last response showed it."""
    held = may_be(entry.fingerprints.get(FRONT_PAGE, _NO)) or frozenset()
    return _YES in held and FRONT_PAGE not in entry.changed_by_service


def with_unwritten(entry: Entry, wanted: Mapping[str, str], previous: Entry | None) -> Entry:
    """Mark the field in an entry whose record was written without it, if the field is to change.

    The setting of the site is a request of its own, after the write of the page. If the run is killed between
    the two, only this mark shows that a request is missing.
    """
    before = previous.fingerprints.get(FRONT_PAGE) if previous else None
    if previous and FRONT_PAGE in previous.conflict:
        before = UNSURE
    if wanted.get(FRONT_PAGE, _NO) == (before or _NO):
        return entry
    mark = unsure(before or UNSURE)
    return replace(entry, fingerprints={**entry.fingerprints, FRONT_PAGE: mark})

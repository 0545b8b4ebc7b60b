"""Decides which writes of a run go alone, and which records need a second write. Pure but for one read.

The address of a page may be known only after another page is written, and the front page is a setting of the
site. So some records are written twice, and people must see one outcome for each.
WordPress keeps some things in one option of the site. A request reads it at its start and writes all of it
back, so of two requests at once, the later one undoes what the earlier one did, and both report success
(measured on 6.1, 6.8 and 7.1: of 80 sticky posts 54 were not sticky, of 80 scheduled posts 54 never appear).

| Sent | Kept in one place | How a run writes it |
|---|---|---|
| `sticky` | the list of sticky posts | alone, and it is read back |
| a date to come | the calendar of coming events | alone; the interface does not show it |
| `front_page` | the settings of the site | alone, after the records  |
| a new category or tag | the tree of terms | one by one, before the records (`terms`) |
| the first file of a month | its folder | alone, before the other files (`media`) |

The number of posts of a term is counted again by each write, and was right after 80 posts at once.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pressync.model.changes import CreateCall, Delete, Outcome, Result, Update, UpdateCall
from pressync.model.errors import ServiceError
from pressync.model.fingerprint import fingerprint, is_unsure
from pressync.model.interface import Kind
from pressync.model.visibility import FRONT_PAGE, is_wanted
from pressync.sync import entries
from pressync.sync.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.client.port import Reads
    from pressync.model.changes import Create
    from pressync.model.records import Desired, Entry
    from pressync.plan.order import Wave
    from pressync.state.state import State
    from pressync.sync.delivery import Delivered
    from pressync.sync.jobs import Pending

_WRITTEN = frozenset({Result.DONE, Result.KEPT})
# A second write that sends these fields alone is not about links.
_LACKS: Mapping[tuple[str, ...], str] = {
    (FRONT_PAGE,): "the site's front page is not set",
    ("sticky",): "another write took it off the list of sticky posts",
}
# A run sends a lost flag again so many times. Only writes of somebody else can undo it so often.
ATTEMPTS = 3

_FIELD = "sticky"
_STICKY, _FUTURE = fingerprint(value=True), fingerprint("future")
# The time zone of the site is not known here. It is less than a day from ours.
_MARGIN = timedelta(days=1)


def is_only_front(change: Pending) -> bool:
    """Tell whether a change sets the front page and writes no record."""
    return isinstance(change, Update) and change.fields == (FRONT_PAGE,)


def front_pages(waves: Iterable[Wave], outcomes: Mapping[str, Outcome]) -> list[Create | Update]:
    """Give the changes that set the front page or take it back, after the waves have their outcomes.

    The new front page goes first, so that visitors always find one. A record that was not written waits.
    """
    fronts = [
        change
        for wave in waves
        for change in wave
        if not isinstance(change, Delete)
        and FRONT_PAGE in change.fields
        and (change.path not in outcomes or outcomes[change.path].result in _WRITTEN)
    ]
    return sorted(fronts, key=lambda change: not is_wanted(change.desired.fingerprints))


def missing(change: Pending) -> str:
    """Say what the next sync does for a record whose second write was not sent."""
    is_front = not isinstance(change, Delete) and FRONT_PAGE in change.fields
    return f"its {'front page setting is' if is_front else 'links are'} completed by the next sync"


def joined(before: Outcome | None, delivered: Delivered) -> Outcome:
    """Join the outcome of a second write with that of the first: one change has one outcome."""
    outcome = delivered.outcome
    if before is None:
        return outcome
    if outcome.result is Result.DONE:
        return replace(outcome, message="; ".join(filter(None, (before.message, outcome.message))))
    sent = tuple(delivered.job.fields)
    but = _LACKS.get(sent, "its links are not complete")
    change = delivered.job.change
    what = "updated" if isinstance(change, Update) else "created"
    return replace(outcome, change=change, message=f"{what}, but {but}: {outcome.message}")


def is_alone(job: Job) -> bool:
    """Whether a write changes something that is kept in one place, so that no other may be under way."""
    return _is_sticky(job) or _is_scheduled(job)


def _is_sticky(job: Job) -> bool:
    """Whether a write changes the list of sticky posts; a delete takes its post off the list, too."""
    match job.call:
        case CreateCall(fields=fields):
            return bool(fields.get(_FIELD))
        case UpdateCall(fields=fields):
            return _FIELD in fields
        case _:
            entry = _before(job)
            settled = entry.fingerprints.get(_FIELD) if entry else None
            return settled is not None and (settled == _STICKY or is_unsure(settled))


def _is_scheduled(job: Job) -> bool:
    """Whether a write changes the calendar: its record appears later, or would have without this write."""
    entry = _before(job)
    known = (entry.fingerprints, entry.changed_by_service) if entry else ()
    date = job.desired.date if job.desired else ""
    soonest = (datetime.now(UTC) - _MARGIN).strftime("%Y-%m-%dT%H:%M:%S")
    return date > soonest or any(digests.get("status") == _FUTURE for digests in known)


def _before(job: Job) -> Entry | None:
    return job.change.entry if isinstance(job.change, Delete) else job.previous


class StickyPosts:
    """The posts that a run made sticky or took off the list. Only the deciding thread may use it."""

    def __init__(self, reads: Reads | None, state: State) -> None:
        """Keep nothing for a service that cannot be read."""
        self._reads = reads
        self._state = state
        self._reads_back = 0
        self._unread = ""
        self._wanted: dict[str, bool] = {}
        self._desired: dict[str, Desired] = {}

    def take(self, delivered: Delivered) -> None:
        """Learn from a response what the list must say at the end of the run."""
        job, outcome = delivered.job, delivered.outcome
        path, entry = job.change.path, outcome.entry
        if self._reads is None or job.desired is None or entry is None or outcome.result is not Result.DONE:
            return
        # A value that the service has changed in its response is told already.
        if _is_sticky(job) and _FIELD not in entry.changed_by_service:
            self._wanted[path] = bool(job.fields[_FIELD])
        if path in self._wanted:
            self._desired[path] = job.desired

    def lost(self, changes: Collection[Pending]) -> list[Pending]:
        """Read the list back, and give the changes among these that it does not have as they were sent.

        If it cannot be read, these may be all. Their entries say that the value is not sure, so that the next
        sync sends it if this one ends before.
        A post that is as it was sent is not read again.
        """
        if self._reads is None or not self._wanted:
            return []
        self._reads_back += 1
        held = self._state.manifest.entries
        ids = {path: held[path].id for path in self._wanted if path in held}
        shown: Mapping[int, bool | None]
        try:
            shown = self._reads.sticky(ids.values())
        except ServiceError as error:
            self._unread = str(error)
            shown = dict.fromkeys(ids.values())
        self._wanted = {
            path: self._wanted[path]
            for path, number in ids.items()
            if shown.get(number, self._wanted[path]) is not self._wanted[path]
        }
        for path in self._wanted:
            self._state.put(entries.unsure(held[path], (_FIELD,)))
        return [change for change in changes if change.path in self._wanted]

    def again(self, change: Pending) -> Job | Outcome:
        """Make the job that sends only the value of a post again; after all attempts, it failed."""
        entry, wanted = self._state.manifest.entries[change.path], self._wanted[change.path]
        if self._reads_back <= ATTEMPTS and not self._unread:
            call = UpdateCall(Kind.POST, entry.id, {_FIELD: wanted})
            return Job(change, call, self._desired[change.path], entry)
        del self._wanted[change.path]
        if self._unread:
            why = f"it was written, but nobody could read back whether it is sticky: {self._unread}"
        else:
            why = f"it is {'not' if wanted else 'still'} sticky on the site after {ATTEMPTS} more writes: "
            why += "something else there writes the list of sticky posts, too"
        return Outcome(change, Result.FAILED, f"{why}; sync again", entry)

"""Holds what all steps of a run share: approval, messages, stop signal, retries, last look at each record.

Every pause of a run must end when the user stops the run. So all pauses and all retries go through one
object, and each step gets it instead of its parts. A run builds its plan again when the site tells it
something new. So that plan is checked as the first one was, and compared with what was approved. A reviewed
plan is compared with its digest and with its rows, because somebody may have edited the rows.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pressync.client.port import Library, Reads, Service, require_readable
from pressync.client.retry import AnyCarrier, Patience, Retry, Window, retrying
from pressync.model.changes import KINDS_OF_CHANGES, Blocked, Create, Keep, Plan
from pressync.model.errors import ConfigError, ContentError, SafetyRefusal
from pressync.model.outcomes import approval, change_row, is_digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from pressync.model.records import RecordKey


# A record that the run knows for at most this many seconds is not read again. The first look of a quick
# run and its writes are closer together than this, so one quick edit costs one read and one write.
RECENT = 5.0


# A thread reserves its start time under a lock and waits for it outside the lock. So a run that is stopped
# does not wait for the start times of other threads.
class RateLimiter:
    """Lets at most `rate` calls start per second; None means that there is not a limit."""

    def __init__(self, rate: float | None, stop: threading.Event) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._next = 0.0
        self._lock = threading.Lock()
        self._stop = stop

    def wait(self) -> None:
        """Wait until this call may start, or until the run is stopped."""
        if not self._gap:
            return
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self._gap
        self._stop.wait(min(start - now, threading.TIMEOUT_MAX))


def _now() -> float:
    # A laptop may sleep while a question waits for its answer. Python's monotonic clock stops then on Linux.
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


# A person may answer a question after an hour, and a run may take an hour. Only the age of the last look
# limits the time in which an edit of somebody else is overwritten unseen.
class RecentReads:
    """When a run last knew each record, by a read or by the response to its own write. Threads share it."""

    def __init__(self, now: Callable[[], float] = _now) -> None:
        self.now = now
        self._known: dict[RecordKey, float] = {}
        # A long run forgets what is old: it knows thousands of records, and needs the last few.
        self._earlier: dict[RecordKey, float] = {}
        self._since = 0.0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known) + len(self._earlier)

    def saw(self, plan: Plan, at: float) -> None:
        """Note that the records which a plan changes were read and compared at this time."""
        changes = (change for change in plan.pending if not isinstance(change, Create))
        self.knows(((change.kind, change.id) for change in changes), at)

    def knows(self, records: Iterable[RecordKey], at: float) -> None:
        """Note that the run knows these records as they were at this time."""
        with self._lock:
            if at - self._since > RECENT:
                self._earlier, self._known, self._since = self._known, {}, at
            self._known.update(dict.fromkeys(records, at))

    def is_recent(self, record: RecordKey) -> bool:
        """Whether the run knows a record so well that it need not read it again."""
        with self._lock:
            at = self._known.get(record, self._earlier.get(record))
        return at is not None and self.now() - at <= RECENT


@dataclass(frozen=True, slots=True)
class RunControl:
    """How one run speaks, stops, waits and retries; `begun` is a time of the monotonic clock."""

    say: Callable[[str], None]
    stop: threading.Event
    patience: Patience
    limiter: RateLimiter
    window: Window | None = None
    begun: float = field(default_factory=time.monotonic)
    recent_reads: RecentReads = field(default_factory=RecentReads)

    @property
    def seconds(self) -> float:
        """The seconds since the begin of the run."""
        return time.monotonic() - self.begun

    @property
    def stopped(self) -> bool:
        """Whether the run must not send anything more."""
        return self.stop.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait; true if the run was stopped meanwhile."""
        return self.stop.wait(seconds)

    def may_start(self) -> bool:
        """Wait until the rate limit lets the next call start; false if the run is stopped."""
        self.limiter.wait()
        return not self.stopped

    def retrying(self, service: AnyCarrier) -> AnyCarrier:
        """Give the same service with every call repeated where a repetition cannot do harm."""
        return retrying(service, Retry(self.patience, self._pause, self.say, self.window))

    def _pause(self, seconds: float) -> bool:
        """Wait, and then for the turn of another attempt; true if the run was stopped meanwhile."""
        return self.wait(seconds) or not self.may_start()

    def reads(self, service: Service) -> Reads:
        """Give the reads of a service, with retries.

        :raises ConfigError: the service cannot be read.
        """
        return self.retrying(require_readable(service))

    def library(self, service: Service) -> Library | None:
        """Give the terms, people and files of a service, with retries; None if it has none."""
        return self.retrying(service).library


@dataclass(frozen=True, slots=True)
class Approval:
    """How a sync is approved: `agree` asks a person, `reviewed` is the plan that was reviewed before.

    `approved` is the digest of the plan that was approved before, "" if there is none; None if a person is
    asked. The site may want one, and one that was given counts everywhere.
    """

    agree: Callable[[Plan], bool]
    reviewed: ReviewedPlan | None = None
    keep_going: bool = False
    approved: str | None = None

    def check(self, plan: Plan) -> None:
        """Refuse a first plan that must not run.

        :raises ContentError: content has problems, and nobody chose to keep going.
        :raises SafetyRefusal: a limit, or the plan is not the reviewed one.
        """
        self._check_limits(plan)
        if self.reviewed is not None and not self.reviewed.matches(plan):
            sides = "manifest or site" if self.reviewed.drift else "or manifest"
            comma = "," * self.reviewed.drift
            problem = f"content, configuration{comma} {sides} changed since"
            raise not_reviewed(f"{problem}, or somebody edited the file of the plan")
        if self._wants_digest(plan) and plan.pending and self.approved != (digest := approval(plan)):
            raise _not_approved(
                f"the approved plan has the digest {self.approved}, and this plan has {digest}: content, "
                "settings or the manifest changed since"
                if self.approved
                else f"nobody approved this plan, whose digest is {digest}",
                plan,
            )

    def check_again(self, plan: Plan, before: Plan) -> None:
        """Refuse a plan that was built again, also if it has more changes than the reviewed one.

        :raises ContentError: as for `check`; SafetyRefusal likewise.
        """
        self._check_limits(plan)
        more = new_paths(plan, before)
        if self.reviewed is not None and more:
            raise not_reviewed(f"the site was read, and {more[0]} would change as well")
        other = [*more, *new_paths(before, plan)]
        if self._wants_digest(plan) and other:
            digests = (
                f"the approved plan has the digest {approval(before)}, and this plan has {approval(plan)}"
            )
            problem = f"{digests}: the site was read, and {other[0]} is not there as it was"
            raise _not_approved(problem, plan)

    def check_occupied(self, plan: Plan, path: str) -> None:
        """Raise SafetyRefusal for a reviewed plan that would create `path`, which the site has already."""
        if self.reviewed is not None:
            why = next((c.why for c in plan.changes if c.path == path and isinstance(c, Blocked)), None)
            about = why or "it is on the site already, and is bound now"
            raise not_reviewed(f"the site was read, and {path} is not to be created: {about}")

    def _wants_digest(self, plan: Plan) -> bool:
        wants = self.approved is not None and (plan.approve or self.approved)
        return bool(wants) and self.reviewed is None

    def _check_limits(self, plan: Plan) -> None:
        errors = tuple(problem for problem in plan.problems if not problem.warning)
        if errors and not self.keep_going:
            raise ContentError(errors)
        if plan.refusals:
            raise SafetyRefusal("; ".join(map(str, plan.refusals)), code=plan.refusals[0].code)


def new_paths(plan: Plan, before: Plan) -> list[str]:
    """List the paths of the changes that the plan before did not have."""
    approved = {(type(change), change.path) for change in before.pending}
    return [change.path for change in plan.pending if (type(change), change.path) not in approved]


def _not_approved(why: str, plan: Plan) -> SafetyRefusal:
    return SafetyRefusal(
        f"this sync takes an approved plan alone, and {why}",
        todo=f"look at `pressync plan`, and sync with `--approved {approval(plan)}`",
        code="not_approved",
    )


def not_reviewed(why: str) -> SafetyRefusal:
    """Refuse a plan that is not the reviewed one any more."""
    return SafetyRefusal(
        f"this is not the plan that was reviewed: {why}",
        todo="review a new one with `pressync plan --out FILE`",
    )


# The version of the document of `plan --format json`.
_VERSION = 1


@dataclass(frozen=True, slots=True)
class ReviewedPlan:
    """A reviewed plan: commit, digest, site, rows, the number of each action, and whether it had drift."""

    commit: str
    digest: str
    site: str
    rows: Sequence[Mapping[str, object]]
    counts: Mapping[str, object]
    drift: bool = False

    def matches(self, plan: Plan) -> bool:
        """Whether a sync of `plan` sends exactly what was reviewed."""
        rows = [change_row(change) for change in plan.changes if not isinstance(change, Keep)]
        counts = Counter(row["action"] for row in rows)
        sent = [kind.action for kind in KINDS_OF_CHANGES if not issubclass(kind, Keep)]
        if plan.site != self.site or any(self.counts.get(word) != counts[word] for word in sent):
            return False
        if [_shown(row) for row in rows] != [_shown(row) for row in self.rows]:
            return False
        return is_digest_of(self.digest, plan, self.rows)


def read_reviewed(file: Path) -> ReviewedPlan:
    """Read the file of a reviewed plan.

    :raises ConfigError: the file cannot be read, or it does not hold a plan.
    """
    try:
        return parse(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(
            "this is not a plan", where=str(file), todo="write one with `pressync plan --out FILE`"
        ) from error


def parse(document: Mapping[str, Any]) -> ReviewedPlan:
    """Make the reviewed plan of the document of `plan --format json`.

    :raises KeyError: it is not such a document; TypeError and ValueError likewise.
    """
    if document["version"] != _VERSION:
        raise ValueError("a document of another version")
    rows = [dict(row) for row in document["changes"]]
    for row in rows:
        _ = _shown(row), row["reason"]
    commit, approved, site = (str(document[key]) for key in ("commit", "digest", "site"))
    # An earlier version had one digest, which is not that of an approval.
    whole = str(document.get("file_digest", approved))
    return ReviewedPlan(commit, whole, site, rows, dict(document["counts"]), document.get("drift") is True)


def _shown(row: Mapping[str, object]) -> dict[str, object]:
    """Give what a row shows, without the reason; the other members are about who sees the record."""
    return {key: row[key] for key in ("action", "path", "kind", "id", "fields")}

"""Makes the job of a change just before it is sent, and says which records need a second one.

The body of a document is rendered only now, because the manifest then has all ids and addresses that the run
has learned so far. So it can turn out that there is nothing to send. The address of a page may be known only
after another page is written, and the front page is a setting of the site. So some records are written
twice, and people must see one outcome for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.content.basis import BARE
from pressync.model.changes import Create, CreateCall, Delete, DeleteCall, Outcome, Result, Update, UpdateCall
from pressync.model.errors import ServiceError
from pressync.model.fingerprint import fingerprint, is_unsure
from pressync.model.records import CREATED_WITH, Desired, Entry, Fields, Prepared
from pressync.model.visibility import FRONT_PAGE, is_wanted, with_unwritten
from pressync.plan.decide import difference, empty, refreshed
from pressync.plan.order import PagesAbove, Prerequisites, Wave
from pressync.sync import echo

if TYPE_CHECKING:
    from pressync.client.port import Reads
    from pressync.model.changes import Call, CustomFields
    from pressync.model.records import Manifest
    from pressync.state.state import State
    from pressync.sync.prerequisites import FileUploads

Pending = Create | Update | Delete
Prepare = Callable[[Create | Update, Mapping[str, Entry]], Prepared]
# It gives the basis of an entry, as it is with these entries.
Basis = Callable[[Entry, Mapping[str, Entry]], str]
_NOTHING = "nothing to send after all"
# A batch is closed at this many characters: web servers refuse a request of more than 1 MB by default.
_BATCH_CHARACTERS = 400_000


class _EntriesOfOneJob(Mapping[str, Entry]):
    """The entries as one job sees them: the first answer for a path stays, also for a path without an entry.

    The threads of the connections settle entries while a document is rendered. The text of a record and its
    basis must name the same addresses, or no plan sees that a link of the text is wrong.
    """

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries
        self._answers: dict[str, Entry | None] = {}

    def __getitem__(self, path: str) -> Entry:
        if path not in self._answers:
            self._answers[path] = self._entries.get(path)
        entry = self._answers[path]
        if entry is None:
            raise KeyError(path)
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentDocuments:
    """The documents of one commit that a run may send, and the files that they need.

    `prepare` prepares the document of a change with the entries of now. `uploads` go beside the changes, and
    `files` are the blob ids of those that a change needs, by its path. `quiet` are the custom fields that go
    with the call which publishes a post, by its path.
    """

    commit: str
    prepare: Prepare
    basis: Basis
    uploads: FileUploads | None = None
    files: Mapping[str, frozenset[str]] = field(default_factory=dict)
    quiet: Mapping[str, CustomFields] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """A change with its call; `desired` is None for a delete, `previous` for a create.

    The second write of a create is a job whose change is still the create and whose call is an update.
    """

    change: Create | Update | Delete
    call: Call
    desired: Desired | None = None
    previous: Entry | None = None

    @property
    def fields(self) -> Fields:
        """The fields that its call sends."""
        return {} if isinstance(self.call, DeleteCall) else self.call.fields


@dataclass(frozen=True, slots=True)
class Delivered:
    """How a job ended; by the service's `error` the run decides whether to go on.

    `answered` is false if the response was lost, also if a look-up on the site has settled the call since.
    """

    job: Job
    outcome: Outcome
    error: ServiceError | None = None
    answered: bool = True


@dataclass(slots=True)
class Batch:
    """Jobs that are sent in one request; while one that goes `alone` is under way, no other is."""

    alone: bool = False
    jobs: list[Job] = field(default_factory=list)
    characters: int = 0

    def add(self, job: Job) -> None:
        """Add a job at the end."""
        self.jobs.append(job)
        # About as many as its request has.
        self.characters += sum(len(value) for value in job.fields.values() if isinstance(value, str))

    def is_full(self, most: int) -> bool:
        """Whether it has as many jobs as the service takes in one request, or as many characters."""
        return len(self.jobs) >= most or self.characters > _BATCH_CHARACTERS


class JobBuilder:
    """Makes the jobs of one run. Only the deciding thread may use it."""

    def __init__(
        self,
        state: State,
        documents: SentDocuments,
        expected: Mapping[str, Entry],
        *,
        permanent: bool,
        overwrite: bool,
    ) -> None:
        """Make a builder; `expected` adds the entries that creates of this run will probably get."""
        self._state = state
        self._documents = documents
        self._expected = expected
        self._permanent = permanent
        self._overwrite = overwrite
        self._children: defaultdict[str, list[str]] | None = None

    def build(self, change: Pending) -> Job | Outcome:
        """Make the job of a change, or its outcome if there is nothing to send.

        :raises ContentError: its document can no longer be read.
        """
        match change:
            case Create() | Update() if parent := self._missing_parent(change):
                # Without the id of its parent, the page would be at the top of the site.
                return Outcome(change, Result.SKIPPED, f"its parent {parent} was not created")
            case Create():
                prepared = self._documents.prepare(change, _EntriesOfOneJob(self._expected))
                sent = {**CREATED_WITH, **prepared.fields}
                fields = {name: value for name, value in sent.items() if name != FRONT_PAGE}
                call = CreateCall(change.kind, fields, self._documents.quiet.get(change.path, {}))
                return Job(change, call, prepared.desired)
            case Update():
                return self.update(change)
            case Delete() if child := self._remaining_child(change):
                # The child's own call failed. Below a deleted page it would lose its parent and its address.
                return Outcome(change, Result.SKIPPED, f"{child} is still below it")
            case Delete():
                return Job(change, DeleteCall(change.kind, change.id, self._permanent))

    def _missing_parent(self, change: Create | Update) -> str | None:
        parent = change.desired.parent_path
        return parent if parent is not None and parent not in self._state.manifest.entries else None

    def _remaining_child(self, change: Delete) -> str | None:
        entries = self._state.manifest.entries
        if self._children is None:
            # Built once per run: pages move away from a page that will be deleted, and no page moves to it.
            self._children = defaultdict(list)
            pages = PagesAbove(entries.values())
            for entry in entries.values():
                self._children[pages.parent(entry) or ""].append(entry.path)
        paths, page = self._children.get(change.path, ()), PagesAbove([change])
        return next((p for p in paths if p in entries and page.parent(entries[p]) == change.path), None)

    def has_true_links(self, change: Create | Update) -> bool:
        """Tell without rendering that a record was sent with the addresses that are known now."""
        entry = self._state.manifest.entries.get(change.path)
        return bool(
            entry
            and not self._overwrite
            and entry.blob == change.desired.blob
            and entry.links == change.desired.links
            and not entry.conflict
            and not any(map(is_unsure, entry.fingerprints.values()))
            and entry.basis[:BARE] == self._documents.basis(entry, self._expected)
        )

    def update(self, change: Create | Update, *, front: bool = False) -> Job | Outcome:
        """Make the job that sends what differs now: an update, or the second write of a create.

        With `front` it sends whether the page is the front page, which is a setting of the site, and without
        it all other fields.

        :raises ContentError: its document can no longer be read.
        """
        entries = self._state.manifest.entries
        entry = entries.get(change.path) or (change.entry if isinstance(change, Update) else None)
        if entry is None:
            raise ValueError(f"{change.path} has no record to update")
        if isinstance(change, Update) and change.only_if_moved and self.has_true_links(change):
            return Outcome(change, Result.KEPT, _NOTHING, entry)
        prepared = self._documents.prepare(change, _EntriesOfOneJob(self._expected))
        changed = difference(prepared.desired, entry, overwrite=self._overwrite)
        available = {**CREATED_WITH, **prepared.fields}
        differing = {name: available[name] for name in changed.fields}
        differing |= {
            name: value for name in changed.resets if (value := empty(change.kind, name)) is not None
        }
        sent = {name: value for name, value in differing.items() if (name == FRONT_PAGE) is front}
        desired = prepared.desired
        if not sent:
            kept = with_unwritten(refreshed(entry, desired), desired.fingerprints, entry)
            self._state.put(kept)
            return Outcome(change, Result.KEPT, _NOTHING, kept)
        if front and len(differing) > 1:
            # The record does not hold yet what this basis stands for.
            desired = structs.replace(desired, basis=entry.basis)
        custom = self._documents.quiet.get(change.path, {}) if "status" in sent else {}
        stored = {name: value for name, value in prepared.stored.items() if name in sent}
        return Job(change, UpdateCall(change.kind, entry.id, sent, custom, stored), desired, entry)


_WRITTEN = frozenset({Result.DONE, Result.KEPT})
# A second write sends it alone if records take each other's slugs.
_SLUG = "slug"
# A second write that sends these fields alone is not about links.
_LACKS: Mapping[tuple[str, ...], str] = {
    (FRONT_PAGE,): "the site's front page is not set",
    ("sticky",): "another write took it off the list of sticky posts",
    (_SLUG,): "its slug has a number",
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
    writes = [change for wave in waves for change in wave if not isinstance(change, Delete)]
    unwritten = {path for path, outcome in outcomes.items() if outcome.result not in _WRITTEN}
    fronts = [write for write in writes if FRONT_PAGE in write.fields and write.path not in unwritten]
    return sorted(fronts, key=lambda change: not is_wanted(change.desired.fingerprints))


def missing_write(change: Pending, entry: Entry | None = None) -> str:
    """Say what the next sync does for a record whose second write was not sent, by its entry."""
    if entry and is_unsure(entry.fingerprints.get(_SLUG, "")):
        return "its slug is completed by the next sync"
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
    verb = "updated" if isinstance(change, Update) else "created"
    return replace(outcome, change=change, message=f"{verb}, but {but}: {outcome.message}")


# The order of a plan frees a slug before another record takes it. Where records take each other's, as two
# that swap, one write must come first, and the service gives its record `about-2`. After the other records
# have moved, the slug is free, and a second write takes it.
def numbered_slugs(waves: Iterable[Wave], outcomes: Mapping[str, Outcome]) -> list[Update]:
    """Give the updates whose slug the service has changed, and whose place another record has left since."""
    done = {path: outcome.entry for path, outcome in outcomes.items() if outcome.result is Result.DONE}
    writes = [change for wave in waves for change in wave if not isinstance(change, Delete)]
    renamed = [
        write
        for write in writes
        if isinstance(write, Update) and (entry := done.get(write.path)) and _SLUG in entry.changed_by_service
    ]
    before = Prerequisites(writes, {}) if renamed else None
    return [write for write in renamed if before and not done.keys().isdisjoint(before.leaving(write))]


def expecting_slug(change: Update, outcome: Outcome, entry: Entry) -> Outcome:
    """Give the outcome of such an update before its second write: what it tells of the slug is not the end.

    Its entry says that the slug is not sure, so the next sync sends it if this one ends before.
    """
    message = echo.without_notice_of_slug(outcome.message, change.entry, change.desired.slug, entry.slug)
    return replace(outcome, message=message, entry=echo.unsure(entry, (_SLUG,)))


def slug_again(change: Pending, manifest: Manifest) -> Job:
    """Make the job that sends the slug of such an update alone; its entry says what else the record holds."""
    if not isinstance(change, Update):
        raise TypeError("only an update leaves a slug that another record takes")
    entry = manifest.entries[change.path]
    desired = structs.replace(
        change.desired, blob=entry.blob, basis=entry.basis, layout=entry.layout, links=entry.links
    )
    return Job(change, UpdateCall(change.kind, entry.id, {_SLUG: desired.slug}), desired, entry)


# WordPress keeps some things in one option of the site. A request reads it at its start and writes all of it
# back. So of two requests at once, the later one undoes the work of the earlier one. Both report success
# (measured on 6.1, 6.8 and 7.1: of 80 sticky posts 54 were not sticky, of 80 scheduled posts 54 never
# appear).
#
# | Sent | Kept in one place | How a run writes it |
# |---|---|---|
# | `sticky` | the list of sticky posts | alone, and it is read back |
# | a date to come | the calendar of coming events | alone; the interface does not show it |
# | `front_page` | the settings of the site | alone, after the records  |
# | a new category or tag | the tree of terms | one by one, before the records |
# | the first file of a month | its folder | alone, before the other files |
#
# The number of posts of a term is counted again by each write, and was right after 80 posts at once.
def is_alone(job: Job) -> bool:
    """Whether a write changes something that is kept in one place, so that no other may be under way."""
    entry = _before(job)
    tables = (entry.fingerprints, entry.changed_by_service) if entry else ()
    date = job.desired.date if job.desired else ""
    soonest = (datetime.now(UTC) - _MARGIN).strftime("%Y-%m-%dT%H:%M:%S")
    # A write changes the calendar if its record appears later, or would have without this write.
    is_scheduled = date > soonest or any(digests.get("status") == _FUTURE for digests in tables)
    return is_scheduled or _is_sticky(job)


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
        sync sends it if this one ends before. A post that is as it was sent is not read again.
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
            self._state.put(echo.unsure(held[path], (_FIELD,)))
        return [change for change in changes if change.path in self._wanted]

    def again(self, change: Pending) -> Job | Outcome:
        """Make the job that sends only the value of a post again; after all attempts, it failed."""
        entry, wanted = self._state.manifest.entries[change.path], self._wanted[change.path]
        if self._reads_back <= ATTEMPTS and not self._unread:
            call = UpdateCall(entry.kind, entry.id, {_FIELD: wanted})
            return Job(change, call, self._desired[change.path], entry)
        del self._wanted[change.path]
        if self._unread:
            why = f"it was written, but nobody could read back whether it is sticky: {self._unread}"
        else:
            why = f"it is {'not' if wanted else 'still'} sticky on the site after {ATTEMPTS} more writes: "
            why += "something else there writes the list of sticky posts, too"
        return Outcome(change, Result.FAILED, f"{why}; sync again", entry)

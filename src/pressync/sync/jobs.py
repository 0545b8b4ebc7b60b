"""Makes the job of a change just before it is sent.

The body of a document is rendered only now, because the manifest then has all ids and addresses that the run
has learned so far. So it can turn out that there is nothing to send.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.model.changes import Create, CreateCall, Delete, DeleteCall, Outcome, Result, Update, UpdateCall
from pressync.model.fingerprint import is_unsure
from pressync.model.records import CREATED_WITH, Entry, Prepared
from pressync.model.visibility import FRONT_PAGE, with_unwritten
from pressync.plan.decide import EMPTY, difference, refreshed
from pressync.plan.order import PagesAbove

if TYPE_CHECKING:
    from pressync.model.changes import Call, CustomFields
    from pressync.model.records import Desired, Fields
    from pressync.state.state import State
    from pressync.sync.media import FileUploads

Pending = Create | Update | Delete
Prepare = Callable[[str, Mapping[str, Entry]], Prepared]
# It gives the basis of an entry, as it is with these entries.
Basis = Callable[[Entry, Mapping[str, Entry]], str]
_NOTHING = "nothing to send after all"
# A batch is closed at this many characters: web servers refuse a request of more than 1 MB by default.
_BATCH_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SentDocuments:
    """The documents of one commit that a run may send, and the files that they need.

    `prepare` prepares the document at a path with the entries of now. `uploads` go beside the changes, and
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
    def weight(self) -> int:
        """Estimate how many characters its request has."""
        return sum(len(value) for value in self.fields.values() if isinstance(value, str))

    @property
    def fields(self) -> Fields:
        """The fields that its call sends."""
        return {} if isinstance(self.call, DeleteCall) else self.call.fields


@dataclass(slots=True)
class Batch:
    """Jobs that are sent in one request, and an estimate of its characters.

    While one that goes `alone` is under way, no other is.
    """

    alone: bool = False
    jobs: list[Job] = field(default_factory=list)
    characters: int = 0

    def add(self, job: Job) -> None:
        """Add a job at the end."""
        self.jobs.append(job)
        self.characters += job.weight

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
        self._prepare = documents.prepare
        self._basis = documents.basis
        self._expected = expected
        self._quiet = documents.quiet
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
                return self._create(change)
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

    def _create(self, change: Create) -> Job | Outcome:
        prepared = self._prepare(change.path, self._expected)
        fields = {n: value for n, value in {**CREATED_WITH, **prepared.fields}.items() if n != FRONT_PAGE}
        call = CreateCall(change.kind, fields, self._quiet.get(change.path, {}))
        return Job(change, call, prepared.desired)

    def has_true_links(self, change: Create | Update) -> bool:
        """Tell without rendering that a record was sent with the addresses that are known now."""
        entry = self._state.manifest.entries.get(change.path)
        return bool(
            entry
            and not self._overwrite
            and entry.blob == change.desired.blob
            and not entry.conflict
            and not any(map(is_unsure, entry.fingerprints.values()))
            and entry.basis == self._basis(entry, self._expected)
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
        prepared = self._prepare(change.path, self._expected)
        found = difference(prepared.desired, entry, overwrite=self._overwrite)
        available = {**CREATED_WITH, **prepared.fields}
        differing = {name: available[name] for name in found.fields} | {n: EMPTY[n] for n in found.resets}
        sent = {name: value for name, value in differing.items() if (name == FRONT_PAGE) is front}
        desired = prepared.desired
        if not sent:
            kept = with_unwritten(refreshed(entry, desired), desired.fingerprints, entry)
            self._state.put(kept)
            return Outcome(change, Result.KEPT, _NOTHING, kept)
        if front and len(differing) > 1:
            # The record does not hold yet what this basis stands for.
            desired = replace(desired, basis=entry.basis)
        custom = self._quiet.get(change.path, {}) if "status" in sent else {}
        return Job(change, UpdateCall(change.kind, entry.id, sent, custom), desired, entry)

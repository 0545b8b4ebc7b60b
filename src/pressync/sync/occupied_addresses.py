"""Decides what the records at a plan's new addresses mean: some are bound, others stop their create.

If a manifest was not committed, not pulled or lost, a plan creates documents that the site has already. A
record that can only be the document's own is bound to it. For any other record at the address, a person must
decide.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.model.changes import Create, Keep
from pressync.plan import reasons
from pressync.repo.paths import is_below
from pressync.sync import address_lookup, prerequisites, trashed
from pressync.sync.record_match import DocumentMatcher, bound_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.client.port import ReadableService, Reads
    from pressync.content.content import Content
    from pressync.model.records import Entry, Record
    from pressync.plan.build import PlannedRun
    from pressync.plan.survey import Known
    from pressync.state.learning import Learner
    from pressync.state.state import State
    from pressync.sync.address_lookup import AddressOccupant

# More documents than this are counted, and only the first ones are named.
_NAMED = 10


@dataclass(frozen=True, slots=True)
class OccupiedAddresses:
    """The entries of documents whose records were found, and by path why other documents get none."""

    bound: tuple[Entry, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether the plan must be built again."""
        return bool(self.bound or self.taken)

    @property
    def path(self) -> str:
        """The first path that was found."""
        return min((*(entry.path for entry in self.bound), *self.taken))

    def tell(self, say: Callable[[str], None]) -> None:
        """Say which records are bound."""
        if len(self.bound) <= _NAMED:
            for entry in self.bound:
                say(f"{entry.path} is {entry.kind} {entry.id} already, with the same text: it is bound")
        else:
            paths = reasons.listed([entry.path for entry in self.bound])
            count = len(self.bound)
            say(f"{count} documents are on the site already, with the same texts: they are bound ({paths})")


def look_up(
    service: Reads,
    state: State,
    content: Content,
    planned: PlannedRun,
    *,
    anyway: Collection[str] = (),
    learn: Callable[[Collection[Create]], None] = lambda _creates: None,
) -> OccupiedAddresses:
    """Look up the address of every create of a plan, except those at the paths of `anyway`.

    `learn` gets the creates that have a record at their address, before their texts are compared. It looks up
    the ids of the names and files in them.

    :raises ServiceError: the service cannot be read.
    """
    creates = [
        change
        for change in planned.plan.changes
        if isinstance(change, Create) and not is_below(change.path, anyway)
    ]
    found = address_lookup.look_up(service, creates, state.holder) if creates else {}
    if not found:
        return OccupiedAddresses()
    learn([create for create in creates if create.path in found])
    live = {path: at.live for path, at in found.items()}
    records = DocumentMatcher(content, planned.entries, live, service.user()).matches()
    entries = bound_entries(content, planned.entries, records, planned.plan.commit)
    return OccupiedAddresses(tuple(entries), _taken(state, content, creates, found, records))


def plan_with_occupied_addresses(
    service: ReadableService,
    state: State,
    content: Content,
    build: Callable[[Known], PlannedRun],
    known: Known,
    *,
    learner: Learner,
) -> PlannedRun:
    """Build a plan that knows what the site has at the addresses of its creates; nothing is recorded.

    `content` must use what `learner` learns.

    :raises ServiceError: the service cannot be read.
    """
    planned = build(replace(known, findings=known.findings.with_taken({})))
    library_service = service.library

    def learn(creates: Collection[Create]) -> None:
        if library_service:
            prerequisites.look_up(
                library_service, learner, content, replace(planned.plan, changes=tuple(creates))
            )

    there = look_up(service, state, content, planned, learn=learn)
    if not there:
        return planned
    bound = {entry.path: entry for entry in there.bound}
    planned = build(
        replace(known, entries={**known.entries, **bound}, findings=known.findings.with_taken(there.taken))
    )
    # The manifest does not have these entries yet. Without a reason the plan would be remembered as one with
    # nothing to do, and the sync that writes them down would never look.
    changes = tuple(
        replace(change, reason=change.reason or reasons.WILL_BE_BOUND)
        if isinstance(change, Keep) and change.path in bound
        else change
        for change in planned.plan.changes
    )
    return replace(planned, plan=replace(planned.plan, changes=changes), bound=there.bound)


def _taken(
    state: State,
    content: Content,
    creates: Collection[Create],
    found: Mapping[str, AddressOccupant],
    bound: Mapping[str, Record],
) -> dict[str, str]:
    """Say, by path, why documents that are not bound cannot be created."""
    in_trash = {
        (record.kind, record.id)
        for at in found.values()
        for record in at.here
        if address_lookup.is_trashed(record)
    }
    own = trashed.ours(content.repository, content.settings, state, in_trash) if in_trash else frozenset()
    parents = {create.path: create.desired.parent_path for create in creates}
    taken = {}
    for path, at in found.items():
        here = [record for record in at.here if (record.kind, record.id) not in own]
        parent = parents[path]
        if parent in parents and parent not in taken:
            # The parent is created by this plan too, so it has no children yet.
            above = bound.get(parent)
            here = [record for record in here if above and record.fields.get("parent") == above.id]
        if path not in bound and here:
            taken[path] = reasons.taken(path, here)
    return taken

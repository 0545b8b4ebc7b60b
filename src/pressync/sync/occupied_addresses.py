"""What the look-up of addresses means for a plan: records that are bound, and creates that must not be made.

A manifest that was not committed, not pulled or lost makes a plan create what is there already. The one
record that can be nothing else is bound; anything else at the address is a person's to look at.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.client.port import library
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

# More documents than this are counted, and the first of them named.
_NAMED = 10


@dataclass(frozen=True, slots=True)
class OccupiedAddresses:
    """Entries of documents whose records are there, and why other documents get none; by path."""

    bound: tuple[Entry, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether the plan must be drawn once more."""
        return bool(self.bound or self.taken)

    @property
    def path(self) -> str:
        """The first path that it is about."""
        return min((*(entry.path for entry in self.bound), *self.taken))

    def tell(self, say: Callable[[str], None]) -> None:
        """Say which records are bound."""
        if len(self.bound) <= _NAMED:
            for entry in self.bound:
                say(f"{entry.path} is {entry.kind} {entry.id} already, with the same text: it is bound")
        else:
            paths = reasons.listed([entry.path for entry in self.bound])
            say(f"{len(self.bound)} documents are there already, with the same texts: bound ({paths})")


def look_up(
    service: Reads,
    state: State,
    content: Content,
    drawn: PlannedRun,
    *,
    anyway: Collection[str] = (),
    learn: Callable[[Collection[Create]], None] = lambda _creates: None,
) -> OccupiedAddresses:
    """Look up the address of every create of a plan but those at the paths of `anyway`.

    `learn` is told which creates may be there already, before their texts are compared: it finds out what
    the names and files in them stand for.

    :raises ServiceError: the service cannot be read.
    """
    creates = [
        change
        for change in drawn.plan.changes
        if isinstance(change, Create) and not is_below(change.path, anyway)
    ]
    found = address_lookup.look_up(service, creates, state.holder) if creates else {}
    if not found:
        return OccupiedAddresses()
    learn([create for create in creates if create.path in found])
    live = {path: at.live for path, at in found.items()}
    records = DocumentMatcher(content, drawn.entries, live, service.user()).matches()
    entries = bound_entries(content, drawn.entries, records, drawn.plan.commit)
    return OccupiedAddresses(tuple(entries), _taken(state, content, creates, found, records))


def plan_with_occupied_addresses(
    service: ReadableService,
    state: State,
    content: Content,
    draw: Callable[[Known], PlannedRun],
    known: Known,
    *,
    learner: Learner,
) -> PlannedRun:
    """Draw a plan beside what the site has at the addresses of its creates; nothing is noted.

    `content` must know what `learner` learns.

    :raises ServiceError: the service cannot be read.
    """
    drawn = draw(replace(known, findings=known.findings.with_taken({})))
    shelves = library(service)

    def learn(creates: Collection[Create]) -> None:
        if shelves:
            prerequisites.look_up(shelves, learner, content, replace(drawn.plan, changes=tuple(creates)))

    there = look_up(service, state, content, drawn, learn=learn)
    if not there:
        return drawn
    bound = {entry.path: entry for entry in there.bound}
    drawn = draw(
        replace(known, entries={**known.entries, **bound}, findings=known.findings.with_taken(there.taken))
    )
    # The manifest does not have these entries yet. Without a reason the plan would be remembered as one with
    # nothing to do, and the sync that writes them down would never look.
    changes = tuple(
        replace(change, reason=change.reason or reasons.WILL_BE_BOUND)
        if isinstance(change, Keep) and change.path in bound
        else change
        for change in drawn.plan.changes
    )
    return replace(drawn, plan=replace(drawn.plan, changes=changes))


def _taken(
    state: State,
    content: Content,
    creates: Collection[Create],
    found: Mapping[str, AddressOccupant],
    bound: Mapping[str, Record],
) -> dict[str, str]:
    """Say why documents cannot be made: by path, of those that are not bound."""
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
            # Below a page that is made now, there is nothing yet.
            above = bound.get(parent)
            here = [record for record in here if above and record.fields.get("parent") == above.id]
        if path not in bound and here:
            taken[path] = reasons.taken(path, here)
    return taken

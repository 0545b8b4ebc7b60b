"""The five kinds of change, the plan that holds them, the calls that make them, and the outcome of each.

The data is frozen and does no I/O. A change is one of five small classes, and a call one of three, so that a
create cannot have an id and a delete cannot lack one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Self

from pressync.model.reason import NO_REASON, Reason

if TYPE_CHECKING:
    from pressync.model.errors import Problem
    from pressync.model.interface import Kind
    from pressync.model.records import Desired, Entry, Fields


class _Explained:
    """A change with a reason; `action` is the word that every output has for it."""

    __slots__ = ()
    action: ClassVar[str]
    why: Reason

    @property
    def reason(self) -> str:
        """The sentence for people; nothing reads it to decide."""
        return str(self.why)


@dataclass(frozen=True, slots=True)
class Create(_Explained):
    """A document that has no record; `completed_later` tells that its links need a second write."""

    action: ClassVar = "create"
    path: str
    kind: Kind
    fields: tuple[str, ...]
    why: Reason
    desired: Desired
    completed_later: bool = False


@dataclass(frozen=True, slots=True)
class Update(_Explained):
    """A record that differs from its document in `fields`; `resets` are the fields that are sent empty.

    `only_if_moved` marks an update that is needed only if the address of a linked page really changes.
    `completed_later` marks an update that is written a second time if that address changes.
    """

    action: ClassVar = "update"
    path: str
    kind: Kind
    id: int
    fields: tuple[str, ...]
    why: Reason
    desired: Desired
    entry: Entry
    resets: tuple[str, ...] = ()
    only_if_moved: bool = False
    completed_later: bool = False


@dataclass(frozen=True, slots=True)
class Delete(_Explained):
    """A record whose document was removed by a commit."""

    action: ClassVar = "delete"
    path: str
    kind: Kind
    id: int
    why: Reason
    entry: Entry

    @property
    def address(self) -> str:
        """The address of the record, or its kind and id if the service has shown none."""
        return self.entry.link or f"{self.kind} {self.id}"


@dataclass(frozen=True, slots=True)
class Keep(_Explained):
    """A record that is up to date. `entry` is what the manifest should say of it, also after a rename.

    `unrecorded` tells that the manifest does not say it yet, so that a sync has to write it down.
    """

    action: ClassVar = "keep"
    path: str
    kind: Kind
    id: int
    entry: Entry
    why: Reason = NO_REASON
    unrecorded: bool = False


@dataclass(frozen=True, slots=True)
class NotCompared(Keep):
    """A record that a sync would keep, and that a look at the site could not read; `why` says why."""

    action: ClassVar = "not_compared"


class Absence(StrEnum):
    """Why a record of the manifest has no desired document in this run."""

    REMOVED = "removed"  # Git history has the commit that removed the file
    UNCOMMITTED = "uncommitted"  # the file is not in the working tree, but still in the commit
    UNWITNESSED = "unwitnessed"  # the file is not there, and the history of HEAD does not show its removal
    LEFT_OUT = "left_out"  # the file is in the commit, and the settings or its type leave it out
    OUTSIDE = "outside"  # the file is in the commit, but outside the content folder, or not a page or post


class Block(StrEnum):
    """Why a change cannot be made; the values are the states that `status` shows."""

    BLOCKED = "blocked"
    CONFLICT = "conflict"
    UNCONFIRMED = "in_doubt"


@dataclass(frozen=True, slots=True)
class Blocked(_Explained):
    """A change that pressync does not make by itself; `why` says why, and what to do."""

    action: ClassVar = "blocked"
    path: str
    kind: Kind
    id: int | None
    why: Reason
    block: Block = Block.BLOCKED
    fields: tuple[str, ...] = ()


Change = Create | Update | Delete | Keep | NotCompared | Blocked
KINDS_OF_CHANGES: tuple[type[Change], ...] = (Create, Update, Delete, Keep, Blocked, NotCompared)


def desired_of(changes: Iterable[Change]) -> Iterator[Desired]:
    """Give the documents of the pending changes."""
    return (change.desired for change in changes if isinstance(change, Create | Update))


# A plug-in may delete a term in the save of the record that names it. An update of the title does not send
# the term, so it must not make it again.
def sent_of(changes: Iterable[Change]) -> Iterator[Desired]:
    """Give the documents of the pending changes, with the names and files alone that their calls need."""
    for change in changes:
        if isinstance(change, Create):
            yield change.desired
        elif isinstance(change, Update):
            yield change.desired.sending(change.fields)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A safety limit that stops a sync before its first call; `code` is its name for programs."""

    code: str
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Plan:
    """All changes of one commit against one site, in the order in which a sync makes them.

    `remarks` are what people should know of the plan as a whole. `compared` tells that it knows every record
    of the site. `later` is the number of changes that a limit leaves to a later sync, and `unlisted` that of
    further records which are up to date. `replaced` are synced commits that the history lacks, although it
    has all that they sent. `quiet` has the custom fields that keep the site from telling people of a post, by
    path. A sync of a plan with `approve` that asks nobody wants its digest. `markup` has the text on the site
    and the one that replaces it, by path, where a look has shown them.
    """

    site: str
    target: str
    commit: str
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...] = ()
    remarks: tuple[Reason, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    later: int = 0
    unlisted: int = 0
    compared: bool = False
    replaced: frozenset[str] = frozenset()
    quiet: Mapping[str, CustomFields] = field(default_factory=dict)
    approve: bool = False
    markup: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences about the plan as a whole."""
        return tuple(map(str, self.remarks))

    @property
    def pending(self) -> tuple[Create | Update | Delete, ...]:
        """The changes that a sync would send."""
        return tuple(c for c in self.changes if isinstance(c, Create | Update | Delete))

    @property
    def not_compared(self) -> tuple[NotCompared, ...]:
        """The records that a look at the site could not read; nobody knows whether they are up to date."""
        return tuple(change for change in self.changes if isinstance(change, NotCompared))

    @property
    def settled(self) -> bool:
        """Whether the manifest needs no change: all records are up to date, without new paths or commits."""
        if self.replaced:
            return False
        return all(isinstance(change, Keep) and not change.unrecorded for change in self.changes)

    @property
    def second_writes(self) -> int:
        """How many records get a second write, because they link to pages that are created or moved later."""
        return sum(1 for c in self.changes if isinstance(c, Create | Update) and c.completed_later)


class Result(StrEnum):
    """How a change ended."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    BLOCKED = "blocked"
    UNCONFIRMED = "in_doubt"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A change and how it ended; `entry` is what the manifest says now, if the record exists.

    `why` is the reason of which `message` is the sentence. An error of the service has no such reason.
    `public` is the message without logins of the site's users, if it has some.
    """

    change: Change
    result: Result
    message: str = ""
    entry: Entry | None = None
    why: Reason = NO_REASON
    public: str = ""

    @property
    def published(self) -> Outcome:
        """The outcome for a report that strangers may read."""
        return replace(self, message=self.public or self.message)

    @classmethod
    def because(cls, change: Change, result: Result, why: Reason, entry: Entry | None = None) -> Self:
        """Make the outcome of a change that was not made, for this reason."""
        return cls(change, result, str(why), entry, why)


# Custom fields that go with one call and belong to no document: no fingerprint and no comparison has them.
CustomFields = Mapping[str, bool | str]


@dataclass(frozen=True, slots=True)
class CreateCall:
    """Ask the service to create a record."""

    kind: Kind
    fields: Fields
    custom: CustomFields = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UpdateCall:
    """Ask the service to change the named fields of a record.

    Of some fields, `stored` has the value as the service once stored it, which is sent as it is.
    """

    kind: Kind
    id: int
    fields: Fields
    custom: CustomFields = field(default_factory=dict)
    stored: Fields = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeleteCall:
    """Ask the service to delete a record. The delete can be undone unless it is `permanent`."""

    kind: Kind
    id: int
    permanent: bool = False


Call = CreateCall | UpdateCall | DeleteCall

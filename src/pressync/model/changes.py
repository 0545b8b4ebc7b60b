"""The five kinds of change, the plan that holds them, and the outcome of each.

The data is frozen and does no I/O. A change is one of five small classes, so that a create cannot have an id
and a delete cannot lack one. A `reason` explains a change and never decides anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.model.errors import Problem
    from pressync.model.interface import Kind
    from pressync.model.records import Desired, Entry


@dataclass(frozen=True, slots=True)
class Create:
    """A document that has no record; `completed_later` tells that its links need a second write."""

    path: str
    kind: Kind
    fields: tuple[str, ...]
    reason: str
    desired: Desired
    completed_later: bool = False


@dataclass(frozen=True, slots=True)
class Update:
    """A record that differs from its document in `fields`; `resets` are the fields that are sent empty.

    `only_if_moved` marks an update that is needed only if the address of a linked page really changes.
    `completed_later` marks an update that is written a second time if that address changes.
    """

    path: str
    kind: Kind
    id: int
    fields: tuple[str, ...]
    reason: str
    desired: Desired
    entry: Entry
    resets: tuple[str, ...] = ()
    only_if_moved: bool = False
    completed_later: bool = False


@dataclass(frozen=True, slots=True)
class Delete:
    """A record whose document was removed by a commit."""

    path: str
    kind: Kind
    id: int
    reason: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Keep:
    """A record that is up to date. `entry` is what the manifest should say of it, also after a rename."""

    path: str
    kind: Kind
    id: int
    entry: Entry
    reason: str = ""


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
class Blocked:
    """A change that pressync does not make by itself; `reason` says why, and what to do."""

    path: str
    kind: Kind
    id: int | None
    reason: str
    block: Block = Block.BLOCKED
    fields: tuple[str, ...] = ()


Change = Create | Update | Delete | Keep | Blocked


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

    `refusals` are the safety limits that stop a sync of this plan before its first call. `notes` are
    sentences for people about the plan as a whole. `compared` tells that it knows every record of the site.
    `later` is the number of changes that a limit leaves to a later sync, and `unlisted` that of further
    records which are up to date. `replaced` are synced commits that the history lacks, although it has all
    that they sent.
    """

    site: str
    target: str
    commit: str
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    later: int = 0
    unlisted: int = 0
    compared: bool = False
    replaced: frozenset[str] = frozenset()

    @property
    def pending(self) -> tuple[Create | Update | Delete, ...]:
        """The changes that a sync would send."""
        return tuple(c for c in self.changes if isinstance(c, Create | Update | Delete))

    @property
    def settled(self) -> bool:
        """Whether the manifest needs no change: all records are up to date, without new paths or commits."""
        return not self.replaced and all(isinstance(c, Keep) and not c.reason for c in self.changes)

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

    `seconds` is the time that its request took, 0 without a request.
    """

    change: Change
    result: Result
    message: str = ""
    entry: Entry | None = None
    seconds: float = field(default=0.0, compare=False)

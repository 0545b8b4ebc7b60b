"""The nouns: what a file says, what the service should hold, what it holds, and what must change.

Frozen data without I/O. Two decisions shaped it. A change is one of five classes, so that a create
cannot have an id and a delete cannot lack one. And nothing that a plan holds has a rendered body: a
plan of fifty thousand pages is fingerprints, and each body is rendered again, as a `Prepared`, when
its turn comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from pressync.interface import SHOWN_VALUES

if TYPE_CHECKING:
    from pressync.errors import Problem
    from pressync.interface import Kind

# A field's value as people write it and as echoes are compared: title, content and excerpt are their
# raw text, everything else has the interface's own type. Each dialect encodes it in its own way.
Value = str | int | bool | tuple[int, ...] | Mapping[str, str]
Fields = Mapping[str, Value]

_NOTHING: Mapping[str, str] = MappingProxyType({})

# What a create sends for a status that nobody named: the only value that the interface shows (2.3).
CREATED_WITH: Fields = MappingProxyType({"status": SHOWN_VALUES["status"]})


@dataclass(frozen=True, slots=True)
class Source:
    """A content file of the tree that is synced: its path from the repository's root and its blob id."""

    path: str
    blob: str


@dataclass(frozen=True, slots=True)
class Document:
    """A content file as written: front matter by the interface's field names, and Markdown.

    `fields` never holds `content` or `parent`: the body is still Markdown, and a parent is a path or an
    id until the manifest has been asked. `parent` is None when front matter does not name one.
    `extra` is the front matter that is the templates' alone.
    """

    path: str
    blob: str
    kind: Kind
    fields: Fields
    body: str
    body_line: int
    parent: str | int | None = None
    parent_line: int = 0
    layout: str | None = None
    bound_id: int | None = None
    protect: bool = False
    aliases: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Desired:
    """What the service should hold for one path: a fingerprint per field that would be sent.

    `create_only` names the fields that a create sends though nobody named them (the status). `links`
    are the documents that the body links to, `basis` a digest of everything beside the file that went
    into the fields; both let the next run keep the record without reading the file.
    """

    path: str
    blob: str
    kind: Kind
    slug: str
    title: str
    fingerprints: Mapping[str, str]
    parent_path: str | None
    basis: str
    layout: str = ""
    create_only: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    links: tuple[str, ...] = ()
    bound_id: int | None = None
    protect: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be sent: the record of it, and every field that it names, body included."""

    document: Document
    desired: Desired
    fields: Fields


@dataclass(frozen=True, slots=True)
class Entry:
    """What we last put at one path's record, and what the service said of it.

    `fingerprints` are of what was sent, for the fields that the document names; the value `UNSURE` marks
    a field whose last write got no answer. `bent` holds, per field, what the service made of what was
    sent. `conflict` holds, per field, a value that somebody else put there (of a password only that
    somebody did: the manifest is committed). `modified` and `modified_gmt` are kept verbatim and
    compared for equality only. `former` are addresses that the record once had.
    """

    path: str
    kind: Kind
    id: int
    slug: str
    link: str
    modified: str
    modified_gmt: str
    blob: str
    commit: str
    fingerprints: Mapping[str, str]
    parent_path: str | None = None
    basis: str = ""
    layout: str = ""
    links: tuple[str, ...] = ()
    bent: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    conflict: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    protect: bool = False
    aliases: tuple[str, ...] = ()
    former: tuple[str, ...] = ()


# In a fingerprint's place: a write of this field was sent and never answered.
UNSURE = "?"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What we last put where: entries by path, all on one target."""

    target: str
    entries: Mapping[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """What the service answered: the fields that we compare, as `Value`s, and where the record is."""

    kind: Kind
    id: int
    slug: str
    link: str
    modified: str
    modified_gmt: str
    fields: Fields


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the service behind the port can do; the planner asks these and never names a dialect."""

    create: frozenset[Kind]
    read: bool = False
    batch: int = 1


@dataclass(frozen=True, slots=True)
class CreateCall:
    """Ask the service to make a record."""

    kind: Kind
    fields: Fields


@dataclass(frozen=True, slots=True)
class UpdateCall:
    """Ask the service to change the named fields of a record."""

    kind: Kind
    id: int
    fields: Fields


@dataclass(frozen=True, slots=True)
class DeleteCall:
    """Ask the service to delete a record; reversibly unless `permanent`."""

    kind: Kind
    id: int
    permanent: bool = False


Call = CreateCall | UpdateCall | DeleteCall


@dataclass(frozen=True, slots=True)
class Create:
    """A document without a record; `completed_later` when its links need a second write."""

    path: str
    kind: Kind
    fields: tuple[str, ...]
    reason: str
    desired: Desired
    completed_later: bool = False


@dataclass(frozen=True, slots=True)
class Update:
    """A record that differs from its document in `fields`; `resets` are those sent empty.

    `only_if_moved` marks an update that is needed only if a linked page's address really changes, and
    `completed_later` one that is written a second time if it does.
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
    """A record whose document a commit removed."""

    path: str
    kind: Kind
    id: int
    reason: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Keep:
    """A record that is in step. `entry` is what the manifest should say of it, renamed if need be."""

    path: str
    kind: Kind
    id: int
    entry: Entry
    reason: str = ""


class Absence(StrEnum):
    """Why a record of the manifest has no desired document in this run."""

    REMOVED = "removed"  # Git history shows the commit that removed the file
    UNCOMMITTED = "uncommitted"  # the file is gone from the working tree, and still in the commit
    UNWITNESSED = "unwitnessed"  # the file is not there, and no history says that it was removed
    OUTSIDE = "outside"  # the file is in the commit, but outside the content folder or no page or post


class Block(StrEnum):
    """Why a change cannot be made; the names are the states that `status` shows for it."""

    BLOCKED = "blocked"
    CONFLICT = "conflict"
    IN_DOUBT = "in_doubt"


@dataclass(frozen=True, slots=True)
class Blocked:
    """A change that pressync will not make by itself; `reason` says why and what to do."""

    path: str
    kind: Kind
    id: int | None
    reason: str
    block: Block = Block.BLOCKED
    fields: tuple[str, ...] = ()


Change = Create | Update | Delete | Keep | Blocked


@dataclass(frozen=True, slots=True)
class Plan:
    """All changes of one commit against one site, in the order in which they would be made.

    `refusals` are the safety limits that stop a sync of this plan before its first call; `notes` are
    sentences for people that belong to no one change.
    """

    site: str
    target: str
    commit: str
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()

    @property
    def pending(self) -> tuple[Create | Update | Delete, ...]:
        """The changes that a sync would send."""
        return tuple(c for c in self.changes if isinstance(c, Create | Update | Delete))

    @property
    def second_writes(self) -> int:
        """How many records get a second write, because their links lead to pages made or moved later."""
        return sum(1 for c in self.changes if isinstance(c, Create | Update) and c.completed_later)


class Result(StrEnum):
    """How a change ended."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    BLOCKED = "blocked"
    IN_DOUBT = "in_doubt"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A change and how it ended; `entry` is what the manifest now says, if the record exists."""

    change: Change
    result: Result
    message: str = ""
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A create that was sent and never settled: nobody knows yet whether the record exists.

    `time` is this machine's, ISO 8601 in UTC; `fingerprints` are of the fields that were sent.
    """

    path: str
    kind: Kind
    slug: str
    time: str
    commit: str
    fingerprints: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

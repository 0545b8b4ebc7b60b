"""The six situations that a path can be in, and the step from collected facts to one of them. Pure.

Each situation is a small class with exactly the facts that its decision needs. So a new document cannot
have a record, a missing document cannot have content, and `decide` can match all cases exhaustively.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.content.sources import likely_kind
from pressync.model.changes import Absence
from pressync.model.interface import DOCUMENTED_TYPES
from pressync.model.visibility import is_deleted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.model.errors import Problem
    from pressync.model.interface import Kind, SiteTypes
    from pressync.model.reason import Reason
    from pressync.model.records import Desired, Entry, UnconfirmedCreate


@dataclass(frozen=True, slots=True)
class UnconfirmedDocument:
    """A create was sent and got no response. `entry` is the record that the path has nevertheless, if any."""

    create: UnconfirmedCreate
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class BoundDocument:
    """A document without an entry whose front matter names an existing record by `id:`.

    `other_path` is another document that already has this record.
    """

    desired: Desired
    bound_id: int
    other_path: str | None = None


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document without an entry. Each other member is evidence that a create would make a duplicate.

    `forgotten` is a record that a manifest of this clone had and that the manifest no longer has. It is
    `unverified` if this clone did not write it. `maybe_renamed_from` is a missing file that may be this one;
    in a `shallow` clone its history was cut off. `taken` says which record has the address already.
    """

    desired: Desired
    forgotten: Entry | None = None
    maybe_renamed_from: str | None = None
    taken: Reason | None = None
    shallow: bool = False
    unverified: bool = False


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document with an entry. `came_from` is its path before a rename.

    `is_deleted` says that the site no longer has the record.
    """

    desired: Desired
    entry: Entry
    came_from: str | None = None
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class BrokenDocument:
    """A file that is committed and cannot be used because of a problem. `id` is its record, if it has one."""

    path: str
    kind: Kind
    id: int | None
    problem: Problem


@dataclass(frozen=True, slots=True)
class MissingDocument:
    """An entry without a document. `absence` is the reason that Git shows, if it shows one.

    In a `shallow` clone Git shows less.
    """

    entry: Entry
    absence: Absence | None = None
    came_from: str | None = None
    shallow: bool = False


Situation = (
    UnconfirmedDocument | BoundDocument | NewDocument | KnownDocument | BrokenDocument | MissingDocument
)


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts that a survey has collected, by path.

    `came_from` gives the old path of each renamed file, `owners` the path that already has the record which
    a document names by `id:`. `deleted` are paths whose record the site no longer has. `committed` are all
    files of the tree. `shallow` tells that the clone lacks the history of the `untraceable` files.
    `left_out` are paths that the settings or the front matter leave out. `unverified` are the paths of the
    `forgotten` records that this clone did not write.
    """

    desired: Mapping[str, Desired]
    entries: Mapping[str, Entry]
    unconfirmed: Mapping[str, UnconfirmedCreate]
    problems: Mapping[str, Problem]
    came_from: Mapping[str, str]
    absences: Mapping[str, Absence]
    untraceable: tuple[str, ...]
    forgotten: Mapping[str, Entry]
    taken: Mapping[str, Reason]
    owners: Mapping[str, str]
    deleted: Collection[str]
    committed: Collection[str]
    shallow: bool = False
    left_out: Collection[str] = ()
    unverified: Collection[str] = ()
    types: SiteTypes = DOCUMENTED_TYPES

    def situation(self, path: str) -> Situation | None:
        """Give the one situation of a path; None if the path needs no decision."""
        desired, entry = self.desired.get(path), self.entries.get(path)
        if create := self.unconfirmed.get(path):
            # An unconfirmed create comes first: until it is settled, no other decision is safe.
            return UnconfirmedDocument(create, entry)
        if desired is None:
            return self._without_document(path, entry)
        if entry is not None:
            return KnownDocument(
                desired, entry, self.came_from.get(path), path in self.deleted or is_deleted(entry)
            )
        if desired.bound_id is not None:
            return BoundDocument(desired, desired.bound_id, self.owners.get(path))
        # A missing file of the same name is the first that may be this one.
        name = path.rpartition("/")[2]
        same_name = [old for old in self.untraceable if old.rpartition("/")[2] == name]
        return NewDocument(
            desired,
            self.forgotten.get(path),
            next(iter(same_name or self.untraceable), None),
            self.taken.get(path),
            self.shallow,
            path in self.unverified,
        )

    def _without_document(self, path: str, entry: Entry | None) -> Situation | None:
        if problem := self.problems.get(path):
            kind = entry.kind if entry else likely_kind(path, self.types)
            return BrokenDocument(path, kind, entry.id if entry else None, problem)
        if entry is None:
            return None
        place = None
        if path in self.committed:
            place = Absence.LEFT_OUT if path in self.left_out else Absence.OUTSIDE
        absence = self.absences.get(path) or place
        return MissingDocument(entry, absence, self.came_from.get(path), self.shallow)

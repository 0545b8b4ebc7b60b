"""Desired x Manifest x Capabilities -> the changes. Pure: a truth table, a sentence on each branch.

It must not know Git, files, dialects or the wire: absence comes with its witness, renames are already
applied to the entries, and what a service can do is asked of its capabilities. What decided its shape:
`decide` looks at one path at a time, so that every row can be read, and tested, alone; the few rules
that look at several paths (a parent that cannot be made, links that will move) are in `dependents`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.model.changes import Absence, Block, Blocked, Create, Delete, Keep, Update
from pressync.model.errors import Problem
from pressync.model.fingerprint import fingerprint, from_text, is_unsure
from pressync.model.interface import Kind
from pressync.model.records import TRASH, Desired, Doubt, Entry
from pressync.plan import reasons

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.changes import Change
    from pressync.model.records import Capabilities, Value

# The fields that have an empty value by the interface's types, and that value. A field named once and
# named no longer is reset to it; any other field is left as it is, and the plan says so.
EMPTY: Mapping[str, Value] = {
    "excerpt": "",
    "password": "",
    "template": "",
    "parent": 0,
    "menu_order": 0,
    "featured_media": 0,
    "sticky": False,
    "categories": (),
    "tags": (),
}


@dataclass(frozen=True, slots=True)
class Situation:
    """All that one path's decision looks at; whatever does not apply is None."""

    path: str
    desired: Desired | None = None
    entry: Entry | None = None
    came_from: str | None = None
    absence: Absence | None = None
    problem: Problem | None = None
    kind: Kind = Kind.PAGE
    doubt: Doubt | None = None
    maybe_renamed_from: str | None = None
    lost: Entry | None = None
    taken: str | None = None
    bound_elsewhere: str | None = None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """How a document differs from its record: fields to send, fields to send empty, fields let go."""

    fields: tuple[str, ...]
    resets: tuple[str, ...]
    let_go: tuple[str, ...]


def difference(desired: Desired, entry: Entry, *, overwrite: bool = False) -> Difference:
    """Compare fingerprints, field by field; with `overwrite`, conflicting fields are sent as well."""
    wanted = _wanted(desired, entry)
    changed = {name for name, digest in wanted.items() if entry.fingerprints.get(name) != digest}
    if overwrite:
        changed.update(conflicts(desired, entry))
    named = desired.fingerprints.keys() | desired.create_only.keys()
    return Difference(
        fields=tuple(sorted(changed & named)),
        resets=tuple(sorted(changed - named)),
        let_go=tuple(sorted(entry.fingerprints.keys() - wanted.keys())),
    )


def conflicts(desired: Desired, entry: Entry) -> tuple[str, ...]:
    """Name the fields where somebody else's value stands and the repository says another.

    It says another where front matter names the field, where the field would be sent though it is named
    no longer, and where somebody put the record into the trash.
    """
    wanted = _wanted(desired, entry)
    said = {name for name, digest in wanted.items() if entry.fingerprints.get(name) != digest}
    said |= desired.fingerprints.keys()
    return tuple(
        sorted(
            name
            for name, text in entry.conflict.items()
            if (name in said or (name in wanted and text == TRASH))
            and fingerprint(from_text(name, text)) != wanted[name]
        )
    )


def _wanted(desired: Desired, entry: Entry) -> dict[str, str]:
    """Give the fingerprint that each field should have which is named now or was once, if it can have one."""
    once = entry.fingerprints
    wanted = {name: fingerprint(EMPTY[name]) for name in once if name in EMPTY}
    # The value that a create sends unasked (status: publish) comes back when a named one is gone, and to
    # take a record out of the trash.
    unasked = desired.create_only.items()
    trashed = {name for name, text in entry.conflict.items() if text == TRASH}
    wanted.update({name: digest for name, digest in unasked if name in once or name in trashed})
    wanted.update(desired.fingerprints)
    return wanted


def decide(here: Situation, capabilities: Capabilities, *, overwrite: bool = False) -> Change:
    """Turn one path's situation into its one change.

    :raises ValueError: nothing at all is known of the path.
    """
    match here:
        case Situation(entry=None, doubt=Doubt() as doubt):
            # Never sent again by itself: it may be there already, and a second one cannot be told apart.
            # That the file may be gone again makes no difference.
            return Blocked(doubt.path, doubt.kind, None, reasons.in_doubt(doubt), Block.IN_DOUBT)
        case Situation(entry=Entry() as entry, doubt=Doubt() as doubt):
            # Another clone settled it, or another file took the name: the create may still be a second one.
            reason = reasons.second_in_doubt(doubt, entry.id)
            return Blocked(here.path, entry.kind, entry.id, reason, Block.IN_DOUBT)
        case Situation(desired=Desired() as desired, entry=None):
            return _decide_new(here, desired, capabilities)
        case Situation(desired=Desired() as desired, entry=Entry() as entry):
            return _decide_known(here, desired, entry, read=capabilities.read, overwrite=overwrite)
        case Situation(desired=None, problem=Problem() as problem):
            # A file that cannot be read says nothing about its record: it neither changes nor deletes it.
            record = here.entry.id if here.entry else None
            return Blocked(here.path, here.kind, record, reasons.broken(problem, here.path))
        case Situation(desired=None, entry=Entry() as entry):
            return _decide_absent(here, entry, overwrite=overwrite)
        case _:
            raise ValueError(f"nothing is known of {here.path}")


def _decide_new(here: Situation, desired: Desired, capabilities: Capabilities) -> Change:
    path, kind, bound_id = desired.path, desired.kind, desired.bound_id
    if bound_id is not None and here.bound_elsewhere:
        # Two files for one record would overwrite each other in every run.
        return Blocked(path, kind, bound_id, reasons.bound_twice(bound_id, here.bound_elsewhere))
    if bound_id is not None:
        # `id:` binds the file to a record that exists: all named fields are sent, nothing is created.
        fields = tuple(sorted(desired.fingerprints))
        entry = adopted(path, kind, bound_id)
        return Update(path, kind, bound_id, fields, reasons.bound(kind, bound_id), desired, entry)
    if twin := _possible_twin(here):
        return Blocked(path, kind, None, twin)
    if kind not in capabilities.create:
        # The documented interface shows no way to create a post.
        return Blocked(path, kind, None, reasons.cannot_create(kind, path))
    # A committed document without a record, on a service that can make one.
    fields = tuple(sorted({*desired.fingerprints, *desired.create_only}))
    return Create(path, kind, fields, reasons.NEW, desired)


def _possible_twin(here: Situation) -> str | None:
    """Say why a create could be a second record of one document."""
    if here.lost:
        # This clone made a record for it, and the manifest that said so was reset, restored or deleted.
        return reasons.lost(here.lost)
    if here.maybe_renamed_from:
        # Without history a new file and a vanished one may be one renamed file.
        return reasons.maybe_renamed(here.maybe_renamed_from)
    # Something may be at its address that nobody here is known to have made.
    return here.taken


def _decide_known(here: Situation, desired: Desired, entry: Entry, *, read: bool, overwrite: bool) -> Change:
    path, kind = desired.path, desired.kind
    # Until a sync writes the new name down, the manifest has the record under the old one.
    written = here.came_from or path
    if desired.bound_id is not None and desired.bound_id != entry.id:
        # Following either would orphan the other.
        reason = reasons.bound_otherwise(desired.bound_id, entry.id, written)
        return Blocked(path, kind, entry.id, reason)
    if kind is not entry.kind:
        # No operation turns a page into a post; delete and create would lose the record's id and address.
        return Blocked(path, kind, entry.id, reasons.other_kind(entry.kind, kind, written))
    if here.gone:
        # Somebody deleted the record: an update would find nothing, and a new one is a person's to want.
        return Blocked(path, kind, entry.id, reasons.gone(entry, written), Block.CONFLICT)
    standing = conflicts(desired, entry)
    if standing and not overwrite:
        # Somebody changed on the site what the repository says otherwise: neither wins in silence.
        reason = reasons.conflict(standing, path, read=read)
        return Blocked(path, kind, entry.id, reason, Block.CONFLICT, standing)
    found = difference(desired, entry, overwrite=overwrite)
    moved, let_go = reasons.moved(here.came_from), reasons.let_go(found.let_go)
    if found.fields or found.resets:
        # Only what differs is sent.
        unsure = [name for name in found.fields if is_unsure(entry.fingerprints.get(name, ""))]
        changed = [name for name in found.fields if name not in unsure]
        reason = reasons.joined(moved, reasons.differs(changed, unsure, found.resets), let_go)
        fields = tuple(sorted({*found.fields, *found.resets}))
        return Update(path, kind, entry.id, fields, reason, desired, entry, found.resets)
    # Nothing that would be sent differs; the manifest may still have to learn a new name or blob.
    return Keep(path, kind, entry.id, refreshed(entry, desired), reasons.joined(moved, let_go))


def _decide_absent(here: Situation, entry: Entry, *, overwrite: bool) -> Change:
    path, kind = entry.path, entry.kind
    match here.absence:
        case Absence.OUTSIDE:
            # Still committed: somebody moved a folder or mistyped `content`, nobody removed a page.
            return Blocked(path, kind, entry.id, reasons.outside(here.came_from or path))
        case Absence.UNCOMMITTED:
            # Only a commit is a witness; an edit of the working tree is not.
            return Blocked(path, kind, entry.id, reasons.UNCOMMITTED)
        case Absence.REMOVED if entry.protect:
            # `protect: true` outlives its file.
            return Blocked(path, kind, entry.id, reasons.protected(path))
        case Absence.REMOVED if entry.conflict and not overwrite:
            # Somebody worked on the record that nobody here wants any more: they have to be asked.
            fields = tuple(sorted(entry.conflict))
            reason = reasons.conflict_of_removed(fields)
            return Blocked(path, kind, entry.id, reason, Block.CONFLICT, fields)
        case Absence.REMOVED:
            # A commit removed the file.
            return Delete(path, kind, entry.id, reasons.REMOVED, entry)
        case _:
            # Merely absent: a shallow clone, a rewritten history, another branch.
            return Blocked(path, kind, entry.id, reasons.unwitnessed(path))


def adopted(path: str, kind: Kind, record_id: int) -> Entry:
    """Make the entry of a record that exists but was never written by us: its fields are not known."""
    return Entry(path, kind, record_id, "", "", "", "", "", "", {})


def refreshed(entry: Entry, desired: Desired) -> Entry:
    """Say what the manifest should of a record that is in step: same record, today's file.

    Fields that are no longer named are forgotten: what the site makes of them is its own affair.
    """
    named = desired.fingerprints.keys() | desired.create_only.keys()
    return replace(
        entry,
        path=desired.path,
        blob=desired.blob,
        basis=desired.basis,
        layout=desired.layout,
        links=desired.links,
        parent_path=desired.parent_path,
        protect=desired.protect,
        aliases=desired.aliases,
        fingerprints={name: digest for name, digest in entry.fingerprints.items() if name in named},
        bent={name: digest for name, digest in entry.bent.items() if name in named},
        conflict={},
    )

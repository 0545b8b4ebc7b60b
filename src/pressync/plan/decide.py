"""The truth table of a plan: it turns the situation of one path into one change. Pure.

Renames are already applied to the entries, and each absence comes with its proof. `decide` looks at one path
at a time, so each row of the table can be read and tested alone. The few rules that need several paths (a
parent that cannot be created, links to pages that will move) are in `blocks` and `order`.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.changes import Absence, Block, Blocked, Change, Create, Delete, Keep, Update
from pressync.model.fingerprint import fingerprint, from_text, is_unsure
from pressync.model.reason import NO_REASON, Reason, ReasonCode, joined
from pressync.model.records import TRASH, Desired, Entry, Value
from pressync.model.visibility import FRONT_PAGE, is_thrown_away
from pressync.plan import reasons
from pressync.plan.situations import (
    BoundDocument,
    BrokenDocument,
    KnownDocument,
    MissingDocument,
    NewDocument,
    Situation,
    UnconfirmedDocument,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.dialects import Capabilities
    from pressync.model.interface import Kind

# Each field whose type has an empty value, with that value. A field that front matter no longer names is
# reset to its empty value. Every other field keeps its current value, and the plan says so.
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
    FRONT_PAGE: False,
}


def empty(kind: Kind, name: str) -> Value | None:
    """Give the empty value of a field, None if its type has none; a registered field has its default."""
    if name in EMPTY:
        return EMPTY[name]
    field = kind.row.fields.get(name)
    value: Value | None = field.empty if field else None
    return value


@dataclass(frozen=True, slots=True)
class Difference:
    """How a document differs from its record: fields to send, to send empty, and to leave as they are."""

    fields: tuple[str, ...]
    resets: tuple[str, ...]
    let_go: tuple[str, ...]


def difference(desired: Desired, entry: Entry, *, overwrite: bool = False) -> Difference:
    """Compare the fingerprints of each field; with `overwrite`, conflicting fields differ as well."""
    wanted = _wanted(desired, entry)
    changed = {name for name, digest in wanted.items() if entry.fingerprints.get(name) != digest}
    if overwrite:
        changed.update(conflicts(desired, entry))
    if "status" in changed and "password" in entry.changed_by_service:
        # WordPress took the password of a private record away. Without it, all visitors would see the record.
        changed.update({"password"} & wanted.keys())
    named = desired.fingerprints.keys() | desired.create_only.keys()
    return Difference(
        fields=tuple(sorted(changed & named)),
        resets=tuple(sorted(changed - named)),
        let_go=tuple(sorted(entry.fingerprints.keys() - wanted.keys())),
    )


def conflicts(desired: Desired, entry: Entry) -> tuple[str, ...]:
    """Name the fields that somebody changed on the site and for which the repository has another value.

    The repository has a value where front matter names the field, and where a field that it no longer names
    would be reset. A record in the trash conflicts as well, and a page that was moved although no parent was
    ever sent for it.
    """
    wanted = _wanted(desired, entry)
    ours = {name for name, digest in wanted.items() if entry.fingerprints.get(name) != digest}
    ours |= desired.fingerprints.keys()
    # A digest of names never equals that of the ids which the site has.
    wanted.update(desired.by_id)
    ours |= {"parent"} - entry.fingerprints.keys()
    ours |= {name for name, text in entry.conflict.items() if name in wanted and text == TRASH}
    theirs = {
        name: from_text(desired.kind, name, text) for name, text in entry.conflict.items() if name in ours
    }
    return tuple(sorted(name for name, value in theirs.items() if fingerprint(value) != wanted[name]))


def _wanted(desired: Desired, entry: Entry) -> dict[str, str]:
    """Give the fingerprint that each field should have that is named now or was named before."""
    before = entry.fingerprints
    # A page for which no parent was ever sent may have been moved on the site.
    moved = {"parent"} & entry.conflict.keys()
    values = {name: empty(desired.kind, name) for name in (*before, *moved)}
    wanted = {name: fingerprint(value) for name, value in values.items() if value is not None}
    if FRONT_PAGE in entry.changed_by_service:
        # The site did not take the page as its front page, so there is nothing to take back.
        wanted.pop(FRONT_PAGE, None)
    # A create sends some values that nobody named (status: publish). Such a value is sent again when a named
    # value was removed from front matter, and to take a record out of the trash.
    defaults = desired.create_only.items()
    trashed = {name for name, text in entry.conflict.items() if text == TRASH}
    wanted.update({name: digest for name, digest in defaults if name in before or name in trashed})
    wanted.update(desired.fingerprints)
    return wanted


def decide(situation: Situation, capabilities: Capabilities, *, overwrite: bool = False) -> Change:
    """Turn the situation of one path into its one change."""
    match situation:
        case UnconfirmedDocument():
            # A create is never repeated automatically: the record may exist, and a duplicate of it could not
            # be told apart. This holds even if the file is gone.
            return _decide_unconfirmed(situation, read=capabilities.read)
        case BoundDocument():
            # `id:` names a record that exists, so the file is bound to it and nothing is created.
            return _decide_bound(situation)
        case NewDocument():
            # No record is known. Create one, unless it could be a duplicate.
            return _decide_new(situation, capabilities)
        case KnownDocument():
            # File and record are both known. Send the fields that differ, if the site has not changed as
            # well.
            return _decide_known(situation, read=capabilities.read, overwrite=overwrite)
        case BrokenDocument(path, kind, record, problem):
            # A file that cannot be read says nothing about its record. It neither changes nor deletes it.
            return Blocked(path, kind, record, reasons.broken(problem, path))
        case MissingDocument():
            # The record is known and the document is missing. Delete the record only if a commit removed the
            # file.
            return _decide_missing(situation, overwrite=overwrite)


def _decide_unconfirmed(situation: UnconfirmedDocument, *, read: bool) -> Blocked:
    create, entry = situation.create, situation.entry
    if entry is None:
        return Blocked(
            create.path, create.kind, None, reasons.unconfirmed(create, read=read), Block.UNCONFIRMED
        )
    # Another clone has settled the create, or another file has been renamed to this path. The create may
    # still have made a second record.
    kind, slug, time = str(create.kind), create.slug, create.time
    code = ReasonCode.UNCONFIRMED_SECOND
    reason = reasons.because(code, create.path, kind=kind, record=entry.id, slug=slug, time=time)
    return Blocked(entry.path, entry.kind, entry.id, reason, Block.UNCONFIRMED)


def _decide_bound(situation: BoundDocument) -> Update | Blocked:
    desired, bound_id = situation.desired, situation.bound_id
    path, kind = desired.path, desired.kind
    if situation.other_path:
        # Two files for one record would overwrite each other in every run.
        reason = reasons.because(ReasonCode.BOUND_TWICE, record=bound_id, other=situation.other_path)
        return Blocked(path, kind, bound_id, reason)
    # `id:` binds the file to an existing record. Nothing is created, and all named fields are sent.
    fields = tuple(sorted(desired.fingerprints))
    entry = adopted(path, kind, bound_id)
    reason = reasons.because(ReasonCode.BOUND, kind=str(kind), record=bound_id)
    return Update(path, kind, bound_id, fields, reason, desired, entry)


@lru_cache(maxsize=128)
def _sorted(fields: frozenset[str]) -> tuple[str, ...]:
    """Sort the names of fields; most records have the same ones, and share the tuple."""
    return tuple(sorted(fields))


def _decide_new(situation: NewDocument, capabilities: Capabilities) -> Create | Blocked:
    path, kind, desired = situation.desired.path, situation.desired.kind, situation.desired
    if duplicate := _possible_duplicate(situation):
        return Blocked(path, kind, None, duplicate)
    if not capabilities.creates(kind):
        # The documented interface cannot create a post.
        return Blocked(path, kind, None, reasons.cannot_create(kind, path))
    # The document is committed, it has no record, and the service can create one.
    fields = _sorted(frozenset((*desired.fingerprints, *desired.create_only)))
    reason = joined(reasons.NEW, reasons.front_page(desired.fingerprints, fields))
    return Create(path, kind, fields, reason, desired)


def _possible_duplicate(situation: NewDocument) -> Reason | None:
    """Say why a create could make a second record of one document."""
    if situation.forgotten:
        # A manifest had a record for it. That manifest was reset, restored or deleted.
        return reasons.forgotten(situation.forgotten, unverified=situation.unverified)
    if situation.maybe_renamed_from:
        # Without history, a new file and a missing one may be one renamed file.
        return reasons.maybe_renamed(situation.maybe_renamed_from, shallow=situation.shallow)
    # The address may have a record that this project did not make.
    return situation.taken


def _decide_known(situation: KnownDocument, *, read: bool, overwrite: bool) -> Update | Keep | Blocked:
    desired, entry = situation.desired, situation.entry
    path, kind = desired.path, desired.kind
    # Until a sync writes the new name down, the manifest has the record under the old one.
    written = situation.came_from or path
    if desired.bound_id is not None and desired.bound_id != entry.id:
        # File and manifest name different records. Each choice would leave the other record without a file.
        facts = {"front_matter": desired.bound_id, "record": entry.id}
        return Blocked(path, kind, entry.id, reasons.because(ReasonCode.BOUND_OTHERWISE, written, **facts))
    if kind != entry.kind:
        # No operation turns a page into a post. Delete and create would lose the record's id and address.
        return Blocked(path, kind, entry.id, reasons.other_kind(entry.kind, kind, written, (path, entry.id)))
    if situation.is_deleted:
        # Somebody deleted the record. An update would fail, and only a person may want a new record.
        reason = reasons.because(ReasonCode.DELETED, written, kind=str(kind), record=entry.id)
        return Blocked(path, kind, entry.id, reason, Block.CONFLICT)
    conflicting = conflicts(desired, entry)
    trashed = "status" in conflicting and entry.conflict["status"] == TRASH
    if conflicting and not overwrite:
        # The site and the repository have both changed. Neither may win silently.
        reason = reasons.conflict(conflicting, path, read=read, trashed=trashed)
        return Blocked(path, kind, entry.id, reason, Block.CONFLICT, conflicting)
    differing = difference(desired, entry, overwrite=overwrite)
    gone = [name for name in differing.let_go if name not in {FRONT_PAGE, *kind.row.fields}]
    moved = reasons.because(ReasonCode.MOVED, old=situation.came_from) if situation.came_from else NO_REASON
    let_go = reasons.kept_values(differing.let_go, gone) if differing.let_go else NO_REASON
    if differing.fields or differing.resets:
        # Only the fields that differ are sent.
        named, resets = (
            [name for name in names if name != FRONT_PAGE] for names in (differing.fields, differing.resets)
        )
        unsure = [name for name in named if is_unsure(entry.fingerprints.get(name, ""))]
        changed = [name for name in named if name not in {*unsure, *conflicting}]
        fields = tuple(sorted({*differing.fields, *differing.resets}))
        reason = joined(
            moved,
            reasons.overwrites(conflicting, trashed=trashed),
            reasons.front_page(desired.fingerprints, fields),
            reasons.differences(changed, unsure, resets, entry.parent_path, desired.ruled),
            let_go,
        )
        return Update(path, kind, entry.id, fields, reason, desired, entry, differing.resets)
    # No field differs. The manifest may still have to learn a new path or a new blob.
    why = joined(moved, let_go)
    return Keep(path, kind, entry.id, refreshed(entry, desired), why, unrecorded=bool(why))


def _decide_missing(situation: MissingDocument, *, overwrite: bool) -> Delete | Blocked:  # noqa: PLR0911 - one return per row of a table
    entry = situation.entry
    path, kind = entry.path, entry.kind
    if not kind.row.known:
        # The schema does not have the type any more, so the record has no address to send a call to.
        return Blocked(path, kind, entry.id, reasons.unknown_type(kind, path))
    match situation.absence:
        case Absence.OUTSIDE:
            # The file is still committed. Somebody moved a folder or mistyped `content`.
            return Blocked(
                path, kind, entry.id, reasons.because(ReasonCode.OUTSIDE, situation.came_from or path)
            )
        case Absence.UNCOMMITTED:
            # The file is gone from the working tree only. Only a commit proves a removal.
            return Blocked(path, kind, entry.id, reasons.UNCOMMITTED)
        case Absence.REMOVED | Absence.LEFT_OUT if entry.protect:
            # `protect: true` keeps the record after its file is removed.
            return Blocked(path, kind, entry.id, reasons.because(ReasonCode.PROTECTED, path))
        case Absence.REMOVED | Absence.LEFT_OUT if (
            entry.conflict and not is_thrown_away(entry) and not overwrite
        ):
            # A commit removed the file, but somebody has edited the record on the site. A record that
            # somebody put into the trash, or deleted, is unwanted on both sides.
            fields = tuple(sorted(entry.conflict))
            reason = reasons.because(ReasonCode.EDITED_AND_REMOVED, path, fields=fields)
            return Blocked(path, kind, entry.id, reason, Block.CONFLICT, fields)
        case Absence.REMOVED | Absence.LEFT_OUT:
            # A commit removed the file, or somebody wrote `exclude` or `type: none`.
            left_out = situation.absence is Absence.LEFT_OUT
            why = reasons.LEFT_OUT if left_out else reasons.REMOVED
            edited = () if is_thrown_away(entry) else sorted(entry.conflict)
            return Delete(path, kind, entry.id, joined(why, reasons.overwrites(edited)), entry)
        case Absence.UNWITNESSED | None:
            # The file is absent and no commit shows why: a shallow clone, a commit that was not pulled, a
            # rewritten history or another branch.
            return Blocked(path, kind, entry.id, reasons.unproven(path, shallow=situation.shallow))


# A record that was imported, adopted or pulled has a text that nobody wrote in Markdown. Its markup goes with
# the first edit of one letter, and with it what plug-ins make of it.
def replaces_markup(change: Change) -> bool:
    """Tell whether an update replaces a text of the site that is not the one that pressync sent."""
    if not isinstance(change, Update) or "content" not in change.fields:
        return False
    entry = change.entry
    is_theirs = "content" in entry.changed_by_service or "content" not in entry.fingerprints
    return is_theirs and "content" not in entry.conflict


def explained(change: Change) -> Change:
    """Give a change that says so if it replaces a text of the site as a whole."""
    if isinstance(change, Update) and replaces_markup(change):
        return replaced(change, why=joined(change.why, reasons.REPLACES_MARKUP))
    return change


def adopted(path: str, kind: Kind, record_id: int) -> Entry:
    """Make the entry of a record that exists and that no sync has written: its fields are not known."""
    return Entry(path, kind, record_id, "", "", "", "", "", "", {})


def refreshed(entry: Entry, desired: Desired) -> Entry:
    """Give the entry of a record that is up to date: the same record, with the facts of the current file.

    Fields that front matter no longer names leave the entry, because the site decides about them from now on.
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
        changed_by_service={
            name: digest for name, digest in entry.changed_by_service.items() if name in named
        },
        conflict={},
        take=None,
    )

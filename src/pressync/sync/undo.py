"""The truth table of a rollback: it turns one record that a run touched into what undoes it. Pure.

Only a record that is as the run left it is undone: the manifest has what the run settled, and the site has
what the manifest says. Anything else is somebody's later work, and stays. Each row gives a change for the
ordinary engine, an entry that comes back without a call, or a reason why nothing can be done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.changes import Block, Blocked, Delete, Update
from pressync.model.fingerprint import UNSURE, fingerprint, fingerprints, is_unsure, may_be, unsure
from pressync.model.printable import listed
from pressync.model.reason import Reason, ReasonCode
from pressync.model.records import TRASH, Desired, Entry, Fields, Record, Value
from pressync.model.visibility import FRONT_PAGE
from pressync.plan.decide import adopted, difference
from pressync.state.clone_facts import RecordAfter, TouchedRecord, digest, record_after
from pressync.sync import field_comparison

if TYPE_CHECKING:
    from collections.abc import Sequence


# The trash changes these fields of a record; WordPress also takes a post off the top of the blog.
_BY_TRASH = frozenset({"status", "slug", "sticky"})
# The status of a record that comes back from the trash, if nobody knows the one that it had.
_SAFE = "draft"
_STATUSES = ("publish", "draft", "private", "pending", "future")
_LEFT = "left as it is: "
_NOTHING: Fields = MappingProxyType({})
BY_LATER_RUN = "a later run has changed it; roll that one back first, or change the file"
BY_PULL = "`pressync pull` has taken an edit of the site into its file since; change the file and sync"
BY_OTHERS = "`pressync adopt` or another clone has changed its entry since; change the file and sync"


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoItem:
    """One record that a run touched, and all that is known of it.

    `after` tells how the run left it, None if it left no entry. `now` is the entry of today. `other` tells
    that the path of before has another record. `record` is the one on the site, None if it is gone; that
    counts only if the site was `read`. `text` is what the document of before says, or that of the run if
    there was none. `image` has the values that were not ours, `stored` those of them that the site had in
    another form than a call sends, in that form, and `unclear` the fields whose form nobody kept. `begun`
    tells that a rollback of this run has begun with the record, and `unconfirmed` that its create got no
    response. `overtaken` says who changed the entry, if it is not as the run left it. `restore` says how the
    manifest gets back what the run settled; it is "" if the manifest has that.
    """

    touched: TouchedRecord
    after: RecordAfter | None
    now: Entry | None
    other: bool = False
    record: Record | None = None
    read: bool = False
    text: Desired | None = None
    image: Fields = field(default_factory=dict)
    stored: Fields = field(default_factory=dict)
    unclear: frozenset[str] = frozenset()
    permanent: bool = False
    begun: bool = False
    unconfirmed: bool = False
    overtaken: str = BY_LATER_RUN
    restore: str = ""

    @property
    def is_as_left(self) -> bool:
        """Whether the manifest has what the run settled."""
        return self.begun or (record_after(self.now) if self.now else None) == self.after

    @property
    def is_half_deleted(self) -> bool:
        """Whether the run was killed after it had put the record into the trash."""
        marked = self.now is not None and is_unsure(self.now.fingerprints.get("status", ""))
        return marked and self.record is not None and self.record.is_trashed

    @property
    def was_in_trash(self) -> bool:
        """Whether the record was in the trash before the run; no call puts it there and keeps its text."""
        return self.image.get("status") == TRASH

    @property
    def values(self) -> Fields:
        """The values that were not ours, as far as they can be sent."""
        return {n: value for n, value in self.image.items() if n != "status" or value != TRASH}

    @property
    def is_untouched(self) -> bool:
        """Whether the run did not change the record after all, or it is undone already."""
        before = self.touched.before
        return self.now is not None and before is not None and digest(self.now) == digest(before)


@dataclass(frozen=True, slots=True)
class Undo:
    """The undoing of one record: a change to send, or none, and the entry that the manifest has in the end.

    `path` is that of the change, else that of the entry. `entry` is None if the manifest has none in the end.
    An update sends what the document of before says, and `values` in place of some fields of it; if not
    `from_file`, it sends nothing else. `stored` has those of the values that are sent as the site had them.
    """

    path: str
    change: Update | Delete | None
    entry: Entry | None
    values: Fields = field(default_factory=dict)
    from_file: bool = False
    stored: Fields = field(default_factory=dict)


def undo(item: UndoItem) -> Undo | Blocked | None:
    """Say what undoes one record; None if there is nothing to undo."""
    before, now = item.touched.before, item.now
    if why := _why_unknown(item, now):
        return _left(item, why)
    if now is None:
        # Without an entry of before: a create that failed, or one whose record is in the trash already.
        return _bring_back(item, before) if before else _half_bound(item)
    if before and item.is_untouched:
        # A rollback may have been killed after its call, and before it wrote down the file of before.
        return Undo(before.path, None, as_before(before, now)) if _file(now) != _file(before) else None
    if not item.is_as_left:
        return _left(item, item.overtaken)
    if before is None and item.touched.id is None:
        # The run created it, so it goes to the trash, unless somebody has worked on it.
        delete = Delete(now.path, now.kind, now.id, _back("the run created it"), now)
        fields = _edited(item, now)
        return _edited_since(item, fields) if fields else Undo(now.path, delete, None)
    back = _bring_back(item, before) if before and item.is_half_deleted else None
    return back or _why_left(item, now) or _restore(item, now)


def _why_unknown(item: UndoItem, now: Entry | None) -> str:
    """Say why the manifest does not tell what the run has done; "" if it does."""
    if item.unconfirmed:
        return "nobody knows yet whether it was created; see `pressync resolve`"
    # The site still has what the run made, as far as the site was read.
    is_shown = not item.read or (item.record is not None and not item.record.is_trashed)
    if item.restore and (_edited(item, now) if now else is_shown):
        state = "has the entry of before the run again" if now else "no longer has this record"
        return f"the manifest {state}; {item.restore}"
    return ""


def as_before(before: Entry, now: Entry, values: Fields = _NOTHING) -> Entry:
    """Give the entry of before with the record's address of now; `values` were sent instead of the file's."""
    named = before.fingerprints.keys()
    changed = fingerprints({n: v for n, v in values.items() if n in before.changed_by_service})
    changed |= {n: d for n, d in now.changed_by_service.items() if n in named}
    if now.slug == before.slug and "slug" in before.changed_by_service:
        changed["slug"] = before.changed_by_service["slug"]
    return replace(
        before,
        slug=now.slug,
        link=now.link,
        modified=now.modified,
        modified_gmt=now.modified_gmt,
        former=now.former,
        changed_by_service=changed,
        conflict={**before.conflict, **now.conflict},
    )


def _file(entry: Entry) -> tuple[object, ...]:
    return entry.commit, entry.blob, entry.basis, entry.parent_path


def _why_left(item: UndoItem, now: Entry) -> Blocked | None:
    """Say why an update, a move or a first write cannot be undone; None if it can."""
    before, why = item.touched.before, ""
    lost = _not_known(item, now) - item.image.keys() - item.unclear
    if before and before.path != now.path and item.other:
        why = f"{before.path} has another record now"
    elif item.read and item.record is None:
        why = "somebody deleted it on the site since"
    elif item.record and item.record.is_trashed and not item.was_in_trash:
        why = "somebody put it into the trash since; restore it there, and roll back again"
    elif item.was_in_trash and item.record and not item.record.is_trashed:
        why = "it was in the trash before the run; put it there on the site"
    elif fields := _edited(item, now):
        return _edited_since(item, fields)
    elif item.unclear:
        why = _unclear(item)
    elif lost and not item.read:
        why = f"{listed(sorted(lost))} had another value, and the service shows none; change it on the site"
    elif lost:
        why = (
            f"{listed(sorted(lost))} had another value, which this clone has not kept: only the clone that "
            "made the run keeps it, for 30 days; change it on the site"
        )
    elif before and before.fingerprints and _changed(before, now) - item.image.keys() and item.text is None:
        why = f"its text before the run is not in Git (commit {before.commit[:10]})"
    return _left(item, why) if why else None


def _unclear(item: UndoItem) -> str:
    return (
        f"{listed(sorted(item.unclear))} had another value, of which an earlier version of pressync did not "
        "keep the form that it had on the site; change it on the site"
    )


def _with_other_forms(item: UndoItem, entry: Entry) -> Entry:
    """Mark the fields that the site may have in another form than before the run: they are sent again."""
    there = item.record.raw if item.record else {}
    names = [name for name, value in item.stored.items() if there.get(name) != value]
    marked = {name: unsure(entry.fingerprints.get(name, UNSURE)) for name in names}
    return replace(entry, fingerprints={**entry.fingerprints, **marked}) if marked else entry


def _restore(item: UndoItem, now: Entry) -> Undo:
    """Undo an update, a move, or the first write to a record that the run or a person had bound."""
    before = item.touched.before
    if before is None or not before.fingerprints:
        return _as_found(item, now, before)
    values = dict(item.values)
    is_other = (now.slug, now.fingerprints.get("slug")) != (before.slug, before.fingerprints.get("slug"))
    if is_other and before.changed_by_service.get("slug") == fingerprint(before.slug):
        # The service had made this of our slug, and it need not make the same of it again.
        values = {"slug": before.slug, **values}
    desired = _with_values(item.text or _as_sent(before), values)
    entry = _with_other_forms(item, replace(now, path=before.path))
    entry = _in_trash(entry) if item.was_in_trash else entry
    differing = difference(desired, entry)
    fields = tuple(sorted({*differing.fields, *differing.resets}))
    if not fields:
        return Undo(before.path, None, as_before(before, now, values))
    reason = _back(f"back to commit {before.commit[:10]}", commit=before.commit)
    change = Update(before.path, before.kind, before.id, fields, reason, desired, entry, differing.resets)
    return Undo(before.path, change, before, values, item.text is not None, item.stored)


def _as_found(item: UndoItem, now: Entry, before: Entry | None) -> Undo:
    """Give an adopted record back what it had before our first write."""
    entry = _with_other_forms(item, replace(now, path=before.path if before else now.path))
    entry = _in_trash(entry) if item.was_in_trash else entry
    if not item.values:
        return Undo(entry.path, None, before)
    desired = _with_values(replace(_as_sent(entry), fingerprints={}, parent_path=None), item.values)
    reason = _back("back to what it was before the run")
    change = Update(entry.path, now.kind, now.id, tuple(sorted(item.values)), reason, desired, entry)
    return Undo(entry.path, change, before, item.values, stored=item.stored)


def _half_bound(item: UndoItem) -> Undo | Blocked | None:
    """Undo a first write to a record that the run bound, if it was killed before it knew the response."""
    touched, record = item.touched, item.record
    if touched.id is None or record is None or not (item.values or item.unclear):
        return None
    if item.unclear:
        return _left(item, _unclear(item))
    shown = {name: fingerprint(record.fields[name]) for name in item.values if name in record.fields}
    changed = {name for name, digest in shown.items() if digest != fingerprint(item.values[name])}
    changed |= {name for name, value in item.stored.items() if record.raw.get(name) != value}
    sent = item.text.fingerprints if item.text else {}
    if fields := tuple(sorted(name for name in changed if shown[name] != sent.get(name))):
        return _edited_since(item, fields)
    return _as_found(item, adopted(touched.path, touched.kind, touched.id), None) if changed else None


def _bring_back(item: UndoItem, before: Entry) -> Undo | Blocked:
    """Undo a delete: the record comes out of the trash, with its id."""
    if item.other:
        return _left(item, f"{before.path} has another record now")
    if item.permanent or (item.read and item.record is None):
        return _left(item, "it was deleted for good; revert its commit and sync: that makes a new record")
    if item.record is not None:
        edited = field_comparison.edits(before, item.record).keys() - before.conflict.keys()
        if not item.record.is_trashed:
            if edited:
                adopt = f"`pressync adopt {quote(before.path)} {before.id}` binds it as it is"
                return _left(item, f"somebody restored and edited it since; {adopt}")
            # Somebody restored it, or a rollback that was killed before it could write that down.
            return Undo(before.path, None, before)
        if edited - _BY_TRASH:
            return _edited_since(item, tuple(sorted(edited - _BY_TRASH)))
    return _revived(item, before)


def _revived(item: UndoItem, before: Entry) -> Undo:
    """Take a record out of the trash: its status is sent, and the service restores its slug."""
    text = item.text or _as_sent(before)
    named = before.fingerprints.get("status", "")
    status = next((s for s in _STATUSES if fingerprint(s) in (may_be(named) or ())), _SAFE)
    values: dict[str, Value] = {"status": item.image.get("status", status)}
    sent = {"status"}
    if item.text and "sticky" in before.fingerprints:
        sent.add("sticky")
    if named and item.text and named == {**text.create_only, **text.fingerprints}.get("status"):
        values = {}
    desired = _with_values(text, values)
    marked = {**before.fingerprints, **dict.fromkeys(sent, UNSURE)}
    # The slug is named, so that a record which holds it leaves first.
    fields = tuple(sorted({*sent, "slug"}))
    entry = _in_trash(replace(before, fingerprints=marked, conflict={}))
    change = Update(before.path, before.kind, before.id, fields, _OUT_OF_TRASH, desired, entry)
    return Undo(before.path, change, before, values, item.text is not None)


def _in_trash(entry: Entry) -> Entry:
    """Give the entry of a record that is known to be in the trash: that is not an edit."""
    return replace(entry, conflict={**entry.conflict, "status": TRASH})


def _as_sent(entry: Entry) -> Desired:
    """Describe a document by its entry alone, because its file is not here or was never sent."""
    return Desired(
        path=entry.path,
        blob=entry.blob,
        kind=entry.kind,
        slug=entry.slug,
        title="",
        fingerprints=entry.fingerprints,
        parent_path=entry.parent_path,
        basis=entry.basis,
    )


def _changed(before: Entry | None, now: Entry) -> frozenset[str]:
    """Name the fields that the run has sent."""
    sent = before.fingerprints if before else {}
    names = now.fingerprints.keys() | sent.keys()
    resent = before.conflict.keys() - now.conflict.keys() if before else set[str]()
    return frozenset({n for n in names if now.fingerprints.get(n) != sent.get(n)} | resent)


def _not_known(item: UndoItem, now: Entry) -> frozenset[str]:
    """Name the fields that the run sent over a value that was not ours, so that no file says it."""
    before = item.touched.before
    # A page that nobody made the front page was none: that is its empty value.
    sent = _changed(before, now).intersection(item.touched.fields) - {FRONT_PAGE}
    if before is None:
        return sent
    fingerprints = before.fingerprints
    return frozenset(n for n in sent if is_unsure(fingerprints.get(n, UNSURE)) or n in before.conflict)


def _with_values(text: Desired, values: Fields) -> Desired:
    """Describe a document with other values in some fields."""
    return replace(text, fingerprints={**text.fingerprints, **fingerprints(values)}) if values else text


def _edited(item: UndoItem, now: Entry) -> tuple[str, ...]:
    """Name the fields that somebody has changed on the site since the run."""
    if item.record is None or item.record.is_trashed:
        return ()
    edits, sent = field_comparison.edits(now, item.record), _changed(item.touched.before, now)
    # A conflict that the run has left is not touched now, and one in a field that it sent came afterwards.
    return tuple(sorted(n for n, text in edits.items() if n in sent or now.conflict.get(n) != text))


def _edited_since(item: UndoItem, fields: tuple[str, ...]) -> Blocked:
    touched = item.touched
    return Blocked(touched.path, touched.kind, _id(item), edited_since(fields), Block.CONFLICT, fields)


def edited_since(fields: Sequence[str]) -> Reason:
    """Say that somebody has edited these fields of a record since the run."""
    said = f"{_LEFT}somebody has edited it on the site since: {listed(fields)}"
    return Reason(ReasonCode.EDITED_SINCE, {"fields": tuple(fields)}, said)


def _left(item: UndoItem, why: str) -> Blocked:
    reason = Reason(ReasonCode.LEFT_AS_IT_IS, {"because": why}, _LEFT + why)
    return Blocked(item.touched.path, item.touched.kind, _id(item), reason)


def _id(item: UndoItem) -> int | None:
    entry = item.now or item.touched.before or item.after
    return (entry.id if entry else None) or None


def _back(sentence: str, *, commit: str = "") -> Reason:
    return Reason(ReasonCode.ROLLED_BACK, {"commit": commit}, sentence)


_OUT_OF_TRASH = _back("out of the trash")

"""The rules that block a change after `decide`, because of other paths, of people or of the site. Pure.

`decide` looks at one path alone. These rules need more: the parent's record, the children of a page that
goes, the rights of the site's user, and the status that an editor chose on the site. WordPress decides about
each write alone, so a missing right blocks only the records that need it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pressync.model.changes import Block, Blocked, Create, Delete, Keep, NotCompared, Update
from pressync.model.fingerprint import fingerprint
from pressync.model.reason import Reason, ReasonCode, joined
from pressync.model.records import TRASH, Name
from pressync.model.visibility import FUTURE, PUBLISH, of_change, of_entry
from pressync.plan import reasons
from pressync.plan.order import PagesAbove

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pressync.client.dialects import UserRights
    from pressync.model.changes import Change
    from pressync.model.interface import Kind
    from pressync.model.records import Desired, Entry, Record, RecordKey


_LIVE = frozenset({PUBLISH, FUTURE})
# WordPress asks for the right to publish before a record gets one of these statuses.
_TO_PUBLISH = _LIVE | {"private"}
_AUTHOR = "author"


def _blocked(change: Create | Update | Delete, why: Reason) -> Blocked:
    record = None if isinstance(change, Create) else change.id
    fields = () if isinstance(change, Delete) else change.fields
    return Blocked(change.path, change.kind, record, why, fields=fields)


def _block(changes: Iterable[Change], whys: Mapping[str, Reason]) -> list[Change]:
    return [
        _blocked(change, whys[change.path])
        if isinstance(change, Create | Update | Delete) and change.path in whys
        else change
        for change in changes
    ]


class Held(NamedTuple):
    """The author of a record on the site, and its status.

    A user who may not read a record (`is_read`) sees both of one that is published, else 0 and "".
    """

    author: int
    status: str
    is_read: bool = True

    @classmethod
    def of(cls, record: Record) -> Held:
        """Take both from a record."""
        author = record.fields.get(_AUTHOR)
        return cls(author if isinstance(author, int) else 0, str(record.fields.get("status", "")))


HIDDEN = Held(0, "", is_read=False)


@dataclass(frozen=True, slots=True)
class Permissions:
    """The changes that a user may make; None as `rights` means all.

    `held` says whose the records of the site are. `names` has the ids of the authors whom documents name.
    """

    rights: UserRights | None
    held: Mapping[tuple[Kind, int], Held]
    names: Mapping[Name, int]

    def missing(self, change: Change) -> str:
        """Name a right that a change needs and the user lacks; "" if there is none."""
        if self.rights is None or not isinstance(change, Create | Update | Delete):
            return ""
        needed = (right.format(change.kind.row.rights) for right in self._needed(change, self.rights.user))
        return next((right for right in needed if right in self.rights.lacking), "")

    def block_forbidden(self, changes: list[Change]) -> list[Change]:
        """Block each change that needs a right which the user lacks."""
        if self.rights is None or not self.rights.lacking:
            return changes
        result: list[Change] = []
        for change in changes:
            if isinstance(change, Create | Update | Delete) and (right := self.missing(change)):
                number = 0 if isinstance(change, Create) else change.id
                held = self.held.get((change.kind, number))
                is_others = "_others_" in right and held and held.author != self.rights.user
                why = reasons.no_right(right, f"{change.kind} {number}" if is_others else "")
                why = reasons.published_since(right) if self.is_published_since(change) else why
                result.append(_blocked(change, why))
            else:
                result.append(change)
        return result

    def is_published_since(self, change: Change) -> bool:
        """Whether a person has published what was a draft of this user when it was sent."""
        if self.rights is None or not isinstance(change, Update | Delete):
            return False
        held = self.held.get((change.kind, change.id))
        is_own = held is not None and (held.author, held.status in _LIVE) == (self.rights.user, True)
        return is_own and of_entry(change.entry).status not in _LIVE

    def _needed(self, change: Create | Update | Delete, user: int) -> Iterator[str]:
        verb = "delete" if isinstance(change, Delete) else "edit"
        yield f"{verb}_{{}}"
        status = ""
        if not isinstance(change, Create) and (held := self.held.get((change.kind, change.id))):
            # The manifest knows the status of most records that the user may not read.
            status = held.status or of_entry(change.entry).status
            if status in _LIVE:
                yield f"{verb}_published_{{}}"
            if held.author != user:
                yield f"{verb}_others_{{}}"
        if isinstance(change, Delete):
            return
        if _AUTHOR in change.fields and self._is_given_away(change.desired, user):
            yield "edit_others_{}"
        wanted = of_change(change).status if "status" in change.fields else ""
        if wanted in _TO_PUBLISH and wanted != status:
            yield "publish_{}"

    def _is_given_away(self, desired: Desired, user: int) -> bool:
        """Whether a document makes another user the author; a name whose id is not known does not count."""
        for mention in desired.mentions:
            if mention.field == _AUTHOR:
                given = mention.given[0]
                author = self.names.get(Name(_AUTHOR, given), user) if isinstance(given, str) else given
                return author != user
        return desired.fingerprints.get(_AUTHOR, "") not in {"", fingerprint(user)}


def block_writes(changes: Iterable[Change], whys: Mapping[str, Reason]) -> list[Change]:
    """Block each overwrite and delete at a path of `whys`; a create cannot harm a record named wrongly."""
    changes = list(changes)
    writes = {change.path for change in changes if isinstance(change, Update | Delete)}
    return _block(changes, {path: why for path, why in whys.items() if path in writes})


def site_edits(
    changes: Iterable[Change],
    entries: Mapping[str, Entry],
    lost: Mapping[str, Reason],
    unread: Mapping[RecordKey, Reason],
) -> list[Change]:
    """Say what a look at every record has shown and no document asks for.

    A file need not name a status, so an editor may unpublish its record, and a sync leaves it so. The reader
    of a drift plan has to know. If somebody deletes a term, every record loses it, and nobody has edited
    these records; `lost` says so by path. `unread` says why a record could not be compared.
    """
    shown: list[Change] = []
    for change in changes:
        entry = entries.get(change.path)
        status = entry.conflict.get("status", TRASH) if entry else TRASH
        match change:
            case Keep(path, kind, number) if status != TRASH:
                # A sync would keep it. A reader who asked for drift has to choose.
                why = reasons.because(ReasonCode.STATUS_CHANGED, path, status=status)
                shown.append(Blocked(path, kind, number, why, Block.CONFLICT, ("status",)))
            case Keep(kind=kind, id=number) if (kind, number) in unread:
                why = joined(unread[kind, number], change.why)
                shown.append(NotCompared(change.path, kind, number, change.entry, why, change.unrecorded))
            case Update() if status != TRASH and "status" not in change.fields:
                stays = reasons.because(ReasonCode.STATUS_STAYS, status=status)
                shown.append(replace(change, why=joined(change.why, stays)))
            case Blocked(path=path, block=Block.CONFLICT) if path in lost:
                shown.append(replace(change, why=lost[path]))
            case _:
                shown.append(change)
    return shown


def block_orphans(changes: Iterable[Change], entries: Collection[str]) -> list[Change]:
    """Block each page whose parent has no record and gets none: it would come to the top of the site."""
    result = {change.path: change for change in changes}
    writes = {path: c for path, c in result.items() if isinstance(c, Create | Update)}
    children: dict[str, list[str]] = defaultdict(list)
    for path, change in writes.items():
        parent = change.desired.parent_path
        if parent is not None and parent not in entries:
            children[parent].append(path)
    # The list grows during the loop: a blocked create leaves its own children without a parent.
    lost = [parent for parent in children if parent not in writes]
    for parent in lost:
        for path in children[parent]:
            result[path] = _blocked(writes[path], reasons.because(ReasonCode.NO_PARENT, parent=parent))
            if path in children:
                lost.append(path)
    return list(result.values())


def block_below_absent(
    changes: Iterable[Change], in_trash: Collection[Entry], deleted: Collection[Entry]
) -> list[Change]:
    """Block every change that puts a page below a page in the trash, or below a page that was deleted.

    Below a page in the trash, WordPress would publish it at an address such as `/docs__trashed/guide/`
    (measured on 6.1, 6.8 and 7.1).
    """
    pages = PagesAbove((*in_trash, *deleted))
    why = {e.path: reasons.because(ReasonCode.PARENT_DELETED, parent=e.path) for e in deleted}
    why |= {e.path: reasons.because(ReasonCode.PARENT_IN_TRASH, parent=e.path) for e in in_trash}
    changes = list(changes)
    placed = [change for change in changes if isinstance(change, Create | Update) and is_placed(change)]
    parents = {change.path: pages.parent(change.desired) or "" for change in placed}
    return _block(changes, {path: why[parent] for path, parent in parents.items() if parent in why})


def is_placed(change: Create | Update) -> bool:
    """Tell whether a change puts a page below a parent."""
    return isinstance(change, Create) or "parent" in change.fields


def keep_parents(changes: Iterable[Change], entries: Mapping[str, Entry]) -> list[Change]:
    """Block each delete of a page that keeps a child: the service would move the child without a warning."""
    changes = list(changes)
    deletes = {change.path: change for change in changes if isinstance(change, Delete)}
    if not deletes:
        return changes
    pages = PagesAbove(deletes.values())
    above = {path: pages.parent(entry) for path, entry in entries.items()}
    for change in changes:
        if isinstance(change, Create | Update):
            above[change.path] = pages.parent(change.desired)
        elif isinstance(change, Keep):
            above[change.path] = pages.parent(change.entry)
    kept: dict[str, str] = {}
    staying = [path for path in above if path not in deletes]
    # The list grows during the loop: a page that is not deleted stays below its own parent.
    for path in staying:
        parent = above[path]
        if parent in deletes and parent not in kept:
            kept[parent] = path
            staying.append(parent)
    return _block(
        changes, {path: reasons.because(ReasonCode.HAS_CHILD, child=child) for path, child in kept.items()}
    )

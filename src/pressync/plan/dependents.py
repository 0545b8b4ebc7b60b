"""Applies the rules that need several paths: children without a parent, links to pages that will move. Pure.

`decide` has decided about each path alone before. The service chooses an address and tells it in its
response. So before a write, only one thing is known of links: which addresses may still change.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked, Create, Delete, Keep, Update
from pressync.model.interface import Kind
from pressync.model.visibility import FRONT_PAGE
from pressync.plan import reasons
from pressync.plan.page_tree import PagesAbove

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.model.changes import Change
    from pressync.model.records import Desired, Entry

# If one of these fields changes, the record's address may change.
_ADDRESS_FIELDS: Mapping[Kind, frozenset[str]] = {
    Kind.PAGE: frozenset({"slug", "parent", "status", FRONT_PAGE}),
    Kind.POST: frozenset({"slug", "status", "date", "date_gmt"}),
}


def block_orphans(changes: Iterable[Change], entries: Collection[str]) -> list[Change]:
    """Block every change whose document's parent has no record and will not get one in this plan.

    A create would put the page at the top of the site, and an update would move its record there.
    `entries` are the paths that have a record.
    """
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
            change = writes[path]
            record = change.id if isinstance(change, Update) else None
            result[path] = Blocked(path, change.kind, record, reasons.no_parent(parent), fields=change.fields)
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
    why = {entry.path: reasons.parent_deleted(entry.path) for entry in deleted}
    why.update({entry.path: reasons.parent_in_trash(entry.path) for entry in in_trash})
    return [
        Blocked(
            change.path,
            change.kind,
            change.id if isinstance(change, Update) else None,
            why[parent],
            fields=change.fields,
        )
        if isinstance(change, Create | Update)
        and is_placed(change)
        and (parent := pages.parent(change.desired) or "") in why
        else change
        for change in changes
    ]


def is_placed(change: Create | Update) -> bool:
    """Tell whether a change puts a page below a parent."""
    return isinstance(change, Create) or "parent" in change.fields


def keep_parents(changes: Iterable[Change], entries: Mapping[str, Entry]) -> list[Change]:
    """Block every delete of a page that keeps a child: a child that is blocked or was not selected.

    The service would move that child to another parent or to the top, and its address would be lost without a
    warning. `entries` are the manifest's, by path.
    """
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
    return [
        Blocked(change.path, change.kind, change.id, reasons.has_child(kept[change.path]))
        if isinstance(change, Delete) and change.path in kept
        else change
        for change in changes
    ]


def may_move(changes: Iterable[Change], parents: Mapping[str, str | None]) -> frozenset[str]:
    """Name the paths whose address may change: creates, moved records, and all pages below them.

    `parents` gives each path's parent path.
    """
    changes = list(changes)
    moving = {
        change.path for change in changes if isinstance(change, Create | Update) and may_move_itself(change)
    }
    if not moving:
        return frozenset()
    children: dict[str, list[str]] = defaultdict(list)
    for path, parent in parents.items():
        if parent is not None:
            children[parent].append(path)
    # The pages below a page keep their addresses when it becomes the front page.
    stays = {c.path for c in changes if isinstance(c, Update) and _is_moved_by(c) == {FRONT_PAGE}}
    spread = [path for path in moving if path in children and path not in stays]
    while spread:
        below = [child for child in children[spread.pop()] if child not in moving]
        moving.update(below)
        spread += [child for child in below if child in children]
    return frozenset(moving)


def may_move_itself(change: Create | Update) -> bool:
    """Tell whether a change may change the address of its own record."""
    if isinstance(change, Create) or not change.entry.link:
        return True
    return bool(_is_moved_by(change))


def _is_moved_by(change: Update) -> frozenset[str]:
    return _ADDRESS_FIELDS[change.kind].intersection(change.fields)


def settle_links(
    changes: Iterable[Change], moving: Collection[str], wave_of: Mapping[str, int]
) -> list[Change]:
    """Mark the changes that link to an address which is set or changed after their own write.

    `wave_of` gives the wave of each create, and of each update before or among the creates. The addresses
    of earlier waves are known. All other updates come later, at the same time. A page becomes the front page
    after all waves.
    """
    last = len(wave_of)
    changes = list(changes)
    fronts = {c.path for c in changes if isinstance(c, Create | Update) and FRONT_PAGE in c.fields}

    def is_late(change: Create | Update) -> bool:
        own = wave_of.get(change.path, last)
        return any(
            target in moving and (target in fronts or wave_of.get(target, last) >= own)
            for target in change.desired.links
        )

    return [
        replace(change, completed_later=is_late(change))
        if isinstance(change, Create) or (isinstance(change, Update) and not change.only_if_moved)
        else change
        for change in changes
    ]


def linked_update(desired: Desired, entry: Entry, targets: Collection[str]) -> Update:
    """Make the update of an up-to-date record that links to pages whose address this run may change."""
    reason = reasons.links_to(targets)
    path, kind = desired.path, desired.kind
    return Update(path, kind, entry.id, ("content",), reason, desired, entry, only_if_moved=True)

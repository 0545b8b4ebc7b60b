"""Blocks overwrites and deletes whose manifest entry is not verified, until a person confirms it. Pure.

A person who may push a manifest could name any record of the site in it, and the next run would overwrite or
delete that record. A create and a kept record cannot do such harm, so they are never blocked here.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked, Delete, Update
from pressync.model.reason import Reason, ReasonCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.changes import Change
    from pressync.model.interface import Kind
    from pressync.model.records import Entry


def block_unverified(changes: Iterable[Change], objections: Mapping[str, Reason]) -> list[Change]:
    """Block each overwrite and each delete whose path is among `objections`, which give the reasons."""
    if not objections:
        return list(changes)
    return [
        # A person who may push a manifest could name any record of the site in it.
        Blocked(change.path, change.kind, change.id, objections[change.path], fields=_fields(change))
        if isinstance(change, Update | Delete) and change.path in objections
        else change
        for change in changes
    ]


def reason(entry: Entry, why: str) -> Reason:
    """Say that an entry is not verified, and how a person confirms or drops it."""
    path = quote(entry.path)
    return Reason(
        ReasonCode.UNVERIFIED,
        {"kind": entry.kind.value, "record": entry.id, "because": why},
        f"the manifest says that it is {entry.kind} {entry.id}, but {why}; if it is that record, "
        f"`pressync adopt {path} {entry.id}` in this clone, otherwise `pressync forget {path}`",
    )


def hearsay(entry: Entry) -> Reason:
    """Say that a former manifest had a record that this clone did not write; it may be a wrong one."""
    path = quote(entry.path)
    return Reason(
        ReasonCode.HEARSAY,
        {"kind": entry.kind.value, "record": entry.id},
        f"the manifest said that it is {entry.kind} {entry.id} when this clone synced last, and no longer "
        f"says so; if it is that record, `pressync adopt {path} {entry.id}`, otherwise "
        f"`pressync forget {path}` to create a new one",
    )


def other_file(commit: str) -> str:
    """Say that the file in Git does not match the entry."""
    return f"the file at commit {commit[:10]} does not have the title, slug and date that were sent"


def other_record(kind: str, number: int) -> str:
    """Say that this clone has synced another record for the path."""
    known = f"knows it as {kind} {number}" if number else f"has deleted its {kind}"
    return f"this clone {known}, and no commit removed its file in between"


def unseen(commit: str, *, shallow: bool) -> str:
    """Say that this clone cannot see what was sent."""
    what = (
        f"this clone lacks commit {commit[:10]}, which would show it"
        if commit
        else "the manifest does not name the commit"
    )
    return f"{what} ({'`git fetch --unshallow`' if shallow else '`git pull`'} brings it)" if commit else what


def other_content(kind: Kind, number: int) -> str:
    """Say that the record on the site does not match the file."""
    return f"{kind} {number} on the site does not have the content of the file"


def _fields(change: Update | Delete) -> tuple[str, ...]:
    return change.fields if isinstance(change, Update) else ()

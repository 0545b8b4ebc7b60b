"""Changes whose entry is not believed -> blocked ones, until a person says which record it is. Pure."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked, Delete, Update

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.changes import Change
    from pressync.model.interface import Kind
    from pressync.model.records import Entry


def block_disbelieved(changes: Iterable[Change], doubts: Mapping[str, str]) -> list[Change]:
    """Block each overwrite and each delete whose path has a doubt; `doubts` are reasons by path."""
    if not doubts:
        return list(changes)
    return [
        # Whoever may push a manifest could name any record of the site in it.
        Blocked(change.path, change.kind, change.id, doubts[change.path], fields=_fields(change))
        if isinstance(change, Update | Delete) and change.path in doubts
        else change
        for change in changes
    ]


def reason(entry: Entry, why: str) -> str:
    """Say that an entry is not believed, and how a person answers for it or takes it back."""
    path = quote(entry.path)
    return (
        f"the manifest says that it is {entry.kind} {entry.id}, but {why}; if it is that record, "
        f"`pressync adopt {path} {entry.id}` in this clone, otherwise `pressync forget {path}`"
    )


def other_file(commit: str) -> str:
    """Say that Git shows another file than the one that the entry speaks of."""
    return f"the file at commit {commit[:10]} has not the title, slug and date that it says were sent"


def other_record(kind: str, number: int) -> str:
    """Say that this clone has synced another record for the path."""
    known = f"knows it as {kind} {number}" if number else f"has deleted its {kind}"
    return f"this clone {known}, and no commit removed its file in between"


def unseen(commit: str, *, shallow: bool) -> str:
    """Say that this clone cannot see what was sent."""
    what = f"this clone lacks commit {commit[:10]}, which would show it" if commit else "it names no commit"
    return f"{what} (`git fetch --unshallow` brings it)" if shallow else what


def stranger(kind: Kind, number: int) -> str:
    """Say that the record on the site is not what the file was."""
    return f"{kind} {number} on the site does not say what the file said"


def _fields(change: Update | Delete) -> tuple[str, ...]:
    return change.fields if isinstance(change, Update) else ()

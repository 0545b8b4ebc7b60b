"""The sentences of a plan: why a change is made, or why it is not and what to do next. Pure.

It must not decide: `decide` does, and only says here which row of its table was met. The decision that
shaped it: a person reads the sentence and nothing else, so each one that blocks ends in the command or
the edit that unblocks.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.records import TRASH

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pressync.model.errors import Problem
    from pressync.model.interface import Kind
    from pressync.model.records import Doubt, Entry, Record

NEW = "new document"
REMOVED = "its file was removed"
WILL_BE_BOUND = "it is on the site already, with the same text: the next sync binds it"
UNCOMMITTED = "its file is gone, but no commit removed it; commit the removal"

_FETCH = "fetch it (`git fetch --unshallow`, or `fetch-depth: 0` in a workflow)"
# More names than this are counted instead.
_NAMED = 3
# Of a title, so many characters stand in a sentence.
_TITLE = 60


def in_doubt(doubt: Doubt) -> str:
    """Say that a create was sent and never answered."""
    resolve = f"pressync resolve {quote(doubt.path)}"
    return (
        f"a create was sent at {doubt.time} and its answer never came; look for '{doubt.slug}' on the site, "
        f"then `{resolve} --id N` or `{resolve} --not-created`"
    )


def second_in_doubt(doubt: Doubt, record: int) -> str:
    """Say that a create was sent and never answered for a path that has a record."""
    return (
        f"it is {doubt.kind} {record}, but a create was sent for it at {doubt.time} and its answer never "
        f"came; if the site has a second '{doubt.slug}', delete that one there, then "
        f"`pressync resolve {quote(doubt.path)} --not-created`"
    )


def broken(problem: Problem, path: str) -> str:
    """Say that a file cannot be used as it is; the problem may be one of its template, or of the settings."""
    line = f"line {problem.line}: " if problem.line else ""
    if problem.path == path:
        return f"its file has problems ({line}{problem.what}); mend it, `pressync check` lists them all"
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    what = problem.what.removesuffix(f" (rendering {path})")
    return f"it cannot be used as it is ({place}: {what}); `pressync check` lists all problems"


def lost(entry: Entry) -> str:
    """Say that this clone made a record that the manifest has forgotten."""
    path = quote(entry.path)
    return (
        f"this clone made {entry.kind} {entry.id} for it, and the manifest no longer says so; restore the "
        f"manifest from Git, or `pressync adopt {path} {entry.id}`, or `pressync forget {path}` "
        "to make a new one"
    )


def bound_twice(number: int, other: str) -> str:
    """Say that two files name one record."""
    return f"its front matter says id {number}, which belongs to {other}; remove one of the two"


def bound(kind: Kind, number: int) -> str:
    """Say that `id:` binds a file to a record."""
    return f"its front matter binds it to {kind} {number}"


def bound_otherwise(says: int, known: int, forget: str) -> str:
    """Say that front matter and manifest name different records."""
    return (
        f"its front matter says id {says} and the manifest {known}; "
        f"correct `id:`, or `pressync forget {quote(forget)}` first"
    )


def taken(path: str, records: Sequence[Record]) -> str:
    """Say that something is at the address of a new document, and is not known to be the document's."""
    first = records[0]
    name, file = f"{first.kind} {first.id}", quote(path)
    said = [_described(record) for record in records]
    about = f"it is {said[0]}" if len(said) == 1 else f"they are {listed(said)}"
    names = name if len(said) == 1 else f"{name} (of {len(said)} records)"
    return (
        f"{names} has this address already: `pressync adopt {file} {first.id}`, "
        f"`pressync adopt --from-site` for all of them, or `pressync sync --create-anyway {file}`; {about}"
    )


def several(path: str, records: Sequence[Record]) -> str:
    """Say which records are at an address, where a person has to choose."""
    said = listed([_described(record) for record in records])
    verb, number = ("is", str(records[0].id)) if len(records) == 1 else ("are", "ID")
    return f"at its address there {verb} {said}; `pressync adopt {quote(path)} {number}`"


def _described(record: Record) -> str:
    title, status = str(record.fields.get("title", "")), str(record.fields.get("status", ""))
    where = "in the trash" if status == TRASH else f"{status or 'of no status'}, at {record.link}"
    return f"{record.kind} {record.id} {_shortened(title)}, {where}"


def _shortened(title: str) -> str:
    return f"'{title}'" if len(title) <= _TITLE else f"'{title[:_TITLE]}…'"


def cannot_create(kind: Kind, path: str) -> str:
    """Say that the service shows no way to make such a record."""
    then = f"`pressync adopt {quote(path)} ID`"
    return f"the service cannot create a {kind}; create one there by hand, then {then}"


def maybe_renamed(old: str) -> str:
    """Say that a new file may be a known one under another name."""
    return f"it may be {old} under a new name, and this clone lacks the history to tell; {_FETCH}"


def other_kind(there: Kind, here: Kind, forget: str) -> str:
    """Say that a page became a post, or a post a page."""
    return (
        f"it is a {there} on the site and a {here} here, and a service cannot turn one into the other; "
        f"set `type: {there}`, or `pressync forget {quote(forget)}` to make a new {here}"
    )


def conflict(fields: Collection[str], path: str, *, read: bool) -> str:
    """Say that somebody changed on the site what the repository says otherwise; `read` if it can be read."""
    how = f" (`pressync pull {quote(path)}`)" if read else ""
    return (
        f"{', '.join(fields)} changed on the site since the last sync; "
        f"take the change into the file{how}, or `pressync sync --overwrite` to put the "
        "repository's back"
    )


def gone(entry: Entry, forget: str) -> str:
    """Say that somebody deleted the record on the site."""
    return (
        f"somebody deleted {entry.kind} {entry.id} on the site; remove the file as well, or "
        f"`pressync forget {quote(forget)}` and sync to make a new one"
    )


def conflict_of_removed(fields: Collection[str]) -> str:
    """Say that somebody changed a record on the site whose file was removed."""
    return (
        f"its file was removed, but {', '.join(fields)} changed on the site since the last sync; take the "
        "change over to where it belongs, then `pressync sync --overwrite` to delete the record"
    )


def differs(changed: Collection[str], unsure: Collection[str], resets: Collection[str]) -> str:
    """Say which fields are sent: changed ones, ones of which nobody knows what is there, ones sent empty."""
    return joined(
        f"{', '.join(changed)} changed" if changed else "",
        f"{', '.join(unsure)} may not be there as sent" if unsure else "",
        f"{', '.join(resets)} no longer named, sent empty" if resets else "",
    )


def moved(old: str | None) -> str:
    """Say that a file has a new name, or nothing."""
    return f"moved from {old}" if old else ""


def let_go(fields: Collection[str]) -> str:
    """Say that fields without an empty value are no longer named, or nothing."""
    return f"{', '.join(fields)} no longer named, left as it is" if fields else ""


def outside(forget: str) -> str:
    """Say that a file is committed, but nowhere that makes it a document."""
    return (
        "its file is in the commit, but not as a page or post of the content folder; move it back, or "
        f"`pressync forget {quote(forget)}`"
    )


def protected(path: str) -> str:
    """Say that the file was removed and the record is protected."""
    return f"it is protected, so the record stays; `pressync forget {quote(path)}` lets it go for good"


def unwitnessed(path: str) -> str:
    """Say that a file is absent and no history shows its removal."""
    return (
        "its file is not in the commit, and this clone has no history that shows its removal; "
        f"{_FETCH}, or `pressync forget {quote(path)}`"
    )


def orphan(parent: str) -> str:
    """Say that the parent has no record and gets none."""
    return f"its parent {parent} has no record yet and cannot get one in this run"


def parent_of(child: str) -> str:
    """Say that a page stays because another one below it does."""
    return f"its file was removed, but {child} stays below it; settle that one first"


def links_to(targets: Collection[str]) -> str:
    """Say which linked pages may move."""
    return f"links to {listed(sorted(targets))}, whose address is new or may change"


def listed(things: Sequence[str]) -> str:
    """Name the first few, and count the others."""
    more = f" and {len(things) - _NAMED} more" if len(things) > _NAMED else ""
    return ", ".join(things[:_NAMED]) + more


def joined(*reasons: str) -> str:
    """Put those that say something into one sentence."""
    return "; ".join(filter(None, reasons))

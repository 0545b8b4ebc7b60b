"""The sentences of a plan: why a change is made, or why it is blocked and what to do next. Pure.

`decide` makes the decision, and this module only words it. Many people read nothing but this sentence, so
each sentence that blocks ends with the command or the edit that unblocks.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.records import TRASH

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pressync.model.errors import Problem
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Record, UnconfirmedCreate

NEW = "new document"
REMOVED = "its file was removed"
LEFT_OUT = "the settings, or its type `none`, leave it out"
WILL_BE_BOUND = "it is on the site already, with the same text: the next sync binds it"
UNCOMMITTED = "its file is gone, but no commit removed it; commit the removal"

_FETCH = "fetch the history (`git fetch --unshallow`, or `fetch-depth: 0` in a workflow)"
_PULL = "pull first (`git pull`)"
# A list shows this many names, and counts the others.
_NAMED = 3
# A sentence shows this many characters of a title.
_TITLE = 60


def unconfirmed(create: UnconfirmedCreate, *, read: bool) -> str:
    """Say that a create was sent and got no response; a sync looks for its record if it can `read`."""
    resolve = f"pressync resolve {quote(create.path)}"
    itself = "the next `pressync sync` looks for it by itself; only if that finds no answer, " if read else ""
    person = f"look for '{create.slug}' on the site, then `{resolve} --id N` or `{resolve} --not-created`"
    return f"a create was sent at {create.time} and got no response; {itself}{person}"


def unconfirmed_with_record(create: UnconfirmedCreate, record: int) -> str:
    """Say that a create got no response, for a path that has a record."""
    return (
        f"it is {create.kind} {record}, but a create was sent for it at {create.time} and got no response; "
        f"if the site has a second '{create.slug}', delete that one there, then "
        f"`pressync resolve {quote(create.path)} --not-created`"
    )


def broken(problem: Problem, path: str) -> str:
    """Say that a file cannot be used; the problem may be in the file, in its template or in the settings."""
    line = f"line {problem.line}: " if problem.line else ""
    if problem.path == path:
        return f"its file has problems ({line}{problem.what}); fix them, `pressync check` lists all of them"
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    what = problem.what.removesuffix(f" (rendering {path})")
    return f"its file cannot be used ({place}: {what}); fix that, `pressync check` lists all problems"


def forgotten(entry: Entry) -> str:
    """Say that this clone made a record that the manifest has forgotten."""
    path = quote(entry.path)
    return (
        f"this clone made {entry.kind} {entry.id} for it, but the manifest no longer says so; restore the "
        f"manifest from Git, or `pressync adopt {path} {entry.id}`, or `pressync forget {path}` "
        "to create a new one"
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
        f"its front matter has id {says} and the manifest has {known}; "
        f"correct `id:`, or `pressync forget {quote(forget)}` first"
    )


def taken(path: str, records: Sequence[Record]) -> str:
    """Say which records have the address of a new document, and are not known to belong to it."""
    first = records[0]
    name, file = f"{first.kind} {first.id}", quote(path)
    described = [_described(record) for record in records]
    about = f"it is {described[0]}" if len(described) == 1 else f"they are {listed(described)}"
    names = name if len(described) == 1 else f"{name} (of {len(described)} records)"
    return (
        f"{names} has this address already: `pressync adopt {file} {first.id}`, "
        f"`pressync adopt --from-site` for all of them, or `pressync sync --create-anyway {file}`; {about}"
    )


def several(path: str, records: Sequence[Record]) -> str:
    """Say which records have an address, where a person has to choose one."""
    described = listed([_described(record) for record in records])
    number = str(records[0].id) if len(records) == 1 else "ID"
    return f"at its address the site has {described}; `pressync adopt {quote(path)} {number}`"


def _described(record: Record) -> str:
    title, status = str(record.fields.get("title", "")), str(record.fields.get("status", ""))
    where = "in the trash" if status == TRASH else f"{status or 'without a status'}, at {record.link}"
    # Between two backquotes, a reason has a command to copy.
    return f"{record.kind} {record.id} {_shortened(title)}, {where}".replace("`", "'")


def _shortened(title: str) -> str:
    return f"'{title}'" if len(title) <= _TITLE else f"'{title[:_TITLE]}…'"


def cannot_create(kind: Kind, path: str) -> str:
    """Say that the service cannot create such a record."""
    then = f"`pressync adopt {quote(path)} ID`"
    return f"the service cannot create a {kind}; create it there by hand, then {then}"


def maybe_renamed(old: str, *, shallow: bool) -> str:
    """Say that a new file may be a renamed one."""
    if shallow:
        return (
            f"it may be {old} under a new name, and this clone lacks the history that would show it; {_FETCH}"
        )
    return f"it may be {old} under a new name, and the history of HEAD does not have {old}; {_PULL}"


def other_kind(there: Kind, here: Kind, forget: str) -> str:
    """Say that a document is a page on the site and a post here, or the other way round."""
    return (
        f"it is a {there} on the site and a {here} here, and a service cannot turn one into the other; "
        f"set `type: {there}`, or `pressync forget {quote(forget)}` to create a new {here}"
    )


def conflict(fields: Collection[str], path: str, *, read: bool, trashed: bool = False) -> str:
    """Say that the site and the repository have both changed; `read` tells whether the site can be read.

    Nobody can pull a record that is `trashed`.
    """
    if trashed:
        return (
            "somebody put it into the trash on the site; restore it there, remove the file as well, or "
            f"`pressync sync --overwrite {quote(path)}` to bring it back"
        )
    how = f" (`pressync pull {quote(path)}`)" if read else ""
    return (
        f"{', '.join(fields)} changed on the site since the last sync; "
        f"take the change into the file{how}, or `pressync sync --overwrite {quote(path)}` to send the "
        "repository's values"
    )


def unasked(status: str, path: str) -> str:
    """Say that somebody changed the status of a record whose file names none."""
    file = quote(path)
    return (
        f"its status is '{status}' on the site since somebody changed it, and the file names none; "
        f"`pressync pull {file}` writes it into the file, or write `status: publish` there, commit it, and "
        f"`pressync sync --overwrite {file}`"
    )


def stays(status: str) -> str:
    """Say that an update leaves the status that somebody chose on the site."""
    return f"its status stays '{status}', as somebody chose on the site"


def lost(fields: Collection[str], things: Sequence[str], path: str) -> str:
    """Say that terms, files or users were deleted on the site; `things` are their names."""
    were = "was" if len(things) == 1 else "were"
    return (
        f"{', '.join(fields)} changed, because {listed(things)} {were} deleted on the site; "
        f"`pressync sync --overwrite {quote(path)}` makes {'it' if len(things) == 1 else 'them'} anew"
    )


def pulled(path: str) -> str:
    """Say that a pull has changed the file, and that the commit still has the text before it."""
    file = quote(path)
    return (
        "the site's text was pulled into this file, and the file is not committed; commit it first "
        f"(`git commit {file}`), or `git checkout {file}` to undo the pull and send the committed text"
    )


def deleted_on_site(entry: Entry, forget: str) -> str:
    """Say that somebody deleted the record on the site."""
    return (
        f"somebody deleted {entry.kind} {entry.id} on the site; remove the file as well, or "
        f"`pressync forget {quote(forget)}` and sync to create a new one"
    )


def conflict_of_removed(fields: Collection[str], path: str) -> str:
    """Say that somebody changed a record on the site whose file was removed."""
    what = f"its file was removed, but {', '.join(fields)} changed on the site since the last sync"
    command = f"`pressync sync --overwrite {quote(path)}`"
    return f"{what}; take the change over to where it belongs, then {command} to delete the record"


def differences(
    changed: Collection[str], unsure: Collection[str], resets: Collection[str], parent: str | None = None
) -> str:
    """Say which fields are sent: changed ones, unconfirmed ones, and ones that are emptied.

    `parent` is the page that it was below; the folder alone may have said so.
    """
    no_parent = f"it is no longer below {parent}, so it moves to the top" if parent else ""
    moves = no_parent if "parent" in resets else ""
    resets = [name for name in resets if name != "parent" or not moves]
    return joined(
        moves,
        f"{', '.join(changed)} changed" if changed else "",
        f"{', '.join(unsure)}: the last update got no response; it will be sent again" if unsure else "",
        f"{_were_removed(resets)}; the site's value will be emptied" if resets else "",
    )


def moved(old: str | None) -> str:
    """Say that a file has a new name, or nothing."""
    return f"moved from {old}" if old else ""


def kept_values(fields: Collection[str]) -> str:
    """Say that the site keeps the values of fields that front matter no longer names, or nothing."""
    return f"{_were_removed(fields)}; the site keeps its current value" if fields else ""


def _were_removed(fields: Collection[str]) -> str:
    return f"{', '.join(fields)} {'was' if len(fields) == 1 else 'were'} removed from front matter"


def outside(forget: str) -> str:
    """Say that a file is committed at a path where it is not a document."""
    return (
        "its file is in the commit, but it is not a page or post of the content folder; move it back, or "
        f"`pressync forget {quote(forget)}`"
    )


def protected(path: str) -> str:
    """Say that the file was removed and the record is protected."""
    return f"it is protected, so the record stays; `pressync forget {quote(path)}` drops it from the manifest"


def unproven(path: str, *, shallow: bool) -> str:
    """Say that a file is missing and no commit shows its removal."""
    why = "this clone has no history" if shallow else "the history of HEAD has no commit"
    return (
        f"its file is not in the commit, and {why} that shows its removal; "
        f"{_FETCH if shallow else _PULL}, or `pressync forget {quote(path)}`"
    )


def no_parent(parent: str) -> str:
    """Say that the parent has no record and will not get one."""
    return f"its parent {parent} has no record yet and cannot get one in this run"


def parent_in_trash(parent: str) -> str:
    """Say that a page is not put below a page in the trash."""
    return f"its parent {parent} is in the trash on the site; restore that page there, or move this file"


def parent_deleted(parent: str) -> str:
    """Say that a page is not put below a page that somebody deleted."""
    return f"its parent {parent} was deleted on the site; remove or forget that page first"


def has_child(child: str) -> str:
    """Say that a page is not deleted because a page below it stays."""
    return f"its file was removed, but {child} stays below it; delete or move that page first"


def links_to(targets: Collection[str]) -> str:
    """Say which linked pages may move."""
    return f"links to {listed(sorted(targets))}, whose address is new or may change"


def listed(things: Sequence[str]) -> str:
    """Name the first few, and count the others."""
    more = f" and {len(things) - _NAMED} more" if len(things) > _NAMED else ""
    return ", ".join(things[:_NAMED]) + more


def joined(*reasons: str) -> str:
    """Join the reasons that are not empty."""
    return "; ".join(filter(None, reasons))

"""The sentences of a plan: why a change is made, or why it is blocked and what to do next. Pure.

`decide` makes the decision, and this module only words it. Many people read nothing but this sentence, so
each sentence that blocks ends with the command or the edit that unblocks.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.content import rules
from pressync.content.rules import Rule
from pressync.model.printable import listed, shortened
from pressync.model.reason import NO_REASON, Reason, ReasonCode, joined
from pressync.model.records import TRASH, Entry, Record, UnconfirmedCreate
from pressync.model.visibility import FRONT_PAGE, is_wanted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pressync.model.errors import Problem
    from pressync.model.interface import Kind
    from pressync.model.reason import Fact

NEW = Reason(ReasonCode.NEW, sentence="new document")
REMOVED = Reason(ReasonCode.REMOVED, sentence="its file was removed")
LEFT_OUT = Reason(ReasonCode.LEFT_OUT, sentence="the settings or its front matter leave it out")
NOT_READABLE = Reason(
    ReasonCode.NOT_READABLE, sentence="this account may not read it; compare it as a user who may edit it"
)
REPLACES_MARKUP = Reason(
    ReasonCode.REPLACES_MARKUP,
    sentence="the text on the site is not one that pressync sent, so the markup of the page is replaced as a "
    "whole",
)
WILL_BE_BOUND = Reason(
    ReasonCode.WILL_BE_BOUND, sentence="it is on the site already, with the same text: the next sync binds it"
)
UNCOMMITTED = Reason(
    ReasonCode.UNCOMMITTED, sentence="its file is gone, but no commit removed it; commit the removal"
)
_BEGINS = Reason(ReasonCode.FRONT_PAGE, sentence="it becomes the front page of the site")
_ENDS = Reason(
    ReasonCode.NO_FRONT_PAGE,
    sentence="it is no longer the front page; if the site still shows it there, the site goes back to "
    "its posts",
)
# `pressync pull` takes the site's side of these into the file.
PULLABLE = frozenset({ReasonCode.CONFLICT, ReasonCode.STATUS_CHANGED})

_FETCH = "fetch the history (`git fetch --unshallow`, or `fetch-depth: 0` in a workflow)"
_PULL = "pull first (`git pull`)"
# A type of a plug-in has rights of its own, which no role of the core has.
EDITORS_RIGHTS = "an editor has all those of pages and posts"
ANOTHER_USER = f"use the application password of a user who has it: {EDITORS_RIGHTS}"
A_PERSON = "a person syncs them; the guide's page on agents has a role that writes pages"
# A sentence shows this many characters of a title.
_TITLE = 60


# `{path}` is the path in a command, and every other name is a fact.
_SENTENCES: Mapping[ReasonCode, str] = {
    ReasonCode.BOUND: "its front matter binds it to {kind} {record}",
    ReasonCode.BOUND_TWICE: "its front matter says id {record}, which belongs to {other}; remove one of the "
    "two",
    ReasonCode.BOUND_OTHERWISE: "its front matter has id {front_matter} and the manifest has {record}; "
    "correct `id:`, or `pressync forget {path}` first",
    ReasonCode.MOVED: "moved from {old}",
    ReasonCode.NO_PARENT_ANY_MORE: "it is no longer below {former_parent}, so it moves to the top",
    ReasonCode.STATUS_STAYS: "its status stays '{status}', as somebody chose on the site",
    ReasonCode.STATUS_CHANGED: "its status is '{status}' on the site since somebody changed it, and the file "
    "names none; `pressync pull {path}` writes it into the file, or write `status: publish` there, commit "
    "it, and `pressync sync --overwrite {path}`",
    ReasonCode.TRASHED: "somebody put it into the trash on the site; restore it there, remove the file as "
    "well, or `pressync sync --overwrite {path}` to bring it back",
    ReasonCode.CONFLICT: "{fields} changed on the site since the last sync; take the change into the file "
    "(`pressync pull {path}`), or `pressync sync --overwrite {path}` to send the repository's values",
    ReasonCode.CONFLICT_UNREADABLE: "{fields} changed on the site since the last sync; take the change into "
    "the file, or `pressync sync --overwrite {path}` to send the repository's values",
    ReasonCode.EDITED_AND_REMOVED: "its file was removed, but {fields} changed on the site since the last "
    "sync; take the change over to where it belongs, then `pressync sync --overwrite {path}` to delete the "
    "record",
    ReasonCode.SYNCED_UPSTREAM: "{fields} changed on the site, and {upstream} has a sync of it that HEAD "
    "does not have; {todo}",
    ReasonCode.DELETED: "somebody deleted {kind} {record} on the site; remove the file as well, or "
    "`pressync forget {path}` and sync to create a new one",
    ReasonCode.UNCONFIRMED_SECOND: "it is {kind} {record}, but a create was sent for it at {time} and got no "
    "response; if the site has a second '{slug}', delete that one there, then `pressync resolve {path} "
    "--not-created`",
    ReasonCode.FORGOTTEN: "this clone made {kind} {record} for it, but the manifest no longer says so; "
    "restore the manifest from Git, or `pressync adopt {path} {record}`, or `pressync forget {path}` to "
    "create a new one",
    ReasonCode.HEARSAY: "the manifest said that it is {kind} {record} when this clone synced last, and no "
    "longer says so; if it is that record, `pressync adopt {path} {record}`, otherwise `pressync forget "
    "{path}` to create a new one",
    ReasonCode.UNVERIFIED: "the manifest says that it is {kind} {record}, but {because}; if it is that "
    "record, `pressync adopt {path} {record}` in this clone, otherwise `pressync forget {path}`",
    ReasonCode.OUTSIDE: "its file is in the commit, but its folder is not that of a type; move it back, or "
    "`pressync forget {path}`",
    ReasonCode.PROTECTED: "it is protected, so the record stays; `pressync forget {path}` drops it from the "
    "manifest",
    ReasonCode.WAITS: "it waits for {waits_for}, which is unconfirmed; the next sync writes it",
    ReasonCode.PARENT_WAITS: "a page below it waits for an unconfirmed create; the next sync goes on from "
    "here",
    ReasonCode.NO_PARENT: "its parent {parent} does not have a record yet, and cannot get one in this run",
    ReasonCode.PARENT_IN_TRASH: "its parent {parent} is in the trash on the site; restore that page there, "
    "or move this file",
    ReasonCode.PARENT_DELETED: "its parent {parent} was deleted on the site; remove or forget that page "
    "first",
    ReasonCode.FIELDS_NOT_READABLE: "this account may not read {fields} on the site; compare it as "
    "an administrator",
    ReasonCode.HAS_CHILD: "its file was removed, but {child} stays below it; delete or move that page first",
}


def because(code: ReasonCode, path: str = "", **facts: Fact) -> Reason:
    """Give the reason of a code with these facts; `path` is for the command in its sentence."""
    words = {name: ", ".join(fact) if isinstance(fact, tuple) else fact for name, fact in facts.items()}
    return Reason(code, facts, _SENTENCES[code].format_map({**words, "path": quote(path)}))


def unconfirmed(create: UnconfirmedCreate, *, read: bool) -> Reason:
    """Say that a create was sent and got no response; a sync looks for its record if it can `read`."""
    resolve = f"pressync resolve {quote(create.path)}"
    itself = "the next `pressync sync` looks for it by itself; only if that finds no answer, " if read else ""
    person = f"look for '{create.slug}' on the site, then `{resolve} --id N` or `{resolve} --not-created`"
    facts = {"slug": create.slug, "time": create.time}
    said = f"a create was sent at {create.time} and got no response; {itself}{person}"
    return Reason(ReasonCode.UNCONFIRMED, facts, said)


def pulled(path: str, conflict: int) -> Reason:
    """Say that a pull is not committed; `conflict` is the line where it left a conflict, or 0."""
    file = quote(path)
    first = f"resolve the conflict on line {conflict} of it, and commit it" if conflict else "commit it first"
    facts: dict[str, Fact] = {"line": conflict} if conflict else {}
    said = "the site's text was pulled into this file, and the file is not committed"
    undo = f"`git checkout {file}` to undo the pull and send the committed text"
    return Reason(ReasonCode.PULLED, facts, f"{said}; {first} (`git commit {file}`), or {undo}")


def broken(problem: Problem, path: str) -> Reason:
    """Say that a file cannot be used; the problem may be in the file, in its template or in the settings."""
    line = f"line {problem.line}: " if problem.line else ""
    place = problem.place
    text = problem.what.removesuffix(f" (rendering {path})")
    said = f"its file cannot be used ({place}: {text}); fix that, `pressync check` lists all problems"
    if problem.path == path:
        said = f"its file has problems ({line}{problem.what}); fix them, `pressync check` lists all of them"
    facts: dict[str, Fact] = {
        "problem": problem.code.value,
        "file": problem.path,
        "line": problem.line,
        "what": text,
    }
    return Reason(ReasonCode.BROKEN, facts, said)


def forgotten(entry: Entry, *, unverified: bool = False) -> Reason:
    """Say that the manifest has forgotten a record; an `unverified` one may be wrong: others wrote it."""
    code = ReasonCode.HEARSAY if unverified else ReasonCode.FORGOTTEN
    return because(code, entry.path, kind=str(entry.kind), record=entry.id)


def taken(path: str, records: Sequence[Record]) -> Reason:
    """Say which records have the address of a new document, and are not known to belong to it."""
    first = records[0]
    name, file = f"{first.kind} {first.id}", quote(path)
    described = [_described(record) for record in records]
    about = f"it is {described[0]}" if len(described) == 1 else f"they are {listed(described)}"
    names = name if len(described) == 1 else f"{name} (of {len(described)} records)"
    return Reason(
        ReasonCode.TAKEN,
        {
            "kind": str(first.kind),
            "record": first.id,
            "records": tuple(described),
            "where": "trash" if first.fields.get("status") == TRASH else "site",
        },
        f"{names} has this address already: `pressync adopt {file} {first.id}`, "
        f"`pressync adopt --from-site` for all of them, or `pressync sync --create-anyway {file}`; {about}",
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
    return f"{record.kind} {record.id} '{shortened(title, _TITLE)}', {where}".replace("`", "'")


def unverified(entry: Entry, why: str) -> Reason:
    """Say that an entry is not verified, and how a person confirms or drops it."""
    facts: dict[str, Fact] = {"kind": str(entry.kind), "record": entry.id, "because": why}
    return because(ReasonCode.UNVERIFIED, entry.path, **facts)


def unseen(commit: str, *, shallow: bool) -> str:
    """Say that this clone cannot see what was sent."""
    text = (
        f"this clone lacks commit {commit[:10]}, which would show it"
        if commit
        else "the manifest does not name the commit"
    )
    return f"{text} ({'`git fetch --unshallow`' if shallow else '`git pull`'} brings it)" if commit else text


def cannot_create(kind: Kind, path: str) -> Reason:
    """Say that the service cannot create such a record."""
    then = f"`pressync adopt {quote(path)} ID`"
    said = f"the service cannot create a {kind}; create it there by hand, then {then}"
    return Reason(ReasonCode.CANNOT_CREATE, {"kind": str(kind)}, said)


def maybe_renamed(old: str, *, shallow: bool) -> Reason:
    """Say that a new file may be a renamed one."""
    why = f"the history of HEAD does not have {old}; {_PULL}"
    if shallow:
        why = f"this clone lacks the history that would show it; {_FETCH}"
    facts: dict[str, Fact] = {"old": old, "shallow": shallow}
    return Reason(ReasonCode.MAYBE_RENAMED, facts, f"it may be {old} under a new name, and {why}")


def other_kind(there: Kind, own: Kind, forget: str, adopt: tuple[str, int]) -> Reason:
    """Say that a document is a page on the site and a post here; `adopt` is its path, and the id there."""
    drop = f"`pressync forget {quote(forget)}`"
    todo = f"set `type: {there}`, or {drop} to create a new {own}"
    if not there.row.known:
        bind = f"`pressync adopt {quote(adopt[0])} {adopt[1]:d}`"
        todo = f"if the site calls the type {own} now, {drop} and then {bind}"
    problem = f"it is a {there} on the site and a {own} here, and a service cannot turn one into the other"
    return Reason(ReasonCode.OTHER_KIND, {"there": str(there), "here": str(own)}, f"{problem}; {todo}")


def conflict(fields: Collection[str], path: str, *, read: bool, trashed: bool = False) -> Reason:
    """Say that both sides have changed; the site can be `read` or not, and a `trashed` record not pulled."""
    if trashed:
        return because(ReasonCode.TRASHED, path)
    code = ReasonCode.CONFLICT if read else ReasonCode.CONFLICT_UNREADABLE
    return because(code, path, fields=tuple(fields))


def overwrites(fields: Collection[str], *, trashed: bool = False) -> Reason:
    """Say that an edit of these fields is overwritten, or nothing."""
    if trashed:
        return Reason(ReasonCode.OUT_OF_TRASH, sentence="it is in the trash on the site, and comes back")
    if not fields:
        return NO_REASON
    were = "was" if len(fields) == 1 else "were"
    said = f"{', '.join(fields)} {were} edited on the site, and the edit is overwritten"
    return Reason(ReasonCode.OVERWRITES, {"overwrites": tuple(fields)}, said)


def lost(fields: Collection[str], things: Sequence[str], path: str) -> Reason:
    """Say that terms, files or users were deleted on the site; `things` are their names."""
    were = "was" if len(things) == 1 else "were"
    return Reason(
        ReasonCode.NAMES_DELETED,
        {"fields": tuple(fields), "names": tuple(things)},
        f"{', '.join(fields)} changed, because {listed(things)} {were} deleted on the site; "
        f"`pressync sync --overwrite {quote(path)}` makes {'it' if len(things) == 1 else 'them'} anew",
    )


def differences(
    changed: Collection[str],
    unsure: Collection[str],
    resets: Collection[str],
    parent: str | None = None,
    ruled: Collection[str] = (),
) -> Reason:
    """Say which fields are sent: changed ones, `unsure` ones without a response, and ones that are emptied.

    `parent` is the page that it was below; the folder alone may have said so. `ruled` are rules of reading
    that have changed.
    """
    moves = parent if "parent" in resets else None
    resets = [name for name in resets if name != "parent" or not moves]
    lost = "the last update got no response, or merged manifests differed"
    unsent = f"{', '.join(unsure)}: {lost}; it will be sent again"
    emptied = f"{_were_removed(resets)}; the site's value will be emptied"
    return joined(
        because(ReasonCode.NO_PARENT_ANY_MORE, former_parent=moves) if moves else NO_REASON,
        _about(ReasonCode.CHANGED, changed, f"{', '.join(changed)} changed"),
        _by_rules(ruled, (*changed, *unsure, *resets)),
        _about(ReasonCode.UNSURE, unsure, unsent),
        _about(ReasonCode.EMPTIED, resets, emptied),
    )


def _about(code: ReasonCode, fields: Collection[str], sentence: str) -> Reason:
    """Make the reason that names these fields in a fact of its code's name; none without fields."""
    return Reason(code, {code.value: tuple(fields)}, sentence) if fields else NO_REASON


def kept_values(fields: Collection[str], gone: Collection[str] = ()) -> Reason:
    """Say that the site keeps the values of fields that front matter no longer names, or nothing.

    Those that are `gone` are not in the schema of the site any more.
    """
    removed = [name for name in fields if name not in gone]
    unknown = f"the schema of the site does not have {', '.join(gone)} any more"
    return joined(
        _about(ReasonCode.LET_GO, removed, f"{_were_removed(removed)}; the site keeps its current value"),
        _about(ReasonCode.LET_GO, gone, f"{unknown}; the site keeps its current value"),
    )


def _were_removed(fields: Collection[str]) -> str:
    return f"{', '.join(fields)} {'was' if len(fields) == 1 else 'were'} removed from front matter"


def unknown_type(kind: Kind, path: str) -> Reason:
    """Say that the schema of the site does not have the type of a record."""
    drop = f"`pressync forget {quote(path)}` drops the record from the manifest alone"
    todo = f"`pressync schema site` reads it, or {drop}"
    sentence = f"no committed schema of the site has the type {kind}; {todo}"
    return Reason(ReasonCode.UNKNOWN_TYPE, sentence=sentence)


def unproven(path: str, *, shallow: bool) -> Reason:
    """Say that a file is missing and no commit shows its removal."""
    why = "this clone has no history" if shallow else "the history of HEAD has no commit"
    return Reason(
        ReasonCode.UNPROVEN,
        {"shallow": shallow},
        f"its file is not in the commit, and {why} that shows its removal; "
        f"{_FETCH if shallow else _PULL}, or `pressync forget {quote(path)}`",
    )


def no_right(right: str, others: str = "") -> Reason:
    """Say that the site's user lacks a right; `others` names a record that is another user's."""
    whose = f"{others} is another user's, and " if others else ""
    lacks = f"this user lacks the right {right}; sync it as a user who has it: {EDITORS_RIGHTS}"
    return Reason(ReasonCode.NO_RIGHT, {"right": right}, whose + lacks)


def published_since(right: str) -> Reason:
    """Say that a draft of the site's user was published by a person, and is not this user's to change."""
    said = f"published by a person since it was sent, and this user lacks the right {right}"
    return Reason(ReasonCode.NO_RIGHT, {"right": right}, f"{said}; a person syncs it, or makes it a draft")


def front_page(wanted: Mapping[str, str], fields: Collection[str]) -> Reason:
    """Say what a change of these fields does to the front page; `wanted` are the document's fingerprints."""
    if FRONT_PAGE not in fields:
        return NO_REASON
    return _BEGINS if is_wanted(wanted) else _ENDS


def _by_rules(ruled: Collection[str], fields: Collection[str]) -> Reason:
    """Say which rules of a version change these fields, or nothing."""
    changing = sorted(rule for rule in ruled if not set(rules.CHANGES[Rule(rule)].fields).isdisjoint(fields))
    if not changing:
        return NO_REASON
    return Reason(ReasonCode.RULE, {"rules": tuple(changing)}, rules.named(changing))


def links_to(targets: Collection[str]) -> Reason:
    """Say which linked pages may move."""
    pages = sorted(targets)
    said = f"links to {listed(pages)}, whose address is new or may change"
    return Reason(ReasonCode.LINKS, {"pages": tuple(pages)}, said)


def what_and_todo(reason: Reason) -> tuple[str, str]:
    """Part a sentence that blocks into what is wrong and what to do."""
    problem, _, todo = str(reason).partition("; ")
    return problem, todo

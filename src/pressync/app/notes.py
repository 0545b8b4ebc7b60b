"""Lists the open notes of editors with the place in the file that each is about, and resolves one.

A note is on the site, and its words are in a file. The site has the words; the place is where the file has
them, or the paragraph that is most like them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from pressync.client.port import read_keys
from pressync.config.agreement import Guard, lifts
from pressync.html.notes import quoted
from pressync.model.changes import Delete, Result, Update
from pressync.model.errors import ConfigError, ServiceError
from pressync.model.reason import ReasonCode
from pressync.state.clone_log import EditorNote

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.content.content import Content
    from pressync.model.changes import Plan
    from pressync.model.outcomes import RunResult
    from pressync.model.records import Entry

_WORD = re.compile(r"\w+")


def listed(workspace: Workspace, content: Content, entries: Mapping[str, Entry]) -> tuple[EditorNote, ...]:
    """Read the open notes on the records of these entries, by path and line; this clone remembers them.

    A service without notes has none.

    :raises ServiceError: the site does not answer.
    """
    owners = {entry.id: entry for entry in entries.values()}
    with workspace.service(1) as service:
        if service.notes is None or service.readable is None:
            return ()
        open_notes = [note for note in service.notes.open_notes() if note.post in owners]
        records = read_keys(service.readable, ((owners[note.post].kind, note.post) for note in open_notes))
    words = {note: text for record in records.values() for note, text in quoted(record.noted).items()}
    listing = []
    for note in open_notes:
        path, about = owners[note.post].path, words.get(note.id, "")
        document = content.parse(path).document if path in content.sources else None
        line = line_of(document.body, document.body_line, about) if document else 1
        listing.append(EditorNote(note.id, path, line, note.author, note.date, about, note.text))
    listing.sort(key=lambda note: (note.path, note.line, note.id))
    with workspace.reading() as state:
        state.log.see_editor_notes(listing)
    return tuple(listing)


def to_resolve(notes: Iterable[EditorNote], plan: Plan) -> Iterator[EditorNote]:
    """Give the notes with the commits by which a sync of this plan resolves them."""
    named = {
        (remark.facts["note"], path): str(remark.facts["commit"])
        for remark in plan.remarks
        if remark.code is ReasonCode.RESOLVES_NOTE
        for path in cast("tuple[str, ...]", remark.facts["paths"])
    }
    for note in notes:
        yield replace(note, resolved_by=named.get((note.id, note.path), ""))


def line_of(body: str, first: int, words: str) -> int:
    """Find the line of some words in Markdown, whose first line has a number; 1 without any of them."""
    wanted = _WORD.findall(words)
    if not wanted:
        return 1
    best, place = 0.0, 1
    for number, text in enumerate(body.split("\n"), first):
        line_words = _WORD.findall(text)
        shared = len({*wanted} & {*line_words}) / len({*wanted})
        # The same words in the same order count more than the same words.
        together = " ".join(wanted) in " ".join(line_words)
        if shared + together > best:
            best, place = shared + together, number
    return place


def resolve(workspace: Workspace, number: int, commit: str, records: Collection[int] = ()) -> bool:
    """Resolve a note with a reply that names a commit; tell whether it was open.

    With `records`, only a note on one of them is resolved.

    :raises ConfigError: there is no such note, it is on another record, or the service has no notes.
    :raises ServiceError: the site does not answer, or it refuses.
    """
    with workspace.service(1) as service:
        notes = service.notes
        if notes is None:
            problem = f"the {service.name} interface does not have notes of editors"
            raise ConfigError(problem, todo="look at the site yourself")
        about = {note.id: note.post for note in notes.open_notes()} if records else {}
        if number in about and about[number] not in records:
            problem = f"note {number} is not on a record that commit {commit[:10]} changed and this run sent"
            raise ConfigError(problem, todo=f"`pressync notes resolve {number}` resolves it")
        return notes.resolve_note(number, f"Resolved by commit {commit[:10]}.")


def resolve_named(workspace: Workspace, result: RunResult) -> list[str]:
    """Resolve the notes that a plan named, on the records that its run has sent; say what became of each."""
    done = [outcome.change for outcome in result.outcomes if outcome.result is Result.DONE]
    sent = {change.path: change.id for change in done if isinstance(change, Update | Delete)}
    named = [remark for remark in result.plan.remarks if remark.code is ReasonCode.RESOLVES_NOTE]
    said = []
    for remark in named if lifts(workspace.clone.way, Guard.NOTE) else ():
        paths = cast("tuple[str, ...]", remark.facts["paths"])
        number, commit = cast("int", remark.facts["note"]), str(remark.facts["commit"])
        records = [sent[path] for path in paths if path in sent]
        if not records:
            continue
        try:
            resolve(workspace, number, commit, records)
            said.append(f"Note {number} is resolved by {commit[:10]}.")
        except (ConfigError, ServiceError) as error:
            said.append(f"Note {number} is not resolved: {error}")
    return said

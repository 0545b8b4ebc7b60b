"""Is the manifest true? Looked at beside the commit, and, where the service can be read, beside the site.

It must not change anything. That the manifest is well-formed, for this target, and has no id twice is
known as soon as it could be read; what is looked for here is what a merge or an edit by hand can break.
"""

from __future__ import annotations

from collections import defaultdict
from shlex import quote
from typing import TYPE_CHECKING

from pressync.client.port import readable
from pressync.model.errors import ConfigError, Problem
from pressync.model.records import TRASH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.client.port import ReadableService
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Record
    from pressync.state.state import State


def verify(workspace: Workspace, *, remote: bool) -> tuple[int, list[Problem]]:
    """Look at the manifest, and with `remote` at the site: how many records there are, and what is wrong.

    :raises ManifestError: it cannot be read, or is for another target.
    :raises ConfigError: the site is to be looked at, and it cannot be read.
    :raises ServiceError: the site did not answer.
    """
    with workspace.reading() as state:
        entries = dict(state.manifest.entries)
        problems = [*_beside_the_commit(workspace, entries), *_beside_this_clone(state)]
    if remote:
        problems += _beside_the_site(workspace, entries)
    return len(entries), problems


def _beside_the_commit(workspace: Workspace, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    commit = workspace.repository.commit()
    there = workspace.repository.tree(commit).files
    for path, entry in sorted(entries.items()):
        if path not in there:
            what = f"its file is not in commit {commit[:10]}"
            todo = f"`pressync plan` shows what becomes of {entry.kind} {entry.id}"
            yield Problem(path, 0, what, todo, warning=True)
        if entry.parent_path is not None and entry.parent_path not in entries:
            what = f"its parent {entry.parent_path} has no record"
            yield Problem(path, 0, what, "the next sync sends the parent that it has now", warning=True)


def _beside_this_clone(state: State) -> Iterator[Problem]:
    for path, entry in sorted(state.forgotten_by_manifest.items()):
        what = f"this clone made {entry.kind} {entry.id} for it, and the manifest does not have it"
        yield Problem(
            path, 0, what, f"`pressync adopt {quote(path)} {entry.id}`, or `pressync forget {quote(path)}`"
        )
    for path, doubt in sorted(state.doubts.items()):
        what = f"a create was sent at {doubt.time} and its answer never came"
        todo = f"`pressync resolve {quote(path)} --id N`, or `pressync resolve {quote(path)} --not-created`"
        yield Problem(path, 0, what, todo, warning=True)


def _beside_the_site(workspace: Workspace, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    kinds: dict[Kind, dict[int, Entry]] = defaultdict(dict)
    for entry in entries.values():
        kinds[entry.kind][entry.id] = entry
    with workspace.service(1) as service:
        reading = readable(service)
        if reading is None:
            what = f"the {service.name} interface shows no way to read a record"
            raise ConfigError(what, where="--remote", todo="leave it out, and look at the site yourself")
        for kind, known in sorted(kinds.items()):
            yield from _compared(reading, kind, known)


def _compared(service: ReadableService, kind: Kind, known: Mapping[int, Entry]) -> Iterator[Problem]:
    found = service.records(kind, known.keys())
    for number, entry in known.items():
        what = _difference(entry, found.get(number))
        if what:
            yield Problem(entry.path, 0, f"{kind} {number} {what}", "look at it on the site")


def _difference(entry: Entry, record: Record | None) -> str:
    if record is None:
        return "is not on the site"
    if record.fields.get("status") == TRASH:
        return "is in the trash of the site"
    if entry.slug and record.slug != entry.slug:
        return f"has the slug '{record.slug}' on the site, and '{entry.slug}' in the manifest"
    return ""

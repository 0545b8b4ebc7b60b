"""What the pending changes of a plan need beside records: terms, authors and files, known or made first.

It must not know dialects. What decided its shape: everything that is only read comes before a person is
asked, so that a name of nobody is a problem of the content like any other; everything that is made comes
after, and what cannot be made fails the documents that need it and no others.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pressync.changes import Create, Update
from pressync.errors import Problem
from pressync.model import Name
from pressync.plan.reasons import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pressync.changes import Change, Plan
    from pressync.content import Content
    from pressync.model import Desired, Entry, Medium
    from pressync.service.port import Library
    from pressync.state import State
    from pressync.state.learning import Learner

_TODO = "write one that somebody has, or an id"


def look_up(service: Library, state: Learner, content: Content, plan: Plan) -> tuple[bool, list[Problem]]:
    """Learn what the site has of all that is needed; true if it was something, and a problem for each nobody.

    :raises ServiceError: the service cannot be read.
    """
    from pressync import naming, uploads  # noqa: PLC0415 - what asks a service is not for a plan: 20 ms

    known = len(state.manifest.names)
    nobody = set(naming.look_up(service, state, _names(content, plan.changes)))
    found = uploads.look_up(service, state, _files(content, plan.changes))
    problems = [
        Problem(desired.path, mention.line, f"{mention.field} '{name.text}': {naming.NOBODY}", _TODO)
        for desired in _wanted(plan.changes)
        for mention in desired.mentions
        for name in mention.names
        if name in nobody
    ]
    return found or len(state.manifest.names) > known, problems


def make(
    service: Library,
    state: State,
    content: Content,
    plan: Plan,
    *,
    at_a_time: int,
    say: Callable[[str], None],
    go_on: Callable[[], bool],
) -> dict[Name | str, str]:
    """Make the terms and upload the files that are missing; why some have no id, by name and by path.

    `go_on` is asked before each of them, and lets it wait for its turn; false if the run was stopped.
    """
    from pressync import naming, uploads  # noqa: PLC0415 - as above

    names = naming.make(service, state, _names(content, plan.changes), say, go_on)
    files = _files(content, plan.changes)
    read = content.repository.read
    refused = uploads.upload(service, state, files, read, at_a_time=at_a_time, say=say, go_on=go_on)
    return dict(chain[tuple[Name | str, str]](names.items(), refused.items()))


def notes(content: Content, entries: Mapping[str, Entry], changes: Iterable[Change]) -> tuple[str, ...]:
    """Say what a sync of these changes looks up, makes and uploads, and which files nothing uses."""
    changes = list(changes)
    names = [f"{name.field} {name.text}" for name in _names(content, changes)]
    files = sorted(_files(content, changes).values())
    said = []
    if names:
        said.append(f"A sync looks these up, and makes the terms that are missing: {listed(names)}.")
    if files:
        said.append(f"A sync uploads what the site does not have of: {listed(files)}.")
    idle = [f"{medium.path} (media {medium.id})" for medium in _unused(content, entries, changes)]
    if idle:
        delete = "`pressync sync --delete-unused-media` deletes such files"
        said.append(f"No longer used on the site: {listed(idle)}; {delete}.")
    return tuple(said)


def delete_unused(
    service: Library, state: State, content: Content, say: Callable[[str], None], go_on: Callable[[], bool]
) -> int:
    """Delete the uploaded files that no record refers to any more; how many could not be deleted."""
    from pressync import uploads  # noqa: PLC0415 - as above

    return uploads.delete(service, state, _unused(content, state.manifest.entries, ()), say, go_on)


def _unused(content: Content, entries: Mapping[str, Entry], changes: Iterable[Change]) -> list[Medium]:
    wanted = (desired.links for desired in _wanted(changes))
    return content.mentioned.unused(chain((entry.links for entry in entries.values()), wanted))


def _wanted(changes: Iterable[Change]) -> Iterator[Desired]:
    return (change.desired for change in changes if isinstance(change, Create | Update))


def _names(content: Content, changes: Iterable[Change]) -> list[Name]:
    found = (content.mentioned.unknown_names(desired) for desired in _wanted(changes))
    return sorted({name for names in found for name in names})


def _files(content: Content, changes: Iterable[Change]) -> dict[str, str]:
    """Give the paths of the files to upload by blob id; of equal files, the first path."""
    found = (content.mentioned.unknown_files(desired) for desired in _wanted(changes))
    paths = sorted({path for some in found for path in some}, reverse=True)
    return {content.tree.files[path]: path for path in paths}

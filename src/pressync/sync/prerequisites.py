"""What the pending changes of a plan need beside records: terms, authors and files, known or made first.

It must not know dialects. What decided its shape: everything that is only read comes before a person is
asked, so that a name of nobody is a problem of the content like any other; everything that is made comes
after, and what cannot be made fails the documents that need it and no others.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pressync.model.errors import Problem
from pressync.model.records import Name
from pressync.plan.needs import desired_of, files_of, names_of, unused_media

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.client.port import Library
    from pressync.content.content import Content
    from pressync.model.changes import Plan
    from pressync.state.learning import Learner
    from pressync.state.state import State

_TODO = "write one that somebody has, or an id"


def look_up(service: Library, state: Learner, content: Content, plan: Plan) -> tuple[bool, list[Problem]]:
    """Learn what the site has of all that is needed; true if it was something, and a problem for each nobody.

    :raises ServiceError: the service cannot be read.
    """
    from pressync.sync import media, terms  # noqa: PLC0415 - what asks a service is not for a plan: 20 ms

    known = len(state.manifest.names)
    nobody = set(terms.look_up(service, state, names_of(content, plan.changes)))
    found = media.look_up(service, state, files_of(content, plan.changes))
    problems = [
        Problem(desired.path, mention.line, f"{mention.field} '{name.text}': {terms.NOBODY}", _TODO)
        for desired in desired_of(plan.changes)
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
    from pressync.sync import media, terms  # noqa: PLC0415 - as above

    names = terms.make(service, state, names_of(content, plan.changes), say, go_on)
    files = files_of(content, plan.changes)
    read = content.repository.read
    refused = media.upload(service, state, files, read, at_a_time=at_a_time, say=say, go_on=go_on)
    return dict(chain[tuple[Name | str, str]](names.items(), refused.items()))


def delete_unused(
    service: Library, state: State, content: Content, say: Callable[[str], None], go_on: Callable[[], bool]
) -> int:
    """Delete the uploaded files that no record refers to any more; how many could not be deleted."""
    from pressync.sync import media  # noqa: PLC0415 - as above

    return media.delete(service, state, unused_media(content, state.manifest.entries, ()), say, go_on)

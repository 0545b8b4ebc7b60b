"""Terms, authors and files that the pending changes of a plan need: looked up first, then created.

All reads come before a person is asked, so an author that the site does not have is a problem of the content
like any other. All writes come after. A term or a file that cannot be created fails only the documents that
need it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pressync.content.references import NO_AUTHOR_TODO
from pressync.model.bounds import UPLOAD
from pressync.model.changes import desired_of
from pressync.model.errors import Code, Problem

if TYPE_CHECKING:
    from pressync.client.port import Library
    from pressync.content.content import Content
    from pressync.model.changes import Plan
    from pressync.model.records import Name
    from pressync.state.state import Learner, State
    from pressync.sync.control import RunControl
    from pressync.sync.media import FileUploads


def look_up(service: Library, state: Learner, content: Content, plan: Plan) -> tuple[bool, list[Problem]]:
    """Learn which of the needed terms, authors and files the site has.

    Returns whether anything was learned, and a problem for each author that the site does not have.

    :raises ServiceError: the service cannot be read.
    """
    from pressync.sync import media, terms  # noqa: PLC0415 - a plan does not need them: 20 ms

    known = len(state.manifest.names)
    missing_authors = terms.look_up(service, state, content.references.names_of(plan.changes))
    found = media.look_up(service, state, content.references.files_of(plan.changes))
    problems = [
        _no_author(content, desired.path, mention.line, name, missing_authors[name])
        for desired in desired_of(plan.changes)
        for mention in desired.mentions
        for name in mention.names
        if name in missing_authors
    ]
    return found or len(state.manifest.names) > known, list(dict.fromkeys(problems))


def _no_author(content: Content, path: str, line: int, name: Name, why: str) -> Problem:
    """Name the place of an author whom the site does not have: the file, or the table that names the user."""
    if name.text in content.settings.authors.values():
        where, todo = content.settings.origins["authors"], "correct the user below `[authors]`"
        return Problem(where, 0, f"[authors]: {why}", todo, code=Code.UNKNOWN_AUTHOR)
    return Problem(path, line, f"{name.field} {why}", NO_AUTHOR_TODO, code=Code.UNKNOWN_AUTHOR)


def make(
    service: Library, state: State, content: Content, plan: Plan, control: RunControl
) -> tuple[FileUploads, dict[str, frozenset[str]]]:
    """Create the missing terms, and prepare the uploads of the missing files.

    Returns the uploads, which know why terms could not be created, and by path the files that a change needs.
    """
    from pressync.sync import media, terms  # noqa: PLC0415 - as above

    read = partial(content.repository.read, bound=UPLOAD)
    references = content.references
    uploads = media.FileUploads(service, state, references.files_of(plan.changes), read, control)
    uploads.refused.update(terms.make(service, state, references.names_of(plan.changes), control).items())
    missing = frozenset(uploads.blobs)
    needed = {
        desired.path: missing.intersection(content.tree.files[path] for path in paths)
        for desired in desired_of(plan.changes if missing else ())
        if (paths := tuple(content.references.unknown_files(desired)))
    }
    return uploads, needed

"""The terms, authors and files that pending changes need, and the uploads that no document uses.

A plan names them without a request to the site. Only `sync.prerequisites` looks them up, creates or deletes
them.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pressync.content.references import NO_AUTHOR_TODO
from pressync.model.changes import Create, Update
from pressync.model.errors import Code, Problem
from pressync.plan.reasons import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pressync.content.content import Content
    from pressync.model.changes import Change
    from pressync.model.records import Desired, Entry, Medium, Name

# Only a person can tell whether the site shows a file in a place that its interface does not show.
_BY_HAND = "delete those that the site does not use in its media library"


def notes(content: Content, entries: Mapping[str, Entry], changes: Iterable[Change]) -> tuple[str, ...]:
    """Say what a sync of these changes looks up, creates and uploads, and which media are not used."""
    changes = list(changes)
    names = names_of(content, changes)
    authors = [name.text for name in names if name.field == "author"]
    terms = [f"{name.field} {name.text}" for name in names if name.field != "author"]
    files = sorted(files_of(content, changes).values())
    sentences = []
    if authors:
        sentences.append(f"A sync looks up these authors among the site's users: {listed(authors)}.")
    if terms:
        sentences.append(f"A sync looks up these terms and creates the missing ones: {listed(terms)}.")
    if files:
        sentences.append(f"A sync uploads these files if the site does not have them: {listed(files)}.")
    idle = [_idle(content, medium) for medium in unused_media(content, entries, changes)]
    if idle:
        what = "No document of this repository uses these uploads any more"
        sentences.append(f"{what}: {listed(idle)}; {_BY_HAND}.")
    return tuple(sentences)


def authors_without_user(content: Content, changes: Iterable[Change]) -> list[Problem]:
    """Warn of authors whom `[authors]` leaves open; only the site knows whether it has a user of their name.

    An import writes the table with a comment for each author, so it may be there without a user. A text with
    a blank that it does not name is a person's name, and a text without one may be a login.
    """
    settings = content.settings
    users = set(map(str, settings.authors.values()))
    why = "`[authors]` does not name it, so a sync stops unless the site has a user of this name"
    found = [
        Problem(
            desired.path,
            mention.line,
            f"author '{name.text}': {why}",
            NO_AUTHOR_TODO,
            warning=True,
            alike=f"an author: {why}",
            code=Code.UNKNOWN_AUTHOR,
        )
        for desired in (desired_of(changes) if settings.origins["authors"] != "default" else ())
        for mention in desired.mentions
        for name in content.references.names_without_id(mention)
        if name.field == "author" and " " in name.text and name.text not in users
    ]
    return list(dict.fromkeys(found))


def _idle(content: Content, medium: Medium) -> str:
    """Name an unused upload; the file at its path may be another one by now."""
    named = f"{medium.path} (media {medium.id})"
    is_replaced = content.tree.files.get(medium.path, medium.blob) != medium.blob
    return f"the former {named}" if is_replaced else named


def unused_media(content: Content, entries: Mapping[str, Entry], changes: Iterable[Change]) -> list[Medium]:
    """List the uploaded files that neither an entry nor a pending change refers to."""
    wanted = (desired.links for desired in desired_of(changes))
    return content.references.unused(chain((entry.links for entry in entries.values()), wanted))


def desired_of(changes: Iterable[Change]) -> Iterator[Desired]:
    """Give the documents of the pending changes."""
    return (change.desired for change in changes if isinstance(change, Create | Update))


def names_of(content: Content, changes: Iterable[Change]) -> list[Name]:
    """List the terms and authors that documents name and whose id is not known."""
    found = (content.references.unknown_names(desired) for desired in desired_of(changes))
    return sorted({name for names in found for name in names})


def files_of(content: Content, changes: Iterable[Change]) -> dict[str, str]:
    """Give the path of each file to upload by blob id; equal files have one path, the first."""
    found = (content.references.unknown_files(desired) for desired in desired_of(changes))
    paths = sorted({path for some in found for path in some}, reverse=True)
    return {content.tree.files[path]: path for path in paths}

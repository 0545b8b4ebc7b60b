"""Finds the ids of the names in front matter, and creates the terms that the service does not have.

Two terms of one name cannot be told apart afterwards, and WordPress creates such twins when two requests come
at once (measured). So one thread creates the terms one by one, before any record. A user is never created.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pressync.model.errors import ServiceError
from pressync.model.records import Name
from pressync.sync import echo

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pressync.client.port import Library, Term
    from pressync.model.records import Fields, Record
    from pressync.state.state import Learner, State
    from pressync.sync.control import RunControl

AUTHOR = "author"
# Only categories can stand below others. A slash in a tag is a part of its name.
_HIERARCHICAL = frozenset({"categories"})
FILE_FIELD = "featured_media"
SINGULAR = {"categories": "category", "tags": "tag", "author": "author"}


def look_up(service: Library, state: Learner, names: Iterable[Name]) -> dict[Name, str]:
    """Learn the ids of the names that the service has; returns, by author, why there is no such user.

    :raises ServiceError: the service cannot be read; ids that were found before are kept.
    """
    wanted: dict[str, list[Name]] = defaultdict(list)
    for name in sorted(set(names)):
        wanted[name.field].append(name)
    missing_authors = _look_up_authors(service, state, wanted.pop(AUTHOR, []))
    for field, some in wanted.items():
        terms = service.terms(field)
        found = {name: number for name in some if (number := _found(name, terms)) is not None}
        if found:
            state.learn(names=found)
    return missing_authors


def make(service: Library, state: State, names: Iterable[Name], control: RunControl) -> dict[Name, str]:
    """Create the missing terms one by one; returns, by name, why some could not be created."""
    wanted = [name for name in sorted(set(names)) if name not in state.manifest.names]
    refused = _look_up_authors(service, state, [name for name in wanted if name.field == AUTHOR])
    for name in wanted:
        if name.field != AUTHOR:
            _make(service, state, name, refused, control)
    return refused


def forget_dropped(state: State, sent: Fields, record: Record) -> frozenset[str]:
    """Forget the names and files whose ids the service dropped from a record: the site has them no longer.

    Returns the fields that held them. The service did not store these fields as they were sent.
    """
    dropped = echo.dropped(sent, record)
    if not dropped:
        return frozenset()
    names = [n for n, number in state.manifest.names.items() if number in dropped.get(n.field, ())]
    gone = dropped.get(FILE_FIELD, set())
    # Of a copy: other threads upload files meanwhile.
    media = [blob for blob, medium in dict(state.manifest.media).items() if medium.id in gone]
    if names or media:
        state.unlearn(names=names, media=media)
    return frozenset({name.field for name in names} | ({FILE_FIELD} if media else set()))


def _look_up_authors(service: Library, state: Learner, names: Collection[Name]) -> dict[Name, str]:
    found = service.authors([name.text for name in names]) if names else {}
    refused: dict[Name, str] = {}
    for name in names:
        match found[name.text]:
            case int(number):
                state.learn(names={name: number})
            case str(reason):
                refused[name] = f"'{name.text}': {reason}"
    return refused


def _make(service: Library, state: State, name: Name, refused: dict[Name, str], control: RunControl) -> None:
    parent = 0
    parts = _parts(name)
    for depth, part in enumerate(parts, 1):
        path = Name(name.field, "/".join(parts[:depth]))
        known = _known(state, path)
        if known is None and path not in refused and not control.may_start():
            refused[path] = f"'{path.text}' was not created: the run was stopped before"
        if known is None and path not in refused:
            try:
                known = service.make_term(path.field, part, parent)
            except ServiceError as error:
                refused[path] = f"'{path.text}' could not be created: {error}"
            else:
                state.learn(names={path: known})
                control.say(f"Created {SINGULAR[path.field]} '{path.text}' ({known}).")
        if known is None:
            refused[name] = refused[path]
            return
        parent = known


def _parts(name: Name) -> list[str]:
    return name.text.split("/") if name.field in _HIERARCHICAL else [name.text]


def _known(state: State, name: Name) -> int | None:
    """Give the id of a name, or of one that WordPress treats as the same, such as `News` and `news`."""
    known = state.manifest.names
    if name not in known:
        same = (n for n in known if n.field == name.field and n.text.casefold() == name.text.casefold())
        if (other := next(same, None)) is None:
            return None
        state.learn(names={name: known[other]})
    return known[name]


def _found(name: Name, terms: Iterable[Term]) -> int | None:
    """Find a term by its path: each part is the name, or else the slug, of a term below the part before."""
    parent = 0
    for part in _parts(name):
        here = [term for term in terms if term.parent == parent]
        named = [term for term in here if term.name.casefold() == part.casefold()]
        found = named or [term for term in here if term.slug == part.casefold()]
        if not found:
            return None
        # The oldest one, where two requests at once created twins.
        parent = found[0].id
    return parent

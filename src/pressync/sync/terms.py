"""Names in front matter -> ids of the service: looked up first, and terms made where they are missing.

It must not know documents or Git. What decided its shape: two terms of one name cannot be told apart
afterwards, and WordPress makes such twins when two requests come at once (measured); so terms are made
one by one, before any record, by one thread. A person is never made.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pressync.model.errors import ServiceError
from pressync.model.records import Name
from pressync.sync import echo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pressync.client.port import Library, Term
    from pressync.model.records import Fields, Record
    from pressync.state.learning import Learner
    from pressync.state.state import State

NOBODY = "nobody on the site has this login, e-mail address or name, as far as this user may see"

_AUTHOR = "author"
# Only categories have a place below others; a tag with a slash in its name is just that.
_PATHS = frozenset({"categories"})
_FILE_FIELD = "featured_media"


def look_up(service: Library, state: Learner, names: Iterable[Name]) -> tuple[Name, ...]:
    """Learn the ids of names that the service has; returns the authors that it has not.

    :raises ServiceError: the service cannot be read; what was found before is kept.
    """
    wanted: dict[str, list[Name]] = defaultdict(list)
    for name in sorted(set(names)):
        wanted[name.field].append(name)
    nobody = []
    for name in wanted.pop(_AUTHOR, []):
        number = service.author(name.text)
        if number is None:
            nobody.append(name)
        else:
            state.learn(names={name: number})
    for field, some in wanted.items():
        terms = service.terms(field)
        found = {name: number for name in some if (number := _found(name, terms)) is not None}
        if found:
            state.learn(names=found)
    return tuple(nobody)


def make(
    service: Library,
    state: State,
    names: Iterable[Name],
    say: Callable[[str], None],
    go_on: Callable[[], bool] = lambda: True,
) -> dict[Name, str]:
    """Make the terms that are missing, one by one; returns why some could not be made, by name.

    `go_on` is asked before each, and may let it wait for its turn; false ends it.
    """
    refused: dict[Name, str] = {}
    for name in sorted(set(names)):
        if name.field == _AUTHOR:
            refused[name] = NOBODY
        elif name not in state.manifest.names:
            _make(service, state, name, refused, say=say, go_on=go_on)
    return refused


def forget_dropped(state: State, sent: Fields, record: Record) -> frozenset[str]:
    """Forget the names and files whose ids the service dropped from a record, since they are there no more.

    Returns the fields that they were in: these have not been taken as they were meant.
    """
    dropped = echo.dropped(sent, record)
    names = [n for n, number in state.manifest.names.items() if number in dropped.get(n.field, ())]
    gone = dropped.get(_FILE_FIELD, set())
    media = [blob for blob, medium in state.manifest.media.items() if medium.id in gone]
    if names or media:
        state.unlearn(names=names, media=media)
    return frozenset({name.field for name in names} | ({_FILE_FIELD} if media else set()))


def _make(
    service: Library,
    state: State,
    name: Name,
    refused: dict[Name, str],
    *,
    say: Callable[[str], None],
    go_on: Callable[[], bool],
) -> None:
    parent = 0
    parts = name.text.split("/") if name.field in _PATHS else [name.text]
    for depth, part in enumerate(parts, 1):
        path = Name(name.field, "/".join(parts[:depth]))
        known = _known(state, path)
        if known is None and path not in refused and not go_on():
            refused[path] = f"'{path.text}' was not made: the run was stopped before"
        if known is None and path not in refused:
            try:
                known = service.make_term(path.field, part, parent)
            except ServiceError as error:
                refused[path] = f"'{path.text}' could not be made: {error}"
            else:
                state.learn(names={path: known})
                say(f"Made {_IN_WORDS[path.field]} '{path.text}' ({known}).")
        if known is None:
            refused[name] = refused[path]
            return
        parent = known


def _known(state: State, name: Name) -> int | None:
    """Give the id of a name, or that of one which WordPress takes for the same: `News` and `news`."""
    known = state.manifest.names
    if name not in known:
        same = (n for n in known if n.field == name.field and n.text.casefold() == name.text.casefold())
        if (other := next(same, None)) is None:
            return None
        state.learn(names={name: known[other]})
    return known[name]


_IN_WORDS = {"categories": "category", "tags": "tag"}


def _found(name: Name, terms: Iterable[Term]) -> int | None:
    """Find a term by its path: each part is a name below the part before it, or else a slug."""
    parts = name.text.split("/") if name.field in _PATHS else [name.text]
    parent = 0
    for part in parts:
        here = [term for term in terms if term.parent == parent]
        named = [term for term in here if term.name.casefold() == part.casefold()]
        found = named or [term for term in here if term.slug == part.casefold()]
        if not found:
            return None
        # The oldest, where a race once made twins.
        parent = found[0].id
    return parent

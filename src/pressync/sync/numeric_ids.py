"""Finds the numbers of terms and authors in documents that the site does not have.

WordPress leaves out the number of a term that does not exist, without an error, and refuses a record with
such an author. So a look asks for these numbers, with one request for a field. A number that this account may
not read is not compared: it need not be wrong.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pressync.content.references import NO_AUTHOR_TODO
from pressync.model.changes import Block, Blocked, Create, Keep, Update
from pressync.model.errors import BadAnswer, Code, Problem, Refused
from pressync.model.printable import listed
from pressync.model.reason import Reason, ReasonCode
from pressync.sync.prerequisites import AUTHOR

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pressync.client.port import Library
    from pressync.content.content import Content
    from pressync.model.changes import Change

# One request takes this many numbers.
_MOST = 100


class NumericId(NamedTuple):
    """A number of a field with terms or an author, and the document that has it."""

    field: str
    id: int
    path: str


def look_up(
    service: Library, content: Content, changes: Iterable[Change]
) -> tuple[tuple[Problem, ...], tuple[Reason, ...]]:
    """Give a warning for each number that the site does not have, and a remark on those not compared.

    :raises ServiceError: the service cannot be read.
    """
    named: dict[str, list[NumericId]] = defaultdict(list)
    for change in changes:
        for number in _numbers(content, change):
            named[number.field].append(number)
    problems: list[Problem] = []
    remarks: list[Reason] = []
    for field, numbers in sorted(named.items()):
        wanted = sorted({number.id for number in numbers})
        asked = frozenset(wanted[:_MOST])
        try:
            gone = asked - service.present(field, asked)
        except (BadAnswer, Refused):
            asked = gone = frozenset()
        problems += [_missing(content, number) for number in numbers if number.id in gone]
        if left := [str(number) for number in wanted if number not in asked]:
            remarks.append(_not_compared(field, left, is_hidden=not asked))
    return tuple(dict.fromkeys(problems)), tuple(remarks)


def _numbers(content: Content, change: Change) -> Iterator[NumericId]:
    """Give the numbers in the document of a change, in the fields that the change is about."""
    fields = {AUTHOR, *content.settings.types.taxonomies}.intersection(_fields(change))
    if isinstance(change, Create | Update):
        # A document of names alone need not be read again.
        fields -= {each.field for each in change.desired.mentions if len(each.names) == len(each.given)}
    document = content.parse(change.path).document if fields and change.path in content.sources else None
    if document is None:
        return
    values = {name: value for name, value in document.fields.items() if name in fields}
    values |= {each.field: each.given for each in document.mentions if each.field in fields}
    for field, value in values.items():
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, int):
                yield NumericId(field, item, change.path)


def _fields(change: Change) -> Collection[str]:
    """Name the fields whose values may be missing on the site."""
    match change:
        case Create(desired=desired):
            return desired.fingerprints.keys()
        case Update(fields=fields) | Blocked(block=Block.CONFLICT, fields=fields):
            return fields
        case Keep(entry=entry):
            return entry.changed_by_service.keys()
        case _:
            return ()


def _missing(content: Content, number: NumericId) -> Problem:
    settings, field = content.settings, number.field
    if field == AUTHOR and number.id in settings.authors.values():
        what, todo = f"[authors]: the site has no user {number.id}", "correct the user below `[authors]`"
        return Problem(settings.origins["authors"], 0, what, todo, warning=True, code=Code.UNKNOWN_ID)
    what = f"{field} {number.id}: the site has no {'user' if field == AUTHOR else 'term'} of this id"
    todo = NO_AUTHOR_TODO if field == AUTHOR else "write the name, which a sync looks up, or another id"
    line = _line(content, number)
    return Problem(number.path, line, what, todo, warning=True, code=Code.UNKNOWN_ID)


def _line(content: Content, number: NumericId) -> int:
    """Give the line of a number in the front matter; 0 if it comes from a default."""
    text = content.repository.text(content.sources[number.path]) or ""
    from pressync.content.documents import split  # noqa: PLC0415 - 25 ms, and few runs have a wrong number
    from pressync.content.front_matter.keys import SPELLINGS  # noqa: PLC0415 - as above

    values = split(number.path, text).values
    key = next((key for key in SPELLINGS.get(number.field, (number.field,)) if key in values), "")
    if not key:
        return 0
    given = values[key]
    items = () if given.scalar else given.items
    return next((item.line for item in items if item.text == str(number.id)), 0) or given.line


def _not_compared(field: str, ids: list[str], *, is_hidden: bool) -> Reason:
    why = (
        "the site does not show them to this account" if is_hidden else f"a look asks for {_MOST} of a field"
    )
    said = f"Not compared with the site: {field} {listed(ids)}, because {why}."
    return Reason(ReasonCode.IDS_NOT_COMPARED, {"field": field, "ids": tuple(ids)}, said)

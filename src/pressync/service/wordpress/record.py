"""A record as WordPress answers it -> a `Record`; and which of its members are asked for.

Pure. It must not know which call was answered. What decided its shape: a whole record is 3 KB and more
beside its text, so each request names what it wants in `_fields`, and the same list is what is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.errors import BadAnswer
from pressync.interface import BODIES, Kind, Type
from pressync.model import Record
from pressync.service.answers import clean
from pressync.service.wordpress.blocks import unwrap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.interface import Field
    from pressync.model import Fields, Value

# The objects that are one text to people, with `raw` as that text.
TEXTS = ("title", "content", "excerpt")

# The one of them that goes out inside a block, and comes back out of it.
WRAPPED = "content"

# What makes it a record, beside the fields of a body.
_KEYS = ("id", "type", "link", "modified", "modified_gmt")

# The value of `_fields` that brings back exactly what `read` needs. Without `.raw`, WordPress would also
# render the text: the slowest part of an answer.
MEMBERS: dict[Kind, str] = {
    kind: ",".join((*_KEYS, *(f"{f.name}.raw" if f.name in TEXTS else f.name for f in fields)))
    for kind, fields in BODIES.items()
}

PATHS: dict[Kind, str] = {Kind.PAGE: "/wp/v2/pages", Kind.POST: "/wp/v2/posts"}

# The largest id that any database gives out; a longer number is no id.
_LARGEST_ID = 2**63 - 1


def is_id(number: object) -> bool:
    """Whether this can be the id of a record."""
    return isinstance(number, int) and not isinstance(number, bool) and 0 < number <= _LARGEST_ID


def path_of(kind: Kind, number: int) -> str:
    """Give the path of one record; ValueError if the number is no id (`…/pages/0` is another route)."""
    if not is_id(number):
        raise ValueError(f"{number!r} is no id of a record")
    return f"{PATHS[kind]}/{number}"


def read(kind: Kind, echo: Mapping[str, object], *, expected: int | None = None) -> Record:
    """Read a record, which must have the id `expected` if one is; BadAnswer if it is none.

    What we do not need is read with tolerance: WordPress 6.1 has no footnotes, and themes and plugins
    take members away. What makes it *this* record is not: id, type, slug, link and both modified times.
    """
    number = _identity(kind, echo, expected)
    return Record(
        kind=kind,
        id=number,
        slug=_required(echo, "slug", number),
        link=_required(echo, "link", number),
        # Kept verbatim: after a create with a date, WordPress says that date here, even one to come.
        modified=_required(echo, "modified", number),
        modified_gmt=_required(echo, "modified_gmt", number),
        fields=_fields(kind, echo),
    )


def _identity(kind: Kind, echo: Mapping[str, object], expected: int | None) -> int:
    number, type_ = echo.get("id"), echo.get("type")
    if not isinstance(number, int) or not is_id(number):
        raise BadAnswer("the answer is JSON, but no record: it has no id", todo="check `url` and `dialect`")
    if expected is not None and number != expected:
        raise BadAnswer(
            f"the answer is record {number}, though {kind} {expected} was asked for",
            todo="look at both records on the site before the next run",
        )
    if type_ is not None and type_ != kind:
        raise BadAnswer(
            f"the answer is record {number} of type “{clean(str(type_), 40)}”, though a {kind} was meant",
            todo="check the record on the site, and `type` in the front matter",
        )
    return number


def _required(echo: Mapping[str, object], name: str, number: int) -> str:
    value = echo.get(name)
    if not isinstance(value, str):
        raise BadAnswer(
            f"the answer names record {number} but has no text `{name}`", todo="look at it on the site"
        )
    return _text(value)


def _fields(kind: Kind, echo: Mapping[str, object]) -> Fields:
    found = ((field.name, _decoded(field, echo.get(field.name))) for field in BODIES[kind])
    return {name: value for name, value in found if value is not None}


def _decoded(field: Field, value: object) -> Value | None:  # noqa: PLR0911 - one return per row of a table
    """Read one echoed field as a `Value`; None if it is absent or not of the interface's type."""
    match field.type, value:
        case ((Type.STRING | Type.DATETIME), str()):
            return _text(value)
        case Type.BOOLEAN, bool():
            return value
        case Type.INTEGER, int() if not isinstance(value, bool):
            return value
        case Type.INTEGERS, list() if all(type(number) is int for number in value):
            return tuple(value)
        case Type.OBJECT, {"raw": str(raw)} if field.name in TEXTS:
            return _text(unwrap(raw) if field.name == WRAPPED else raw)
        case Type.OBJECT, dict() if field.name not in TEXTS:
            names = (member.name for member in field.members)
            return {name: _text(value[name]) for name in names if isinstance(value.get(name), str)}
        case Type.OBJECT, [] if field.name not in TEXTS:
            # PHP writes an empty map as a list.
            return {}
        case _:
            return None


def _text(value: str) -> str:
    r"""Replace lone surrogates: JSON can spell them (`"\ud800"`), and no file or terminal can hold them."""
    return value.encode("utf-8", "replace").decode()

"""Converts a written value to the type that its key takes, or says why it cannot.

The readers follow from the interface's types, so a new field of the interface has a reader without being
named here. `keys` knows which keys belong together.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from pressync.config.keys import named_types
from pressync.content.front_matter.value import Given, read_date
from pressync.model.errors import Code
from pressync.model.interface import DOCUMENTED_TYPES, TREE_KIND, SiteTypes, Taxonomy, Type
from pressync.model.printable import shortened
from pressync.model.records import FieldReference

# The values that WordPress accepts. The interface document (2.3) shows examples and no complete list.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "status": ("publish", "future", "draft", "pending", "private"),
    "comment_status": ("open", "closed"),
    "ping_status": ("open", "closed"),
    "format": ("standard", "aside", "chat", "gallery", "link", "image", "quote", "status", "video", "audio"),
}

# Statuses of Material for MkDocs: it shows them as labels in its navigation.
LABELS: Mapping[str, tuple[str, ...]] = {"status": ("new", "deprecated")}
# The meaning of keys that other tools use as well.
_OURS = {
    "format": ", ".join(CHOICES["format"]),
    "id": "the number of a record on the site",
    "parent": "the path of a page, or its id on the site",
    "status": ", ".join(CHOICES["status"]),
    "template": "the name of a template of the site's theme",
}

_ANY = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
ORDINAL = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
ID = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
# Fields whose integers are ids. 0 means "none" where the field may be empty.
IDS: Mapping[str, Any] = {"author": ID, "featured_media": ORDINAL}
# Each level of a category is a request and a category of its own. Those of real sites have up to four.
MOST_LEVELS = 16
# What people write between several names: of several languages, and of several tools.
_SEPARATOR = re.compile("[,;|\uff0c\uff1b\u3001]")
_NUMBER = re.compile(r"[+-]?\d[\d_.]*")
_SHOWN = 40

Reader = Callable[[str, "Given"], object]


class UnfitError(Exception):
    """A value that its key cannot take.

    If it is a `warning`, templates still get the value. `value` is the part of it that the key can take.
    """

    def __init__(
        self, what: str, todo: str, *, warning: bool = False, value: object = None, code: Code = Code.VALUE
    ) -> None:
        super().__init__(what)
        self.what, self.todo, self.warning, self.value, self.code = what, todo, warning, value, code


def shown(given: Given) -> str:
    """Quote a value for a message; a long value is cut."""
    text = given.text if given.scalar else str(given.plain())
    return f"'{shortened(text, _SHOWN)}'"


# A property of a vault may be a link, and its status is often a word such as `active`.
_LINK = re.compile(r"!?\[\[([^\[\]|]{1,300})(?:\|([^\[\]]{1,300}))?\]\]")
_TYPED_WRONG = 0.8
_LONGEST_ID = 10


def of_vault(key: str, given: Given) -> Given:
    """Give a property of a vault with the text of its links.

    :raises UnfitError: it has another meaning. A status that may be typed wrong has not: it would be public.
    """
    if isinstance(given.value, tuple):
        given = replace(given, value=tuple(of_vault("", item) for item in given.value))
    text = given.text.strip()
    # The id of a note is often the minute in which it was made.
    is_link = key in {"parent", "template"} and _LINK.fullmatch(text)
    if is_link or (key == "id" and len(text) > _LONGEST_ID):
        raise foreign(key)
    if key in {"status", "format"} and given.value is not None:
        choices = (*CHOICES[key], *LABELS.get(key, ()))
        if not difflib.get_close_matches(text.lower(), choices, 1, _TYPED_WRONG):
            raise foreign(key)
    if not isinstance(given.value, str) or "[[" not in text:
        return given
    text = _LINK.sub(lambda match: match[2] or match[1], text)
    return replace(given, value=text, text=text)


def foreign(key: str, meaning: str = "") -> UnfitError:
    """Say that a value has the meaning of another tool. It is a warning: only templates get the value.

    The value is not in the message, so that all files with such a value are one line.
    """
    todo = f"it is left out; here {key} is {meaning or _OURS[key]}"
    return UnfitError(f"its {key} belongs to another tool", todo, warning=True, code=Code.FOREIGN_VALUE)


def read_text(key: str, given: Given) -> str:
    """Take a scalar as it was written, without spaces around it; a password keeps its spaces."""
    if not given.scalar:
        raise UnfitError(f"{key} takes text, not a list or a mapping", "put the text in quotes")
    return given.text if key == "password" else given.text.strip()


def _name(key: str, given: Given) -> str:
    text = read_text(key, given)
    if not text:
        raise UnfitError(f"{key} is empty", "give it a value, or remove it")
    return text


def read_choice(key: str, given: Given) -> str:
    """Take one of the values that the key has."""
    text, choices = read_text(key, given), CHOICES[key]
    if text in LABELS.get(key, ()):
        raise foreign(key)
    if isinstance(given.value, bool) and "closed" in choices:
        return "open" if given.value else "closed"
    if text not in choices:
        near = difflib.get_close_matches(text.lower(), choices, 1)
        todo = f"did you mean '{near[0]}'?" if near else f"use one of {', '.join(choices)}"
        raise UnfitError(f"{key} cannot be {shown(given)}", todo)
    return text


def read_moment(key: str, given: Given) -> tuple[str, bool]:
    """Read a date-time, and whether it is UTC. MkDocs writes a table with the member `created`."""
    if isinstance(given.value, Mapping) and "created" in given.value:
        given = given.value["created"]
    try:
        return read_date(given.text)
    except ValueError as error:
        todo = "write it like 2024-01-31, 2024-01-31T10:00:00 or 2024-01-31T10:00:00+02:00"
        raise UnfitError(f"{key} {shown(given)} is not a date", todo) from error


def read_boolean(key: str, given: Given) -> bool:
    """Take true or false, also in quotes."""
    value = given.value if isinstance(given.value, bool) else given.text
    try:
        return msgspec.convert(value, bool, strict=False)
    except msgspec.ValidationError as error:
        raise UnfitError(f"{key} cannot be {shown(given)}", "write true or false") from error


def read_integer(key: str, given: Given, type_: Any = _ANY) -> int:  # noqa: ANN401 - Annotated is not a type
    """Take a whole number, also in quotes."""
    try:
        number: int = msgspec.convert(given.text, type_, strict=False)
    except msgspec.ValidationError as error:
        least = {ORDINAL: ", 0 or more", ID: ", 1 or more"}.get(type_, "")
        raise UnfitError(f"{key} cannot be {shown(given)}", f"write a whole number{least}") from error
    return number


def read_id(key: str, given: Given) -> int:
    """Take the id of a record; another tool may have text there."""
    if not _NUMBER.fullmatch(given.text.strip()):
        raise foreign(key)
    return read_integer(key, given, ID)


def read_ids(
    key: str, given: Given, taxonomy: Taxonomy | None = None
) -> int | tuple[int, ...] | FieldReference:
    """Take ids, or the names of terms and users of the site; one name makes a reference of all."""
    many = taxonomy is not None
    items = given.items if many else (given,)
    if not all(item.text.strip() for item in items):
        raise _without_name(key, items, many=many)

    def value_of(item: Given) -> int | str:
        # A term may be called "2024", and its name is written in quotes.
        if not _NUMBER.fullmatch(item.text) or (many and isinstance(item.value, str)):
            return _named(key, item, taxonomy)
        return read_integer(key, item, IDS.get(key, ID))

    values = [value_of(item) for item in items]
    ids = tuple(value for value in values if isinstance(value, int))
    if len(ids) == len(values):
        return tuple(sorted(set(ids))) if many else ids[0]
    named = FieldReference(key, tuple(dict.fromkeys(values)), given.line)
    if many and given.scalar and _SEPARATOR.search(given.text):
        problem = f"{key} is one text, and so the name of one term: {shown(given)}"
        todo = f"for several, write a list: `{key}: [ONE, OTHER]`; for one, put its name into brackets"
        raise UnfitError(problem, todo, warning=True, value=named, code=Code.ONE_TERM)
    if word := next((item.text for item in items if isinstance(item.value, bool | None)), ""):
        problem = f"{key} has the word `{word}`, which is taken for a name"
        raise UnfitError(problem, "put it in quotes, or remove it", warning=True, value=named)
    return named


def _without_name(key: str, items: tuple[Given, ...], *, many: bool) -> UnfitError:
    """Say why a reference is left out: one of its values is neither an id nor a name."""
    if all(item.scalar for item in items):
        problem, todo = f"{key} has an empty value", "remove it: until then none of its values is sent"
    else:
        problem = f"{key} takes {'ids or names' if many else 'an id or a name'}"
        todo = "a list or a mapping is left out"
    return UnfitError(problem, todo, warning=True)


class TermsReader(msgspec.Struct, frozen=True):
    """Reads the terms of a taxonomy."""

    taxonomy: Taxonomy

    def __call__(self, key: str, given: Given) -> int | tuple[int, ...] | FieldReference:
        """Take ids or names."""
        return read_ids(key, given, self.taxonomy)


def _named(key: str, given: Given, taxonomy: Taxonomy | None) -> str:
    """Take a name without extra spaces; a category is a path, and each part loses extra spaces."""
    text = " ".join(given.text.split())
    if taxonomy is None or not taxonomy.hierarchical:
        return text
    parts = [part.strip() for part in text.strip("/").split("/")]
    if not all(parts):
        raise UnfitError(f"{key} cannot be {shown(given)}", "write a name, or a path like `news/local`")
    if len(parts) > MOST_LEVELS:
        noun = "category" if key == "categories" else "term"
        problem = f"this {noun} has {len(parts):,} levels, and a {noun} has at most {MOST_LEVELS}"
        raise UnfitError(problem, "write a shorter path like `news/local`")
    return "/".join(parts)


def read_meta(key: str, given: Given) -> dict[str, str]:
    """Take a mapping of the members that the interface has."""
    if not isinstance(given.value, Mapping):
        raise UnfitError(f"{key} cannot be {shown(given)}", "write `meta: {footnotes: …}`")
    meta = {name: read_text(f"{key}.{name}", item) for name, item in given.value.items() if name in MEMBERS}
    others = [name for name in given.value if name not in MEMBERS]
    if others:
        problem = f"{key} takes {' and '.join(MEMBERS)} only"
        raise UnfitError(problem, f"'{', '.join(others)}' is left out", warning=True, value=meta or None)
    return meta


def read_layout(key: str, given: Given) -> str:
    """Take the name of a template; false is none."""
    return "" if given.value is False else read_text(key, given)  # without a template


def read_parent(key: str, given: Given) -> str | int:
    """Take the path of a page, or its id."""
    text = _name(key, given)
    return read_integer(key, given, ORDINAL) if _NUMBER.fullmatch(text) else text


def read_aliases(key: str, given: Given) -> tuple[str, ...]:
    """Take one old address or a list of them."""
    return tuple(_name(key, item) for item in given.items)


def read_template(key: str, given: Given) -> str:
    """Take the name of a template of the site."""
    text = read_text(key, given)
    if text.endswith(".html"):
        # MkDocs and Zola name a file of their own theme. WordPress refuses the whole record for it.
        raise foreign(key)
    return text


def read_type(key: str, given: Given, types: SiteTypes = DOCUMENTED_TYPES) -> str:
    """Take the type of a file; the site has these types."""
    text, names = read_text(key, given), named_types(types)
    if text not in names:
        raise foreign(key, ", ".join(names))
    return text


def read_content(key: str, _given: Given) -> str:
    """Take nothing: the content is not a key."""
    raise UnfitError(
        f"the {key} is the text after the front matter",
        f"'{key}' is left to the templates",
        warning=True,
        code=Code.UNUSED_KEY,
    )


MEMBERS = tuple(member.name for member in TREE_KIND.row.fields["meta"].members)
BY_TYPE: Mapping[Type, Reader] = {
    Type.STRING: read_text,
    Type.OBJECT: read_text,  # title and excerpt take their raw text
    Type.DATETIME: read_moment,
    Type.INTEGER: read_integer,
    Type.BOOLEAN: read_boolean,
}
BY_NAME: Mapping[str, Reader] = {
    **dict.fromkeys(CHOICES, read_choice),
    **dict.fromkeys(IDS, read_ids),
    "content": read_content,
    "meta": read_meta,
    "parent": read_parent,
    "template": read_template,
}
OUR_OWN: Mapping[str, Reader] = {
    "aliases": read_aliases,
    "description": read_text,
    "draft": read_boolean,
    "id": read_id,
    "layout": read_layout,
    "protect": read_boolean,
    "summary": read_text,
    "type": read_type,
}

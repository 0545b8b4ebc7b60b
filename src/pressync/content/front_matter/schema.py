"""The JSON schema of front matter, made from the readers that validate it; for editors. Pure.

An editor reads YAML 1.2 and pressync reads YAML 1.1, so a schema sees other types than a reader: `yes` is
text for an editor. So the schema refuses only values that pressync refuses in every spelling. It is draft 7,
the newest draft that all language servers know.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from pressync.config.keys import TYPES
from pressync.content.front_matter import convert, described
from pressync.content.front_matter.dates import FORM
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.content.front_matter.convert import Reader

DRAFT = "http://json-schema.org/draft-07/schema#"

Schema = dict[str, Any]


_NONE: Mapping[str, tuple[str, ...]] = MappingProxyType({})

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


def _but(*types: str) -> Schema:
    """Accept values of all other types. An editor offers values of a `type`, and nothing of a `not`."""
    return {"not": {"type": list(types)}}


def _only(type_: str) -> Schema:
    return _but(*(each for each in _TYPES if each != type_))


_NULL, _TEXT = _only("null"), {"type": "string"}
_SCALAR = _but("array", "object")
_FILLED: Schema = {"type": "string", "pattern": r"\S"}
# Words that are true or false in YAML 1.1 and text in YAML 1.2.
_WORDS = "yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"


def front_matter(kind: Kind | None = None, names: Mapping[str, tuple[str, ...]] = _NONE) -> Schema:
    """Give the schema of front matter of a kind, or of both; `names` are offered as values of their key."""
    about = f"a {kind}" if kind else "a page or a post"
    return {
        "$schema": DRAFT,
        "title": f"Front matter of {about} in pressync",
        "type": ["object", "null"],
        "properties": properties(kind, names),
        "allOf": [*_CONTRADICTIONS],
    }


def properties(kind: Kind | None = None, names: Mapping[str, tuple[str, ...]] = _NONE) -> dict[str, Schema]:
    """Give the schema of each key that has a meaning for a kind, or for any kind."""
    readers: dict[str, Reader] = {}
    for each in Kind if kind is None else (kind,):
        readers |= convert.READERS[each]
    # A warning says that the content is the text below.
    del readers["content"]
    keys = {key: {"anyOf": _alternatives(key, reader, names)} for key, reader in readers.items()}
    about = {**{key: described.KEYS[key] for key in keys}, **described.FOREIGN}
    return {
        key: {
            "description": says.description,
            **({"examples": list(says.examples)} if says.examples else {}),
            **keys.get(key, {}),
        }
        for key, says in about.items()
    }


def _alternatives(key: str, reader: Reader, names: Mapping[str, tuple[str, ...]]) -> list[Schema]:
    known = names.get(key, ())
    offered: list[Schema] = [{"enum": list(known)}] if known else []
    if key in convert.LISTS:
        items = {"anyOf": [*offered, *_id(key)]}
        return [{"type": "array", "items": items}, *offered, *_id(key, "array")]
    return [*offered, *_SHAPES[reader](key)]


def _choice(key: str) -> list[Schema]:
    choices = convert.CHOICES[key]
    words = [*map(re.escape, (*choices, *convert.LABELS.get(key, ())))]
    is_switch = "closed" in choices
    text = rf"^\s*({'|'.join([*words, *([_WORDS] if is_switch else [])])})\s*$"
    return [
        {"enum": [*choices]},
        {**_TEXT, "pattern": text},
        *([_only("boolean")] if is_switch else []),
        _NULL,
    ]


def _moment(_key: str) -> list[Schema]:
    text = {
        **_TEXT,
        "pattern": rf"^\s*{FORM}\s*$",
        "patternErrorMessage": "Write it like 2024-01-31, 2024-01-31T10:00:00 or 2024-01-31T10:00:00+02:00",
    }
    # MkDocs writes a table.
    return [text, {"type": "object", "required": ["created"], "properties": {"created": text}}, _NULL]


def _integer(_key: str) -> list[Schema]:
    return [{"type": "integer"}, {**_TEXT, "pattern": "^-?[0-9][0-9.eE+-]*$"}, _NULL]


def _boolean(_key: str) -> list[Schema]:
    number = {"type": "integer", "minimum": 0, "maximum": 1}
    return [{"type": "boolean"}, {**_TEXT, "pattern": f"^({_WORDS}|0|1)$"}, number, _NULL]


def _id(key: str, *but: str) -> list[Schema]:
    """Accept ids, and anything that is not a number: names, and values of other tools."""
    # With the table `[authors]`, an author 0 is left out.
    least = 0 if key == "author" else msgspec.json.schema(convert.IDS.get(key, convert.ID))["minimum"]
    number = {"type": "integer", "minimum": least}
    if key != "categories":
        return [number, _but("integer", *but)]
    path = r"^(?![\s\S]*[^\s/]\s*/\s*/[\s/]*[^\s/])(\s*$|[\s\S]*[^\s/])"
    error = "Write a name, or a path like news/local"
    return [number, {**_TEXT, "pattern": path, "patternErrorMessage": error}, _but("integer", "string", *but)]


def _parent(_key: str) -> list[Schema]:
    least = msgspec.json.schema(convert.ORDINAL)["minimum"]
    return [_FILLED, {"type": "integer", "minimum": least}, _but("array", "object", "integer", "string")]


def _aliases(_key: str) -> list[Schema]:
    one = [_FILLED, _but("array", "object", "string")]
    return [{"type": "array", "items": {"anyOf": one}}, *one]


def _meta(_key: str) -> list[Schema]:
    members = {name: {"anyOf": [_TEXT, _SCALAR]} for name in convert.MEMBERS}
    return [{"type": "object", "properties": members}, _NULL]


# The values that each reader takes.
_SHAPES: Mapping[Reader, Callable[[str], list[Schema]]] = {
    convert.read_aliases: _aliases,
    convert.read_boolean: _boolean,
    convert.read_choice: _choice,
    convert.read_id: _id,
    convert.read_ids: _id,
    convert.read_integer: _integer,
    convert.read_layout: lambda _key: [_TEXT, _SCALAR],
    convert.read_meta: _meta,
    convert.read_moment: _moment,
    convert.read_parent: _parent,
    convert.read_template: lambda _key: [_TEXT, _SCALAR],
    convert.read_text: lambda _key: [_TEXT, _SCALAR],
    convert.read_type: lambda _key: [{"enum": [*TYPES]}, _TEXT, _SCALAR],
}

_OTHERS = [each for each in convert.CHOICES["status"] if each != "draft"]
# Each is written so that editors mark the second key.
_CONTRADICTIONS: tuple[Schema, ...] = (
    {
        "if": {"required": ["date"], "properties": {"date": _but("null")}},
        "then": {
            "properties": {"date_gmt": {"enum": [None], "errorMessage": "Keep either date or date_gmt"}}
        },
    },
    *(
        {
            "if": {"required": [key], "properties": {key: {"const": value}}},
            "then": {"properties": {"status": {"anyOf": [{"enum": ["draft"]}, {"not": {"enum": _OTHERS}}]}}},
        }
        for key, value in (("draft", True), ("published", False))
    ),
)

"""The JSON schema of pressync.toml, made from the keys that validate it and from the readers of front matter.

A table of `defaults` holds front matter, and a table in it names a folder. So a folder may have the name of a
key, and each key takes a table as well. Pure.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pressync.config.keys import EMBEDDED, SITE, SITE_NAME, TERM_FIELDS, TOP
from pressync.content.front_matter import schema as front_matter
from pressync.content.front_matter.keys import UNIQUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.config.keys import Key
    from pressync.content.front_matter.schema import Schema

_NONE: Mapping[str, tuple[str, ...]] = MappingProxyType({})
_TYPES = {str: "string", dict: "object", bool: "boolean", list: "array"}
_FOLDER = {"$ref": "#/definitions/folder"}


def _never(why: str) -> Schema:
    """Refuse every value. `"additionalProperties": false` would mark a whole table, and not its key."""
    return {"enum": [why], "description": f"{why}."}


_UNKNOWN = _never("pressync does not have this key")
_UNNAMED = _never("A site cannot have this name")
_UNIQUE = _never("Two records cannot share this: name it in the file")
_USERS = {"type": "object", "additionalProperties": {"type": ["string", "integer"], "minimum": 1}}
_NAMES = {
    "type": "object",
    "patternProperties": {f"^({'|'.join(TERM_FIELDS)})": {"type": "string", "pattern": "\\S"}},
    "additionalProperties": _never(f"A term begins with {' or '.join(TERM_FIELDS)}"),
}
_COMMAND = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "minItems": 1, "items": {"type": "string"}},
    ]
}


def settings(names: Mapping[str, tuple[str, ...]] = _NONE) -> Schema:
    """Give the schema; `names` are the site's own, which its defaults offer as values of their key."""
    top = _table(TOP)
    top["properties"]["sites"] |= {
        "patternProperties": {f"^(?!{EMBEDDED}$){SITE_NAME}$": {"$ref": "#/definitions/site"}},
        "additionalProperties": _UNNAMED,
    }
    return {
        "$schema": front_matter.DRAFT,
        "title": "The settings of pressync, pressync.toml",
        **top,
        "definitions": {"site": _table(SITE), "defaults": _defaults(names), "folder": _folder(names)},
    }


def _table(keys: Mapping[str, Key]) -> Schema:
    properties = {name: {**_about(key), **_shape(name, key)} for name, key in keys.items()}
    return {"type": "object", "additionalProperties": _UNKNOWN, "properties": properties}


def _about(key: Key) -> Schema:
    default = {} if key.default is None else {"default": key.default}
    return {
        "description": key.description,
        **({"examples": [*key.examples]} if key.examples else {}),
        **default,
    }


def _shape(name: str, key: Key) -> Schema:
    match name:
        case "authors" | "terms":
            return _USERS if name == "authors" else _NAMES
        case "defaults":
            return {"type": "object", "allOf": [{"$ref": "#/definitions/defaults"}]}
        case "password_command":
            return _COMMAND
    (type_,) = key.types
    pattern = {"pattern": key.shape} if key.shape else {}
    if key.choices:
        return {"enum": [*key.choices]}
    if type_ is list:
        return {"type": "array", "items": {"type": "string", **pattern}}
    return {"type": _TYPES[type_], **pattern}


def _defaults(names: Mapping[str, tuple[str, ...]]) -> Schema:
    """Give the schema of a table of defaults: front matter for all files, and tables of folders."""
    table = {"type": "object", "allOf": [_FOLDER]}
    keys = front_matter.properties(names=names)
    values = {
        key: {**shape, "anyOf": [*map(_but_tables, shape["anyOf"]), table]}
        for key, shape in keys.items()
        if key != "meta" and "anyOf" in shape
    }
    return {
        "properties": {**keys, **values, **{key: {"anyOf": [table]} for key in sorted(UNIQUE)}},
        # It checks tables alone: other tools and templates may have any key.
        "additionalProperties": _FOLDER,
    }


def _but_tables(shape: Schema) -> Schema:
    """Accept the same values, but no table: a table names a folder."""
    return {"allOf": [shape], "not": {"type": "object"}} if {"not", "required"} & shape.keys() else shape


def _folder(names: Mapping[str, tuple[str, ...]]) -> Schema:
    return {"properties": {**front_matter.properties(names=names), **dict.fromkeys(sorted(UNIQUE), _UNIQUE)}}

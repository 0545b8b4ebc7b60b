"""The JSON schema of front matter, made from the readers that validate it; for editors. Pure.

An editor reads YAML 1.2 and pressync reads YAML 1.1, so a schema sees other types than a reader: `yes` is
text for an editor. So the schema refuses only values that pressync refuses in every spelling. It is draft 7,
the newest draft that all language servers know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from pressync.config.keys import named_types
from pressync.content.front_matter import convert, keys
from pressync.content.front_matter.registered import SEO, SEO_WORDS
from pressync.content.front_matter.value import FORM
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes, types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.content.front_matter.convert import Reader

DRAFT = "http://json-schema.org/draft-07/schema#"

Schema = dict[str, Any]


_NONE: Mapping[str, tuple[str, ...]] = MappingProxyType({})

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


@dataclass(frozen=True, slots=True)
class Described:
    """The meaning of a key, and examples of its value."""

    description: str
    examples: tuple[object, ...] = ()


_ADDRESS = Described(
    "The address that the page had in another tool: pressync keeps it as an old address.", ("/old/about/",)
)
# The keys that are fields of a record, or pressync's own.
KEYS: Mapping[str, Described] = {
    "title": Described("The title. Without it: the first heading, else the name of the file.", ("About us",)),
    "slug": Described("The last part of the address. Without it: the name of the file.", ("about",)),
    "status": Described(
        "Who can see it. Without it, a new record is published. `future` is published at its date.",
        ("draft",),
    ),
    "date": Described(
        "The date, as ISO 8601. Without an offset it is the site's time; with one (or Z) it is a moment.",
        ("2024-01-31", "2024-01-31T10:00:00", "2024-01-31T10:00:00+02:00"),
    ),
    "date_gmt": Described("The date in GMT. Name either this or `date`.", ("2024-01-31T08:00:00",)),
    "password": Described(
        "The site asks readers for this password. It is in the file, so in Git.", ("spring",)
    ),
    "parent": Described(
        "The page above: the path of its file, or its id; 0 is none. Without it, the folder decides.",
        ("team/index.md", 0),
    ),
    "menu_order": Described("The place among the pages beside it.", (3,)),
    "author": Described(
        "The user who wrote it: an id; on WordPress also a login, an e-mail address or a displayed name.",
        ("jane", 2),
    ),
    "excerpt": Described("A summary for lists of records.", ("Who we are.",)),
    "featured_media": Described(
        "The picture of the record: the path of a file, on WordPress; or its id on the site; 0 is none.",
        ("img/oven.jpg", 12),
    ),
    "comment_status": Described("Whether readers can comment.", ("closed",)),
    "ping_status": Described("Whether other sites can announce that they link to it.", ("closed",)),
    "meta": Described("Further values of the record. The interface has `footnotes`.", ({"footnotes": ""},)),
    "template": Described("The name of a template of the site's theme.", ("page-no-title",)),
    "format": Described("The format of the post, which some themes show differently.", ("aside",)),
    "sticky": Described("Whether the post stays at the top of the blog.", (True,)),
    "categories": Described(
        "The categories: ids; on WordPress also names. `News/Local` is Local below News.",
        (["News", "News/Local"],),
    ),
    "tags": Described(
        'The tags: ids; on WordPress also names. A name that looks like a number needs quotes: "2024".',
        (["bread", "2024"],),
    ),
    "aliases": Described("Old addresses, for `pressync redirects`.", (["/old/about/"],)),
    "description": Described("The excerpt, if `excerpt` and `summary` are not named.", ("Who we are.",)),
    "draft": Described("true is the same as `status: draft`.", (True,)),
    "front_page": Described(
        "true: the page is the front page of the site, where the user may choose it. A site has one.", (True,)
    ),
    "id": Described("The id of a record that exists: binds the file to it, as `pressync adopt` does.", (12,)),
    "layout": Described("The template of the repository that pressync puts the body into.", ("reference",)),
    "protect": Described("true: the record stays on the site when its file is removed.", (True,)),
    "summary": Described("The excerpt, if `excerpt` is not named.", ("Who we are.",)),
    "type": Described("The kind of record, in any folder; `none` leaves the file out.", ("page",)),
    "weight": Described("The same as `menu_order`.", (3,)),
}
# Keys of other tools that have a meaning here; any value is accepted.
FOREIGN: Mapping[str, Described] = {
    "authors": Described("The authors, if `author` is not named and the settings have a table [authors]."),
    "published": Described("false is the same as `status: draft`.", (False,)),
    "redirect_from": Described("Old addresses, as in Jekyll.", (["/old/about/"],)),
    "permalink": _ADDRESS,
    "url": _ADDRESS,
    "path": _ADDRESS,
}


def _but(*types: str) -> Schema:
    """Accept values of all other types. An editor offers values of a `type`, and nothing of a `not`."""
    return {"not": {"type": list(types)}}


def _only(type_: str) -> Schema:
    return _but(*(other for other in _TYPES if other != type_))


# An editor gets the values and the members of a site's schema up to these bounds.
_MOST_CHOICES, _DEEPEST, _MOST_WORDS = 2_000, 8, 200
_SEO: Schema = {
    "description": "Words for search engines. They go to the fields that the site has registered for them.",
    "properties": {word: {} for word in SEO_WORDS},
}
_NULL, _TEXT = _only("null"), {"type": "string"}
_SCALAR = _but("array", "object")
_FILLED: Schema = {"type": "string", "pattern": r"\S"}
# Words that are true or false in YAML 1.1 and text in YAML 1.2.
_WORDS = "yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"


def front_matter(
    kind: Kind | None = None,
    names: Mapping[str, tuple[str, ...]] = _NONE,
    types: SiteTypes = DOCUMENTED_TYPES,
) -> Schema:
    """Give the schema of front matter of a kind, or of all; `names` are offered as values of their key."""
    about = f"a {kind}" if kind else "a page, a post or a record of another type"
    return {
        "$schema": DRAFT,
        "title": f"Front matter of {about} in pressync",
        "type": ["object", "null"],
        "properties": properties(kind, names, types),
        "allOf": [*_CONTRADICTIONS],
    }


def properties(
    kind: Kind | None = None,
    names: Mapping[str, tuple[str, ...]] = _NONE,
    types: SiteTypes = DOCUMENTED_TYPES,
) -> dict[str, Schema]:
    """Give the schema of each key that has a meaning for a kind, or for any kind."""
    readers: dict[str, Reader] = {}
    registered: dict[str, Schema] = {}
    for site_kind in types.kinds if kind is None else (kind,):
        readers |= keys.readers(site_kind.row)
        if site_kind.row.has_schema:
            registered[SEO] = _SEO
        for field in filter(lambda field: field.inside, site_kind.row.body):
            readers.pop(field.name)
            inside = registered.setdefault(field.inside, {"properties": {}})["properties"]
            # Two types can have different fields of one name; an editor then refuses nothing.
            shape = _of_site(field.schema)
            if inside.setdefault(field.key, shape) != shape:
                inside[field.key] = {"description": shape["description"]}
    # A warning says that the content is the text below.
    del readers["content"]
    shapes = {key: {"anyOf": _alternatives(key, reader, names, types)} for key, reader in readers.items()}
    own = {key: Described(f"The terms of {key}: names or ids.") for key in shapes.keys() - KEYS}
    about: dict[str, Described] = {**{key: KEYS.get(key) or own[key] for key in shapes}, **FOREIGN}
    return registered | {
        key: {
            "description": says.description,
            **({"examples": list(says.examples)} if says.examples else {}),
            **shapes.get(key, {}),
        }
        for key, says in about.items()
    }


def _of_site(schema: Mapping[str, Any], depth: int = 0) -> Schema:
    """Give the schema of a registered value; a stranger may have written that of the site."""
    types_, says = types_of(schema), [schema.get("title"), schema.get("description")]
    takes = f"A field that the site registered: {' or '.join(sorted(types_))}."
    words = (str(text).rstrip(".")[:_MOST_WORDS] for text in says if text)
    shape: Schema = {"description": ". ".join((*words, takes))}
    choices, members = schema.get("enum"), schema.get("properties")
    if isinstance(choices, list) and len(choices) <= _MOST_CHOICES:
        # A value that is not text in YAML 1.2 may be the text of a choice.
        texts = [choice for choice in choices if isinstance(choice, str)]
        shape["anyOf"] = [{"enum": choices}, _but("string")] if texts == choices else [{"enum": choices}, {}]
    elif not types_ & {"array", "object"}:
        shape |= _SCALAR
    elif isinstance(members, dict) and depth < _DEEPEST:
        shape["properties"] = {key: _of_site(member, depth + 1) for key, member in members.items()}
    return shape


def _alternatives(
    key: str, reader: Reader, names: Mapping[str, tuple[str, ...]], types: SiteTypes
) -> list[Schema]:
    site_names = names.get(key, ())
    offered: list[Schema] = [{"enum": list(site_names)}] if site_names else []
    if isinstance(reader, convert.TermsReader):
        deep = reader.taxonomy.hierarchical
        items = {"anyOf": [*offered, *_id(key, deep=deep)]}
        return [{"type": "array", "items": items}, *offered, *_id(key, "array", deep=deep)]
    if reader is convert.read_choice:
        return [*offered, *_choice(key)]
    if reader is convert.read_type:
        return [*offered, {"enum": [*named_types(types)]}, *_ANY_TEXT]
    return [*offered, *(_SHAPES.get(reader) or _id(key))]


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


def _id(key: str, *but: str, deep: bool = False) -> list[Schema]:
    """Accept ids, and anything that is not a number: names, and values of other tools."""
    # With the table `[authors]`, an author 0 is left out.
    least = 0 if key == "author" else msgspec.json.schema(convert.IDS.get(key, convert.ID))["minimum"]
    number = {"type": "integer", "minimum": least}
    if not deep:
        return [number, _but("integer", *but)]
    path = r"^(?![\s\S]*[^\s/]\s*/\s*/[\s/]*[^\s/])(\s*$|[\s\S]*[^\s/])"
    error = "Write a name, or a path like news/local"
    return [number, {**_TEXT, "pattern": path, "patternErrorMessage": error}, _but("integer", "string", *but)]


_ALIAS = [_FILLED, _but("array", "object", "string")]
_MOMENT = {
    **_TEXT,
    "pattern": rf"^\s*{FORM}\s*$",
    "patternErrorMessage": "Write it like 2024-01-31, 2024-01-31T10:00:00 or 2024-01-31T10:00:00+02:00",
}
_ANY_TEXT = [_TEXT, _SCALAR]
_MEMBERS = {name: {"anyOf": _ANY_TEXT} for name in convert.MEMBERS}
# The values that each reader takes, if they do not depend on the key.
_SHAPES: Mapping[Reader, list[Schema]] = {
    convert.read_aliases: [{"type": "array", "items": {"anyOf": _ALIAS}}, *_ALIAS],
    convert.read_boolean: [
        {"type": "boolean"},
        {**_TEXT, "pattern": f"^({_WORDS}|0|1)$"},
        {"type": "integer", "minimum": 0, "maximum": 1},
        _NULL,
    ],
    convert.read_integer: [{"type": "integer"}, {**_TEXT, "pattern": "^-?[0-9][0-9.eE+-]*$"}, _NULL],
    convert.read_layout: _ANY_TEXT,
    convert.read_meta: [{"type": "object", "properties": _MEMBERS}, _NULL],
    # MkDocs writes a table.
    convert.read_moment: [
        _MOMENT,
        {"type": "object", "required": ["created"], "properties": {"created": _MOMENT}},
        _NULL,
    ],
    convert.read_parent: [
        _FILLED,
        {"type": "integer", "minimum": msgspec.json.schema(convert.ORDINAL)["minimum"]},
        _but("array", "object", "integer", "string"),
    ],
    convert.read_template: _ANY_TEXT,
    convert.read_text: _ANY_TEXT,
}

_OTHERS = [status for status in convert.CHOICES["status"] if status != "draft"]
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

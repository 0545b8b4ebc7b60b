"""Reads the schema of a site: its types and taxonomies, and what their routes say of each field.

WordPress describes a route to everybody in the same way, but it names a type or a taxonomy in the context
`edit` only to a user who may use it (measured on 6.1, 6.8 and 7.1). The file of the schema is committed, so
what depends on the user, on the moment or on the order of a response is left out. All requests are GET.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec

from pressync.client.responses import CHECK_URL, clean, inside, json_object
from pressync.client.wordpress.reads import get
from pressync.model.errors import BadAnswer, Refused
from pressync.model.interface import KIND_NAME, OBJECTS
from pressync.model.site_schema import (
    FIELD_KEY,
    STANDARD,
    Rules,
    SiteSchema,
    SiteTaxonomy,
    SiteType,
    has_own_route,
    usable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pressync.client.port import HttpResponse
    from pressync.client.wordpress.reads import Query, Send

    _Object = Mapping[str, Any]
    _Say = Callable[[str], None]

TYPES, _TAXONOMIES = "/wp/v2/types", "/wp/v2/taxonomies"
EDIT: Query = (("context", "edit"),)
VIEW: Query = (("context", "view"),)
_OF_A_TYPE = "rest_base,rest_namespace,hierarchical,viewable,taxonomies,capabilities"
_OF_A_TAXONOMY = "rest_base,rest_namespace,hierarchical,types,capabilities"
# Some firewalls refuse OPTIONS. WordPress takes the method from the query of a GET. A member of a list, such
# as `endpoints.methods`, cannot be asked for alone.
_DESCRIBED: Query = (("_method", "OPTIONS"), ("_fields", "endpoints,schema.properties"))

# The one type that visitors cannot open and that is content all the same: a reusable block.
_BLOCK = "wp_block"
# Types of the core that are not content: uploads, menus, parts of themes.
_APART = frozenset(
    """
    attachment nav_menu_item wp_template wp_template_part wp_global_styles wp_navigation wp_font_family
    wp_font_face
    """.split()  # noqa: SIM905 - quoted words would be harder to read
)
# Rules for the values of a field that are taken as they are.
_PLAIN = frozenset(Rules.__struct_encode_fields__) - {
    *("type", "enum", "description", "properties", "items", "additionalProperties"),
}
# Values inside of values of a field are checked this deep.
_DEEPEST = 12
# An editor shows this much of a description.
_LONGEST = 200


def read(
    send: Send,
    say: _Say = lambda _sentence: None,
    names: Collection[str] | None = None,
    context: Query = EDIT,
) -> SiteSchema:
    """Read the schema of a site, or of the types `names` alone; `say` gets a sentence on each type left out.

    In the `context` VIEW it is what a visitor sees: the rights are missing.

    :raises Refused: this user may not see the types.
    :raises BadAnswer: the response does not have what WordPress shows of a type.
    """
    rows = _named(send, TYPES, _OF_A_TYPE, names, context)
    # WordPress does not tell visitors whether they can open the records of a type.
    types = {
        name: row
        for name, row in rows.items()
        if name not in _APART and (name == _BLOCK or row.get("viewable", True) is True)
    }
    if names is None and context is EDIT:
        _tell_hidden(send, types, say)
    wanted = {each for row in types.values() for each in _texts(row.get("taxonomies"))}
    found = _named(send, _TAXONOMIES, _OF_A_TAXONOMY, wanted, context) if wanted else {}
    taxonomies = {
        name: made for name, row in found.items() if name in wanted and (made := _taxonomy(name, row))
    }
    kept: dict[str, SiteType] = {}
    for name, row in types.items():
        type_ = _type(send, name, row, taxonomies, needed=names is not None)
        if isinstance(type_, str):
            say(f"The type “{clean(name, 40)}” is left out: {type_}.")
        else:
            kept[name] = type_
    used = {each for made in kept.values() for each in made.taxonomies}
    return SiteSchema(types=kept, taxonomies={name: taxonomies[name] for name in sorted(used)})


def _named(
    send: Send, route: str, members: str, names: Collection[str] | None, context: Query
) -> dict[str, _Object]:
    """Read the rows of a map by name. `_fields` filters the map by its names, and each row by its members."""
    some: Query = () if names is None else (("_fields", ",".join((members, *sorted(names)))),)
    found = _object(get(send, route, (*context, *some)))
    if any(not isinstance(row, dict) for row in found.values()):
        raise BadAnswer(f"the response to GET {route} is not a map of objects", todo=CHECK_URL)
    return {name: found[name] for name in sorted(found) if names is None or name in names}


def _object(response: HttpResponse) -> dict[str, Any]:
    """Read an object; PHP writes an empty one as a list."""
    return {} if response.body.strip() == b"[]" else json_object(response)


def _tell_hidden(send: Send, types: Collection[str], say: _Say) -> None:
    """Name the types that visitors see, and that this user may not edit."""
    for name in sorted(_object(get(send, TYPES, VIEW))):
        # Visitors are not told whether a type of the core is viewable.
        if name not in types and name not in _APART and name != _BLOCK:
            say(
                f"The type “{clean(name, 40)}” is left out: this account may not edit its records, or nobody "
                "can open them. An account with the right sees it."
            )


def _type(
    send: Send, name: str, row: _Object, taxonomies: Mapping[str, SiteTaxonomy], *, needed: bool
) -> SiteType | str:
    """Make the type of a row, with what its route describes; a text says why it cannot be used.

    A type that is `needed` has records: a refusal to describe it is an error, and does not mean that it is
    gone.
    """
    if not KIND_NAME.fullmatch(name):
        return "its name does not begin with a letter"
    route = _route(TYPES, name, row)
    bare = SiteType(
        route=route, right=_right(row, "edit_posts"), hierarchical=row.get("hierarchical") is True
    )
    if not _is_valid(bare) or not has_own_route(name, bare):
        return f"{clean(route, 80)} is not a route of its own"
    try:
        described = _object(get(send, route, _DESCRIBED))
    except Refused as error:
        if needed:
            raise
        return error.what
    properties = inside(described, "schema", "properties")
    if not isinstance(properties, dict):
        raise BadAnswer(f"the response to OPTIONS {route} has no schema of a record", todo=CHECK_URL)
    # A registered field of another sort is a stranger's: only its own plug-in knows its meaning.
    writable = {key: each for key, each in properties.items() if _is_writable(each)}
    listed = {each for each in _texts(row.get("taxonomies")) if each in taxonomies}
    return msgspec.structs.replace(
        bare,
        batch=_takes_batches(described.get("endpoints")),
        fields=tuple(each for each in STANDARD if each in writable and not STANDARD[each].taxonomy),
        taxonomies=tuple(sorted(each for each in listed if taxonomies[each].field in writable)),
        **{inside: dict(_own_fields(writable.get(inside))) for inside in OBJECTS},
    )


def _taxonomy(name: str, row: _Object) -> SiteTaxonomy | None:
    """Make the taxonomy of a row; None if its name or its route cannot be used.

    A term of a tree is made with the right to edit terms, and another one with the right to assign them.
    """
    hierarchical, base = row.get("hierarchical") is True, row.get("rest_base") or name
    made = SiteTaxonomy(
        route=_route(_TAXONOMIES, name, row),
        field=base if isinstance(base, str) else name,
        hierarchical=hierarchical,
        create=_right(row, "edit_terms" if hierarchical else "assign_terms"),
        assign=_right(row, "assign_terms"),
    )
    return made if _is_valid(SiteSchema(taxonomies={name: made})) else None


def _route(where: str, name: str, row: _Object) -> str:
    base, space = row.get("rest_base") or name, row.get("rest_namespace", "wp/v2")
    if not isinstance(base, str) or not isinstance(space, str):
        raise BadAnswer(
            f"the response to GET {where} does not say where {clean(name, 40)} is", todo=CHECK_URL
        )
    return f"/{space.strip('/')}/{base}"


def _right(row: _Object, name: str) -> str:
    right = inside(row, "capabilities", name)
    return right if isinstance(right, str) and re.fullmatch(r"[A-Za-z0-9_-]{0,60}", right) else ""


def _is_valid(made: SiteType | SiteSchema) -> bool:
    try:
        msgspec.convert(msgspec.to_builtins(made), type(made))
    except msgspec.ValidationError:
        return False
    return True


def _takes_batches(endpoints: object) -> bool:
    """Tell whether the endpoint of a create takes part in batches; those of one controller are alike."""
    for each in endpoints if isinstance(endpoints, list) else ():
        if isinstance(each, dict) and "POST" in _texts(each.get("methods")):
            return inside(each, "allow_batch", "v1") is True
    return False


def _is_writable(schema: object) -> bool:
    return isinstance(schema, dict) and not schema.get("readonly")


def _own_fields(schema: object) -> Iterator[tuple[str, dict[str, Any]]]:
    properties = inside(schema, "properties")
    for key, each in properties.items() if isinstance(properties, dict) else ():
        if re.fullmatch(FIELD_KEY, key) and _is_writable(each):
            yield key, _trimmed(each, _DEEPEST)


def _trimmed(schema: object, depth: int) -> dict[str, Any]:
    """Give what the schema of a value says of it, without an order."""
    if not isinstance(schema, dict) or not depth:
        return {}
    made = {key: schema[key] for key in _PLAIN & schema.keys() if schema[key] not in ("", None)}
    if isinstance(about := schema.get("description"), str) and about.strip():
        made["description"] = clean(about, _LONGEST)
    if "default" in schema:
        default = schema["default"]
        made["default"] = {} if default == [] and "object" in _texts(schema.get("type")) else default
    if types := sorted(_texts(schema.get("type"))):
        made["type"] = types if len(types) > 1 else types[0]
    for key in {"enum", "required"} & schema.keys():
        values = _values(schema[key])
        if isinstance(values, list):
            made[key] = sorted(values, key=lambda each: json.dumps(each, sort_keys=True))
    if "items" in schema:
        made["items"] = _trimmed(schema["items"], depth - 1)
    if "properties" in schema:
        inside = schema["properties"]
        within = inside if isinstance(inside, dict) else {}
        made["properties"] = {key: _trimmed(each, depth - 1) for key, each in within.items()}
    if "additionalProperties" in schema:
        more = schema["additionalProperties"]
        made["additionalProperties"] = more if isinstance(more, bool) else _trimmed(more, depth - 1)
    return usable(made)


def _values(value: object) -> object:
    """Give a list as a list: PHP writes one with gaps as a map."""
    return list(value.values()) if isinstance(value, dict) else value


def _texts(value: object) -> tuple[str, ...]:
    """Give the texts of a list, or one text."""
    value = [value] if isinstance(value, str) else _values(value)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()

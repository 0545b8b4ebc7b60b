"""Adds to records what the schema of a site has: the objects `meta` and `acf`, and the account of the types.

WordPress changes the record before it looks at `meta`. It writes each value that it takes, and then it
refuses the request because of the others. So a create that is refused for a field has made a record (measured
on 6.1, 6.8 and 7.1).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from pressync.model.interface import DOCUMENTED_TYPES, Field, Kind, SiteTypes, Type
from pressync.stage.server import kinds
from pressync.stage.server.rows import ALLOWED, StoredRecord
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress.parameters import WrongParameter, empty, value_of
from pressync.stage.server.wordpress.session import Request, RestResponse, Session

# The notes at the foot of a text have a column of their own.
_FOOTNOTES = "footnotes"


def fields(kind: Kind, inside: str) -> list[Field]:
    """Give the fields that the site registers for a kind in one of the objects `meta` and `acf`."""
    is_column = inside == "meta" and kind in DOCUMENTED_TYPES.kinds
    every = (each for each in kind.row.body if each.inside == inside)
    return [each for each in every if not (is_column and each.key == _FOOTNOTES)]


def object_of(known: Iterable[Field]) -> dict[str, object]:
    """Give the schema of an object with these fields."""
    properties = {each.key: dict(each.schema) for each in known}
    return {"type": "object", "properties": properties or []}


def written(stored: StoredRecord, given: Mapping[str, object]) -> tuple[dict[str, Any], RestResponse | None]:
    """Give the own values of a record after a write, and the refusal of the values that are wrong.

    The fields of `acf` stay as they were if a value of `meta` is wrong.
    """
    own, problems = dict(stored.own), list[HttpRefusal]()
    meta, acf = given.get("meta"), given.get("acf")
    for field in fields(stored.kind, "meta"):
        if isinstance(meta, Mapping) and field.key in meta:
            try:
                _write(own, field, meta[field.key])
            except WrongParameter as problem:
                problems.append(HttpRefusal(400, problem.code, problem.message))
            except HttpRefusal as refusal:
                problems.append(refusal)
    if problems:
        return own, RestResponse(problems[0].status, problems[0].body)
    for field in fields(stored.kind, "acf"):
        if isinstance(acf, Mapping) and field.key in acf:
            own[field.name] = acf[field.key]
    return own, None


def _write(own: dict[str, Any], field: Field, value: object) -> None:
    schema, before = field.schema, own.get(field.name)
    is_single = _is_single(schema)
    if value is None or (value == [] and not is_single):
        # The database has an empty text for false and for what nobody wrote, and that is not a number.
        stored = (schema.get("default") or "") if before is None else before
        if is_single and not _fits(schema, "" if stored is False else stored):
            raise _unusable(field)
        own.pop(field.name, None)
        return
    if not is_single and isinstance(value, list) and None in value:
        raise _unusable(field)
    typed = value_of(schema, value, f"meta.{field.key}")
    own[field.name] = typed if is_single else _merged(before or [], typed)


def _unusable(field: Field) -> HttpRefusal:
    what = f"The {field.key} property has an invalid stored value, and cannot be updated to null."
    return HttpRefusal(500, "rest_invalid_stored_value", what)


def _merged(before: list[Any], wanted: list[Any]) -> list[Any]:
    """Give the values of a field with several rows: WordPress keeps those that stay, and adds the others."""
    kept, left, added = list(before), list(before), []
    for value in wanted:
        same = [each for each in before if each == value]
        if len(same) == 1:
            left = [each for each in left if each != value]
        else:
            added.append(value)
    return [each for each in kept if each not in left] + added


def _is_single(schema: Mapping[str, Any]) -> bool:
    """Tell a field with one value, which may be a list, from one with several values."""
    return schema.get("type") != "array" or "default" in schema


def _fits(schema: Mapping[str, Any], value: object) -> bool:
    try:
        value_of(schema, value, "")
    except WrongParameter:
        return False
    return True


def shown(stored: StoredRecord) -> dict[str, object]:
    """Give the objects of a record with its fields, those without a value with their defaults."""
    found: dict[str, object] = {}
    meta, acf = fields(stored.kind, "meta"), fields(stored.kind, "acf")
    if meta:
        notes = {_FOOTNOTES: stored.footnotes} if stored.kind in DOCUMENTED_TYPES.kinds else {}
        found["meta"] = {each.key: _shown(each.schema, stored.own.get(each.name)) for each in meta} | notes
    if acf:
        found["acf"] = {each.key: stored.own.get(each.name, each.schema.get("default")) for each in acf}
    return found


def _shown(schema: Mapping[str, Any], value: object) -> object:
    value = empty(schema) if value is None else value
    if not _is_single(schema):
        return [each for each in value if _fits(schema["items"], each)] if isinstance(value, list) else []
    if not _fits(schema, value):
        return None
    # PHP encodes an empty map as a list.
    return value or [] if isinstance(value, Mapping) else value


_SHAPES: Mapping[Type, Mapping[str, object]] = {
    Type.DATETIME: {"type": ["string", "null"], "format": "date-time"},
    Type.INTEGERS: {"type": "array", "items": {"type": "integer"}},
    Type.STRINGS: {"type": "array", "items": {"type": "string"}},
    Type.OBJECT: {"type": "object"},
}
_BOTH = {"context": ["view", "edit"]}


def described(path: str, methods: Collection[str], kind: Kind) -> RestResponse:
    """Describe the route of a kind as WordPress does with OPTIONS: what a write takes, and the schema."""
    takes = {"allow_batch": {"v1": True}} if kind.row.batched else {}
    arguments = _arguments(kind)
    read_only = {
        each.name: {**_shape(each), "readonly": True}
        for each in kinds.members(kind)
        if each.name not in arguments
    }
    value = {
        "namespace": path[1:].rpartition("/")[0],
        "methods": list(methods),
        "endpoints": [
            {"methods": [each], "args": {} if each in {"GET", "DELETE"} else arguments, **takes}
            for each in methods
        ],
        "schema": {"title": str(kind), "type": "object", "properties": {**read_only, **arguments}},
    }
    return RestResponse(200, value, (("Allow", ", ".join(methods)),))


def _arguments(kind: Kind) -> dict[str, object]:
    standard = (each for each in kind.row.body if not each.inside and each.name != "meta")
    arguments: dict[str, object] = {each.key: _shape(each) for each in standard}
    meta: Any = object_of(fields(kind, "meta"))
    if kind in DOCUMENTED_TYPES.kinds:
        notes = {"type": "string", "title": "", "description": "", "default": ""}
        meta["properties"] = {**(meta["properties"] or {}), _FOOTNOTES: notes}
    if meta["properties"]:
        arguments["meta"] = {**meta, **_BOTH}
    if acf := fields(kind, "acf"):
        arguments["acf"] = object_of(acf)
    return arguments


def _shape(field: Field) -> dict[str, object]:
    chosen = {"enum": list(ALLOWED[field.name])} if field.name in ALLOWED else {}
    return {**(_SHAPES.get(field.type) or {"type": field.type.value}), **chosen, **_BOTH}


def routes(types: SiteTypes) -> list[str]:
    """Give the routes of the lists of all types and taxonomies."""
    return [*(kind.row.route for kind in types.kinds), *(each.route for each in types.taxonomies.values())]


def account(session: Session, request: Request, what: str, name: str | None) -> RestResponse:
    """Tell of all types or taxonomies, or of one."""
    edit, types = request.is_edit, session.db.types
    if what == "types":
        if name is None:
            # With `edit`, those that the user may edit.
            seen = (kind for kind in types.kinds if not edit or session.user.may(f"edit_{kind.row.rights}"))
            return request.answer({str(kind): _type_of(kind, edit=edit) for kind in seen})
        kind = types.by_name.get(name)
        if kind is None:
            raise HttpRefusal(404, "rest_type_invalid", "Invalid post type.")
        if edit:
            session.user.check_editor(f"edit_{kind.row.rights}")
        return request.answer(_type_of(kind, edit=edit))
    if name is None:
        # With `edit`, those whose terms the user may assign.
        shown = types.taxonomies if not edit or session.user.may("edit_posts") else ()
        return request.answer(
            {kinds.taxonomy_of(each): _taxonomy_of(types, each, edit=edit) for each in shown}
        )
    field = next((field for field in types.taxonomies if kinds.taxonomy_of(field) == name), None)
    if field is None:
        raise HttpRefusal(404, "rest_taxonomy_invalid", "Invalid taxonomy.")
    return request.answer(_taxonomy_of(types, field, edit=edit))


def _type_of(kind: Kind, *, edit: bool) -> dict[str, object]:
    """Give the account of one type."""
    row = kind.row
    space, _, base = row.route[1:].rpartition("/")
    account: dict[str, object] = {
        "name": str(kind),
        "slug": str(kind),
        "description": "",
        "hierarchical": row.hierarchical,
        "has_archive": False,
        "taxonomies": [kinds.taxonomy_of(each.name) for each in kinds.term_fields(kind)],
        "rest_base": base,
        "rest_namespace": space,
    }
    rights = {f"{verb}_posts": f"{verb}_{row.rights}" for verb in ("edit", "delete", "publish")}
    more = {"capabilities": rights, "viewable": str(kind) != "wp_block", "supports": _SUPPORTS}
    return {**account, **more} if edit else account


# The editor has notes, as that of WordPress 6.9 and later.
_SUPPORTS: Mapping[str, object] = {"title": True, "editor": [{"notes": True}]}


def _taxonomy_of(types: SiteTypes, field: str, *, edit: bool) -> dict[str, object]:
    """Give the account of the taxonomy of a field."""
    found, name = types.taxonomies[field], kinds.taxonomy_of(field)
    space, _, base = found.route[1:].rpartition("/")
    having = [
        str(kind) for kind in types.kinds if any(each.name == field for each in kinds.term_fields(kind))
    ]
    account: dict[str, object] = {
        "name": name,
        "slug": name,
        "description": "",
        "types": having,
        "hierarchical": found.hierarchical,
        "rest_base": base,
        "rest_namespace": space,
    }
    rights = {"edit_terms": "manage_categories", "assign_terms": "edit_posts"}
    if name != field:
        # The core has rights of its own for its two taxonomies; a role has them by others.
        words = base if name == "category" else "post_tags"
        rights = {f"{verb}_terms": f"{verb}_{words}" for verb in ("edit", "assign")}
    return {**account, "capabilities": rights} if edit else account

"""Reads the schema of a site: its types and taxonomies, and what their routes say of each field.

WordPress describes a route to everybody in the same way. In the context `edit` it names a type or a taxonomy
only to a user who may use it (measured on 6.1, 6.8 and 7.1). The file of the schema is committed, so what
depends on the user, on the moment or on the order of a response is left out. All requests are GET.

Plug-ins fill these rows. Custom Post Type UI writes null for a namespace, for example. So WordPress's default
stands for each empty member, and a row that cannot be used is left out alone, with a sentence.
"""

from __future__ import annotations

import json
import re
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec

from pressync.client.responses import CHECK_URL, clean, inside, json_object, left_out, parsed
from pressync.client.wordpress.reads import get, rows
from pressync.model.errors import BadAnswer, Refused
from pressync.model.interface import KIND_NAME, OBJECTS
from pressync.model.site_schema import (
    CORE_TAXONOMIES,
    FIELD_KEY,
    MOST_FIELDS,
    MOST_TYPES,
    STANDARD,
    Rules,
    SiteSchema,
    SiteTaxonomy,
    SiteType,
    has_own_route,
    usable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pressync.client.port import HttpRequest, HttpResponse
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
_ONE_TERM: Query = (("_fields", "id"), ("per_page", "1"))

# The one type that visitors cannot open and that is content all the same: a reusable block.
_BLOCK = "wp_block"
# Types of the core that are not content: uploads, menus, parts of themes.
_APART = frozenset(
    """
    attachment nav_menu_item wp_template wp_template_part wp_global_styles wp_navigation wp_font_family
    wp_font_face
    """.split()  # noqa: SIM905 - quoted words would be harder to read
)
# Rules for the values of a field that are words, those that have rules inside, and those that are taken as
# they are.
_WORDS = frozenset({"title", "description"})
_INNER = frozenset({"properties", "items", "additionalProperties"})
_PLAIN = frozenset(Rules.__struct_encode_fields__) - {"type", "enum"} - _WORDS - _INNER
# Values inside of values of a field are checked this deep.
_DEEPEST = 12
# An editor shows this much of a description.
_LONGEST = 200
# The file takes numbers of 64 bits. A text from JSON can have half of a character.
_LARGEST = 2**63
_SURROGATE = re.compile("[\ud800-\udfff]")
# WordPress answers this after an error of PHP.
_CRASHED = "internal_server_error"
_NO_OBJECT = "the site does not describe it"
_NAMED_OTHERWISE = "its name is not one of a-z, 0-9, _ and - that begins with a letter"


class _UnusableError(ValueError):
    """A type or a taxonomy cannot be used; the message says why."""


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
    rows, odd = _named(send, TYPES, _OF_A_TYPE, names, context)
    if odd and (names is not None or not rows):
        raise BadAnswer(f"the response to GET {TYPES} is not a map of objects", todo=CHECK_URL)

    def leave_out(name: str, why: str, sort: str = "type") -> None:
        say(left_out(sort, name, why))

    for name in odd:
        leave_out(name, _NO_OBJECT)
    # WordPress does not tell visitors whether they can open the records of a type.
    hidden = {
        name
        for name, row in rows.items()
        if row.get("viewable") is not None and not _is_true(row["viewable"])
    }
    types = {name: row for name, row in rows.items() if name not in {*_APART, *(hidden - {_BLOCK})}}
    if names is None and context is EDIT:
        _tell_hidden(send, {*types, *odd}, say)
    needed = names is not None
    without = partial(leave_out, sort="taxonomy")
    taxonomies = _taxonomies(send, types.values(), context, without, needed=needed)
    kept = _types(send, types, taxonomies, leave_out, needed=needed)
    used = {taxonomy for made in kept.values() for taxonomy in made.taxonomies}
    return SiteSchema(types=kept, taxonomies={name: taxonomies[name] for name in sorted(used)})


def _named(
    send: Send, route: str, members: str, names: Collection[str] | None, context: Query
) -> tuple[dict[str, _Object], list[str]]:
    """Read the rows of a map by name, and name those that are not objects.

    `_fields` filters the map by its names, and each row by its members.
    """
    some: Query = () if names is None else (("_fields", ",".join((members, *sorted(names)))),)
    listed = _object(get(send, route, (*context, *some)))
    chosen = {name: listed[name] for name in sorted(listed) if names is None or name in names}
    # PHP writes an empty object as a list.
    objects = {name: {} if row == [] else row for name, row in chosen.items()}
    rows: dict[str, _Object] = {name: row for name, row in objects.items() if isinstance(row, dict)}
    return rows, [name for name in chosen if name not in rows]


def _taxonomies(
    send: Send,
    types: Iterable[_Object],
    context: Query,
    leave_out: Callable[[str, str], None],
    *,
    needed: bool,
) -> dict[str, SiteTaxonomy]:
    """Read the taxonomies that these types name and that can be used."""
    wanted = {named for row in types for named in _texts(row.get("taxonomies"))}
    rows, odd = _named(send, _TAXONOMIES, _OF_A_TAXONOMY, wanted, context) if wanted else ({}, [])
    for name in odd:
        leave_out(name, _NO_OBJECT)
    made: dict[str, SiteTaxonomy] = {}
    for name, row in rows.items():
        try:
            taxonomy = _taxonomy(name, row)
            if name not in CORE_TAXONOMIES:
                _expect_terms(send, taxonomy.route, needed=needed)
            made[name] = taxonomy
        except _UnusableError as error:
            leave_out(name, str(error))
    return made


# WordPress names a taxonomy whose class of REST is not there, as after an update of its plug-in, and has no
# route for it (measured on 6.1, 6.8 and 7.1). The first document with a term of it would end the whole sync.
def _expect_terms(send: Send, route: str, *, needed: bool) -> None:
    """Ask a taxonomy for a term, as every use of it does.

    :raises _UnusableError: the site has no route for it, or refuses the list. While a run needs its type,
        only a missing route says that it cannot be used.
    """
    try:
        rows(get(send, route, _ONE_TERM))
    except (Refused, BadAnswer) as error:
        is_gone = isinstance(error, Refused) and error.status == HTTPStatus.NOT_FOUND
        if needed and not is_gone:
            raise
        raise _UnusableError(f"the site does not list its terms at {route}: {error.what}") from error


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


def _types(
    send: Send,
    rows: Mapping[str, _Object],
    taxonomies: Mapping[str, SiteTaxonomy],
    leave_out: Callable[[str, str], None],
    *,
    needed: bool,
) -> dict[str, SiteType]:
    """Read the types that can be used, as many as a schema can have."""
    made: dict[str, SiteType] = {}
    fields = 0
    for name, row in rows.items():
        try:
            type_ = _type(send, name, row, taxonomies, needed=needed)
        except _UnusableError as error:
            leave_out(name, str(error))
            continue
        fields += len(type_.meta) + len(type_.acf)
        if len(made) < MOST_TYPES and fields <= MOST_FIELDS:
            made[name] = type_
        else:
            leave_out(name, f"a schema has at most {MOST_TYPES:,} types and {MOST_FIELDS:,} fields")
    return made


def _type(
    send: Send, name: str, row: _Object, taxonomies: Mapping[str, SiteTaxonomy], *, needed: bool
) -> SiteType:
    """Make the type of a row, with what its route describes.

    A type that is `needed` has records: a refusal to describe it is an error, and does not mean that it is
    gone.

    :raises _UnusableError: the type cannot be used.
    """
    if not KIND_NAME.fullmatch(name):
        raise _UnusableError(_NAMED_OTHERWISE)
    route = _usable_route(name, row)
    bare = SiteType(
        route=route, right=_right(row, "edit_posts"), hierarchical=_is_true(row.get("hierarchical"))
    )
    if not _is_valid(bare) or not has_own_route(name, bare):
        raise _UnusableError(f"{clean(route, 80)} is not a route of its own")
    try:
        described = _described(send, route)
    except (Refused, BadAnswer) as error:
        if needed:
            raise
        raise _UnusableError(error.what) from error
    properties = inside(described, "schema", "properties")
    # A registered field of another sort is a stranger's: only its own plug-in knows its meaning.
    writable = {key: member for key, member in _map(properties).items() if _is_writable(member)}
    listed = {name for name in _texts(row.get("taxonomies")) if name in taxonomies}
    fields = [name for name in STANDARD if name in writable and not STANDARD[name].taxonomy]
    used = sorted(name for name in listed if taxonomies[name].field in writable)
    return msgspec.structs.replace(
        bare,
        batch=_takes_batches(described.get("endpoints")),
        fields=tuple(fields),
        taxonomies=tuple(used),
        **{inside: dict(_own_fields(writable.get(inside))) for inside in OBJECTS},
    )


def _described(send: Send, route: str) -> _Object:
    """Read the description of a route.

    :raises BadAnswer: it is not one, or WordPress failed: a plug-in can break the description of one type.
    """

    def sent(request: HttpRequest) -> HttpResponse:
        response = send(request)
        if inside(parsed(response.body), "code") == _CRASHED:
            # A fault of the moment has the same code.
            response = send(request)
        if inside(parsed(response.body), "code") == _CRASHED:
            raise BadAnswer(f"WordPress fails to describe {route} ({response.status}: {_CRASHED})")
        return response

    described = _object(get(sent, route, _DESCRIBED))
    if not isinstance(inside(described, "schema", "properties"), dict):
        raise BadAnswer(f"the response to OPTIONS {route} has no schema of a record", todo=CHECK_URL)
    return described


def _taxonomy(name: str, row: _Object) -> SiteTaxonomy:
    """Make the taxonomy of a row.

    A term of a tree is made with the right to edit terms, and another one with the right to assign them.

    :raises _UnusableError: the taxonomy cannot be used.
    """
    route, hierarchical = _usable_route(name, row), _is_true(row.get("hierarchical"))
    made = SiteTaxonomy(
        route=route,
        field=route.rpartition("/")[2],
        hierarchical=hierarchical,
        create=_right(row, "edit_terms" if hierarchical else "assign_terms"),
        assign=_right(row, "assign_terms"),
    )
    if not _is_valid(SiteSchema(taxonomies={name: msgspec.structs.replace(made, route="/a/b/c")})):
        raise _UnusableError(_NAMED_OTHERWISE)
    if not _is_valid(SiteSchema(taxonomies={name: made})) or not has_own_route(name, made):
        raise _UnusableError(f"{clean(route, 80)} is not a route of its own")
    if made.field in {*STANDARD, *OBJECTS} - {CORE_TAXONOMIES.get(name)}:
        raise _UnusableError(f"its terms have the name of another field, `{made.field}`")
    return made


def _usable_route(name: str, row: _Object) -> str:
    route = route_of(name, row)
    if not route:
        raise _UnusableError("the site does not say where it is")
    return route


def route_of(name: str, row: _Object) -> str:
    """Give the path of the list of a type or a taxonomy; "" if its row names none.

    WordPress has a default for every name that PHP takes for empty.
    """
    base, space = (
        row[key] if _is_true(row.get(key)) else usual
        for key, usual in (("rest_base", name), ("rest_namespace", "wp/v2"))
    )
    return f"/{space.strip('/')}/{base}" if isinstance(base, str) and isinstance(space, str) else ""


def _is_true(value: object) -> bool:
    """Tell whether PHP takes a value for true."""
    return bool(value) and value != "0"


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
    for endpoint in endpoints if isinstance(endpoints, list) else ():
        if isinstance(endpoint, dict) and "POST" in _texts(endpoint.get("methods")):
            return inside(endpoint, "allow_batch", "v1") is True
    return False


def _is_writable(schema: object) -> bool:
    return isinstance(schema, dict) and not _is_true(schema.get("readonly"))


def _own_fields(schema: object) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, field in _map(inside(schema, "properties")).items():
        if re.fullmatch(FIELD_KEY, key) and _is_writable(field):
            yield key, _trimmed(field, _DEEPEST)


def _trimmed(schema: object, depth: int) -> dict[str, Any]:
    """Give what the schema of a value says of it, without an order, except that of its types.

    WordPress converts a value to the first type that takes it.
    """
    if not isinstance(schema, dict) or not depth:
        return {}
    made = {key: schema[key] for key in _PLAIN & schema.keys() if schema[key] not in ("", None)}
    words = {key: clean(str(schema.get(key) or ""), _LONGEST) for key in _WORDS}
    made |= {key: text for key, text in words.items() if text}
    if types := [*dict.fromkeys(filter(None, _texts(schema.get("type"))))]:
        made["type"] = types if len(types) > 1 else types[0]
    if "default" in schema:
        default = schema["default"]
        made["default"] = {} if default == [] and "object" in types else default
    for key in {"enum", "required"} & schema.keys():
        values = _values(schema[key])
        if isinstance(values, list):
            made[key] = sorted(values, key=lambda value: json.dumps(value, sort_keys=True))
    made = {key: value for key, value in made.items() if _is_storable(value, depth)}
    return usable({**made, **dict(_trimmed_inside(schema, depth - 1))})


def _trimmed_inside(schema: _Object, depth: int) -> Iterator[tuple[str, Any]]:
    """Give the rules for the values inside of a value."""
    if "items" in schema:
        yield "items", _trimmed(schema["items"], depth)
    if "properties" in schema:
        members = _map(schema["properties"])
        yield "properties", {key: _trimmed(member, depth) for key, member in members.items()}
    if "additionalProperties" in schema:
        more = schema["additionalProperties"]
        yield "additionalProperties", more if isinstance(more, bool) else _trimmed(more, depth)


def _map(value: object) -> dict[str, Any]:
    """Give the members of a map whose names a file can have; PHP writes an empty map as a list."""
    members = value if isinstance(value, dict) else {}
    return {key: member for key, member in members.items() if _is_storable(key, 1)}


def _is_storable(value: object, depth: int) -> bool:
    """Tell whether the file of a schema can have a value: JSON of any size can come from a plug-in."""
    match value:
        case str():
            return not _SURROGATE.search(value)
        case int() | float():
            return abs(value) < _LARGEST
        case list() | dict():
            inner = (*value, *value.values()) if isinstance(value, dict) else value
            return depth > 0 and all(_is_storable(part, depth - 1) for part in inner)
        case _:
            return True


def _values(value: object) -> object:
    """Give a list as a list: PHP writes one with gaps as a map."""
    return list(value.values()) if isinstance(value, dict) else value


def _texts(value: object) -> tuple[str, ...]:
    """Give the texts of a list, or one text, as far as they can be sent."""
    value = [value] if isinstance(value, str) else _values(value)
    texts = value if isinstance(value, list) else []
    return tuple(text for text in texts if isinstance(text, str) and _is_storable(text, 1))

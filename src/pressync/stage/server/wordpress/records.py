"""The operations on pages and posts: list, read, create, update, trash and delete, with the user's rights.

A request with two faults gets one refusal, and clients act on its code. So each operation checks in the order
of WordPress: the parameters, the rights, and then the records, terms and files that the parameters name. The
slug of a sample address and the link need queries, so they are only made if they are requested. A list shows
public records unless `status` says otherwise, and never the trash unless it is named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import structs

from pressync.model.interface import TREE_KIND, Kind
from pressync.stage.server import kinds, rows, slugs, wire
from pressync.stage.server.rows import ALLOWED, TRASH, Permalinks, StoredRecord, to_json
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress import registered, writing
from pressync.stage.server.wordpress.lists import IDS, PAGING, Where, answer, ordering, sheet
from pressync.stage.server.wordpress.media import Attachment
from pressync.stage.server.wordpress.parameters import (
    Parameters,
    WrongParameter,
    as_list,
    check_enum,
    integer,
    read,
    read_date,
    value_of,
)
from pressync.stage.server.wordpress.session import may_delete, may_edit, may_read, user_by_id

if TYPE_CHECKING:
    from pressync.stage.server.wordpress.session import Fields, Request, RestResponse, Session

# Visitors reach these records by their number alone.
_WITHOUT_ADDRESS = frozenset({"draft", "pending", "future", "trash"})

_EDIT_ONLY = ("password", "permalink_template", "generated_slug")
_OBJECTS = ("guid", "title", "content", "excerpt")


def shown(session: Session, stored: StoredRecord, fields: Fields, *, edit: bool) -> dict[str, object]:
    """Write a record; `edit` is the context with the raw texts."""
    paths = Permalinks(session.db, session.settings)
    path = paths.path(stored) if fields.has("link") or fields.paths is None else "/"
    members = to_json(stored, path, session.settings)
    if stored.status in _WITHOUT_ADDRESS:
        query = "page_id" if stored.kind == TREE_KIND else "p"
        query = f"post_type={stored.kind}&p" if kinds.is_own(stored.kind) else query
        members["link"] = f"{session.settings.address}/?{query}={stored.id}"
    if fields.has("generated_slug") and "generated_slug" in members:
        wanted = slugs.as_wordpress(stored.title) or str(stored.id)
        members["generated_slug"] = unquote(writing.unique(session, stored, wanted))
    for field in kinds.term_fields(stored.kind):
        taxonomy = kinds.taxonomy_of(field.name)
        members[field.key] = _known_terms(session, taxonomy, rows.terms_in(stored, field.name))
    members |= registered.shown(stored)
    if fields.has("_links"):
        members["_links"] = _links(session, stored, edit=edit)
    if edit:
        return members
    kept = {name: value for name, value in members.items() if name not in _EDIT_ONLY}
    for name in _OBJECTS:
        value = kept.get(name)
        if isinstance(value, dict):
            kept[name] = {key: inner for key, inner in value.items() if key not in {"raw", "block_version"}}
    return kept


def _known_terms(session: Session, taxonomy: str, ids: tuple[int, ...]) -> list[int]:
    """List the terms that exist, by name as WordPress does."""
    if not ids:
        return []
    query = "SELECT id FROM terms WHERE taxonomy = ? ORDER BY name COLLATE NOCASE, id"
    if len(ids) == 1:
        query = query.replace(" ORDER", f" AND id = {int(ids[0])} ORDER")
    return [number for (number,) in session.db.execute(query, (taxonomy,)) if number in ids]


def _links(session: Session, stored: StoredRecord, *, edit: bool) -> dict[str, object]:
    kinds, user = stored.kind.row.rights, session.user
    every = f"{session.base}{stored.kind.row.route}"
    own = f"{every}/{stored.id}"
    links: dict[str, str] = {
        "self": own,
        "collection": every,
        "author": f"{session.base}/wp/v2/users/{stored.author}",
    }
    if stored.parent:
        links["up"] = f"{every}/{stored.parent}"
    if edit and user.may(f"publish_{kinds}"):
        links["wp:action-publish"] = own
    if edit and user.may("unfiltered_html"):
        links["wp:action-unfiltered-html"] = own
    return {name: [{"href": href}] for name, href in links.items()}


def _meta(_name: str, value: object) -> object:
    if not isinstance(value, (dict, list)):
        raise WrongParameter("Invalid parameter.")
    return value


def _slug(name: str, value: object) -> object:
    return slugs.as_wordpress(value_of({"type": "string"}, value, name))


_META: Parameters = {"meta": {"check": _meta}}
_STANDARD: Parameters = {
    "date": {"check": read_date},
    "date_gmt": {"check": read_date},
    "slug": {"type": "string", "check": _slug},
    "password": {"type": "string"},
    "title": {"type": "any"},
    "content": {"type": "any"},
    "author": {"type": "integer"},
    "excerpt": {"type": "any"},
    "featured_media": {"type": "integer"},
    "comment_status": {"type": "string", "enum": [*ALLOWED["comment_status"]]},
    "ping_status": {"type": "string", "enum": [*ALLOWED["ping_status"]]},
    **_META,
    "template": {"type": "string"},
    "parent": {"type": "integer"},
    "menu_order": {"type": "integer"},
    "format": {"type": "string", "enum": [*ALLOWED["format"]]},
    "sticky": {"type": "boolean"},
}
_STATUS: Mapping[str, object] = {"type": "string", "enum": [*ALLOWED["status"]]}
_TERMS: Mapping[str, object] = {"type": "array", "items": {"type": "integer"}}


def parameters(session: Session, kind: Kind, request: Request, *, new: bool) -> Parameters:
    """Give the parameters of a create or an update; a record in the trash may stay there."""
    stored = None if new else rows.find(session.db, kind, request.number)

    def status(name: str, value: object) -> object:
        stays = stored is not None and value == stored.status == TRASH
        return value if stays else value_of(_STATUS, value, name)

    acf = registered.fields(kind, "acf")
    return {
        **{name: each for name, each in _STANDARD.items() if kind.row.has(name)},
        **{each.key: _TERMS for each in kinds.term_fields(kind)},
        **(_META if registered.fields(kind, "meta") else {}),
        **({"acf": registered.object_of(acf)} if acf else {}),
        "status": {"type": "string", "check": status},
    }


def get(session: Session, kind: Kind, request: Request) -> RestResponse:
    """Read one record."""
    stored, user = _existing(session, kind, request.number), session.user
    edit = request.is_edit
    if edit and not may_edit(user, stored):
        raise user.refused("rest_forbidden_context", "Sorry, you are not allowed to edit this post.")
    if not may_read(user, stored):
        raise user.refused("rest_forbidden", "Sorry, you are not allowed to do that.")
    return request.answer(shown(session, stored, request.fields, edit=edit))


def listed(session: Session, kind: Kind, request: Request) -> RestResponse:
    """List records."""
    given = read(_list_parameters(session, kind), request.given)
    edit, user = given["context"] == "edit", session.user
    if edit:
        user.check_editor(f"edit_{kind.row.rights}")
    where = _where(session, kind, given)
    order = _order(given)
    total, found = sheet(session, StoredRecord, where, order, given)
    may = may_edit if edit else may_read
    values: list[object] = [
        shown(session, stored, request.fields, edit=edit) for stored in found if may(user, stored)
    ]
    return answer(session, request, given, values, total)


def create(session: Session, kind: Kind, given: Mapping[str, object], request: Request) -> RestResponse:
    """Make a record."""
    if request.given.get("id"):
        raise HttpRefusal(400, "rest_post_exists", "Cannot create existing post.")
    user, kinds = session.user, kind.row.rights
    _check_others(session, kind, given, "create")
    if not user.may(f"edit_{kinds}"):
        raise user.refused(
            "rest_cannot_create", f"Sorry, you are not allowed to create {kinds} as this user."
        )
    _check_terms(session, kind, given)
    return _written(session, writing.blank(session, kind), given, request, new=True)


def update(session: Session, kind: Kind, given: Mapping[str, object], request: Request) -> RestResponse:
    """Change the given fields of a record; one in the trash stays there unless it gets a status."""
    stored = _existing(session, kind, request.number)
    if not may_edit(session.user, stored):
        raise session.user.refused("rest_cannot_edit", "Sorry, you are not allowed to edit this post.")
    _check_others(session, kind, given, "update")
    _check_terms(session, kind, given)
    return _written(session, stored, given, request, new=False)


def delete(session: Session, kind: Kind, request: Request, *, force: bool) -> RestResponse:
    """Move a record to the trash, or delete it for good."""
    stored = _existing(session, kind, request.number)
    if not may_delete(session.user, stored):
        raise session.user.refused("rest_cannot_delete", "Sorry, you are not allowed to delete this post.")
    if not force:
        if stored.status == TRASH:
            raise HttpRefusal(410, "rest_already_trashed", "The post has already been deleted.")
        trashed = writing.trashed(session, stored)
        response = _saved(session, trashed, request, new=False)
        _list(session, trashed)
        return response
    previous = shown(session, stored, request.fields, edit=True)
    session.db.execute("DELETE FROM records WHERE id = ?", (stored.id,))
    _list(session, structs.replace(stored, sticky=False))
    for child in rows.children(session.db, stored.kind, stored.id):
        rows.save(session.db, structs.replace(child, parent=stored.parent))
    return request.deleted(previous)


def _written(
    session: Session, stored: StoredRecord, given: Mapping[str, object], request: Request, *, new: bool
) -> RestResponse:
    own, refusal = registered.written(stored, given)
    values = _resolved(session, structs.replace(stored, own=own), given, new=new)
    changed = writing.written(session, stored, values, new=new)
    response = _saved(session, changed, request, new=new)
    if new or "sticky" in given:
        _list(session, changed)
    return refusal or response


def _existing(session: Session, kind: Kind, number: int) -> StoredRecord:
    stored = rows.find(session.db, kind, number)
    if stored is None:
        raise HttpRefusal(404, "rest_post_invalid_id", "Invalid post ID.")
    return stored


def _saved(session: Session, record: StoredRecord, request: Request, *, new: bool) -> RestResponse:
    writing.check(record, new=new)
    rows.save(session.db, record)
    location = (("Location", f"{session.base}{record.kind.row.route}/{record.id}"),) if new else ()
    return request.answer(shown(session, record, request.fields, edit=True), 201 if new else 200, location)


def _list(session: Session, record: StoredRecord) -> None:
    """Put a post on the list of sticky posts or take it off, and write the whole list, as WordPress does."""
    if record.sticky != (record.id in session.sticky):
        (session.sticky.add if record.sticky else session.sticky.discard)(record.id)
        rows.make_sticky(session.db, session.sticky)


def _check_others(session: Session, kind: Kind, given: Mapping[str, object], verb: str) -> None:
    user, others = session.user, session.user.may(f"edit_others_{kind.row.rights}")
    if given.get("author") and given["author"] != user.id and not others:
        raise user.refused(
            "rest_cannot_edit_others", f"Sorry, you are not allowed to {verb} posts as this user."
        )
    if given.get("sticky") and not (others and user.may(f"publish_{kind.row.rights}")):
        raise user.refused("rest_cannot_assign_sticky", "Sorry, you are not allowed to make posts sticky.")


def _check_terms(session: Session, kind: Kind, given: Mapping[str, object]) -> None:
    """Refuse terms that the user may not assign: nobody may assign the term 0."""
    for field in kinds.term_fields(kind):
        ids = given.get(field.key)
        if isinstance(ids, list) and 0 in ids:
            message = "Sorry, you are not allowed to assign the provided terms."
            raise session.user.refused("rest_cannot_assign_term", message)


def _resolved(
    session: Session, stored: StoredRecord, given: Mapping[str, object], *, new: bool
) -> dict[str, object]:
    """Give the parameters with the objects that they name looked up, in the order of WordPress."""
    values = dict(given)
    if "status" in values and (new or values["status"] != stored.status):
        values["status"] = _allowed_status(session, stored.kind, str(values["status"]))
    author = values.get("author")
    if author and author != session.user.id and user_by_id(session.db, integer(author)) is None:
        raise HttpRefusal(400, "rest_invalid_author", "Invalid author ID.")
    parent = integer(values.get("parent", 0))
    if parent and not any(rows.find(session.db, kind, parent) for kind in session.db.types.kinds):
        raise HttpRefusal(400, "rest_post_invalid_id", "Invalid post parent ID.")
    picture = integer(values.get("featured_media", 0))
    file = next(Attachment.read(session.db, "WHERE id = ?", (picture,)), None) if picture else None
    if picture and not (file and file.is_picture):
        # WordPress keeps the picture if nothing has this id, and takes it away if it is another thing.
        is_record = any(rows.find(session.db, kind, picture) for kind in session.db.types.kinds)
        values["featured_media"] = 0 if file or is_record else stored.featured_media
    changed = stored
    for field in kinds.term_fields(stored.kind):
        if field.key in values:
            ids = _known(session, kinds.taxonomy_of(field.name), values.pop(field.key))
            changed = rows.with_terms(changed, field.name, ids)
            values |= {field.name: ids} if field.name in kinds.TAXONOMIES else {}
    values |= _footnotes(values) | ({"own": changed.own} if changed.own else {})
    return values


def _allowed_status(session: Session, kind: Kind, status: str) -> str:
    if status in {"publish", "future", "private"} and not session.user.may(f"publish_{kind.row.rights}"):
        what = "create private posts" if status == "private" else "publish posts"
        raise session.user.refused(
            "rest_cannot_publish", f"Sorry, you are not allowed to {what} in this post type."
        )
    return status or "draft"


def _footnotes(values: Mapping[str, object]) -> dict[str, object]:
    meta = values.get("meta")
    footnotes = meta.get("footnotes") if isinstance(meta, Mapping) else None
    if footnotes is None:
        return {}
    if not isinstance(footnotes, str):
        name = "meta.footnotes"
        raise HttpRefusal(400, "rest_invalid_type", f"{name} is not of type string.", param=name)
    return {"footnotes": footnotes}


def _known(session: Session, taxonomy: str, ids: object) -> tuple[int, ...]:
    """Give the ids of terms that exist, each once; WordPress ignores the others and a minus."""
    query = "SELECT 1 FROM terms WHERE taxonomy = ? AND id = ?"
    wanted = dict.fromkeys(abs(integer(each)) for each in ids) if isinstance(ids, list) else ()
    return tuple(n for n in wanted if session.db.execute(query, (taxonomy, n)).fetchone())


_ANY = ("publish", "future", "draft", "pending", "private")
_STATUSES = (
    *(*ALLOWED["status"], "trash", "auto-draft", "inherit", "request-pending", "request-confirmed"),
    *("request-failed", "request-completed", "any"),
)

# The orders in the sequence of WordPress's own list, which its refusal repeats.
_ORDERS = (
    *("author", "date", "id", "include", "modified", "parent", "relevance", "slug", "include_slugs", "title"),
    "menu_order",
)
_COLUMNS = {"title": "title COLLATE NOCASE", "relevance": "date"}


def _list_parameters(session: Session, kind: Kind) -> Parameters:
    ordered = kind.row.has("menu_order")
    above = ("parent",) if kind.row.hierarchical else ()
    return {
        **PAGING,
        **dict.fromkeys((*above, *(each.key for each in kinds.term_fields(kind))), IDS),
        **({"menu_order": {"type": "integer", "late": True}} if ordered else {}),
        "status": {"default": ("publish",), "late": True, "check": partial(_statuses, session, kind)},
        "author": IDS,
        **ordering(_ORDERS if ordered else _ORDERS[:-1], "date", "desc"),
        "modified_after": {"late": True, "check": read_date},
    }


def _statuses(session: Session, kind: Kind, parameter: str, wanted: object) -> tuple[object, ...]:
    names = as_list(parameter, wanted)
    for place, name in enumerate(names):
        private = name == "private" and session.user.may(f"read_private_{kind.row.rights}")
        if name != "publish" and not (session.user.may(f"edit_{kind.row.rights}") or private):
            status = 403 if session.user.id else 401
            what = "Status is forbidden."
            raise WrongParameter(what, "rest_forbidden_status", {"status": status})
        check_enum(f"{parameter}[{place}]", _STATUSES, name)
    return tuple(status for name in names for status in (_ANY if name == "any" else (name,)))


def _where(session: Session, kind: Kind, given: Mapping[str, object]) -> Where:
    where = Where(["kind = :kind"], {"kind": str(kind)})
    where.any_of("status", "statuses", given["status"] or ("publish",))
    where.chosen(given)
    where.any_of("parent", "parents", given.get("parent"))
    where.any_of("author", "authors", given.get("author"))
    where.words(("title", "excerpt", "content"), given.get("search"))
    for place, term_field in enumerate(kinds.term_fields(kind)):
        terms = given.get(term_field.key)
        if isinstance(terms, list) and terms:
            each = kinds.each_term(kinds.taxonomy_of(term_field.name))
            both = f"{each} AS has JOIN json_each(:t{place}) AS one ON has.value = one.value"
            where.conditions.append(f"EXISTS (SELECT 1 FROM {both})")  # noqa: S608 - own names
            where.values[f"t{place}"] = json.dumps(terms)
    after = given.get("modified_after")
    if isinstance(after, datetime):
        where.conditions.append("modified > :after")
        where.values["after"] = wire.seconds(after, offset=session.settings.offset)
    if "menu_order" in given:
        where.conditions.append("menu_order = :menu_order")
        where.values["menu_order"] = given["menu_order"]
    return where


def _order(given: Mapping[str, object]) -> str:
    name = str(given["orderby"])
    if name == "relevance" and not given.get("search"):
        message = "You need to define a search term to order by relevance."
        raise HttpRefusal(400, "rest_no_search_term_defined", message)
    if name == "include":
        if not given.get("include"):
            message = "You need to define an include parameter to order by include."
            raise HttpRefusal(400, "rest_orderby_include_missing_include", message)
        return "(SELECT key FROM json_each(:include) WHERE value = records.id)"
    if name == "include_slugs":
        if not given.get("slug"):
            message = "You need to define a slug parameter to order by include_slugs."
            raise HttpRefusal(400, "rest_orderby_include_slugs_missing_slug", message)
        return "(SELECT key FROM json_each(:slugs) WHERE value = records.slug), id"
    direction = str(given["order"]).upper()
    return f"{_COLUMNS.get(name, name)} {direction}, id {direction}"

"""Categories and tags: WordPress decides which names are the same term, and refuses a second one.

A name is HTML: `A & B` is stored and shown as `A &amp; B`. The refusal of a term that exists names its id, by
which the client looks terms up.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from pressync.stage.server import kinds, rows, slugs
from pressync.stage.server.database import Row
from pressync.stage.server.kinds import is_hierarchical
from pressync.stage.server.rows import Permalinks, StoredRecord, term_line, term_slugs
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress.lists import PAGING, Where, answer, ordering, sheet
from pressync.stage.server.wordpress.parameters import NoData, Parameters, integer, no_trash, read
from pressync.stage.server.wordpress.writing import DEFAULT_CATEGORY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.interface import SiteTypes
    from pressync.stage.server.wordpress.session import Fields, Request, RestResponse, Session

CATEGORY, TAG = "category", "post_tag"

_TAGS = re.compile(r"<[A-Za-z/!?][^<>]*>?")
_BARE_AMPERSAND = re.compile(r"&(?!(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)")
_ORDERS = ("id", "include", "name", "slug", "description", "count")


@dataclass(frozen=True, slots=True)
class TermRow(Row):
    """A term as in the database."""

    TABLE: ClassVar[str] = "terms"

    id: int
    taxonomy: str
    name: str
    slug: str
    parent: int = 0
    description: str = ""


_PARENT: Parameters = {"parent": {"type": "integer"}}


def parameters(session: Session, taxonomy: str, _request: Request, *, new: bool) -> Parameters:
    """Give the parameters of a create or an update."""
    common: Parameters = {
        "name": {"type": "string", "required": new},
        "slug": {"type": "string"},
        "description": {"type": "string"},
    }
    return {**common, **_PARENT} if is_hierarchical(session.db.types, taxonomy) else common


def listed(session: Session, taxonomy: str, request: Request) -> RestResponse:
    """List terms, by name if nothing else is asked for."""
    more = _PARENT if is_hierarchical(session.db.types, taxonomy) else {}
    known = {**PAGING, **more, **ordering(_ORDERS, "name", "asc"), "post": {"type": "integer"}}
    given = read(known, request.given)
    where = Where(["taxonomy = :taxonomy"], {"taxonomy": taxonomy})
    where.chosen(given)
    if "parent" in given:
        where.any_of("parent", "parents", [given["parent"]])
    if text := str(given.get("search") or ""):
        where.conditions.append("(instr(lower(name), :text) OR instr(slug, :text))")
        where.values["text"] = text.lower()
    columns = {"name": "name COLLATE NOCASE", "include": "id", "count": "id"}
    column, direction = str(given["orderby"]), str(given["order"]).upper()
    order = f"{columns.get(column, column)} {direction}, id {direction}"
    total, found = sheet(session, TermRow, where, order, given)
    values: list[object] = [_shown(session, term, request.fields) for term in found]
    return answer(session, request, given, values, total)


def get(session: Session, taxonomy: str, request: Request) -> RestResponse:
    """Read one term."""
    term = _existing(session, taxonomy, request.number)
    if request.is_edit and not session.user.may("manage_categories"):
        raise session.user.refused("rest_forbidden_context", "Sorry, you are not allowed to edit this term.")
    return request.answer(_shown(session, term, request.fields))


def right_to_make(types: SiteTypes, taxonomy: str) -> str:
    """Name the right to make terms: where they have no tree, people who write make them in passing."""
    return "manage_categories" if is_hierarchical(types, taxonomy) else "edit_posts"


def create(session: Session, taxonomy: str, given: Mapping[str, object], request: Request) -> RestResponse:
    """Make a term; a refusal names the term that is the same."""
    if not session.user.may(right_to_make(session.db.types, taxonomy)):
        raise session.user.refused(
            "rest_cannot_create", "Sorry, you are not allowed to create terms in this taxonomy."
        )
    parent = _parent(session, taxonomy, given, request)
    name = _name(given["name"])
    chosen = slugs.as_wordpress(str(given.get("slug") or ""))
    slug = chosen or slugs.as_wordpress(name)
    if same := _same(session, taxonomy, name, parent, slug, chosen=bool(chosen)):
        where = "with this parent" if is_hierarchical(session.db.types, taxonomy) else "in this taxonomy"
        raise HttpRefusal(
            400, "term_exists", f"A term with the name provided already exists {where}.", term_id=same
        )
    term = TermRow(0, taxonomy, name, "", parent, str(given.get("description") or ""))
    term = replace(term, slug=_free_slug(session, term, slug or "term"))
    return request.answer(_shown(session, replace(term, id=term.put(session.db)), request.fields), 201)


def update(session: Session, taxonomy: str, given: Mapping[str, object], request: Request) -> RestResponse:
    """Change a term."""
    term = _existing(session, taxonomy, request.number)
    if not session.user.may("manage_categories"):
        raise session.user.refused("rest_cannot_update", "Sorry, you are not allowed to edit this term.")
    changed = replace(
        term,
        name=_name(given["name"]) if given.get("name") is not None else term.name,
        parent=_parent(session, taxonomy, given, request, term.parent),
        description=str(given.get("description", term.description)),
    )
    if changed.parent and changed.id in term_line(session.db, changed.parent):
        changed = replace(changed, parent=0)
    slug = slugs.as_wordpress(str(given.get("slug") or "")) or term.slug
    taken = _by_slug(session, taxonomy, slug)
    if taken and taken.id != term.id:
        raise HttpRefusal(
            400, "duplicate_term_slug", f"The slug &#8220;{slug}&#8221; is already in use by another term."
        )
    changed = replace(changed, slug=slug)
    changed.put(session.db)
    return request.answer(_shown(session, changed, request.fields))


def delete(session: Session, taxonomy: str, request: Request, *, force: bool) -> RestResponse:
    """Delete a term for good; its children move up, and its posts lose it."""
    term = _existing(session, taxonomy, request.number)
    default = taxonomy == CATEGORY and term.id == DEFAULT_CATEGORY
    if default or not session.user.may("manage_categories"):
        raise session.user.refused("rest_cannot_delete", "Sorry, you are not allowed to delete this term.")
    if not force:
        raise no_trash("Terms")
    previous = _shown(session, term, request.fields)
    session.db.execute("DELETE FROM terms WHERE id = ?", (term.id,))
    session.db.execute("UPDATE terms SET parent = ? WHERE parent = ?", (term.parent, term.id))
    name = kinds.field_of(taxonomy)
    for record in [*StoredRecord.read(session.db, f"WHERE {_has(taxonomy)}", (term.id,))]:
        left = [each for each in rows.terms_in(record, name) if each != term.id]
        left = left or ([DEFAULT_CATEGORY] if taxonomy == CATEGORY else [])
        rows.save(session.db, rows.with_terms(record, name, left))
    return request.deleted(previous)


def _name(value: object) -> str:
    """Give the name as WordPress stores it: without tags, with escaped `&`, and without outer blanks."""
    plain = " ".join(_TAGS.sub("", str(value)).split())
    name = _BARE_AMPERSAND.sub("&amp;", plain).replace("<", "&lt;").replace(">", "&gt;")
    if not name:
        raise NoData(500, "empty_term_name", "A name is required for this term.")
    return name


def _same(session: Session, taxonomy: str, name: str, parent: int, slug: str, *, chosen: bool) -> int | None:
    """Give the id of the term that WordPress considers the same, if there is one."""
    same = "taxonomy = ? AND name = ? COLLATE NOCASE AND parent = ?"
    match = next(TermRow.read(session.db, f"WHERE {same} ORDER BY id", (taxonomy, name, parent)), None)
    if match is None:
        return None
    by_slug = _by_slug(session, taxonomy, slug)
    if chosen and match.slug != slug and by_slug is None:
        return None
    if not is_hierarchical(session.db.types, taxonomy):
        return match.id
    if (not chosen or match.slug == slug) and match.name == name:
        return match.id
    return by_slug.id if by_slug and by_slug.parent == parent else None


def _free_slug(session: Session, term: TermRow, slug: str) -> str:
    """Give the slug, or with the slugs of the categories above it, or with a number."""

    def taken(text: str) -> bool:
        return _by_slug(session, term.taxonomy, text) is not None

    if not taken(slug):
        return slug
    for above in term_line(session.db, term.parent).values():
        slug = f"{slug}-{above}"
        if not taken(slug):
            return slug
    return next(f"{slug}-{n}" for n in range(2, 10**6) if not taken(f"{slug}-{n}"))


def _parent(
    session: Session, taxonomy: str, given: Mapping[str, object], request: Request, before: int = 0
) -> int:
    if not is_hierarchical(session.db.types, taxonomy) and request.given.get("parent") is not None:
        message = "Cannot set parent term, taxonomy is not hierarchical."
        raise HttpRefusal(400, "rest_taxonomy_not_hierarchical", message)
    number = integer(given.get("parent", before))
    if number and _find(session, taxonomy, number) is None:
        raise HttpRefusal(400, "rest_term_invalid", "Parent term does not exist.")
    return number


def _find(session: Session, taxonomy: str, number: int) -> TermRow | None:
    return next(TermRow.read(session.db, "WHERE id = ? AND taxonomy = ?", (number, taxonomy)), None)


def _existing(session: Session, taxonomy: str, number: int) -> TermRow:
    term = _find(session, taxonomy, number)
    if term is None:
        raise HttpRefusal(404, "rest_term_invalid", "Term does not exist.")
    return term


def _by_slug(session: Session, taxonomy: str, slug: str) -> TermRow | None:
    return next(TermRow.read(session.db, "WHERE taxonomy = ? AND slug = ?", (taxonomy, slug)), None)


def _shown(session: Session, term: TermRow, fields: Fields) -> dict[str, object]:
    path, query = _address(session, term)
    shown: dict[str, object] = {
        "id": term.id,
        "count": _count(session, term) if fields.has("count") else 0,
        "description": term.description,
        "link": session.link(f"{path}/", query),
        "name": term.name,
        "slug": term.slug,
        "taxonomy": term.taxonomy,
        "meta": [],
    }
    return shown | {"parent": term.parent} if is_hierarchical(session.db.types, term.taxonomy) else shown


def _address(session: Session, term: TermRow) -> tuple[str, str]:
    """Give the path and the query of a term; a taxonomy of the site's own shows no parents there."""
    if term.taxonomy == CATEGORY:
        return "/".join(["category", *term_slugs(session.db, term.parent), term.slug]), f"?cat={term.id}"
    if term.taxonomy == TAG:
        return f"tag/{term.slug}", f"?tag={term.slug}"
    front = Permalinks(session.db, session.settings).front_part.lstrip("/")
    return f"{front}{term.taxonomy}/{term.slug}", f"?{term.taxonomy}={term.slug}"


def _has(taxonomy: str) -> str:
    """Write the condition for the records that have a term."""
    return f"EXISTS (SELECT 1 FROM {kinds.each_term(taxonomy)} WHERE value = ?)"


def _count(session: Session, term: TermRow) -> int:
    query = f"SELECT count(*) FROM records WHERE status = 'publish' AND {_has(term.taxonomy)}"
    return int(session.db.execute(query, (term.id,)).fetchone()[0])

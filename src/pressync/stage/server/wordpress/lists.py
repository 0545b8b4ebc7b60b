"""Lists of pages and posts: the filters that the client and people use, the order, and the sheets.

A list shows public records unless `status` says otherwise, and never the trash unless it is named. Each
filter is one condition of a query with bound values, so a list reads only the records of its sheet.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from pressync.stage.server import kinds, rows, slugs, wire
from pressync.stage.server.rows import ALLOWED
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress import records, schemas
from pressync.stage.server.wordpress.parameters import Parameters, integer, read
from pressync.stage.server.wordpress.session import Request, RestResponse, Session, may_edit, may_read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.interface import Kind

_IDS: Mapping[str, Any] = {"type": "array", "items": {"type": "integer"}, "late": True}
PAGING: Parameters = {
    "context": {"type": "string", "enum": ["view", "embed", "edit"], "default": "view"},
    "page": {"type": "integer", "minimum": 1, "default": 1},
    "per_page": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
    "search": {"type": "string"},
    "exclude": _IDS,
    "include": _IDS,
    "slug": {"type": "array", "items": {"type": "string"}, "late": True},
}
_ANY = ("publish", "future", "draft", "pending", "private")
_STATUSES = (
    *(*ALLOWED["status"], "trash", "auto-draft", "inherit", "request-pending", "request-confirmed"),
    *("request-failed", "request-completed", "any"),
)

# Only this many words of a search are looked for, in this many characters.
_WORDS, _SEARCHED = 9, 1600

# The orders in the sequence of WordPress's own list, which its refusal repeats.
_ORDERS = (
    *("author", "date", "id", "include", "modified", "parent", "relevance", "slug", "include_slugs", "title"),
    "menu_order",
)
_COLUMNS = {"title": "title COLLATE NOCASE", "relevance": "date"}


def ordering(orders: tuple[str, ...], by: str, direction: str) -> Parameters:
    """Give the parameters of the order of a list, with their defaults."""
    return {
        "order": {"type": "string", "enum": ["asc", "desc"], "default": direction, "late": True},
        "orderby": {"type": "string", "enum": [*orders], "default": by, "late": True},
    }


@dataclass
class Where:
    """The conditions of a query, and their values."""

    conditions: list[str] = field(default_factory=list)
    values: dict[str, object] = field(default_factory=dict)

    def any_of(self, column: str, name: str, wanted: object, *, but: bool = False) -> None:
        """Ask for rows whose column has one of these values, or none of them."""
        if isinstance(wanted, (list, tuple)) and wanted:
            self.conditions.append(f"{column} {'NOT ' * but}IN (SELECT value FROM json_each(:{name}))")
            self.values[name] = json.dumps(wanted)

    def words(self, columns: tuple[str, ...], text: object) -> None:
        """Ask for rows that have every word in one of the columns."""
        for place, word in enumerate(str(text or "")[:_SEARCHED].split()[:_WORDS]):
            self.conditions.append("(" + " OR ".join(f"instr(lower({c}), :w{place})" for c in columns) + ")")
            self.values[f"w{place}"] = word.lower()

    def chosen(self, given: Mapping[str, object]) -> None:
        """Ask for the ids and slugs that a list may name."""
        self.any_of("id", "include", given.get("include"))
        self.any_of("id", "exclude", given.get("exclude"), but=True)
        wanted = given.get("slug")
        if isinstance(wanted, list):
            self.any_of("slug", "slugs", tuple(slugs.as_wordpress(str(each)) for each in wanted))

    @property
    def text(self) -> str:
        """The conditions as SQL."""
        return " AND ".join(self.conditions)


def listed(session: Session, kind: Kind, request: Request) -> RestResponse:
    """List records."""
    given = read(_parameters(session, kind), request.given)
    edit, user = given["context"] == "edit", session.user
    if edit:
        user.check_editor(f"edit_{kind.row.rights}")
    where = _where(session, kind, given)
    order = _order(given)
    total, found = sheet(session, f"{rows.COLUMNS} FROM records", where, order, given)
    may = may_edit if edit else may_read
    values: list[object] = [
        records.shown(session, stored, request.fields, edit=edit)
        for stored in map(rows.to_stored, found)
        if may(user, stored)
    ]
    return answer(session, request, given, values, total)


def sheet(
    session: Session, wanted: str, where: Where, order: str, given: Mapping[str, object]
) -> tuple[int, list[tuple[object, ...]]]:
    """Give the number of all rows, and those of the requested sheet; `wanted` is the columns FROM the table.

    :raises HttpRefusal: there is no such sheet.
    """
    columns, _, table = wanted.partition(" FROM ")
    page, size = integer(given["page"]), integer(given["per_page"])
    query = f"FROM {table} WHERE {where.text or '1'}"
    (total,) = session.db.execute(f"SELECT count(*) {query}", where.values).fetchone()
    if total and page > -(-total // size) and table == "records":
        raise HttpRefusal(
            400,
            "rest_post_invalid_page_number",
            "The page number requested is larger than the number of pages available.",
        )
    values = {**where.values, "limit": size, "skip": min((page - 1) * size, 2**62)}
    found = session.db.execute(f"SELECT {columns} {query} ORDER BY {order} LIMIT :limit OFFSET :skip", values)
    return int(total), found.fetchall()


def answer(
    session: Session, request: Request, given: Mapping[str, object], values: list[object], total: int
) -> RestResponse:
    """Give a sheet of a list, with its numbers and the links to the sheets beside it as headers."""
    page, last = integer(given["page"]), -(-total // integer(given["per_page"]))
    mark = "&" if "?" in session.base else "?"
    links = [
        f'<{session.base}{request.path}{mark}page={number}&per_page={given["per_page"]}>; rel="{name}"'
        for name, number in (("prev", min(page - 1, last)), ("next", page + 1))
        if 0 < number <= last
    ]
    counts = (("X-WP-Total", str(total)), ("X-WP-TotalPages", str(last)))
    return request.answer(values, headers=(*counts, ("Link", ", ".join(links))) if links else counts)


def _parameters(session: Session, kind: Kind) -> Parameters:
    ordered = kind.row.has("menu_order")
    above = ("parent",) if kind.row.hierarchical else ()
    return {
        **PAGING,
        **dict.fromkeys((*above, *(each.key for each in kinds.term_fields(kind))), _IDS),
        **({"menu_order": {"type": "integer", "late": True}} if ordered else {}),
        "status": {"default": ("publish",), "late": True, "check": partial(_statuses, session, kind)},
        "author": _IDS,
        **ordering(_ORDERS if ordered else _ORDERS[:-1], "date", "desc"),
        "modified_after": {"late": True, "check": schemas.read_date},
    }


def _statuses(session: Session, kind: Kind, parameter: str, wanted: object) -> tuple[object, ...]:
    names = schemas.as_list(parameter, wanted)
    for place, name in enumerate(names):
        private = name == "private" and session.user.may(f"read_private_{kind.row.rights}")
        if name != "publish" and not (session.user.may(f"edit_{kind.row.rights}") or private):
            status = 403 if session.user.id else 401
            what = "Status is forbidden."
            raise schemas.WrongParameter(what, "rest_forbidden_status", {"status": status})
        schemas.check_enum(f"{parameter}[{place}]", _STATUSES, name)
    return tuple(status for name in names for status in (_ANY if name == "any" else (name,)))


def _where(session: Session, kind: Kind, given: Mapping[str, object]) -> Where:
    where = Where(["kind = :kind"], {"kind": kind.value})
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
            where.conditions.append(f"EXISTS (SELECT 1 FROM {both})")
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

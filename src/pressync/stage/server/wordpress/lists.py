"""Lists of objects: the parameters that all lists have, the conditions of their queries, and the sheets.

Each filter is one condition of a query with bound values, so a list reads only the rows of its sheet.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from pressync.stage.server import slugs
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress.parameters import Parameters, integer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.stage.server.database import Connection
    from pressync.stage.server.wordpress.session import Request, RestResponse, Session

IDS: Mapping[str, Any] = {"type": "array", "items": {"type": "integer"}, "late": True}
PAGING: Parameters = {
    "context": {"type": "string", "enum": ["view", "embed", "edit"], "default": "view"},
    "page": {"type": "integer", "minimum": 1, "default": 1},
    "per_page": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
    "search": {"type": "string"},
    "exclude": IDS,
    "include": IDS,
    "slug": {"type": "array", "items": {"type": "string"}, "late": True},
}
# Only this many words of a search are looked for, in this many characters.
_WORDS, _SEARCHED = 9, 1600


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


class Table(Protocol):
    """A class whose objects are the rows of a table."""

    TABLE: ClassVar[str]

    @classmethod
    def read(cls, db: Connection, rest: str, values: Mapping[str, object], /) -> Iterator[Self]:
        """Read rows; `rest` is the SQL behind the name of the table."""


Found = TypeVar("Found", bound=Table)


def sheet(
    session: Session, table: type[Found], where: Where, order: str, given: Mapping[str, object]
) -> tuple[int, list[Found]]:
    """Give the number of all rows, and those of the requested sheet.

    :raises HttpRefusal: there is no such sheet.
    """
    page, size = integer(given["page"]), integer(given["per_page"])
    condition = f"WHERE {where.text or '1'}"
    (total,) = session.db.execute(f"SELECT count(*) FROM {table.TABLE} {condition}", where.values).fetchone()
    if total and page > -(-total // size) and table.TABLE == "records":
        raise HttpRefusal(
            400,
            "rest_post_invalid_page_number",
            "The page number requested is larger than the number of pages available.",
        )
    values = {**where.values, "limit": size, "skip": min((page - 1) * size, 2**62)}
    rest = f"{condition} ORDER BY {order} LIMIT :limit OFFSET :skip"
    return int(total), [*table.read(session.db, rest, values)]


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

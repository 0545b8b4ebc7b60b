"""Reads all that a WordPress site has, page by page: records, terms, people, pictures, and what is left.

An import reads a site that may be larger than the memory, so every list here is an iterator of at most a
hundred rows at a time. Without credentials a visitor's view is read: published records as WordPress shows
them.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.client.abilities import Other, Uploaded
from pressync.client.responses import json_object
from pressync.client.wordpress.reads import EVERYWHERE, STEADY, every_page, get, of_ids, total
from pressync.client.wordpress.record import members_of, names_of, read, unwrap
from pressync.client.wordpress.site_schema import route_of
from pressync.client.wordpress.terms_and_media import id_of, term_of
from pressync.html.notes import without_notes
from pressync.html.titles import unescape_title
from pressync.model.errors import BadAnswer, Refused
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes, Taxonomy
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pressync.client.abilities import InterfaceRoot, Repeats, Row
    from pressync.client.port import HttpResponse
    from pressync.client.terms import Term
    from pressync.client.wordpress.reads import Query, Send
    from pressync.model.records import Record

_ROUTE = re.compile(r"(?:/[a-z0-9_-]+)+", re.ASCII | re.IGNORECASE)
# The types that are read as records or pictures, and those of the theme: nobody wrote their rows.
_COMMENTS = "/wp/v2/comments"
_NOT_OTHERS = frozenset(
    {"attachment", "wp_template", "wp_template_part", "wp_global_styles", "wp_font_family"}
)


@dataclass(frozen=True, slots=True)
class WholeWordPress:
    """A site that is read; see `WholeSite`."""

    send: Send
    retry: Repeats
    edit: bool
    types: SiteTypes = DOCUMENTED_TYPES
    # Reads the facts of a site whose interface lists nothing at its root.
    root: Callable[[], InterfaceRoot] | None = None

    def home(self) -> str:
        """Give the address of the site for visitors; "" if the site does not tell it."""
        if self.root:
            return self.retry.run(self.root, harmless=True).home
        address = json_object(self._get("/", (("_fields", "home"),))).get("home")
        parts = split(address) if isinstance(address, str) else None
        return str(address) if parts and parts.scheme in {"http", "https"} else ""

    def records(self, kind: Kind) -> Iterator[Row]:
        """Read all records of a kind; with credentials in any status and in the trash."""
        return self._rows(kind.row.route, (*self._all(), ("_fields", self.members(kind))))

    def members(self, kind: Kind) -> str:
        """Name the members of a record that this user gets."""
        if self.edit:
            return members_of(kind.row)
        names = (name for name in names_of(kind.row, "rendered") if name != "password")
        # A member of `content` tells a visitor of a password.
        of_record = ("id", "type", "link", "modified", "modified_gmt", "content.protected")
        return ",".join(dict.fromkeys((*of_record, *names)))

    def record(self, kind: Kind, row: Row) -> Record:
        """Read a row of `records`, without the places of editors' notes; BadAnswer if it is not a record."""
        return record_of(kind, row)

    def count(self, kind: Kind) -> int:
        """Count the records of a kind, with those that the site does not show to this user."""
        query = (*self._all(), ("_fields", "id"), ("per_page", "1"))
        return total(self._get(kind.row.route, query), "x-wp-total")

    def terms(self, taxonomy: Taxonomy) -> list[Term]:
        """Read all terms of a taxonomy, oldest first."""
        members = (("_fields", "id,name,slug,parent"),)
        return [term_of(row) for row in self._rows(taxonomy.route, members)]

    def people(self) -> dict[int, str]:
        """Name the users by id: those whom the site shows. An e-mail address is never a name.

        If several users have one name, each has the slug instead.
        """
        contexts = ("edit", "view") if self.edit else ("view",)
        rows: list[Row] = []
        for context in contexts:
            # A site shows its users to those who may list them, and often to nobody else.
            with suppress(Refused):
                rows = list(self._rows("/wp/v2/users", (("context", context), ("_fields", "id,name,slug"))))
                break
        named = [
            (id_of(row), unescape_title(str(row.get("name", ""))).strip(), str(row.get("slug")))
            for row in rows
        ]
        times = Counter(name.casefold() for _, name, _ in named)
        unfit = {name for _, name, _ in named if not name or "@" in name or times[name.casefold()] > 1}
        return {number: slug if name in unfit else name for number, name, slug in named}

    def pictures(self, ids: Collection[int]) -> dict[int, str]:
        """Read the addresses of these files; a file that is gone is absent."""
        return {picture.id: picture.link for some in of_ids(ids) for picture in self.library(some)}

    def others(self) -> Iterator[Other]:
        """Read the comments, menus, patterns and records of custom types, as far as the site shows them.

        :raises ServiceError: it does not show its types.
        """
        types = json_object(self._get("/wp/v2/types", (("context", "view"),)))
        routes = {"comment": _COMMENTS}
        routes |= {str(name): route for name, row in types.items() if (route := self._route(name, row))}
        lists: list[tuple[str, str, Query]] = [(name, route, ()) for name, route in routes.items()]
        # A list of comments has the approved ones only, if nobody names another state.
        waiting = (("context", "edit"), ("status", "hold"))
        lists += [("comment on hold", _COMMENTS, waiting)] if self.edit else []
        for name, route, query in lists:
            with suppress(Refused, BadAnswer):
                for row in self._rows(route, (*query, ("_fields", "id,link"))):
                    if isinstance(number := row.get("id"), int):
                        link = row.get("link")
                        yield Other(name, number, link if isinstance(link, str) else "")

    def _all(self) -> Query:
        return (("context", "edit"), ("status", EVERYWHERE)) if self.edit else (("context", "view"),)

    def library(self, query: Query = ()) -> Iterator[Uploaded]:
        """Read the addresses of all files of the media library, or of those that a query names."""
        context = "edit" if self.edit else "view"
        for row in self._rows("/wp/v2/media", (*query, ("context", context), ("_fields", "id,source_url"))):
            link = row.get("source_url")
            if isinstance(link, str) and link:
                yield Uploaded(id_of(row), link)

    def _rows(self, path: str, query: Query) -> Iterator[Row]:
        return every_page(lambda page: self._get(path, (*query, *STEADY, ("page", str(page)))))

    def _get(self, path: str, query: Query) -> HttpResponse:
        return self.retry.run(lambda: get(self.send, path, query), harmless=True)

    def _route(self, name: str, row: object) -> str:
        """Give the route of the records of a custom type; "" if it has none of its own."""
        if name in _NOT_OTHERS or name in self.types.by_name or not isinstance(row, dict):
            return ""
        route = route_of(name, row)
        return route if _ROUTE.fullmatch(route) else ""


def record_of(kind: Kind, row: Row) -> Record:
    """Read a record of a list, without the places of editors' notes.

    :raises BadAnswer: the row is not a record.
    """
    record = read(kind, row)
    plain = without_notes(content := str(record.fields.get("content", "")))
    if plain != content:
        return replace(record, fields={**record.fields, "content": unwrap(plain)})
    return record

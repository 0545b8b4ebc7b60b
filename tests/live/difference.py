"""Plays one request on a real WordPress and on the embedded face, and compares everything pressync reads.

The ids of both sides differ, so a request names records, terms and files by `Ref`, and the responses are
compared with their ids turned back into these names. Only the differences in `ON_PURPOSE` are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import requests

if TYPE_CHECKING:
    from collections.abc import Iterable

ON_PURPOSE = (
    "the address of a post is below /blog/",
    "6.1 has no footnotes, and titles a file by its stored name",
    "rendered texts are shown as they are stored",
    "any name of a template is taken: the stage has no theme",
    "6.8 loses a content that is the digit 0 alone",
)

Json = Any
Query = tuple[tuple[str, object], ...]
TERMS = frozenset({"categories", "tags"})

# The members that pressync or a person reads, beside those that hold ids.
_MEMBERS = (
    *("type", "link", "modified", "modified_gmt", "date", "date_gmt", "slug", "status", "password"),
    *("title", "content", "excerpt", "comment_status", "ping_status", "menu_order", "meta", "template"),
    *("format", "sticky", "generated_slug", "name", "taxonomy", "count", "source_url", "description"),
    *("mime_type", "media_type", "alt_text"),
)
_TIMES = ("date", "date_gmt", "modified", "modified_gmt")
# A time is “now” if it is this near: the two sides answer in different seconds.
_NOW = 600
_CREATED = 201
_OF_AN_ID = re.compile(r"(?:(?<=^)|(?<=/))[0-9]+(?=-|/|$)")


@dataclass(frozen=True)
class Ref:
    """An object that an earlier request made: its number in the order of all of them."""

    number: int


@dataclass
class Side:
    """One service: its base address, its credentials, and the ids that it gave.

    `admin` has the credentials of the user who may delete everything.
    """

    base: str
    auth: tuple[str, str]
    admin: tuple[str, str]
    site: str
    people: dict[int, str] = field(default_factory=dict)
    ids: list[int] = field(default_factory=list)
    http: requests.Session = field(default_factory=requests.Session)

    def ask(
        self, method: str, path: str, query: Query = (), body: Json = None, **form: Json
    ) -> requests.Response:
        """Send one request with the ids of this side."""
        pairs = [(name, self.own(value)) for name, value in query]
        mark = "&" if "?" in self.base else "?"
        url = f"{self.base}{self.own(path)}" + (f"{mark}{urlencode(pairs)}" if pairs else "")
        return self.http.request(method, url, json=self.own(body), auth=self.auth, timeout=60, **form)

    def remove(self, kind: str, number: int) -> None:
        """Delete an object, which may be gone already."""
        mark = "&" if "?" in self.base else "?"
        path = f"{self.base}/wp/v2/{kind}/{number}{mark}force=true&_fields=deleted"
        self.http.delete(path, auth=self.admin, timeout=60)

    def own(self, value: Json) -> Json:
        """Replace the names in a value with ids; a path has them in braces."""
        match value:
            case Ref(number):
                return self.ids[number]
            case dict():
                return {name: self.own(one) for name, one in value.items()}
            case list():
                return [self.own(one) for one in value]
            case str() if value.startswith("/wp/v2/"):
                return re.sub(r"\{(\d+)\}", lambda found: str(self.ids[int(found[1])]), value)
            case _:
                return value


@dataclass
class Pair:
    """A real site and the face, kept in step; `kinds` has the kinds of the objects, `steps` the requests."""

    real: Side
    face: Side
    version: str
    kinds: list[str] = field(default_factory=list)
    steps: int = 0

    def ask(
        self, method: str, path: str, query: Query = (), body: Json = None, *, makes: str = "", **form: Json
    ) -> None:
        """Play one request on both and compare; `makes` is the kind of the objects that it may make."""
        self.steps += 1
        responses = [side.ask(method, path, query, body, **form) for side in (self.real, self.face)]
        values = [response.json() for response in responses]
        made = [_made(value) for value in values] if makes else [[], []]
        if len(made[0]) != len(made[1]):
            self._undo(makes, made)
        else:
            self.kinds += [makes] * len(made[0])
            for side, ids in zip((self.real, self.face), made, strict=True):
                side.ids += ids
        seen = [
            (response.status_code, self._seen(side, value), _counts(response))
            for side, response, value in zip((self.real, self.face), responses, values, strict=True)
        ]
        assert seen[0] == seen[1], f"{method} {path} {query} {body}\nreal: {seen[0]}\nface: {seen[1]}"

    def empty(self) -> None:
        """Delete everything that was made, on both sides."""
        for side in (self.real, self.face):
            for kind, number in zip(self.kinds, side.ids, strict=True):
                side.remove(kind, number)
            side.ids.clear()
        self.kinds.clear()

    def _undo(self, kind: str, made: list[list[int]]) -> None:
        """Delete what only one side made, so that the next sequence finds both sides empty."""
        for side, ids in zip((self.real, self.face), made, strict=True):
            for number in ids:
                side.remove(kind, number)

    def _seen(self, side: Side, value: Json) -> Json:
        """Give the part of a response that pressync reads, with names for ids."""
        match value:
            case list():
                return [self._seen(side, one) for one in value]
            case {"code": _, "message": _}:
                return self._error(side, value)
            case {"responses": responses}:
                items = [one and (one["status"], self._seen(side, one["body"])) for one in responses]
                return value.get("failed"), items
            case {"previous": previous}:
                return value["deleted"], self._seen(side, previous)
            case dict():
                return self._object(side, value)
            case _:
                return value

    def _object(self, side: Side, value: Json) -> Json:
        seen = {name: value[name] for name in _MEMBERS if name in value}
        is_term = "taxonomy" in value
        for name in ("id", "parent", "featured_media"):
            seen |= {name: self._named(side, value[name], terms=is_term)} if name in value else {}
        for name in TERMS & value.keys():
            seen[name] = [self._named(side, number, terms=True) for number in value[name]]
        if "author" in value:
            seen["author"] = side.people.get(value["author"], value["author"])
        for name in {"title", "content", "excerpt"} & seen.keys():
            seen[name] = seen[name].get("raw")
        for name in seen.keys() & set(_TIMES):
            seen[name] = _time(seen[name])
        for name in {"slug", "generated_slug", "link"} & seen.keys():
            # A record without a title has its id as its slug, also in the addresses below it.
            seen[name] = _OF_AN_ID.sub(lambda found: self._id_slug(side, found[0]), seen[name])
        for name in {"link", "source_url"} & seen.keys():
            seen[name] = self._address(side, seen[name])
        if self.version.startswith("6.1"):
            seen.pop("meta", None)
            if "source_url" in seen:
                seen |= {"title": "", "slug": re.sub(r"-\d+$", "", seen["slug"])}
        return seen

    def _named(self, side: Side, number: int, *, terms: bool) -> str | int:
        """Give the name of an id; an id that the test did not make stays. Terms have ids of their own."""
        for place, (kind, known) in enumerate(zip(self.kinds, side.ids, strict=True)):
            if known == number and (kind in TERMS) == terms:
                return f"#{place}"
        return number

    def _id_slug(self, side: Side, text: str) -> str:
        return "id" if int(text) in side.ids else text

    def _address(self, side: Side, link: str) -> str:
        text = link.removeprefix(side.site).replace("/blog/", "/", 1)
        text = re.sub(
            r"(\?(?:page_id|p)=)(\d+)",
            lambda found: f"{found[1]}{self._named(side, int(found[2]), terms=False)}",
            text,
        )
        # Files of earlier runs are still on the disk of the real site, so a name may have a number.
        return re.sub(r"-\d+(?=\.\w+$)", "", text)

    def _error(self, side: Side, value: Json) -> Json:
        data = value["data"] if isinstance(value["data"], dict) else {}
        details = data.get("details") or {}
        return {
            "code": value["code"],
            "status": data.get("status"),
            "params": data.get("params"),
            "details": {name: one["code"] for name, one in details.items()},
            "term_id": self._named(side, data.get("term_id", 0), terms=True),
        }


def _made(value: Json) -> list[int]:
    """Give the ids of the objects that a response says are made."""
    match value:
        case {"responses": list(items)}:
            return [one["body"]["id"] for one in items if one and one["status"] == _CREATED]
        case {"id": int(number)}:
            return [number]
        case _:
            return []


def _counts(response: requests.Response) -> Iterable[str | None]:
    return [response.headers.get(f"X-WP-{name}") for name in ("Total", "TotalPages")]


def _time(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return "now" if abs((moment - datetime.utcnow()).total_seconds()) < _NOW else text  # noqa: DTZ003 - both sides are in UTC

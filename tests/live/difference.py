"""Plays one request on a real WordPress and on the embedded face, and compares everything pressync reads.

The ids of both sides differ, so a request names records, terms and files by `Ref`, and the responses are
compared with their ids turned back into these names. Only the differences in `ON_PURPOSE` are left out.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import requests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ON_PURPOSE = (
    "the pages `index` and `home` are front pages",
    "6.1 has no footnotes, and titles a file by its stored name",
    "rendered texts are shown as they are stored",
    "any name of a template is taken: the stage has no theme",
    "the texts of people without unfiltered_html are stored as they are sent",
    "6.8 loses a content that is the digit 0 alone",
    "an author is checked where the type has authors",
    "the schema of a site does not say who may write a field, and editors have the rights of all types",
)

Json = Any
Query = tuple[tuple[str, object], ...]
TERMS = frozenset({"categories", "tags", "genres", "mood"})

# The members that pressync or a person reads, beside those that hold ids.
_MEMBERS = (
    *("type", "link", "modified", "modified_gmt", "date", "date_gmt", "slug", "status", "password"),
    *("title", "content", "excerpt", "comment_status", "ping_status", "menu_order", "meta", "template"),
    *("format", "sticky", "generated_slug", "name", "taxonomy", "count", "source_url", "description"),
    *("mime_type", "media_type", "alt_text", "acf"),
)
_TIMES = ("date", "date_gmt", "modified", "modified_gmt")
# A time is “now” if it is this near: the two sides answer in different seconds.
_NOW = 600
_CREATED = 201
# The path of an object or a list, and the name of its kind.
_ROUTE = re.compile(r"/(?:wp/v2|atlas/v1)/(\w+)")
# This id belongs to nobody. It stands for an object that one user could make, and another could not.
NOBODY = 999_999
_OF_AN_ID = re.compile(r"(?:(?<=^)|(?<=/))[0-9]+(?=-|/|$)")


@dataclass(frozen=True)
class Ref:
    """An object that an earlier request made: its number in the order of all of them."""

    number: int


@dataclass(frozen=True)
class Step:
    """One request; a path has the names of objects in braces. `makes` is the number of objects that it made.

    `sent` is the body of an upload.
    """

    method: str
    path: str
    query: Query = ()
    body: Json = None
    headers: tuple[tuple[str, str], ...] = ()
    sent: bytes | None = None
    makes: int = 0


@dataclass
class Side:
    """One service: its base address, its credentials, and the ids that it gave.

    `admin` has the credentials of the user who may delete everything. Without the right to write every HTML,
    the texts of the user are filtered.
    """

    base: str
    auth: tuple[str, str]
    admin: tuple[str, str]
    site: str
    is_filtered: bool = False
    people: dict[int, str] = field(default_factory=dict)
    ids: list[int] = field(default_factory=list)
    http: requests.Session = field(default_factory=requests.Session)

    def ask(
        self, method: str, path: str, query: Query = (), body: Json = None, **form: Json
    ) -> requests.Response:
        """Send one request with the ids of this side."""
        pairs = [(name, _joined(self.own(value))) for name, value in query]
        mark = "&" if "?" in self.base else "?"
        url = f"{self.base}{self.own(path)}" + (f"{mark}{urlencode(pairs)}" if pairs else "")
        return self.http.request(method, url, json=self.own(body), auth=self.auth, timeout=60, **form)

    def remove(self, kind: str, number: int) -> None:
        """Delete an object, which may be gone already."""
        mark = "&" if "?" in self.base else "?"
        path = f"{self.base}{list_of(kind)}/{number}{mark}force=true&_fields=deleted"
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
            case str() if _ROUTE.match(value):
                return re.sub(r"\{(\d+)\}", lambda found: str(self.ids[int(found[1])]), value)
            case _:
                return value


@dataclass
class Pair:
    """A real site and the face, kept in step; `kinds` has the kinds of the objects, `steps` the requests.

    `empty_real` empties the real site past WordPress, whose own way takes a third of all requests.
    """

    real: Side
    face: Side
    version: str
    empty_real: Callable[[], None]
    kinds: list[str] = field(default_factory=list)
    steps: int = 0

    def play(self, steps: Iterable[Step]) -> None:
        """Play requests whose names count from here."""
        start = len(self.kinds)
        for step in steps:
            before = len(self.kinds)
            form = {"headers": dict(step.headers), **({"data": step.sent} if step.sent is not None else {})}
            query = tuple((name, _moved(value, start)) for name, value in step.query)
            self.ask(step.method, _moved(step.path, start), query, _moved(step.body, start), **form)
            missing = before + step.makes - len(self.kinds)
            self.kinds += ["nothing"] * missing
            for side in (self.real, self.face):
                side.ids += [NOBODY] * missing

    def ask(self, method: str, path: str, query: Query = (), body: Json = None, **form: Json) -> None:
        """Play one request on both and compare."""
        self.steps += 1
        responses = [side.ask(method, path, query, body, **form) for side in (self.real, self.face)]
        values = [_value(response) for response in responses]
        made = [
            made_by(path, body, response.status_code, value)
            for response, value in zip(responses, values, strict=True)
        ]
        if len(made[0]) != len(made[1]):
            self._undo(made)
        else:
            self.kinds += [kind for kind, _ in made[0]]
            for side, objects in zip((self.real, self.face), made, strict=True):
                side.ids += [number for _, number in objects]
        seen = [
            (response.status_code, self._seen(side, value, path, body), _counts(response))
            for side, response, value in zip((self.real, self.face), responses, values, strict=True)
        ]
        assert seen[0] == seen[1], f"{method} {path} {query} {body}\nreal: {seen[0]}\nface: {seen[1]}"

    def empty(self) -> None:
        """Delete everything that was made, on both sides."""
        self.empty_real()
        for kind, number in zip(self.kinds, self.face.ids, strict=True):
            if number != NOBODY:
                self.face.remove(kind, number)
        for side in (self.real, self.face):
            side.ids.clear()
        self.kinds.clear()

    def _undo(self, made: list[list[tuple[str, int]]]) -> None:
        """Delete what only one side made, so that the next sequence finds both sides empty."""
        for side, objects in zip((self.real, self.face), made, strict=True):
            for kind, number in objects:
                side.remove(kind, number)

    def _seen(self, side: Side, value: Json, path: str, body: Json = None) -> Json:
        """Give the part of a response that pressync reads, with names for ids."""
        match value:
            case list():
                return [self._seen(side, one, path) for one in value]
            case {"code": _, "message": _}:
                return self._error(side, value)
            case {"responses": responses}:
                items = [
                    one and (one["status"], self._seen(side, one["body"], request["path"]))
                    for one, request in zip(responses, body["requests"], strict=True)
                ]
                return value.get("failed"), items
            case {"previous": previous}:
                return value["deleted"], self._seen(side, previous, path)
            case dict():
                return self._object(side, value, path)
            case _:
                return value

    def _object(self, side: Side, value: Json, path: str) -> Json:
        seen = {name: value[name] for name in _MEMBERS if name in value}
        kind = kind_of(path)
        for name in ("id", "parent", "featured_media"):
            seen |= {name: self._named(side, value[name], terms=kind in TERMS)} if name in value else {}
        if kind == "users":
            seen["id"] = side.people.get(value["id"], value["id"])
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
        if side.is_filtered:
            seen |= {name: _words(seen[name]) for name in {"title", "content", "excerpt"} & seen.keys()}
        return self._without_purposeful(seen)

    def _without_purposeful(self, seen: Json) -> Json:
        if seen.get("slug") in {"index", "home"}:
            seen.pop("link", None)
        if self.version.startswith("6.1"):
            if "meta" in seen:
                # PHP writes an empty map as a list.
                seen["meta"] = {
                    key: one for key, one in dict(seen["meta"] or {}).items() if key != "footnotes"
                }
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
        text = link.removeprefix(side.site)
        text = re.sub(
            r"([?&](?:page_id|p|attachment_id|cat)=)(\d+)",
            lambda found: f"{found[1]}{self._named(side, int(found[2]), terms=found[1] == '?cat=')}",
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


def made_by(path: str, body: Json, status: int, value: Json) -> list[tuple[str, int]]:
    """Give the kinds and the ids of the objects that a response says are made."""
    match value:
        case {"responses": list(items)}:
            return [
                made
                for request, one in zip(body["requests"], items, strict=True)
                if one
                for made in made_by(request["path"], None, one["status"], one["body"])
            ]
        case {"id": int(number)} if status == _CREATED:
            return [(kind_of(path), number)]
        case _:
            return []


def list_of(kind: str) -> str:
    """Give the path of the list of a kind of objects."""
    return f"/{'atlas/v1' if kind == 'places' else 'wp/v2'}/{kind}"


def kind_of(path: str) -> str:
    """Give the kind of the objects at a path."""
    found = _ROUTE.match(path)
    return found[1] if found else ""


def _value(response: requests.Response) -> Json:
    try:
        return response.json()
    except ValueError:
        return f"no JSON: {response.text[:200]}"


def _words(text: str | None) -> str | None:
    """Give what is left of a text in every filter: the words outside of tags."""
    return html.unescape(re.sub(r"<(?!!--)[^<>]*>", "", text)) if text else text


def _joined(value: Json) -> Json:
    return ",".join(map(str, value)) if isinstance(value, list) else value


def _moved(value: Json, start: int) -> Json:
    """Count the names in a value from another start."""
    match value:
        case Ref(number):
            return Ref(number + start)
        case dict():
            return {name: _moved(one, start) for name, one in value.items()}
        case list():
            return [_moved(one, start) for one in value]
        case str() if _ROUTE.match(value):
            return re.sub(r"\{(\d+)\}", lambda found: f"{{{int(found[1]) + start}}}", value)
        case _:
            return value


def _counts(response: requests.Response) -> Iterable[str | None]:
    return [response.headers.get(f"X-WP-{name}") for name in ("Total", "TotalPages")]


def _time(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return "now" if abs((moment - datetime.utcnow()).total_seconds()) < _NOW else text  # noqa: DTZ003 - both sides are in UTC

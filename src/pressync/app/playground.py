"""Makes a Blueprint: the pages that a plan changes, as data for a WordPress in the reviewer's browser.

WordPress Playground takes a Blueprint from the fragment of an address, which no server sees. Its steps are
those of this module. They write two files, our own program and a file of data, and call that program. So no
text of a page can be a step. WordPress itself stores the pages there, from the bodies that a sync sends.
Nothing is read from the site: its title and version are those of its committed schema.

New records and files have no address yet. A text has `HOME/?p=ID` for each of them until WordPress has
stored all of them and knows their addresses.
"""

from __future__ import annotations

import base64
import json
import posixpath
import re
import zlib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from msgspec import structs

from pressync.client.connect import stored_by
from pressync.client.dialects import MOST_CAPABLE
from pressync.model.bounds import UPLOAD
from pressync.model.changes import Create, Update
from pressync.model.errors import PressyncError
from pressync.model.permalinks import shown_permalinks
from pressync.model.records import CREATED_WITH, Entry, Fields, Medium, Prepared
from pressync.model.visibility import FRONT_PAGE
from pressync.model.web_address import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.content.content import Content
    from pressync.model.interface import Kind, KindRow
    from pressync.plan.build import PlannedRun

# The most characters of a link. A comment of GitHub has 65,536, and the table of the plan needs half of them.
# Browsers take far more: Chromium took a fragment of 2,200,000 characters (measured).
LONGEST = 32_000
# A picture of more bytes is left out: of a link, and of the whole.
SMALL, _SMALL_OF_WHOLE = 6_000, 500_000
# A job makes the whole for at most so many pages.
MOST_OF_WHOLE = 2_000
# A link has room for some dozens of pages, so no more than these are rendered for it.
_MOST = 200

_SITE = "https://playground.wordpress.net/#"
_PLUGINS = "/wordpress/wp-content/mu-plugins"
_PHP = "8.3"
# These names of WordPress are others than those of the fields.
_NAMES = {"categories": "category", "tags": "post_tag"}
# The repository has a password for the site. A reviewer is to see the page.
_LEFT_OUT = frozenset({FRONT_PAGE, "password"})
_PERMALINKS = "/%postname%/"
# Ids of new records begin so far behind those of the site.
_AHEAD = 1_000


@dataclass(frozen=True, slots=True)
class Playground:
    """A Blueprint as JSON, the paths of the changed pages in it, and the numbers of what it has not.

    `left` are the changed pages without room, and `pictures` the files of more than `small` bytes.
    """

    blueprint: str
    shown: tuple[str, ...]
    left: int = 0
    pictures: int = 0
    longest: int = LONGEST
    small: int = SMALL

    @property
    def address(self) -> str:
        """The address that opens WordPress with these pages."""
        return f"{_SITE}{quote(self.blueprint, safe='')}"


def of_plan(
    workspace: Workspace, revision: Revision, planned: PlannedRun, *, longest: int | None = LONGEST
) -> Playground:
    """Make the Blueprint of a plan whose address has at most `longest` characters; None: of all its pages.

    Whole pages are left out, and a page that cannot be rendered is. Without a page, `shown` is empty.
    """
    changes = [change for change in planned.plan.changes if isinstance(change, Create | Update)]
    first = next((entry.link for entry in planned.entries.values()), "http://localhost")
    home = workspace.settings.site.home or origin_of(first)
    with workspace.reading() as state:
        manifest = state.manifest
        content = workspace.content(revision, manifest=manifest)
        entries = dict(planned.entries)
        last = _last_id(entries, manifest.media) + _AHEAD
        for number, change in enumerate(changes, last):
            desired = change.desired
            entry = entries.get(change.path) or Entry(
                change.path, change.kind, number, desired.slug, "", "", "", desired.blob, "", {}
            )
            link = f"{home}/?p={entry.id}"
            entries[change.path] = structs.replace(entry, link=link, parent_path=desired.parent_path)
        # The terms, people and files that the site does not have get ids too.
        last = max([*manifest.names.values(), _last_id(entries, manifest.media)]) + _AHEAD
        names = {name: number for number, name in enumerate(content.references.names_of(changes), last)}
        media = {
            blob: Medium(blob, path, number, f"{home}/?p={number}")
            for number, (blob, path) in enumerate(
                content.references.files_of(changes).items(), last + len(names)
            )
        }
        content.references.learn(names, media)
        return _Maker(content, home, entries, longest).made(changes)


def _last_id(entries: Mapping[str, Entry], media: Mapping[str, Medium]) -> int:
    return max([0, *(entry.id for entry in entries.values()), *(medium.id for medium in media.values())])


@dataclass(slots=True)
class _Maker:
    """Puts one page after the other into a Blueprint while there is room."""

    content: Content
    home: str
    entries: dict[str, Entry]
    longest: int | None
    records: dict[int, dict[str, Any]] = field(default_factory=dict)
    files: dict[int, dict[str, Any]] = field(default_factory=dict)
    too_large: set[str] = field(default_factory=set)
    front: int = 0

    def made(self, changes: list[Create | Update]) -> Playground:
        shown: list[str] = []
        for change in changes if self.longest is None else changes[:_MOST]:
            pages = self._with_parents(change)
            if pages is None:
                continue
            before = self.records, self.files, self.front
            pictures = {picture["id"]: picture for page in pages for picture in self._pictures(page)}
            self.records, self.files = {**self.records}, {**self.files, **pictures}
            for page in pages:
                number, row = self.entries[page.desired.path].id, _row(page)
                if row["body"].get("featured_media") not in self.files:
                    row["body"].pop("featured_media", None)
                self.front = number if row.pop("front") else self.front
                self.records[number] = {"id": number, **row}
            # A page may be there already, as the parent of another one.
            own = self.entries[change.path].id
            self.records[own] = {**self.records[own], "shown": True}
            if self.longest is not None and len(Playground(self._blueprint(), ()).address) > self.longest:
                self.records, self.files, self.front = before
                continue
            shown.append(change.path)
        return Playground(self._blueprint(), tuple(shown), len(changes) - len(shown), len(self.too_large))

    def _with_parents(self, change: Create | Update) -> list[Prepared] | None:
        """Render a page and the pages above it that are not there yet; None if it cannot be rendered.

        They come from the top. A page above it may be on the site alone.
        """
        pages: dict[str, Prepared] = {}
        path: str | None = change.path
        while path in self.entries and path not in pages:
            if self.entries[path].id in self.records or path not in self.content.sources:
                break
            try:
                page = self.content.read(path, self.entries, check=False).prepared
            except PressyncError:
                break
            if page is None:
                break
            pages[path] = page
            path = page.desired.parent_path
        is_there = self.entries[change.path].id in self.records
        return [*pages.values()][::-1] if pages or is_there else None

    def _pictures(self, page: Prepared) -> Iterator[dict[str, Any]]:
        """Give the files of a page that are small, and not there yet."""
        most = _SMALL_OF_WHOLE if self.longest is None else SMALL
        for link in page.desired.links:
            medium = self.content.references.manifest.media.get(self.content.tree.files.get(link, ""))
            if medium is None or medium.id in self.files:
                continue
            data = self.content.repository.read(medium.blob, UPLOAD)
            if len(data) <= most:
                name, text = posixpath.basename(link), base64.b64encode(data).decode()
                yield {"id": medium.id, "name": name, "data": text}
            else:
                self.too_large.add(link)

    def _blueprint(self) -> str:
        """Write the Blueprint. Only the file of the data has anything of the repository."""
        program = (files("pressync.app") / "static" / "playground.php").read_text(encoding="utf-8")
        # Comments and indentation would take room in the address.
        program = re.sub(r"\n(?:\s+|//[^\n]*(?=\n))+", "\n", program)
        # An address takes these letters as they are.
        packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
        text = json.dumps(self._data(), separators=(",", ":"))
        packed = packer.compress(text.encode()) + packer.flush()
        data = base64.urlsafe_b64encode(packed).decode().rstrip("=")
        shown = (number for number, row in self.records.items() if row["shown"])
        landing = f"/?pressync={next(shown, 0)}"
        steps = [
            {"step": "mkdir", "path": _PLUGINS},
            {"step": "writeFile", "path": f"{_PLUGINS}/pressync.txt", "data": data},
            {"step": "writeFile", "path": f"{_PLUGINS}/pressync.php", "data": program},
            {"step": "runPHP", "code": "<?php require '/wordpress/wp-load.php'; pressync_fill();"},
        ]
        schema = self.content.settings.site_schema
        versions = {"php": _PHP, "wp": (schema and schema.release) or "latest"}
        whole = {"landingPage": landing, "preferredVersions": versions, "login": True, "steps": steps}
        return json.dumps(whole, separators=(",", ":"))

    def _data(self) -> dict[str, Any]:
        schema, entries = self.content.settings.site_schema, self.content.references.manifest.entries
        kinds = {row["type"] for row in self.records.values()}
        types = self.content.settings.types
        rows = {kind: kind.row for kind in types.kinds if kind in kinds}
        used = {(key, number) for row in self.records.values() for key, number in _numbers(row["body"])}
        # People have the names that the files have.
        names = self.content.references.manifest.names
        written = {user: name for name, user in self.content.settings.authors.items()}
        authors = {number: name.text for name, number in names.items() if name.field == "author"}
        ids = sorted(number for key, number in used if key == "author")
        texts = {number: authors.get(number, f"User {number}") for number in ids}
        # A term is the member of a record that has it, the id, the taxonomy, and the name.
        members = {member.name: member for kind in types.kinds for member in kind.row.body if member.taxonomy}
        terms = []
        for name, number in sorted(names.items()):
            member = members.get(name.field)
            if member and member.taxonomy and (member.key, number) in used:
                taxonomy = member.taxonomy.name
                terms.append([member.key, number, _NAMES.get(taxonomy, taxonomy), name.text])
        title = (schema and schema.title) or self.home.partition("://")[2]
        fields = [(kind, field) for kind, row in rows.items() for field in row.body if field.inside == "meta"]
        types_ = {kind: _type(row.route, hierarchical=row.hierarchical) for kind, row in rows.items()}
        meta = [[kind, field.key, dict(field.schema)] for kind, field in fields if field.schema]
        return {
            "home": self.home,
            "title": title,
            "permalinks": shown_permalinks(entries.values(), self.home) or _PERMALINKS,
            "front": self.front,
            "types": types_,
            "taxonomies": _taxonomies(rows),
            "meta": meta,
            "people": {str(number): written.get(text, text) for number, text in texts.items()},
            "terms": terms,
            "files": list(self.files.values()),
            "records": list(self.records.values()),
        }


def _row(prepared: Prepared) -> dict[str, Any]:
    """Make the row of a record: the body that a sync sends for it, and the list that takes it."""
    kind = prepared.desired.kind
    fields: Fields = {**CREATED_WITH, **prepared.fields}
    sent = {
        name: value
        for name, value in fields.items()
        # The fields in `acf` come from a plug-in, and Playground runs without plug-ins.
        if name not in _LEFT_OUT and kind.row.has(name) and kind.row.fields[name].inside != "acf"
    }
    return {
        "type": str(kind),
        "route": kind.row.route,
        "body": stored_by(MOST_CAPABLE.name)(kind, sent),
        "front": fields.get(FRONT_PAGE) is True,
        "shown": False,
    }


def _numbers(body_: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for name, value in body_.items():
        for item in value if isinstance(value, list | tuple) else [value]:
            if type(item) is int:
                yield name, item


def _type(route: str, *, hierarchical: bool) -> dict[str, Any]:
    space, _, base = route.strip("/").rpartition("/")
    return {"rest_namespace": space, "rest_base": base, "hierarchical": hierarchical}


def _taxonomies(rows: Mapping[Kind, KindRow]) -> dict[str, Any]:
    taxonomies: dict[str, Any] = {}
    for kind, row in sorted(rows.items()):
        for member in row.body:
            if member.taxonomy:
                name = _NAMES.get(member.taxonomy.name, member.taxonomy.name)
                made = _type(member.taxonomy.route, hierarchical=member.taxonomy.hierarchical)
                taxonomies.setdefault(name, {**made, "of": []})["of"].append(kind)
    return taxonomies

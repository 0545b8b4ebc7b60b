"""Makes an item of a record of a live WordPress site. Pure.

A visitor's record and an editor's record differ: a visitor gets HTML, and an excerpt that WordPress may have
made of the text. An editor also gets records that nobody else sees. Git keeps a text for ever, so those are
left out unless a person asks for them, and a password is never carried.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pressync.client.wordpress.record import read
from pressync.client.wordpress.titles import unescape
from pressync.html.tree import Element, TooDeepError, parse
from pressync.importers.item import Form, Item, LeftOut, Place, Remainder
from pressync.importers.wordpress_text import carried, without_additions
from pressync.model.interface import Kind
from pressync.model.records import TRASH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.client.port import Term
    from pressync.client.wordpress.whole_site import Row
    from pressync.model.records import Record

_PUBLIC = "publish"
_PROTECTED = "protected"
# A draft has the date of its last change until somebody publishes it.
_UNDATED = frozenset({"draft", "pending"})
_WHY = "only its editors see it, and Git keeps it for ever; `--all-statuses` imports it"
# The beginning of any block of the editor.
BLOCK = "<!-- wp:"
_TAG = re.compile(r"<[^<>]*>")
# WordPress ends an excerpt that it made of the text with one of these.
_MADE = ("[…]", "[...]", "…")
# Themes end it with a link to the text.
_MORE = re.compile(r"<a\b[^<>]*\bmore-link\b.{0,2000}?</a>", re.DOTALL)
# The number of a footnote is not in it.
_FOOTNOTE = re.compile(r"<sup\b[^<>]*\bdata-fn=.{0,500}?</sup>", re.DOTALL)
# A short text is whole in it, except blocks that are not one of these.
_KEPT = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
# The values that a record has if nobody chose another one.
_USUAL: Mapping[str, Mapping[Kind, object]] = {
    "comment_status": {Kind.PAGE: "closed", Kind.POST: "open"},
    "ping_status": {Kind.PAGE: "closed", Kind.POST: "open"},
    "format": {Kind.POST: "standard"},
    "sticky": {Kind.POST: False},
    "template": {Kind.PAGE: "", Kind.POST: ""},
}


@dataclass(frozen=True, slots=True)
class Names:
    """The names that ids stand for on a site, by id; `pictures` are the addresses of featured pictures."""

    categories: Mapping[int, str]
    tags: Mapping[int, str]
    people: Mapping[int, str]
    pictures: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class EditorsRecord:
    """A record as an editor gets it."""

    record: Record

    def item(self, names: Names, *, all_statuses: bool) -> Item | LeftOut:
        """Make the item; a record that is not public is left out unless `all_statuses` is set."""
        record, fields = self.record, self.record.fields
        place, status = Place(record.link), str(fields.get("status", _PUBLIC))
        hidden = _PROTECTED if fields.get("password") else status
        if hidden == TRASH:
            return LeftOut(TRASH, place, "somebody has put it into the trash")
        if hidden != _PUBLIC and not all_statuses:
            return LeftOut(hidden, place, _WHY)
        content = str(fields.get("content", ""))
        body, remainders = carried(content, place)
        item = _item(record.kind, record.id, place, fields, names)
        if hidden == _PROTECTED:
            # Without its password, the text would be public on another site.
            status, item = "private", replace(item, status="private")
            remainders = (*remainders, Remainder("password", place))
        is_shown = status in {_PUBLIC, "private"}
        return replace(
            item,
            address=_address(record.link) if is_shown else "",
            title=str(fields.get("title", "")),
            slug=unquote(record.slug),
            modified=record.modified_gmt and f"{record.modified_gmt}Z",
            status=status,
            excerpt=str(fields.get("excerpt", "")),
            body=body,
            # A text that pressync sent has no paragraphs missing.
            form=Form.BLOCKS if record.classic or BLOCK in content else Form.HTML,
            remainders=remainders,
        )


def stored(kind: Kind, row: Row) -> EditorsRecord:
    """Read a record as an editor gets it.

    :raises BadAnswer: the row is not a record.
    """
    return EditorsRecord(read(kind, row))


def shown(kind: Kind, row: Row, names: Names) -> Item | LeftOut:
    """Make the item of a record as a visitor gets it.

    :raises BadAnswer: the row is not a record.
    """
    record = read(kind, row)
    place = Place(record.link)
    if isinstance(content := row.get("content"), dict) and content.get("protected"):
        return LeftOut(_PROTECTED, place, "it needs a password")
    body, remainders = carried(without_additions(_rendered(row, "content")), place)
    # The text has its footnotes already.
    fields = {name: value for name, value in record.fields.items() if name != "meta"}
    return replace(
        _item(kind, record.id, place, fields, names),
        address=_address(record.link),
        title=unescape(_rendered(row, "title")),
        slug=unquote(record.slug),
        modified=record.modified_gmt and f"{record.modified_gmt}Z",
        excerpt=_excerpt(_rendered(row, "excerpt"), body),
        body=body,
        form=Form.HTML,
        remainders=remainders,
        id=None,
    )


def paths_of(terms: Iterable[Term], *, nested: bool) -> dict[int, str]:
    """Name terms by id; a `nested` one by its path (`News/World`).

    Of two terms with one name, the older has it. The slug stands for a name that has a slash or is taken.
    """
    ordered = sorted(terms, key=lambda term: term.id)
    taken: set[tuple[int, str]] = set()
    parts: dict[int, str] = {}
    for term in ordered:
        above = term.parent if nested else 0
        is_clear = term.name.strip() and not (nested and "/" in term.name)
        key = (above, term.name.casefold())
        parts[term.id] = term.name if is_clear and key not in taken else unquote(term.slug)
        taken.add(key)
    parents = {term.id: term.parent for term in ordered}
    return {number: _path(number, parts, parents) if nested else name for number, name in parts.items()}


def _path(number: int, parts: Mapping[int, str], parents: Mapping[int, int]) -> str:
    line: list[int] = []
    while number in parts and number not in line:
        line.insert(0, number)
        number = parents[number]
    return "/".join(parts[each] for each in line)


def _item(kind: Kind, number: int, place: Place, fields: Mapping[str, Any], names: Names) -> Item:
    """Make an item of the members that editors and visitors get in the same form."""
    further = {
        name: fields[name]
        for name, usual in _USUAL.items()
        if kind in usual and name in fields and fields[name] != usual[kind]
    }
    if picture := names.pictures.get(fields.get("featured_media", 0)):
        further["featured_media"] = picture
    if meta := {name: text for name, text in (fields.get("meta") or {}).items() if text}:
        further["meta"] = meta
    status = fields.get("status", _PUBLIC)
    parent = fields.get("parent", 0)
    return Item(
        key=key_of(kind, number),
        kind=kind,
        place=place,
        date="" if status in _UNDATED else _date(fields.get("date", ""), fields.get("date_gmt", "")),
        author=names.people.get(fields.get("author", 0), ""),
        parent=key_of(Kind.PAGE, parent) if parent and kind is Kind.PAGE else "",
        categories=_named(fields.get("categories", ()), names.categories),
        tags=_named(fields.get("tags", ()), names.tags),
        order=fields.get("menu_order") or None,
        fields=further,
        id=number,
    )


def key_of(kind: Kind, number: int) -> str:
    """Give the key of the item of a record."""
    return f"{kind} {number}"


def _named(ids: Iterable[int], names: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(names[number] for number in ids if number in names)


def _address(link: str) -> str:
    """Give the address of a record from the root of its host."""
    parts = urlsplit(link)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _date(local: str, gmt: str) -> str:
    """Write a date with the offset that the site had then; without a date in GMT, as it is."""
    try:
        minutes = round((datetime.fromisoformat(local) - datetime.fromisoformat(gmt)).total_seconds() / 60)
    except (ValueError, TypeError):
        return local
    sign = "+" if minutes >= 0 else "-"
    return f"{local}{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}" if minutes else f"{local}Z"


def _rendered(row: Row, name: str) -> str:
    member = row.get(name)
    text = member.get("rendered") if isinstance(member, dict) else None
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else ""


def _excerpt(rendered: str, body: str) -> str:
    """Give an excerpt that somebody wrote, as plain text; "" for one that WordPress made of the text."""
    written = _MORE.sub("", rendered)
    text = _plain(written)
    shown = _FOOTNOTE.sub("", body)
    letters = _letters(written)
    is_made = text.endswith(_MADE) or _letters(shown).startswith(letters) or _is_made(letters, shown)
    return "" if is_made else text


def _is_made(letters: str, body: str) -> bool:
    """Tell whether an excerpt is the paragraphs of a text: WordPress leaves out lists, code and buttons."""
    try:
        nodes = parse(body)
    except TooDeepError:
        return False
    for node in nodes:
        is_kept = isinstance(node, Element) and node.name in _KEPT
        written = body[node.start : node.end]
        for part in map(_letters, (written,) if is_kept else _TAG.split(written)):
            if letters.startswith(part):
                letters = letters[len(part) :]
            elif is_kept:
                return False
    return not letters


def _letters(text: str) -> str:
    return "".join(html.unescape(_TAG.sub("", text)).split())


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())

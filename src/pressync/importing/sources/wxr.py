"""Imports exports of WordPress: one file, or a folder with the parts of one export, in bounded memory.

An export has the text of the database and everything else that WordPress keeps in the table of posts. The
pictures are read first, because a gallery names them by their ids and often stands before them.
"""

from __future__ import annotations

import datetime as dt
import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.client.terms import DEEPEST_TERM
from pressync.importing.importers import Importer
from pressync.importing.sources.item import (
    NOT_CARRIED,
    Form,
    Item,
    LeftOut,
    Note,
    Origin,
    OwnFacts,
    Place,
    Remainder,
    or_left_out,
)
from pressync.importing.sources.links import Uploads
from pressync.importing.sources.source_tree import SourceTree
from pressync.importing.sources.wordpress_record import GalleryPictures, Picture, carried, plain_title
from pressync.importing.sources.wxr_fields import FieldRows, number_of
from pressync.importing.sources.wxr_file import WxrFile, XmlElement, exports
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind, SiteTypes
from pressync.model.web_address import origin_of, split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.config.settings import Settings
    from pressync.importing.sources.item import ImportSource, Items, OwnSite


_USUAL_COMMENTS = {Kind.PAGE: "closed"}


def _chosen(element: XmlElement, kind: Kind) -> Iterator[tuple[str, str | bool]]:
    """Give the fields that differ from what WordPress does by itself."""
    if element.value("is_sticky") == "1":
        yield "sticky", True
    for key in ("comment_status", "ping_status"):
        value, usual = element.value(key), _USUAL_COMMENTS.get(kind, "open")
        if kind.row.has(key) and value in {"open", "closed"} and value != usual:
            yield key, value


def _texts(element: XmlElement) -> tuple[str, str]:
    """Give the text and the excerpt of a record, whose elements have one name in two spaces."""
    texts = [("excerpt" in each.space, each.text) for each in element.all("encoded")]
    body, excerpt = ("".join(text for of, text in texts if of is wanted) for wanted in (False, True))
    return body, excerpt.strip()


def moment(element: XmlElement) -> str:
    """Give the moment of publication with the site's offset; a draft without a moment has no date."""
    local, gmt = element.value("post_date").strip(), element.value("post_date_gmt").strip()
    try:
        here = dt.datetime.fromisoformat(local)
    except ValueError:
        here = None
    try:
        there = dt.datetime.fromisoformat(gmt)
    except ValueError:
        there = None
    if there is None:
        return here.isoformat() if here and element.value("status") not in {"draft", "pending"} else ""
    ahead = here - there if here else dt.timedelta(0)
    if not ahead or abs(ahead) > dt.timedelta(hours=14) or ahead.seconds % 60:
        return f"{there.isoformat()}Z"
    zone = dt.timezone(ahead)
    return there.replace(tzinfo=dt.UTC).astimezone(zone).isoformat()


def address_of(link: str) -> str:
    """Give an address from the root of the host; "" for one that only its id tells apart, as a draft has."""
    parts = split(link.strip())
    return unquote(parts.path) if parts and parts.path and not parts.query else ""


def name_of(text: str) -> str:
    """Give a name as people read it: WordPress stores the names of terms as HTML."""
    return " ".join(html.unescape(text).split())


# Things that WordPress has in its table of posts, in the words of the account.
_PATTERN = "wp_block"
_TYPES = {"nav_menu_item": "menu item", "revision": "revision", _PATTERN: "reusable block"}
# A pattern with texts of its own in each place has further braces, and stays.
_SHOWN = re.compile(r'<!--\s{1,9}wp:(?:core/)?block\s{1,9}\{"ref":(\d{1,18})\}\s{0,9}/-->')
_DEEPEST = 5
_LONGEST = 2_000_000
_STATUSES = ("publish", "future", "draft", "pending", "private")
_NO_TERM = ""
_TOO_DEEP = f"{{}} (below more than {DEEPEST_TERM} others)"
_CATEGORY = "category"
_ALTERNATIVE = "_wp_attachment_image_alt"
# Terms of these taxonomies become fields; those of any other are named in the account.
_FIELDS = {"category": "categories", "post_tag": "tags"}


def recognises(source: ImportSource) -> bool:
    """Whether it is an export, or a folder with exports and nothing else that pressync reads."""
    return source.path is not None and bool(exports(source.path))


def items(source: ImportSource) -> Items:
    """Give the pages and posts of an export, and everything else of it as left out.

    :raises ConfigError: it cannot be read; the error has the line.
    """
    files = exports(source.path) if source.path else []
    if not files:
        raise ConfigError("it is not an export of WordPress", where=source.given, todo="name its .xml file")
    known = _Known()
    for file in files:
        for element in WxrFile(file, lenient=source.lenient).elements():
            known.learn(element)
    yield Origin(known.address)
    if source.path and source.path.is_dir():
        yield from (each for each in SourceTree(source.path).links() if each.place.path.endswith(".xml"))
    yield (uploads := Uploads(source.media, origin_of(known.address), known.pictures.values()))
    own = source.own if source.own is not None and source.own.is_exported_from(known.address) else None
    if own is not None:
        yield OwnFacts(copied=uploads.path_of if source.media else None)
    if own is not None:
        known.patterns.clear()  # The own site has them.
    export = _Export(known, source.types, all_statuses=source.all_statuses)
    found = (each for file in files for each in export.of(WxrFile(file, lenient=source.lenient)))
    yield from _with_known_files(own, source.settings, found)
    yield from export.rows.notes()


def _with_known_files(own: OwnSite | None, settings: Settings | None, found: Items) -> Items:
    """Give items with a record their files, and let those files stay that somebody has edited."""
    known = own.known() if own is not None and settings is not None else {}
    edited: list[str] = []
    for each in found:
        file = known.get((each.kind, each.id or 0)) if isinstance(each, Item) else None
        if isinstance(each, Item) and file is not None and settings is not None:
            edited += [file.path] if file.is_edited else []
            yield file.of(each, settings.content, is_current=file.is_edited)
        else:
            yield each
    if edited:
        what = f"Edited since the last sync: {len(edited)}, such as {min(edited)}"
        yield Note(f"{what}. The files stay as they are.")


@dataclass(slots=True)
class _Known:
    """The facts of a site that all files of its export tell: its address, pictures, terms and names."""

    address: str = ""
    pictures: dict[int, str] = field(default_factory=dict)
    library: GalleryPictures = field(default_factory=lambda: GalleryPictures({}, {}))
    terms: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    display_names: dict[str, str] = field(default_factory=dict)
    patterns: dict[int, str] = field(default_factory=dict)

    def learn(self, element: XmlElement) -> None:
        match element.name:
            case "base_blog_url" | "link" if element.text.strip():
                # The first address may be the network's; that of the blog comes after it.
                if element.name == "base_blog_url" or not self.address:
                    self.address = element.text.strip()
            case "category":
                slug, parent = element.value("category_nicename"), element.value("category_parent")
                self.terms.setdefault(_CATEGORY, {})[slug] = (name_of(element.value("cat_name")), parent)
            case "term":
                slug, parent = element.value("term_slug"), element.value("term_parent")
                known = self.terms.setdefault(element.value("term_taxonomy"), {})
                known[slug] = (name_of(element.value("term_name")), parent)
            case "author":
                self.display_names[element.value("author_login")] = element.value("author_display_name")
            case "item" if element.value("post_type") == _PATTERN:
                self.patterns.setdefault(number_of(element.value("post_id")), _texts(element)[0])
            case "item" if element.value("post_type") == "attachment":
                if number := number_of(element.value("post_id")):
                    address = self.pictures.setdefault(number, element.value("attachment_url"))
                    order, rows = number_of(element.value("menu_order")), element.all("postmeta")
                    said = next(
                        (x.value("meta_value") for x in rows if x.value("meta_key") == _ALTERNATIVE), ""
                    )
                    picture = Picture(address, said.strip(), _texts(element)[1])
                    self.library.add(number, picture, number_of(element.value("post_parent")), order)

    def path(self, taxonomy: str, slug: str, name: str) -> str | None:
        """Give the path of a term by its parents; None below more than `DEEPEST_TERM` others."""
        parts: list[str] = []
        seen, terms = {_NO_TERM}, self.terms.get(taxonomy, {})
        while slug not in seen and slug in terms:
            if len(parts) > DEEPEST_TERM:
                return None
            seen.add(slug)
            text, above = terms[slug]
            # A slash separates the parts of a path. A sync finds a term by its slug as well.
            parts.append(unquote(slug) if "/" in text else text)
            slug = above
        return "/".join(reversed(parts)) or name.replace("/", " ")

    def with_patterns(self, text: str) -> str:
        """Put the texts of synced patterns in: another site does not have them, and would show nothing."""
        for _ in range(_DEEPEST):
            made = _SHOWN.sub(lambda found: self.patterns.get(int(found[1]), found[0]), text)
            if made == text or len(made) > _LONGEST:
                break
            text = made
        return text

    def author(self, login: str) -> str:
        """Give the login of an author, but never an e-mail address: then it is the name that readers see."""
        if "@" not in login:
            return login
        name = self.display_names.get(login, "")
        return name if name and "@" not in name else login.partition("@")[0]


class _Export:
    """Turns the elements of all files into items, each record once."""

    def __init__(self, known: _Known, types: SiteTypes, *, all_statuses: bool) -> None:
        self._known, self._types = known, types
        self._all_statuses = all_statuses
        self._seen: dict[int, tuple[str, ...]] = {}
        self.rows = FieldRows(known.pictures)

    def of(self, file: WxrFile) -> Items:
        for element in file.elements():
            if element.name == "item":
                yield from self._things(element, file.name)
        for line, why in file.left_out:
            yield LeftOut("item that cannot be read", Place(file.name, line), why)
        if file.removed:
            count = "1 character" if file.removed == 1 else f"{file.removed} characters"
            place = Place(file.name, file.first_removed)
            yield Note(f"{place}: from this line on, {count} that XML forbids were removed")

    def _things(self, element: XmlElement, name: str) -> Items:
        """Give the item of a record, or say why it is left out; and each comment, which is left out too."""
        place, number = Place(name, element.line), number_of(element.value("post_id"))
        kind = element.value("post_type")
        for comment in element.all("comment"):
            yield LeftOut("comment", Place(name, comment.line), "pressync carries no comments")
        if kind == "attachment":
            return
        own = (kind, *(element.value(name) for name in ("link", "post_name", "title")))
        if self._seen.get(number) == own:
            yield LeftOut("second copy", place, f"an earlier file of the export has record {number}, too")
            return
        # Other tools write exports without ids, or with one id for several records.
        number = 0 if number in self._seen else number
        self._seen |= {number: own} if number else {}
        address = address_of(element.value("link"))
        if kind not in self._types.by_name:
            what = _TYPES.get(kind, f"type {kind}")
            is_shown = kind == _PATTERN and number in self._known.patterns
            why_not = "each text that shows it has its text now" if is_shown else NOT_CARRIED
            yield LeftOut(what, place, why_not, address)
        elif why := self._private(element):
            yield LeftOut(why[0], place, why[1], "")
        else:
            yield or_left_out(place, self._item, element, self._types.kind(kind), place, number)

    def _private(self, element: XmlElement) -> tuple[str, str] | None:
        """Say why a record is not for everybody; None if it is, or if everything is wanted."""
        status = element.value("status")
        if status not in _STATUSES:
            return status or "no status", "it is not a page that the site shows or will show"
        wanted = "`--all-statuses` imports it; what Git has, it has for ever"
        if self._all_statuses:
            return None
        if status != "publish":
            return status, wanted
        return ("protected", wanted) if element.value("post_password") else None

    def _item(self, element: XmlElement, kind: Kind, place: Place, number: int) -> Item:
        terms, unfit = self._terms(element, kind, place)
        address = address_of(element.value("link"))
        is_protected = bool(element.value("post_password"))
        # A draft has only the local time of its last change, and old exports have none.
        gmt, local = (element.value(name).strip() for name in ("post_modified_gmt", "post_modified"))
        rows: dict[str, list[str]] = {}
        for each in element.all("postmeta"):
            rows.setdefault(each.value("meta_key"), []).append(each.value("meta_value"))
        fields, unread = self.rows.read(rows, dict(_chosen(element, kind)), kind, place)
        if "post_format" in terms:
            fields["format"] = terms["post_format"][0].removeprefix("post-format-")
        fields |= {name: list(terms[name]) for name in self._types.taxonomies if name in terms}
        raw, excerpt = _texts(element)
        raw = self._known.with_patterns(raw)
        body, left = carried(raw, place, self._known.library, number)
        title, marked = plain_title(element.value("title"), place)
        if is_protected:
            unfit.append(Remainder("password", place, "the file is private, and has no password"))
        above = address.rstrip("/").rpartition("/")[0]
        former = (f"{above}/{unquote(slug)}/" for slug in rows.get("_wp_old_slug", ()) if address and slug)
        return Item(
            key=str(number or place),
            kind=kind,
            place=place,
            address=address,
            aliases=tuple(former),
            title=title,
            slug=unquote(element.value("post_name")),
            date=moment(element),
            modified=local if gmt.startswith("0000") else gmt,
            status="private" if is_protected else element.value("status"),
            excerpt=excerpt,
            author=self._known.author(element.value("creator")),
            parent=str(number_of(element.value("post_parent")) or ""),
            categories=terms.get(_CATEGORY, ()),
            tags=terms.get("post_tag", ()),
            order=number_of(element.value("menu_order")) or None,
            fields=fields,
            body=body,
            form=Form.BLOCKS,
            remainders=(*left, *unread, *unfit, *marked),
            id=number or None,
        )

    def _terms(
        self, element: XmlElement, kind: Kind, place: Place
    ) -> tuple[dict[str, tuple[str, ...]], list[Remainder]]:
        """Give the terms by taxonomy, and those of taxonomies that a record of the kind does not have."""
        fields = {field.name for field in kind.row.body if field.taxonomy}
        known: dict[str, list[str]] = {}
        others: dict[str, list[str]] = {}
        for each in element.all("category"):
            domain, slug = each.attributes.get("domain", "category"), each.attributes.get("nicename", "")
            text = slug if domain == "post_format" else name_of(each.text)
            name = _FIELDS.get(domain, domain)
            taxonomy = self._types.taxonomies.get(name)
            if taxonomy and taxonomy.hierarchical:
                path = self._known.path(domain, slug, text)
                domain, text = (_TOO_DEEP.format(domain), text) if path is None else (domain, path)
            is_known = domain in _FIELDS or domain in fields or domain == "post_format"
            (known if is_known else others).setdefault(domain, []).append(text)
        # Co-Authors Plus keeps all authors of a record as terms.
        further = [text for text in others.pop("author", ()) if text != element.value("creator")]
        unfit = [Remainder(f"taxonomy {name}", place, ", ".join(texts)) for name, texts in others.items()]
        unfit += [Remainder("further author", place, ", ".join(further))] if further else []
        return {domain: tuple(dict.fromkeys(texts)) for domain, texts in known.items()}, unfit


IMPORTER = Importer(recognises, items)

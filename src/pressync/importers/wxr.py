"""Imports exports of WordPress: one file, or a folder with the parts of one export.

An export has the text of the database, not the text that readers see. It also has everything else that
WordPress keeps in the table of posts: pictures, revisions, menus, blocks. The pictures are read first,
because a gallery names them by their ids and often stands before them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pressync.client.wordpress.titles import unescape
from pressync.content.sources import below
from pressync.importers.item import Form, Item, LeftOut, Note, Origin, Place
from pressync.importers.media import Uploads
from pressync.importers.source_tree import SourceTree
from pressync.importers.wordpress_text import carried
from pressync.importers.wxr_file import WxrFile
from pressync.importers.wxr_values import (
    address_of,
    former_address,
    further_fields,
    modified,
    moment,
    name_of,
    number_of,
    old_slugs,
    unfit,
)
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.importers.item import ImportSource, Items
    from pressync.importers.wxr_file import XmlElement

SIGN = "an .xml file that WordPress exported"
_SIGNATURE = b"wordpress.org/export/"
_HEAD = 64 * 1024
# Things that WordPress has in its table of posts, in the words of the account.
_TYPES = {"nav_menu_item": "menu item", "revision": "revision", "wp_block": "reusable block"}
_STATUSES = ("publish", "future", "draft", "pending", "private")
_NO_TERM = ""
# Terms of these taxonomies become fields; those of any other are named in the account.
_FIELDS = {"category": "categories", "post_tag": "tags"}


def recognises(source: ImportSource) -> bool:
    """Whether it is an export, or a folder with exports and nothing else that pressync reads."""
    return source.path is not None and bool(_exports(source.path))


def items(source: ImportSource) -> Items:
    """Give the pages and posts of an export, and everything else of it as left out.

    :raises ConfigError: it cannot be read; the error has the line.
    """
    files = _exports(source.path) if source.path else []
    if not files:
        raise ConfigError("it is not an export of WordPress", where=source.given, todo="name its .xml file")
    known = _Known()
    for file in files:
        for element in WxrFile(file, file.name).elements():
            known.learn(element)
    yield Origin(known.address)
    if source.path and source.path.is_dir():
        yield from (each for each in SourceTree(source.path).links() if each.place.path.endswith(".xml"))
    parts = urlsplit(known.address)
    yield (uploads := Uploads(source.media, f"{parts.scheme}://{parts.netloc}"))
    if source.own is not None and source.own.is_exported_from(known.address):
        source.own.is_source = True
        source.own.uploads = uploads if source.media else None
    export = _Export(known, all_statuses=source.all_statuses)
    found = (each for file in files for each in export.of(WxrFile(file, file.name), file.name))
    yield from _with_known_files(source, found)


def _with_known_files(source: ImportSource, found: Items) -> Items:
    """Give items with a record their files, and let those files stay that somebody has edited."""
    own, settings = source.own, source.settings
    known = own.known() if own is not None and own.is_source and settings is not None else {}
    edited: list[str] = []
    for each in found:
        file = known.get((each.kind, each.id or 0)) if isinstance(each, Item) else None
        if isinstance(each, Item) and file is not None and settings is not None:
            edited += [file.path] if file.is_edited else []
            path = below(file.path, settings.content)
            yield replace(each, path=path, is_current=file.is_edited, is_unsent=file.is_unsent)
        else:
            yield each
    if edited:
        told = (
            f"Edited since the last sync: {len(edited)}, such as {min(edited)}. The files stay as they are."
        )
        yield Note(told)


def _exports(path: Path) -> list[Path]:
    if path.is_dir():
        tree = SourceTree(path)
        files = [file for file in sorted(path.glob("*.xml")) if tree.is_file(file.name)]
    else:
        files = [path]
    return [file for file in files if file.is_file() and _is_export(file)]


def _is_export(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return _SIGNATURE in opened.read(_HEAD)
    except OSError:
        return False


@dataclass(slots=True)
class _Known:
    """The facts of a site that all files of its export tell: its address, pictures, terms and names."""

    address: str = ""
    pictures: dict[int, str] = field(default_factory=dict)
    categories: dict[str, tuple[str, str]] = field(default_factory=dict)
    display_names: dict[str, str] = field(default_factory=dict)

    def learn(self, element: XmlElement) -> None:
        """Learn from one element of the channel."""
        match element.name:
            case "base_blog_url" | "link" if element.text.strip():
                # The first address may be the network's; that of the blog comes after it.
                if element.name == "base_blog_url" or not self.address:
                    self.address = element.text.strip()
            case "category":
                slug, parent = element.value("category_nicename"), element.value("category_parent")
                self.categories[slug] = (name_of(element.value("cat_name")), parent)
            case "author":
                self.display_names[element.value("author_login")] = element.value("author_display_name")
            case "item" if element.value("post_type") == "attachment":
                self.pictures[number_of(element.value("post_id"))] = element.value("attachment_url")

    def category(self, slug: str, name: str) -> str:
        """Give the path of a category by its parents."""
        parts: list[str] = []
        seen = {_NO_TERM}
        while slug not in seen and slug in self.categories:
            seen.add(slug)
            text, above = self.categories[slug]
            # A slash separates the parts of a path. A sync finds a term by its slug as well.
            parts.insert(0, unquote(slug) if "/" in text else text)
            slug = above
        return "/".join(parts) or name.replace("/", " ")

    def author(self, login: str) -> str:
        """Give the login of an author, but never an e-mail address: then it is the name that readers see."""
        if "@" not in login:
            return login
        name = self.display_names.get(login, "")
        return name if name and "@" not in name else login.partition("@")[0]


class _Export:
    """Turns the elements of all files into items, each record once."""

    def __init__(self, known: _Known, *, all_statuses: bool) -> None:
        self._known = known
        self._all_statuses = all_statuses
        self._seen: set[int] = set()

    def of(self, file: WxrFile, name: str) -> Items:
        """Give the items of one file."""
        for element in file.elements():
            if element.name == "item":
                yield from self._things(element, name)
        if file.removed:
            count = "1 character" if file.removed == 1 else f"{file.removed} characters"
            place = Place(name, file.first_removed)
            yield Note(f"{place}: from this line on, {count} that XML forbids were removed")

    def _things(self, element: XmlElement, name: str) -> Items:
        """Give the item of a record, or say why it is left out; and each comment, which is left out too."""
        place, number = Place(name, element.line), number_of(element.value("post_id"))
        kind = element.value("post_type")
        for comment in element.all("comment"):
            yield LeftOut("comment", Place(name, comment.line), "pressync carries no comments")
        if kind == "attachment":
            return
        if number in self._seen:
            yield LeftOut("second copy", place, f"an earlier file of the export has record {number}, too")
            return
        self._seen.add(number)
        address = address_of(element.value("link"))
        if kind not in {each.value for each in Kind}:
            what = _TYPES.get(kind, f"type {kind}")
            yield LeftOut(what, place, "pressync carries pages and posts", address)
        elif why := self._private(element):
            yield LeftOut(why[0], place, why[1], "")
        else:
            yield self._item(element, Kind(kind), place, number)

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
        meta = {each.value("meta_key"): each.value("meta_value") for each in element.all("postmeta")}
        terms, others = self._terms(element)
        address = address_of(element.value("link"))
        slug = unquote(element.value("post_name"))
        is_protected = bool(element.value("post_password"))
        fields = further_fields(element, kind, meta, self._known.pictures)
        if "post_format" in terms:
            fields["format"] = terms["post_format"][0].removeprefix("post-format-")
        raw = "".join(each.text for each in element.all("encoded") if "excerpt" not in each.space)
        body, left = carried(raw, place, self._known.pictures)
        excerpt = "".join(each.text for each in element.all("encoded") if "excerpt" in each.space)
        return Item(
            key=str(number),
            kind=kind,
            place=place,
            address=address,
            aliases=tuple(former_address(address, each) for each in old_slugs(element) if address),
            title=unescape(element.value("title")),
            slug=slug,
            date=moment(element),
            modified=modified(element),
            status="private" if is_protected else element.value("status"),
            excerpt=excerpt.strip(),
            author=self._known.author(element.value("creator")),
            parent=str(number_of(element.value("post_parent")) or ""),
            categories=terms.get("category", ()),
            tags=terms.get("post_tag", ()),
            order=number_of(element.value("menu_order")) or None,
            fields=fields,
            body=body,
            form=Form.BLOCKS,
            remainders=(*left, *unfit(others, place, is_protected=is_protected)),
            id=number,
        )

    def _terms(self, element: XmlElement) -> tuple[dict[str, tuple[str, ...]], dict[str, list[str]]]:
        """Give the terms by taxonomy, and those of taxonomies that pressync does not have."""
        known: dict[str, list[str]] = {}
        others: dict[str, list[str]] = {}
        for each in element.all("category"):
            domain, slug = each.attributes.get("domain", "category"), each.attributes.get("nicename", "")
            match domain:
                case "category":
                    text = self._known.category(slug, name_of(each.text))
                case "post_format":
                    text = slug
                case _:
                    text = name_of(each.text)
            (known if domain in {*_FIELDS, "post_format"} else others).setdefault(domain, []).append(text)
        return {domain: tuple(dict.fromkeys(texts)) for domain, texts in known.items()}, others

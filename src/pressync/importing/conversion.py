"""Makes the file of an item: short front matter, and the body as Markdown with links to other files.

Each piece of an HTML body becomes the Markdown that renders to it, or stays HTML, because Markdown accepts
HTML as it is. The whole is rendered and compared, because pieces can run together. If it differs, each piece
is tried by itself. If it differs then, every piece stays HTML, and if that differs too, the body stays as it
was. A stranger's body may have a million pieces, so there are limits.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping  # noqa: TC003 - `msgspec` looks up the types of a file when it reads it back
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pressync.config.settings import NO_FORMS, MarkdownForms
from pressync.content import foreign_syntax
from pressync.content.documents import name_and_date
from pressync.content.front_matter.formats import YAML, Bare, Lines, fenced
from pressync.content.front_matter.registered import uploads, with_paths
from pressync.content.front_matter.value import read_date
from pressync.content.render.markdown import to_html, with_alert_titles, with_places
from pressync.content.sources import below
from pressync.html.paragraphs import paragraphs
from pressync.html.pieces import Forms, cut, is_footnotes
from pressync.html.shortcodes import unescape_shortcodes
from pressync.html.to_markdown import LONGEST, raw
from pressync.html.tree import Element, TooDeepError, parse
from pressync.importing.selection import plain_slug
from pressync.importing.sources.heading_ids import with_ids, without_taken_ids
from pressync.importing.sources.item import Form, Item, Remainder
from pressync.importing.sources.links import rewritten
from pressync.importing.sources.markdown import with_definitions
from pressync.importing.sources.source_tree import iso
from pressync.model.errors import Code
from pressync.model.fingerprint import with_line_feeds
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.pull.compose import BodyFormat, MarkdownWriter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pressync.html.pieces import Piece
    from pressync.importing.sources.links import LinkTargets
    from pressync.pull.compose import NormalizedPiece


_BLOCK = re.compile(r"<!--\s+wp:(?:core/)?([a-z][a-z0-9_/-]*)")
# WordPress cuts the text at these marks, and shows no paragraph for them.
_ALONE = re.compile(r"<p>\s*(<!--(?:more\b.{0,200}?|nextpage)-->)\s*</p>")
# A shortcode, and a line in it that begins with blanks, or has several of them in a row.
_SHORTCODE = re.compile(r"\[([a-z][\w-]{0,60})(?:\s[^\[\]<>\n]{0,500})?\](?!\()", re.IGNORECASE | re.ASCII)
_CLOSING = re.compile(r"\[/([a-z][\w-]{0,60})\]", re.IGNORECASE | re.ASCII)
_BLANKS = re.compile(r"\n[ \t]+[^\s<]|\S[ \t]{2,}[^\s<]|\t")
_WHOLE = "body"
# A body with more tags or pieces stays HTML as a whole. Each comparison takes 10 µs for a tag and 45 µs for a
# piece, and a body can need four of them.
MOST_TAGS = 50_000
MOST_PIECES = 20_000
# So many pieces are rendered one by one, each in 200 µs, if their group does not render to itself.
MOST_TRIED = 5_000
_GROUP = 50
_SHOWN = 80
# The end of a tag whose start has a name.
_END_TAG = re.compile(r"\{\{[<%]\s*/|\{%-?\s*end")
# What the dialect of Obsidian reads.
_OF_DIALECT = (Code.WIKILINK, Code.EMBED, Code.PERCENT_COMMENT, Code.CALLOUT, Code.HASHTAG)


@dataclass(frozen=True, slots=True)
class MarkdownBody:
    """A body as Markdown; `kept` names each piece in it that stays HTML, like `block gallery` or `table`."""

    text: str
    kept: tuple[str, ...] = ()


def as_html(text: str, form: Form) -> str:
    """Give the HTML of a body: WordPress adds the paragraphs of its classic editor when it shows a text."""
    if form is not Form.BLOCKS or _BLOCK.search(text):
        return text
    return _ALONE.sub(r"\1", paragraphs(text))


def as_markdown(html: str, *, captions: bool = False, embeds: bool = False) -> MarkdownBody:
    """Write the HTML of a body as Markdown; with `captions` the caption of a picture becomes its title.

    With `embeds` the bare address of a provider is a player. A block with one stays a block, with its shape.
    """
    html = unescape_shortcodes(str(with_line_feeds(html)))
    whole = MarkdownBody(_ended(raw(html)), (_WHOLE,))
    if len(html) > LONGEST or html.count("<") > MOST_TAGS:
        return whole
    try:
        pieces = _with_shortcodes(cut(parse(html), Forms(captions=captions)), html)
    except TooDeepError:
        return whole
    if len(pieces) > MOST_PIECES:
        return whole
    body = _Body(html, pieces, captions=captions, embeds=embeds)
    return body.in_usual_style() or body.by_piece() or body.with_html() or whole


def _with_shortcodes(pieces: Sequence[Piece], html: str) -> Sequence[Piece]:
    """Let the pieces of a shortcode stay HTML that has a text over lines with blanks.

    Markdown drops blanks, and only the plugin of the shortcode knows what they mean.
    """
    spans = list(_enclosed(html)) if "[/" in html else []
    if not spans:
        return pieces
    ends = [end for _, end in spans]

    def is_inside(piece: Piece) -> bool:
        first = bisect_right(ends, piece.start)
        return first < len(spans) and spans[first][0] < piece.end

    return [replace(piece, opaque=piece.opaque or is_inside(piece)) for piece in pieces]


def _enclosed(html: str) -> Iterator[tuple[int, int]]:
    """Give the start and the end of each such shortcode. Linear in the length of the text."""
    here, last = 0, {found[1].lower(): found.start() for found in _CLOSING.finditer(html)}
    for found in _SHORTCODE.finditer(html):
        name = found[1].lower()
        if found.start() < here or last.get(name, -1) < found.end():
            continue
        closing = re.compile(rf"\[/{name}\]", re.IGNORECASE).search(html, found.end())
        here = closing.end() if closing else len(html)
        if _BLANKS.search(html, found.end(), here):
            yield found.start(), here


class _Body:
    """The pieces of one body."""

    def __init__(self, html: str, pieces: Sequence[Piece], *, captions: bool, embeds: bool) -> None:
        forms = NO_FORMS._replace(embeds=embeds)
        rendered = BodyFormat(
            lambda body: with_places(body, forms), str, Forms(captions=captions), keeps_captions=captions
        )
        self._writer = MarkdownWriter("", "", rendered)
        # Markdown has the footnotes at the end, wherever they are written.
        ordered = sorted(pieces, key=is_footnotes)
        self._pieces = self._writer.normalize(ordered, html)

    def in_usual_style(self) -> MarkdownBody | None:
        """Write all pieces with few escapes, which is right for nearly every body."""
        return self._checked(self._pieces, [self._writer.in_usual_style(piece) for piece in self._pieces])

    def by_piece(self) -> MarkdownBody | None:
        """Write each piece as Markdown if that is possible, else as HTML; of many, a group at once."""
        written: list[str | None] = []
        left = MOST_TRIED
        for start in range(0, len(self._pieces), _GROUP):
            group = self._pieces[start : start + _GROUP]
            usual = [self._writer.in_usual_style(piece) for piece in group]
            if len(self._pieces) <= _GROUP or not self._checked(group, usual):
                usual = [self._writer.as_markdown(piece) for piece in group[:left]]
                usual += [None] * (len(group) - len(usual))
                left = max(0, left - len(group))
            written += usual
        return self._checked(self._pieces, written)

    def with_html(self) -> MarkdownBody | None:
        return self._checked(self._pieces, [None] * len(self._pieces))

    def _checked(
        self, pieces: Sequence[NormalizedPiece], written: Sequence[str | None]
    ) -> MarkdownBody | None:
        """Join pieces; None if they do not render to themselves. A piece that is not written stays HTML."""
        text = _ended(self._writer.write(pieces, written))
        if self._writer.rendered(text) != [piece.canonical for piece in pieces]:
            return None
        kept = (_name(piece) for piece, text in zip(pieces, written, strict=True) if text is None)
        return MarkdownBody(text, tuple(kept))


def _name(piece: NormalizedPiece) -> str:
    """Name a piece for the account: by its block, else by its element."""
    if found := _BLOCK.match(piece.source):
        return f"block {found[1]}"
    first = piece.nodes[0] if piece.nodes else None
    return first.name if isinstance(first, Element) else "html"


def _ended(text: str) -> str:
    return f"{text}\n" if text else ""


def front_matter(
    item: Item,
    inner: str,
    types: SiteTypes = DOCUMENTED_TYPES,
    *,
    parent: str | int | None,
    now: str | None,
) -> str:
    """Write the front matter of an item whose path below the content folder is `inner`.

    `parent` is what the folders do not say. The old addresses become redirects unless they are `now`, the
    new address, which is "" if it is not certain. With None, the item stays at its address.
    """
    values: dict[str, Any] = {"title": " ".join(item.title.split())}
    if types.folders.get(inner.partition("/")[0]) != item.kind:
        values["type"] = str(item.kind)
    name, named_date = name_and_date(inner, item.kind, types)
    own = "-".join(name.lower().split())
    # WordPress leaves these signs out of a slug, and a sync would say so of each file.
    given = unquote(item.slug)
    # A slug like `..` is not a name, neither of a file nor in an address.
    given = given if any(map(str.isalnum, given)) and "/" not in given else ""
    slug = given or plain_slug(own)
    if slug and slug != own:
        values["slug"] = slug
    if iso(item.date) and read_date(item.date) != (named_date, False):
        values["date"] = Bare(item.date.strip())
    values |= {
        "status": "" if item.status == "publish" else item.status,
        "author": item.author,
        "excerpt": item.excerpt,
        "parent": parent,
        "menu_order": item.order or None,
        "categories": list(item.categories),
        "tags": list(item.tags),
        "aliases": list(item.aliases) if now is None else _aliases(item, now),
    }
    shown = {key: value for key, value in values.items() if value is not None and value not in ("", [])}
    return fenced(YAML, {"title": "", **shown, **_in_objects(item)})


def _in_objects(item: Item) -> dict[str, Any]:
    """Give the further fields; registered ones are members of `meta` and `acf`, with a line for each."""
    found: dict[str, Any] = {}
    for name, value in item.fields.items():
        field = item.kind.row.fields.get(name)
        if field and field.inside:
            found.setdefault(field.inside, Lines())[field.key] = value
        else:
            found[name] = value
    return found


def _aliases(item: Item, now: str) -> list[str]:
    """Give the old addresses that are not certainly the new one."""
    old = dict.fromkeys(filter(None, (item.address, *item.aliases)))
    return [
        address
        for address in old
        if "?" not in address and f"{address.rstrip('/')}/".casefold() != now.casefold()
    ]


@dataclass(frozen=True, slots=True)
class FinishedFile:
    """A file that can be written: its item without the body, its path and its content.

    `kept` are the kinds of HTML in it. `media` are the addresses of its pictures that have no file here. It
    `shows_tags` if a remainder stands in the text as the other tool writes it.
    """

    item: Item
    path: str
    data: bytes
    kept: tuple[str, ...]
    media: tuple[str, ...] = ()
    shows_tags: bool = False


@dataclass(frozen=True, slots=True)
class Conversion:
    """Makes files below the folder `content`. `targets` has the path of each item.

    `parents` are those that front matter must name, by the key of the item. `addresses` are the new addresses
    that are certain; it is None if each item stays at its address. `forms` are those that the site turns on.
    `linked` are the ids to which some text links.
    """

    content: str
    targets: LinkTargets
    parents: Mapping[str, str | int]
    addresses: Mapping[str, str] | None
    captions: bool
    types: SiteTypes = DOCUMENTED_TYPES
    forms: MarkdownForms = NO_FORMS
    linked: Collection[str] = ()

    def file(self, item: Item) -> FinishedFile:
        """Make the file of one item."""
        path = self.targets.by_key[item.key]
        html = as_html(item.body, item.form)
        link, stays = partial(self.targets.link_from_root, item), partial(self.targets.stays, item)
        linked = rewritten(html, item.form, link, stays)
        linked = self.targets.without_keys(item, linked)
        if item.form is Form.MARKDOWN:
            text = with_ids(with_definitions(linked), item.heading_ids, self.linked, self.forms)
            body = MarkdownBody(text)
        else:
            body = as_markdown(linked, captions=self.captions, embeds=self.forms.embeds)
            text, kept = without_taken_ids(body.text, self.forms)
            body = MarkdownBody(text, (*body.kept, *kept))
        item, media = self._with_files(item)
        head = front_matter(
            item,
            below(path, self.content),
            self.types,
            parent=self.parents.get(item.key),
            now=None if self.addresses is None else self.addresses.get(item.key, ""),
        )
        data = f"{head}\n{body.text.lstrip(chr(10))}".encode(errors="replace")
        typed, shows_tags = self._typed(item, body.text)
        item = replace(item, body="", excerpt="", remainders=(*item.remainders, *typed))
        return FinishedFile(item, path, data, body.kept, media, shows_tags)

    def _typed(self, item: Item, text: str) -> tuple[list[Remainder], bool]:
        """Name what readers would see as it is typed and no remainder names; and tell whether there is any.

        It is what `check` says of the file. A text that was HTML shows the same on the old site.
        """
        if item.form is not Form.MARKDOWN:
            return [], any(each.text and each.text in text for each in item.remainders)
        # A surrogate becomes a question mark in the file.
        text = text.encode(errors="replace").decode()
        shown = with_alert_titles(to_html(text, self.forms))
        hits = foreign_syntax.hits(text, shown, lambda: with_alert_titles(with_places(text, self.forms)))
        read = {*(_OF_DIALECT if self.forms.dialect else ()), *([Code.DIAGRAM] if self.forms.mermaid else ())}
        found = [(syntax, line) for syntax, line in hits if syntax.code not in read]
        rows, named = text.split("\n"), {each.text.strip().partition("\n")[0] for each in item.remainders}
        typed = [
            Remainder(f"shown as typed: {syntax.name}", item.place, rows[line - 1].strip()[:_SHOWN])
            for syntax, line in found
            if not any(sign and sign in rows[line - 1] for sign in named)
            and not (named and _END_TAG.search(rows[line - 1]))
        ]
        return typed, bool(found)

    def _with_files(self, item: Item) -> tuple[Item, tuple[str, ...]]:
        """Link the featured picture and the files of fields, or leave them out."""
        fields, remainders, media = dict(item.fields), [*item.remainders], []
        files = {each.name: f"file of {each.name}" for each in item.kind.row.body if each.is_file}
        for name, kind in {"featured_media": "featured picture", **files}.items():
            picture = fields.get(name)
            if isinstance(picture, str):
                link = self.targets.link(item, picture)
                fields[name] = link
                if link is None:
                    del fields[name]
                    remainders.append(Remainder(f"{kind} without a file", item.place, picture))
                    media += [picture] if "://" in picture else []
        inside, lost = self._with_inner_files(item)
        remainders += lost
        media += [each.text for each in lost]
        return replace(item, fields=fields | inside, remainders=tuple(remainders)), tuple(media)

    def _with_inner_files(self, item: Item) -> tuple[dict[str, Any], list[Remainder]]:
        """Give the values with files inside of them, and name those without a file here.

        Such an id stays, because the value needs its other parts.
        """
        links = {number: self.targets.link(item, address) for number, address in item.uploads.items()}
        here = {number: link for number, link in links.items() if link is not None}
        found, lost = dict[str, Any](), list[Remainder]()
        for each in item.kind.row.body if links else ():
            value = item.fields.get(each.name)
            if ids := [*uploads(each.schema, value)]:
                found[each.name] = with_paths(each.schema, value, here)
                gone = (item.uploads[number] for number in ids if number in links.keys() - here.keys())
                lost += [Remainder(f"file in {each.name} without a file", item.place, at) for at in gone]
        return found, lost

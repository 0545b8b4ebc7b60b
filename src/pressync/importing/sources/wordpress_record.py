"""Makes an item of a record of WordPress, with HTML for the parts that only WordPress understands. Pure.

A visitor's record and an editor's record differ: a visitor gets HTML, and an excerpt that WordPress may have
made of the text. An editor also gets records that nobody else sees. Git keeps a text for ever, so those are
left out unless a person asks for them, and a password is never carried. A stored text has shortcodes and
dynamic blocks. A caption, or a gallery whose pictures are known, becomes the element that WordPress shows. A
shortcode of a plugin can do anything, so it stays as it is, and the account names it.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from pressync.content.front_matter import registered
from pressync.content.front_matter.convert import UnfitError
from pressync.content.front_matter.value import given
from pressync.html.shortcodes import texts
from pressync.html.titles import unescape_title
from pressync.html.tree import Element, TooDeepError, parse
from pressync.importing.sources.item import Form, Item, LeftOut, Place, Remainder
from pressync.model.interface import Kind, is_nothing
from pressync.model.records import TRASH, Record
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.client.abilities import Row


_CAPTION = re.compile(
    r"\[(?P<name>(?:wp_)?caption)(?P<attributes>\s[^\[\]]*+)\]"
    r"\s*+(?P<picture>(?:<a\s[^<>]*+>\s*+)?+<img\s[^<>]*+>(?:\s*+</a>)?+)(?P<text>[^\[]*+)\[/(?P=name)\]",
    re.IGNORECASE,
)
# Two brackets show a shortcode as it is written.
_GALLERY = re.compile(r"(?<!\[)\[gallery(?P<attributes>\s[^\[\]]*+)?\]", re.IGNORECASE)
_PLAYER = re.compile(
    r"(?<!\[)\[(?P<name>audio|video)(?P<attributes>\s[^\[\]]*+)\](?:\s*+\[/(?P=name)\])?+", re.IGNORECASE
)
# The attributes that name the file of a player, in the order in which WordPress looks for them.
_SOURCES = {
    "audio": ("src", "mp3", "ogg", "flac", "m4a", "wav"),
    "video": ("src", "mp4", "m4v", "webm", "ogv", "flv"),
}
_YES = frozenset({"1", "on", "true", "yes"})
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'\]]++))""")
# A shortcode that is certainly one: it has an attribute, or it is one of WordPress's own.
_SHORTCODE = re.compile(
    r"(?<!\[)\[(?P<name>[a-z][\w-]*+)(?P<rest>\s[^\[\]<>]*+|/)?+\](?!\()", re.IGNORECASE | re.ASCII
)
_OWN = frozenset({"gallery", "audio", "video", "playlist", "embed", "caption", "wp_caption"})
# The comment of a block. One that ends with a slash has no element: WordPress makes its content.
_BLOCK = re.compile(r"<!--\s++wp:(?P<name>[a-z][a-z0-9_/-]*+)(?P<rest>\s[^<>]*+)>")
_CLOSED = re.compile(r"\[/([a-z][\w-]*+)\]", re.IGNORECASE | re.ASCII)
# The texts of footnotes are in a field of their own, which an import carries.
_CARRIED = frozenset({"footnotes"})
_ELEMENT = re.compile(r"</?[a-z][^<>]*+>", re.IGNORECASE)
# The attributes and classes that WordPress adds to a text whenever it shows the text.
_OPENING_TAG = re.compile(r"""<[a-z](?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+>""", re.IGNORECASE)
_ADDED = re.compile(
    r"""\s(?:srcset|sizes|loading|decoding|fetchpriority|data-id|data-recalc-dims)=(?:"[^"]*"|'[^']*')""",
    re.IGNORECASE,
)
_CLASSES = re.compile(r"""(\sclass=)(["'])([^"']*)\2""", re.IGNORECASE)
_LAYOUT = re.compile(
    r"is-layout-\S+|wp-container-\S+|wp-block-[a-z-]+-is-layout-\S+|wp-block-gallery-\d+", re.ASCII
)
_SHOWN = 80
_COLUMNS = frozenset("123456789")


class Picture(NamedTuple):
    """A picture as a gallery shows it; the caption is HTML."""

    address: str
    alternative: str = ""
    caption: str = ""


@dataclass(slots=True)
class GalleryPictures:
    """The pictures of a site by id, and those that belong to each record, in their order."""

    pictures: dict[int, Picture]
    attached: dict[int, list[tuple[int, int]]]

    def add(self, number: int, picture: Picture, record: int, order: int) -> None:
        """Add a picture that belongs to a record, or to none (0)."""
        if number not in self.pictures and _IS_PICTURE.search(picture.address):
            self.pictures[number] = picture
            self.attached.setdefault(record, []).append((order, number))

    def shown(self, given: Mapping[str, str], record: int) -> list[Picture]:
        """Give the pictures of a gallery with these attributes; none if one is not known."""
        named = given.get("ids") or given.get("include")
        ids = [int(each) for each in re.findall(r"\d{1,18}", named or "", re.ASCII)]
        if not named and not given.keys() & _CHOICES:
            owner = given.get("id", str(record))
            owner_id = int(owner) if owner.isdecimal() and len(owner) < _SHOWN else 0
            ids = [number for _, number in sorted(self.attached.get(owner_id, ()) if owner_id else ())]
        return [self.pictures[each] for each in ids] if self.pictures.keys() >= {*ids} else []


_IS_PICTURE = re.compile(r"\.(?:avif|bmp|gif|jpe?g|png|svg|webp)\Z", re.IGNORECASE)
# With these a gallery shows other pictures than all of a record in their order.
_CHOICES = frozenset({"exclude", "order", "orderby"})


def carried(
    text: str, place: Place, library: GalleryPictures | None = None, record: int = 0
) -> tuple[str, tuple[Remainder, ...]]:
    """Give a text with code, captions, players and galleries as HTML, and what only WordPress can show.

    `library` has the pictures of galleries; without them a gallery stays. `record` is the id of the text's.
    """
    text = _PLAYER.sub(_player, _CAPTION.sub(_figure, with_code(text)))
    if library is not None:
        text = _GALLERY.sub(lambda found: _gallery(found, library, record), text)
    return text, tuple(remainders(text, place))


def plain_title(rendered: str, place: Place) -> tuple[str, list[Remainder]]:
    """Give a title, which WordPress has as HTML, as text; its elements are named, for a file has none."""
    tags = _ELEMENT.findall(rendered)
    bare = _ELEMENT.sub(lambda tag: " " if tag[0].startswith("<br") else "", rendered)
    return unescape_title(bare), [Remainder("markup in the title", place, rendered)] if tags else []


def without_additions(text: str) -> str:
    """Remove from a text as visitors get it what WordPress adds for browsers: sizes, and classes of layout.

    The sizes are addresses of the old site, and they would still be loaded from there.
    """

    def without_layout(found: re.Match[str]) -> str:
        kept = [name for name in found[3].split() if not _LAYOUT.fullmatch(name)]
        return f"{found[1]}{found[2]}{' '.join(kept)}{found[2]}" if kept else ""

    return _OPENING_TAG.sub(lambda tag: _CLASSES.sub(without_layout, _ADDED.sub("", tag[0])), text)


def remainders(text: str, place: Place) -> Iterator[Remainder]:
    """Name the shortcodes outside of code, and the blocks without content."""
    certain = _OWN | {name.lower() for name in _CLOSED.findall(text)}
    for start, end in texts(text) if "[" in text else ():
        for found in _SHORTCODE.finditer(text[start:end]):
            name = found["name"].lower()
            if name in certain or _ATTRIBUTE.search(found["rest"] or ""):
                yield Remainder(f"shortcode {name}", place, found[0][:_SHOWN])
    for found in _BLOCK.finditer(text):
        name = found["name"].removeprefix("core/")
        if found["rest"].endswith("/--") and name not in _CARRIED:
            yield Remainder(f"block {name}", place, found[0][:_SHOWN])


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(text)}


def _figure(found: re.Match[str]) -> str:
    """Write a caption as WordPress shows it in a theme of today."""
    given = _attributes(found["attributes"])
    caption = (given.get("caption") or found["text"]).strip()
    if not caption:
        return found["picture"].strip()
    number = re.sub(r"[^\w-]", "", given.get("id", ""))
    width = given.get("width", "")
    align = re.sub(r"[^\w-]", "", given.get("align", "")) or "alignnone"
    place = f' id="{number}" aria-describedby="caption-{number.replace("_", "-")}"' if number else ""
    style = f' style="width: {width}px"' if width.isascii() and width.isdigit() and width != "0" else ""
    label = f' id="caption-{number.replace("_", "-")}"' if number else ""
    return (
        f'<figure{place}{style} class="wp-caption {align}">{found["picture"].strip()}'
        f'<figcaption{label} class="wp-caption-text">{caption}</figcaption></figure>'
    )


def _player(found: re.Match[str]) -> str:
    """Write a player as its block does; one whose file is not named stays."""
    given, name = _attributes(found["attributes"]), found["name"].lower()
    files = [html.escape(given[key]) for key in _SOURCES[name] if given.get(key)]
    if not files:
        return found[0]
    poster = f' poster="{html.escape(given["poster"])}"' if given.get("poster") else ""
    chosen = "".join(f" {key}" for key in ("autoplay", "loop") if given.get(key, "").lower() in _YES)
    sources = "".join(f'<source src="{file}"/>' for file in files)
    shown = f' src="{files[0]}">' if len(files) == 1 else f">{sources}"
    return f'<figure class="wp-block-{name}"><{name} controls{chosen}{poster}{shown}</{name}></figure>'


def _gallery(found: re.Match[str], library: GalleryPictures, record: int) -> str:
    """Write a gallery as figures; it stays if one of its pictures is not known."""
    given = _attributes(found["attributes"] or "")
    pictures = library.shown(given, record)
    if not pictures:
        return found[0]
    columns = given.get("columns", "3")
    columns = columns if columns in _COLUMNS else "3"
    figures = "".join(_in_gallery(each, is_link=given.get("link") == "file") for each in pictures)
    opening = f'<figure class="wp-block-gallery has-nested-images columns-{columns} is-cropped">'
    return f"{opening}{figures}</figure>"


def _in_gallery(picture: Picture, *, is_link: bool) -> str:
    address, caption = html.escape(picture.address), picture.caption.strip()
    image = f'<img src="{address}" alt="{html.escape(picture.alternative)}"/>'
    image = f'<a href="{address}">{image}</a>' if is_link else image
    said = f'<figcaption class="wp-element-caption">{caption}</figcaption>' if caption else ""
    return f'<figure class="wp-block-image size-large">{image}{said}</figure>'


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
# The taxonomies for which an item has a member of its own.
_CORE = frozenset({"categories", "tags"})


@dataclass(frozen=True, slots=True)
class Names:
    """The names that ids stand for on a site, by id; `terms` are those of each taxonomy, by its field.

    `pictures` are the addresses of the files that fields name.
    """

    terms: Mapping[str, Mapping[int, str]]
    people: Mapping[int, str]
    pictures: Mapping[int, str]


def stored_item(record: Record, names: Names, *, all_statuses: bool) -> Item | LeftOut:
    """Make the item of an editor's record; one that is not public needs `all_statuses`."""
    fields = record.fields
    place, status = Place(record.link), str(fields.get("status", _PUBLIC))
    # A record in the trash may have a password too, and nobody wants it as a file.
    if status == TRASH:
        return LeftOut(TRASH, place, "somebody has put it into the trash")
    hidden = _PROTECTED if fields.get("password") else status
    if hidden != _PUBLIC and not all_statuses:
        return LeftOut(hidden, place, _WHY)
    content = str(fields.get("content", ""))
    body, remainders = carried(content, place)
    if hidden == _PROTECTED:
        # Without its password, the text would be public on another site.
        status = "private"
        remainders = (*remainders, Remainder("password", place))
    item = _item(record, place, fields, names)
    return replace(
        item,
        address=item.address if status in {_PUBLIC, "private"} else "",
        title=str(fields.get("title", "")),
        status=status,
        excerpt=str(fields.get("excerpt", "")),
        body=body,
        # A text that pressync sent has no paragraphs missing.
        form=Form.BLOCKS if record.classic or BLOCK in content else Form.HTML,
        remainders=(*remainders, *item.remainders),
        id=record.id,
    )


def shown(record: Record, row: Row, names: Names) -> Item | LeftOut:
    """Make the item of a record as a visitor gets it, in this row."""
    place = Place(record.link)
    if isinstance(content := row.get("content"), dict) and content.get("protected"):
        return LeftOut(_PROTECTED, place, "it needs a password")
    body, remainders = carried(without_additions(_rendered(row, "content")), place)
    # The text has its footnotes already.
    fields = {name: value for name, value in record.fields.items() if name not in {"meta", "meta.footnotes"}}
    item = _item(record, place, fields, names)
    title, unfit = plain_title(_rendered(row, "title"), place)
    return replace(
        item,
        title=title,
        excerpt=_excerpt(_rendered(row, "excerpt"), body),
        body=body,
        form=Form.HTML,
        remainders=(*remainders, *unfit, *item.remainders),
    )


def _item(record: Record, place: Place, fields: Mapping[str, Any], names: Names) -> Item:
    """Make an item of the members that editors and visitors get in the same form."""
    kind = record.kind
    further = {
        name: fields[name]
        for name, usual in _USUAL.items()
        # A type of the site's own has the values of posts.
        if name in fields and fields[name] != usual.get(kind, usual[Kind.POST])
    }
    terms: dict[str, tuple[str, ...]] = {}
    for name, known in names.terms.items():
        terms[name] = tuple(known[number] for number in fields.get(name, ()) if number in known)
    further |= {name: found for name, found in terms.items() if found and name not in _CORE}
    own, unfit = _registered(kind, place, fields, names)
    further |= own
    inside = (n for f in kind.row.body if f.has_files for n in registered.uploads(f.schema, own.get(f.name)))
    if picture := names.pictures.get(fields.get("featured_media", 0)):
        further["featured_media"] = picture
    stored = fields.get("meta") or {}
    if meta := {name: text for name, text in stored.items() if text}:
        further["meta"] = meta
    uploads = {number: names.pictures[number] for number in inside if number in names.pictures}
    status = fields.get("status", _PUBLIC)
    parent, parts = fields.get("parent", 0), split(record.link)
    return Item(
        key=key_of(kind, record.id),
        kind=kind,
        place=place,
        address=f"{parts.path}{'?' * bool(parts.query)}{parts.query}" if parts else "",
        slug=unquote(record.slug),
        modified=record.modified_gmt and f"{record.modified_gmt}Z",
        date="" if status in _UNDATED else _date(fields.get("date", ""), fields.get("date_gmt", "")),
        author=names.people.get(fields.get("author", 0), ""),
        parent=key_of(kind, parent) if parent and kind.row.hierarchical else "",
        categories=terms.get("categories", ()),
        tags=terms.get("tags", ()),
        order=fields.get("menu_order") or None,
        fields=further,
        uploads=uploads,
        remainders=unfit,
    )


def _registered(
    kind: Kind, place: Place, fields: Mapping[str, Any], names: Names
) -> tuple[dict[str, Any], tuple[Remainder, ...]]:
    """Give the values of registered fields that a file can have, and name those that their schemas refuse."""
    found: dict[str, Any] = {}
    unfit: list[Remainder] = []
    for field in kind.row.body:
        value = fields.get(field.name, field.empty)
        is_unset = field.inside == "acf" and is_nothing(field.schema, value)
        if not field.inside or is_unset or value == field.empty:
            continue
        try:
            value = registered.without_nothing(field.schema, value)
            registered.reader(field)(field.name, given(value))
        except (UnfitError, ValueError, RecursionError):
            # Advanced Custom Fields describes a value otherwise than it writes it now and then.
            unfit += [] if is_nothing(field.schema, value) else [Remainder(f"field {field.name}", place)]
            continue
        is_picture = field.is_file and isinstance(value, int)
        found[field.name] = names.pictures.get(value, value) if is_picture else value
    return found, tuple(unfit)


def key_of(kind: Kind, number: int) -> str:
    """Give the key of the item of a record."""
    return f"{kind} {number}"


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
    text = " ".join(html.unescape(_TAG.sub(" ", written)).split())
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


_LANGUAGES = (
    "actionscript|applescript|as3|bash|c|cfm|clj|clojure|coldfusion|cpp|csharp|css|delphi|diff|erlang|fsharp|go|groovy"
    "|haskell|html|java|javafx|javascript|jscript|js|json|latex|matlab|objc|pascal|patch|perl|php|plain|powershell|ps"
    "|python|py|r|rails|ruby|rb|scala|shell|sql|swift|tex|vb|vbnet|xhtml|xml|xslt|yaml|yml"
)
_NAMES = rf"code|sourcecode|source|syntax|highlight|cce?s?|crayon|{_LANGUAGES}"
# A shortcode for code, or the limits of an element for code, in which a shortcode is an example.
_MARK = re.compile(
    r"<(?P<end>/?)(?:pre|code)\b[^<>]*>"
    rf"|(?<!\[)\[(?P<name>{_NAMES})(?P<rest>\s[^\[\]\n]{{0,500}})?\](?!\()",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"""(?<![\w-])(?:language|lang|l|type)\s{0,9}=\s{0,9}["']?([\w+#-]{1,40})""", re.IGNORECASE
)
_IS_LANGUAGE = re.compile(rf"(?:{_LANGUAGES})", re.IGNORECASE)
_NO_LANGUAGE = frozenset({"plain", "text"})
# The block of the editor that has a shortcode, and nothing else.
_BEFORE = re.compile(r"<!-- wp:shortcode -->\s*\Z")
_BEHIND = re.compile(r"\s*<!-- /wp:shortcode -->")
_NEAR = 60
# In one line, it is a formula and not the source of one.
_FORMULAS = frozenset({"[/latex]", "[/tex]"})


def with_code(text: str) -> str:
    """Give a text with its shortcodes for code as elements for code. Linear in its length."""
    if "[/" not in text:
        return text
    low, parts, here = text.lower(), list[str](), 0
    depth, unclosed = 0, set[str]()
    for mark in _MARK.finditer(text):
        if mark.start() < here:
            continue
        if mark["name"] is None:
            depth = max(0, depth + (-1 if mark["end"] else 1))
            continue
        closing = f"[/{mark['name'].lower()}]"
        if closing in _FORMULAS and text[mark.end() : mark.end() + 1] != "\n":
            continue
        end = -1 if depth or closing in unclosed else low.find(closing, mark.end())
        if end < 0:
            unclosed |= set() if depth else {closing}
            continue
        before, behind = text[here : mark.start()], end + len(closing)
        if around := _BEHIND.match(text, behind) if _BEFORE.search(before[-_NEAR:]) else None:
            before, behind = _BEFORE.sub("", before), around.end()
        parts += [
            before,
            _element(mark, text[mark.end() : end], is_alone=_is_alone(text, mark.start(), behind)),
        ]
        here = behind
    return "".join([*parts, text[here:]])


def _is_alone(text: str, start: int, end: int) -> bool:
    """Tell whether nothing else is in the lines of a part."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return not text[first:start].strip() and not text[end : last if last >= 0 else len(text)].strip()


def _element(mark: re.Match[str], code: str, *, is_alone: bool) -> str:
    # An editor that shows the text as a page has stored the code as HTML.
    code = code if "<" in code or ">" in code else html.unescape(code)
    if "\n" not in code and not is_alone:
        return f"<code>{html.escape(code, quote=False)}</code>"
    named = _LANGUAGE.search(mark["rest"] or "")
    language = mark["name"] if _IS_LANGUAGE.fullmatch(mark["name"]) else ""
    language = named[1] if named else language
    sign = "" if language.lower() in {"", *_NO_LANGUAGE} else f' class="language-{language.lower()}"'
    code = html.escape(re.sub(r"\A(?:[ \t]*\n)+|\s+\Z", "", code), quote=False)
    return f"\n\n<pre><code{sign}>{code}\n</code></pre>\n\n"

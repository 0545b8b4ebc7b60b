"""Makes the HTML of the web site: the body of a record as a visitor sees it, and the templates around it.

WordPress makes a body anew for each visit, and it differs from the stored text: a text of the classic editor
has no paragraphs, and a footnote of the block editor is in another field. A search for dead links must look
here and not at the stored text. Titles and names of WordPress are HTML (`A &amp; B`). The templates escape
everything but bodies, so a title must become plain text first.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from email.utils import format_datetime
from html import escape, unescape
from itertools import islice
from typing import TYPE_CHECKING

from flask import abort, render_template, request
from markupsafe import Markup

from pressync.html.contained import contained, link_to
from pressync.html.paragraphs import paragraphs
from pressync.stage.server import rows, wire
from pressync.stage.server.navigation import beside_lists
from pressync.stage.server.wordpress.media import Attachment

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pressync.stage.server.database import Connection
    from pressync.stage.server.navigation import PageContext
    from pressync.stage.server.queries import Outline, PublicRecords
    from pressync.stage.server.rows import StoredRecord


# All repetitions are possessive, so hostile text costs no more than its own length.
_TAG = re.compile(r"""<[a-z](?:[^<>"']|"[^"]*+"|'[^']*+')*+>""", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(\s)([^\s=>"'/]++)(\s*+=\s*+)("[^"]*+"|'[^']*+'|[^\s"'>]++)""")
_WITH_ADDRESS = frozenset({"data", "href", "poster", "src", "srcset", "style"})


def to_paths(markup: str, addresses: Collection[str]) -> str:
    """Write the links that begin with one of the addresses as paths; nothing else of the text changes."""
    if not any(address in markup for address in addresses):
        return markup
    # The longest is first: one address may begin with another.
    names = "|".join(map(re.escape, sorted(addresses, key=len, reverse=True)))
    own = re.compile(rf"""(?<![^\s,"'(;])(?:{names})(?=[/?#\s,"')]|$)/?+""")

    def attribute(found: re.Match[str]) -> str:
        if found[2].lower() not in _WITH_ADDRESS:
            return found[0]
        return f"{found[1]}{found[2]}{found[3]}{own.sub('/', found[4])}"

    return _TAG.sub(lambda tag: _ATTRIBUTE.sub(attribute, tag[0]), markup)


def pictures(db: Connection, ids: Sequence[int]) -> list[Attachment]:
    """Read uploaded pictures in the order of these ids; other files and unknown ids are left out."""
    rest = "WHERE id IN (SELECT value FROM json_each(?)) AND mime_type LIKE 'image/%'"
    found = {picture.id: picture for picture in Attachment.read(db, rest, (json.dumps(ids),))}
    return [found[number] for number in ids if number in found]


_NAMES = "caption|wp_caption|gallery|embed|audio|video"
# A bracket before and after makes a shortcode a text.
_START = re.compile(rf"\[(?P<name>{_NAMES})(?P<attributes>(?:\s[^\[\]]*+)?+)\]")
_SHORTCODE = re.compile(rf"\[/?(?:{_NAMES})(?:\s[^\[\]]*+)?+\]")
_SHORTCODE_ATTRIBUTE = re.compile(r"""([\w-]+)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.ASCII)
_IMAGE = re.compile(r"(?:<a\b[^>]*+>\s*+)?+<img\b[^>]*+>(?:\s*+</a>)?+", re.IGNORECASE)
_PARAGRAPH, _PARAGRAPH_END = re.compile(r"<p>\s*+\Z"), re.compile(r"\s*+</p>")
# A gallery shows at most this many pictures, and has as many columns as WordPress allows.
_PICTURES, _COLUMNS = 500, 9


def run_shortcodes(db: Connection, html: str) -> str:
    """Replace the shortcodes in this HTML. Linear in its length."""
    parts: list[str] = []
    here, unclosed = 0, set[str]()
    for found in _START.finditer(html):
        if found.start() < here:
            continue
        name, end, inner = found["name"], found.end(), ""
        closing = f"[/{name}]"
        close = -1 if name in unclosed else html.find(closing, end)
        if close >= 0:
            inner, end = html[end:close], close + len(closing)
        else:
            unclosed.add(name)
        before = html[here : found.start()]
        if before.endswith("[") and html.startswith("]", end):
            parts += [before[:-1], html[found.start() : end]]
            here = end + 1
            continue
        written = _RUN[name](db, _attributes(found["attributes"]), inner)
        # A shortcode that is alone in a paragraph replaces the paragraph.
        after = _PARAGRAPH_END.match(html, end)
        if after and (opening := _PARAGRAPH.search(before)):
            before, end = before[: opening.start()], after.end()
        parts += [before, written]
        here = end
    return "".join([*parts, html[here:]])


def _attributes(text: str) -> dict[str, str]:
    found = _SHORTCODE_ATTRIBUTE.finditer(unescape(text))
    return {each[1].lower(): each[2] or each[3] or each[4] or "" for each in found}


def _caption(_db: Connection, given: Mapping[str, str], inner: str) -> str:
    image = _IMAGE.search(inner)
    text = given.get("caption") or (inner[image.end() :] if image else inner).strip()
    width = int(given["width"]) if re.fullmatch("[0-9]{1,5}", given.get("width", "")) else 0
    align = given.get("align", "")
    align = align if align in {"alignleft", "alignright", "aligncenter"} else "alignnone"
    style = f' style="width: {width}px"' if width else ""
    return (
        f'<figure class="wp-caption {align}"{style}>{image[0] if image else ""}'
        f'<figcaption class="wp-caption-text">{text}</figcaption></figure>'
    )


def _gallery(db: Connection, given: Mapping[str, str], _inner: str) -> str:
    found = re.findall("[0-9]{1,15}", given.get("ids") or given.get("include", ""))
    # WordPress asks its database for these ids, so it shows each picture once.
    ids = [*dict.fromkeys(map(int, found))]
    columns = given.get("columns", "")
    count = int(columns) if columns.isascii() and columns.isdigit() and len(columns) == 1 else 3
    items = [
        f'<figure class="gallery-item"><a href="{(source := escape(picture.path))}">'
        f'<img src="{source}" alt="{escape(picture.alt_text)}"></a></figure>'
        for picture in pictures(db, ids[:_PICTURES])
    ]
    return f'<div class="gallery gallery-columns-{max(1, min(count, _COLUMNS))}">{"".join(items)}</div>'


def _embed(_db: Connection, given: Mapping[str, str], inner: str) -> str:
    address = unescape(re.sub("<[^<>]*>", "", inner)).strip() or given.get("src", "")
    return f"<p>{link_to(address, is_player=True)}</p>"


def _player(element: str) -> Callable[[Connection, Mapping[str, str], str], str]:
    def play(_db: Connection, given: Mapping[str, str], inner: str) -> str:
        names = ("src", "mp3", "ogg", "wav", "m4a", "flac", "mp4", "webm", "ogv", "m4v")
        address = next((given[name] for name in names if given.get(name)), "")
        if not address.startswith(("https://", "http://", "/")):
            return inner
        return f'<{element} controls preload="none" src="{escape(address)}"></{element}>'

    return play


_RUN: Mapping[str, Callable[[Connection, Mapping[str, str], str], str]] = {
    "caption": _caption,
    "wp_caption": _caption,
    "gallery": _gallery,
    "embed": _embed,
    "audio": _player("audio"),
    "video": _player("video"),
}


_BLOCK = "<!-- wp:"
_FOOTNOTES = re.compile(r"<!-- wp:footnotes (?:\{[^{}]*+\} )?+/-->")
_MORE = re.compile(r"<!--more[^<>]{0,200}-->")
# An address on a line or in a paragraph of its own. WordPress shows a player of the other site there, in HTML
# of the author, too.
_LONE_ADDRESS = re.compile(
    r"""^([ \t]*+)(https?://[^\s<>"]++)([ \t\r]*+)$|(<p(?:\s[^<>]*+)?+>\s*+)(https?://[^\s<>"]++)(\s*+</p>)""",
    re.MULTILINE,
)
# A page takes a second to make if its text has this many tags, lines and shortcodes. A book has fewer.
_MOST_MARKS, _MOST_CHARACTERS = 100_000, 2_000_000
_MARK = re.compile(r"[<\[\n]")
SHORTENED = "<p>The rest of this text is not shown: it is too long for this site.</p>"


def page_body(db: Connection, record: StoredRecord, *, classic: bool = True, whole: bool = True) -> str:
    """Give the HTML of the body; it is closed, and the rest of a page is safe from it.

    With `classic`, a text without blocks gets its paragraphs, as on WordPress. Without `whole`, a text that
    takes many seconds is cut off. The password of a record does not count here.
    """
    text = _MORE.sub(f'<span id="more-{record.id}"></span>', record.content)
    # The editor allows this block once, and a text with thousands of them would be endless.
    text = _FOOTNOTES.sub(lambda _: _footnotes(record.footnotes), text, count=1)
    begun = complete = text if whole else _beginning(text)
    if classic:
        html = _LONE_ADDRESS.sub(_with_player, begun)
        if _BLOCK not in record.content:
            html = paragraphs(html)
        complete = run_shortcodes(db, html)
    html = complete if whole else _beginning(complete)
    is_cut = len(begun) < len(text) or len(html) < len(complete)
    return contained(html) + (SHORTENED if is_cut else "")


def _with_player(lone: re.Match[str]) -> str:
    before, address, after = filter(lambda part: part is not None, lone.groups())
    return f"{before}{link_to(unescape(address), is_player=True)}{after}"


def _beginning(html: str) -> str:
    if len(html) <= _MOST_MARKS:
        return html
    last = next(islice(_MARK.finditer(html), _MOST_MARKS, None), None)
    return html[: min(last.start() if last else len(html), _MOST_CHARACTERS)]


def _footnotes(text: str) -> str:
    try:
        notes = json.loads(text)
    except ValueError:
        return ""
    listed = notes if isinstance(notes, list) else []
    items = [
        f'<li id="{(name := escape(str(note.get("id", ""))))}">{note.get("content", "")} '
        f'<a href="#{name}-link" aria-label="Back to the text">↩︎</a></li>'
        for note in listed
        if isinstance(note, dict)
    ]
    return f'<ol class="wp-block-footnotes">{"".join(items)}</ol>' if items else ""


# A list of pages has the titles of all its neighbours. WordPress itself stores as many bytes of a title.
_LONGEST_TITLE = 65_535

# The cookie of a reader who has typed the password of a text. It has the digest of the password.
COOKIE = "pressync-password"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of a long list: its number from 1, the number of all entries, and the entries per sheet."""

    number: int
    total: int
    size: int

    @property
    def last(self) -> int:
        """The number of the last sheet; an empty list has one sheet."""
        return max(1, -(-self.total // self.size))

    @property
    def skip(self) -> int:
        """The number of entries before this sheet."""
        return (self.number - 1) * self.size


def sheet(total: int, size: int, asked: str | None = None) -> Sheet:
    """Give the sheet that the path or `?page=` asks for; 404 if it does not exist."""
    asked = asked or request.args.get("page", "1")
    found = Sheet(int(asked), total, size) if re.fullmatch("[1-9][0-9]{0,6}", asked) else None
    return found if found and found.number <= found.last else abort(404)


def render(
    template: str,
    records: PublicRecords,
    surroundings: PageContext | None = None,
    **values: object,
) -> str:
    """Fill a template; `surroundings` are those of the page that is shown, if it is one."""
    return render_template(
        template,
        site=records.site,
        around=surroundings or beside_lists(records),
        blog=f"/{rows.BLOG}/",
        now=records.now,
        records=records,
        show=PageTexts(records),
        **values,
    )


def digest(password: str) -> str:
    """Give the digest of a password, for the cookie."""
    return hashlib.sha256(password.encode()).hexdigest()


class PageTexts:
    """The parts of records as the templates show them."""

    def __init__(self, records: PublicRecords) -> None:
        self._records = records

    def title(self, record: StoredRecord | Outline) -> str:
        """Give the title as plain text, or the number of a record without one."""
        title = record.title[:_LONGEST_TITLE]
        return unescape(title).strip() or f"Page {record.id}"

    def body(self, record: StoredRecord) -> Markup:
        """Give the body, with paths in the place of links to this site."""
        html = page_body(self._records.db, record, classic=self._records.classic, whole=False)
        return Markup(to_paths(html, self._records.own_addresses))  # noqa: S704 - the policy forbids its scripts

    def whole_body(self, record: StoredRecord) -> str:
        """Give the body with whole addresses, for feeds."""
        return page_body(self._records.db, record, classic=self._records.classic, whole=False)

    def summary(self, record: StoredRecord) -> str:
        """Give the first words of a text that everybody may read."""
        if not self.is_open(record):
            return ""
        return _SHORTCODE.sub("", record.summary)

    def is_open(self, record: StoredRecord) -> bool:
        """Whether this reader may read the text: it has no password, or the reader has typed it."""
        given = request.cookies.get(COOKIE, "")
        return not record.password or hmac.compare_digest(given.encode(), digest(record.password).encode())

    def day(self, second: int) -> str:
        """Write the day in site time."""
        moment = wire.moment_at(second, offset=self._records.site.offset)
        return f"{moment.day} {moment:%B %Y}"

    def utc(self, second: int) -> str:
        """Write a time as HTML, Atom and site maps do."""
        return f"{wire.moment_text(second)}Z"

    def mail_date(self, second: int) -> str:
        """Write a time as RSS does."""
        return format_datetime(wire.moment_at(second)).replace("-0000", "+0000")

    def picture(self, record: StoredRecord) -> Attachment | None:
        """Give the featured picture."""
        found = pictures(self._records.db, [record.featured_media]) if record.featured_media else []
        return found[0] if found else None

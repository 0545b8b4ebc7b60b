"""Runs the shortcodes that every WordPress has: captions, galleries, players and embeds.

Texts of the classic editor have them, and a site that shows `[caption …]` does not look like the real one.
All other shortcodes are a plugin's. They stay as they are, as on a WordPress without that plugin.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING

from pressync.server.contained_html import link_to
from pressync.server.pictures import pictures

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from pressync.server.pictures import UploadedPicture

_NAMES = "caption|wp_caption|gallery|embed|audio|video"
# A bracket before and after makes a shortcode a text.
_START = re.compile(rf"\[(?P<name>{_NAMES})(?P<attributes>(?:\s[^\[\]]*+)?+)\]")
_ANY = re.compile(rf"\[/?(?:{_NAMES})(?:\s[^\[\]]*+)?+\]")
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.ASCII)
_IMAGE = re.compile(r"(?:<a\b[^>]*+>\s*+)?+<img\b[^>]*+>(?:\s*+</a>)?+", re.IGNORECASE)
_PARAGRAPH, _PARAGRAPH_END = re.compile(r"<p>\s*+\Z"), re.compile(r"\s*+</p>")
# A gallery shows at most this many pictures, and has as many columns as WordPress allows.
_PICTURES, _COLUMNS = 500, 9


def without_shortcodes(text: str) -> str:
    """Remove these shortcodes, as an excerpt does."""
    return _ANY.sub("", text)


def run_shortcodes(db: sqlite3.Connection, html: str) -> str:
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
    found = _ATTRIBUTE.finditer(unescape(text))
    return {each[1].lower(): each[2] or each[3] or each[4] or "" for each in found}


def _caption(_db: sqlite3.Connection, given: Mapping[str, str], inner: str) -> str:
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


def _gallery(db: sqlite3.Connection, given: Mapping[str, str], _inner: str) -> str:
    ids = [int(each) for each in re.findall("[0-9]{1,15}", given.get("ids") or given.get("include", ""))]
    columns = given.get("columns", "")
    count = int(columns) if columns.isascii() and columns.isdigit() and len(columns) == 1 else 3
    items = [_gallery_item(picture) for picture in pictures(db, ids[:_PICTURES])]
    return f'<div class="gallery gallery-columns-{max(1, min(count, _COLUMNS))}">{"".join(items)}</div>'


def _gallery_item(picture: UploadedPicture) -> str:
    source = escape(picture.path)
    image = f'<a href="{source}"><img src="{source}" alt="{escape(picture.alt_text)}"></a>'
    return f'<figure class="gallery-item">{image}</figure>'


def _embed(_db: sqlite3.Connection, given: Mapping[str, str], inner: str) -> str:
    address = unescape(re.sub("<[^<>]*>", "", inner)).strip() or given.get("src", "")
    return f"<p>{link_to(address)}</p>"


def _player(element: str) -> Callable[[sqlite3.Connection, Mapping[str, str], str], str]:
    def play(_db: sqlite3.Connection, given: Mapping[str, str], inner: str) -> str:
        names = ("src", "mp3", "ogg", "wav", "m4a", "flac", "mp4", "webm", "ogv", "m4v")
        address = next((given[name] for name in names if given.get(name)), "")
        if not address.startswith(("https://", "http://", "/")):
            return inner
        return f'<{element} controls preload="none" src="{escape(address)}"></{element}>'

    return play


_RUN: Mapping[str, Callable[[sqlite3.Connection, Mapping[str, str], str], str]] = {
    "caption": _caption,
    "wp_caption": _caption,
    "gallery": _gallery,
    "embed": _embed,
    "audio": _player("audio"),
    "video": _player("video"),
}

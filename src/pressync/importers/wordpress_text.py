"""Turns the parts of a text that only WordPress understands into HTML, and names those that stay. Pure.

The text that WordPress stores has shortcodes and dynamic blocks, which WordPress replaces whenever it shows
the page. A caption is in every second classic text, and its HTML is known, so a caption becomes the element
that WordPress shows. The same holds for a gallery whose pictures are known. A shortcode of a plugin can do
anything, so it stays as it is, and the account names it.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from pressync.html.shortcodes import texts
from pressync.importers.item import Remainder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.importers.item import Place

_CAPTION = re.compile(
    r"\[(?P<name>(?:wp_)?caption)(?P<attributes>\s[^\[\]]*+)\]"
    r"\s*+(?P<picture>(?:<a\s[^<>]*+>\s*+)?+<img\s[^<>]*+>(?:\s*+</a>)?+)(?P<text>[^\[]*+)\[/(?P=name)\]",
    re.IGNORECASE,
)
_GALLERY = re.compile(r"\[gallery(?P<attributes>\s[^\[\]]*+)\]", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'\]]++))""")
# A shortcode that is certainly one: it has an attribute, or it is one of WordPress's own.
_SHORTCODE = re.compile(
    r"\[(?P<name>[a-z][\w-]*+)(?P<rest>\s[^\[\]<>]*+|/)?+\](?!\()", re.IGNORECASE | re.ASCII
)
_OWN = frozenset({"gallery", "audio", "video", "playlist", "embed", "caption", "wp_caption"})
# The comment of a block. One that ends with a slash has no element: WordPress makes its content.
_BLOCK = re.compile(r"<!--\s++wp:(?P<name>[a-z][a-z0-9_/-]*+)(?P<rest>\s[^<>]*+)>")
_CLOSED = re.compile(r"\[/([a-z][\w-]*+)\]", re.IGNORECASE | re.ASCII)
# The texts of footnotes are in a field of their own, which an import carries.
_CARRIED = frozenset({"footnotes"})
# The attributes and classes that WordPress adds to a text whenever it shows the text.
_TAG = re.compile(r"""<[a-z](?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+>""", re.IGNORECASE)
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


def carried(
    text: str, place: Place, pictures: Mapping[int, str] | None = None
) -> tuple[str, tuple[Remainder, ...]]:
    """Give a text with captions and galleries as HTML, and the parts that only WordPress can show.

    `pictures` are the addresses of the pictures of galleries by id; without them a gallery stays.
    """
    text = _CAPTION.sub(_figure, text)
    if pictures:
        text = _GALLERY.sub(lambda found: _gallery(found, pictures), text)
    return text, tuple(remainders(text, place))


def without_additions(text: str) -> str:
    """Remove from a text as visitors get it what WordPress adds for browsers: sizes, and classes of layout.

    The sizes are addresses of the old site, and they would still be loaded from there.
    """
    return _TAG.sub(lambda tag: _CLASSES.sub(_without_layout, _ADDED.sub("", tag[0])), text)


def _without_layout(found: re.Match[str]) -> str:
    kept = [name for name in found[3].split() if not _LAYOUT.fullmatch(name)]
    return f"{found[1]}{found[2]}{' '.join(kept)}{found[2]}" if kept else ""


def remainders(text: str, place: Place) -> Iterator[Remainder]:
    """Name the shortcodes outside of code, and the blocks without content."""
    closed = {name.lower() for name in _CLOSED.findall(text)}
    for start, end in texts(text) if "[" in text else ():
        for found in _SHORTCODE.finditer(text[start:end]):
            name = found["name"].lower()
            if name in _OWN | closed or _ATTRIBUTE.search(found["rest"] or ""):
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


def _gallery(found: re.Match[str], pictures: Mapping[int, str]) -> str:
    """Write a gallery as figures; it stays if one of its pictures is not known."""
    given = _attributes(found["attributes"])
    ids = [int(each) for each in re.findall(r"\d{1,18}", given.get("ids", ""), re.ASCII)]
    if not ids or any(each not in pictures for each in ids):
        return found[0]
    columns = given.get("columns", "3")
    columns = columns if columns in _COLUMNS else "3"
    sources = [html.escape(pictures[each]) for each in ids]
    figures = "".join(
        f'<figure class="wp-block-image size-large"><img src="{src}" alt=""/></figure>' for src in sources
    )
    opening = f'<figure class="wp-block-gallery has-nested-images columns-{columns} is-cropped">'
    return f"{opening}{figures}</figure>"

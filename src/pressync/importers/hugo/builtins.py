"""Replaces the shortcodes that come with Hugo, and the alert of its most used theme, by Markdown or HTML.

These few are the same on every site, unless the site has a template of the same name. All others are the
site's own: only its templates know what they mean, so they stay as they are and the account names them.
"""

from __future__ import annotations

import html
import re
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pressync.importers.alerts import alert
from pressync.importers.item import Place, Remainder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.importers.hugo.shortcodes import Tag

# Addresses that WordPress embeds if they have a line for themselves.
_EMBEDS = {
    "youtube": "https://www.youtube.com/watch?v={0}",
    "vimeo": "https://vimeo.com/{0}",
    "instagram": "https://www.instagram.com/p/{0}/",
    "gist": "https://gist.github.com/{0}/{1}",
    "x": "https://x.com/{0}/status/{1}",
    "twitter": "https://x.com/{0}/status/{1}",
    "tweet": "https://x.com/{0}/status/{1}",
}
_EMBED_KEYS = {"x": ("user", "id"), "twitter": ("user", "id"), "tweet": ("user", "id")}
_SIMPLE = {"src", "alt", "loading"}
_BOXES = {"alert": "", "callout": "", "notice": "", "admonition": "", "hint": ""}
_BOX_NAMES = ("note", "tip", "warning", "caution", "important", "info", "danger")


@dataclass(slots=True)
class Replacing:
    """The shortcodes of one page. `resolve` gives the address for the path of a `ref`, "" if there is none.

    `own` are the names that the site has templates for. `remainders` collects what stays.
    """

    file: str
    resolve: Callable[[str, str], str]
    parameter: Callable[[str], str | None]
    own: Collection[str] = ()
    is_html: bool = False
    remainders: list[Remainder] = field(default_factory=list)

    def __call__(self, tag: Tag, inner: str | None) -> str | None:
        """Give the text in place of a shortcode; None leaves it as it is."""
        made = None if tag.name in self.own and tag.name not in _BOXES else self._made(tag, inner)
        if made is None:
            place = Place(self.file, tag.line)
            self.remainders.append(Remainder(f"shortcode {tag.name}", place, tag.source))
        return made

    def _made(self, tag: Tag, inner: str | None) -> str | None:
        if tag.name in {"ref", "relref"}:
            return self.resolve(tag.get("path", 0), tag.get("lang", 1)) or None
        if tag.name == "param":
            return self.parameter(tag.get("name", 0))
        if self.is_html:
            return None  # All others become Markdown.
        if alone := _ALONE.get(tag.name):
            return alone(tag)
        return _AROUND.get(tag.name, _box)(tag, inner) if inner is not None else None


def _figure(tag: Tag) -> str | None:
    """Write the HTML that Hugo writes; a picture without a caption is Markdown."""
    src = tag.get("src", 0)
    if not src:
        return None
    if set(tag.named) <= _SIMPLE and not re.search(r"[\s()<>]", src):
        alt = re.sub(r"([]\[\\])", r"\\\1", tag.get("alt"))
        return f"![{alt}]({src})"
    picture = (
        f"<img{_attributes(src=src, alt=tag.get('alt'), width=tag.get('width'), height=tag.get('height'))}>"
    )
    if tag.get("link"):
        around = _attributes(href=tag.get("link"), target=tag.get("target"), rel=tag.get("rel"))
        picture = f"<a{around}>{picture}</a>"
    source = tag.get("attr")
    if source and tag.get("attrlink"):
        source = f"[{source}]({tag.get('attrlink')})"
    caption = " ".join(text for text in (tag.get("caption"), source) if text)
    title = f"#### {' '.join(tag.get('title').split())}" if tag.get("title") else ""
    words = "\n\n".join(text for text in (title, caption) if text)
    below = f"<figcaption>\n\n{words}\n\n</figcaption>\n" if words else ""
    return f"<figure{_attributes(**{'class': tag.get('class')})}>\n{picture}\n{below}</figure>"


def _attributes(**values: str) -> str:
    return "".join(f' {key}="{html.escape(value)}"' for key, value in values.items() if value)


def _embed(tag: Tag) -> str | None:
    """Write the address of a video or a message, which the site shows as what it is."""
    first, second = _EMBED_KEYS.get(tag.name, ("id", "file"))
    parts = tag.get(first, 0), tag.get(second, 1)
    pattern = _EMBEDS[tag.name]
    if not all(re.fullmatch(r"[\w.-]{1,200}", part) for part in parts[: pattern.count("{")]):
        return None
    return pattern.format(*parts)


def _code(tag: Tag, inner: str) -> str:
    code = textwrap.dedent(inner).strip("\n")
    ticks = max((len(run) for run in re.findall("`+", code)), default=0)
    if "hl_inline=true" in tag.get("options", 1).replace(" ", "").lower():
        around = "`" * (ticks + 1)
        return f"{around}{code}{around}"
    fence = "`" * max(3, ticks + 1)
    return f"{fence}{tag.get('lang', 'type', 0)}\n{code}\n{fence}"


def _details(tag: Tag, inner: str) -> str:
    summary = html.escape(tag.get("summary", "title", 0, default="Details"), quote=False)
    is_open = " open" if tag.get("open").lower() == "true" else ""
    return f"<details{is_open}>\n<summary>{summary}</summary>\n\n{inner.strip()}\n\n</details>"


def _box(tag: Tag, inner: str) -> str | None:
    """Write an alert: of Docsy, or of the themes that have a shortcode for each kind."""
    if tag.name in _BOX_NAMES:
        return alert(tag.name, tag.get("title", 0), inner)
    if tag.name not in _BOXES:
        return None
    title = tag.get("title")
    kind = tag.get("color", "type", "context", 0, default="note")
    # Docsy names the colour of the box, and the title is often the better kind.
    word = title.strip(" :!").lower()
    return alert(word, "", inner) if word in _BOX_NAMES else alert(kind, title, inner)


_ALONE: Mapping[str, Callable[[Tag], str | None]] = {"figure": _figure, **dict.fromkeys(_EMBEDS, _embed)}
_AROUND: Mapping[str, Callable[[Tag, str], str | None]] = {
    "highlight": _code,
    "details": _details,
    "comment": lambda _tag, _inner: "",
}

"""Computes the addresses of pages by Jekyll's rules, without Jekyll.

The rules are those of Jekyll 4: patterns of `permalink`, their placeholders, and the characters that it
drops or encodes. The real trees were read with Jekyll itself, and all their addresses are equal to these.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pressync.importers.jekyll.pages import DRAFTS, PAGES, POSTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.importers.jekyll.config import JekyllConfig
    from pressync.importers.jekyll.pages import JekyllPage

_KEY = re.compile(r":([a-z_]+)")
_SAFE = "/:@!$&'()*+,;=~-._%?"
_PRETTY = frozenset("._~!$&'()+,;=@")
# The placeholders of a date, by the letters of `strftime`.
_DATES = {
    "year": "%Y",
    "month": "%m",
    "day": "%d",
    "hour": "%H",
    "minute": "%M",
    "second": "%S",
    "short_month": "%b",
    "long_month": "%B",
    "short_year": "%y",
    "w_year": "%G",
    "week": "%V",
    "w_day": "%u",
    "short_day": "%a",
    "long_day": "%A",
    "y_day": "%j",
}


def address_of(page: JekyllPage, config: JekyllConfig) -> str:
    """Give the address of a page from the root of its host, with the site's base path."""
    own = page.values.get("permalink")
    if page.kind == PAGES:
        path = _page(page, str(own) if own else "", config)
    else:
        label = POSTS if page.kind == DRAFTS else page.kind
        path = _document(page, str(own) if own else config.pattern(label), config)
    return f"{config.base}{_clean(path)}"


def aliases_of(page: JekyllPage, config: JekyllConfig) -> tuple[str, ...]:
    """Give the addresses from which the plugin jekyll-redirect-from leads to the page."""
    return tuple(
        f"{config.base}{quote(alias if alias.startswith('/') else f'/{alias}', safe=_SAFE)}"
        for alias in page.texts("redirect_from")
        if "://" not in alias
    )


def _page(page: JekyllPage, pattern: str, config: JekyllConfig) -> str:
    folder = posixpath.dirname(page.inner)
    if not pattern:
        is_index = page.name == "index"
        pattern = "/:path/" if is_index else config.with_ending("/:path/:basename")
    # A folder keeps its slashes here: what is doubled is dropped at the end.
    values = {"path": f"/{folder}/" if folder else "/", "basename": page.name, "output_ext": ".html"}
    return _KEY.sub(lambda key: quote(values[key[1]], safe=_SAFE) if key[1] in values else key[0], pattern)


def _document(page: JekyllPage, pattern: str, config: JekyllConfig) -> str:
    def value(key: re.Match[str]) -> str:
        name = key[1]
        made = _value(name, page, config)
        if made is None and name.endswith("_"):
            name, made = name[:-1], _value(name[:-1], page, config)
            return key[0] if made is None else f"{quote(made, safe=_SAFE)}_"
        return key[0] if made is None else quote(made, safe=_SAFE)

    return _KEY.sub(value, pattern)


def _value(name: str, page: JekyllPage, config: JekyllConfig) -> str | None:
    if name in _DATES or name in {"i_day", "i_month"}:
        moment = local_moment(page, config)
        if name in _DATES:
            return moment.strftime(_DATES[name]) if name != "year" else f"{moment.year:04}"
        return str(moment.day if name == "i_day" else moment.month)
    texts: dict[str, Callable[[], str]] = {
        "collection": lambda: POSTS if page.kind == DRAFTS else page.kind,
        "path": lambda: "/".join(("", *page.above, posixpath.splitext(page.inner)[0].rstrip("."))),
        "name": lambda: slugified(page.name),
        "title": lambda: slugified(page.slug, keep=_PRETTY, cased=True),
        "slug": lambda: slugified(page.slug),
        "output_ext": lambda: ".html",
        "categories": lambda: "/".join(dict.fromkeys(each.lower() for each in _categories(page))),
        "slugified_categories": lambda: "/".join(dict.fromkeys(map(slugified, _categories(page)))),
    }
    return texts[name]() if name in texts else None


def _categories(page: JekyllPage) -> tuple[str, ...]:
    return page.terms("category", "categories")


def local_moment(page: JekyllPage, config: JekyllConfig) -> dt.datetime:
    """Give the date in the site's time zone, which decides the day in an address; UTC if it names none."""
    text = page.iso_date()
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return dt.datetime(1, 1, 1)  # noqa: DTZ001 - it stands for no date
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(ZoneInfo(str(config.table.get("timezone") or "UTC")))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return moment.astimezone(dt.UTC)


def slugified(text: str, *, keep: frozenset[str] = frozenset(), cased: bool = False) -> str:
    """Make one hyphen of all characters that are neither letters, marks, digits nor kept."""
    kept = "".join(
        char
        if char in keep or unicodedata.category(char)[0] in "LM" or unicodedata.category(char) == "Nd"
        else "\0"
        for char in text
    )
    slug = re.sub("\0+", "-", kept).removeprefix("-").removesuffix("-")
    return slug if cased else slug.lower()


def _clean(path: str) -> str:
    return re.sub(r"/+", "/", f"/{path}".replace("..", "/").replace("./", ""))

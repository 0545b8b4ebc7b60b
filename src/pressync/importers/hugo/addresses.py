"""Computes the addresses of pages by Hugo's rules, without Hugo.

An old address that is wrong by a letter is a lost address. So the rules are Hugo's own: patterns of
`permalinks`, `url`, `slug`, `uglyURLs`, language prefixes, and the characters that Hugo drops. The real
trees were built with Hugo itself, and all their addresses are equal to these.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.importers.hugo.pages import is_target

if TYPE_CHECKING:
    from pressync.importers.hugo.config import HugoConfig
    from pressync.importers.hugo.pages import HugoPage

_TOKEN = re.compile(r":[a-z]+(?:\[[^\]/]*\])?|:\d[^/:]*", re.ASCII | re.IGNORECASE)
# Hugo shows a date by an example: `:2006-01` is year and month.
_LAYOUTS = {
    "2006": "",
    "06": "%y",
    "January": "%B",
    "Jan": "%b",
    "01": "%m",
    "02": "%d",
    "Monday": "%A",
    "Mon": "%a",
}
_LAYOUT = re.compile("|".join(_LAYOUTS))
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_SAFE = "/:@!$&'()*+,;=~-._%"
_KEPT = frozenset("./\\_-#+~@")


def address_of(page: HugoPage, config: HugoConfig) -> str:
    """Give the address of a page from the root of its host, as Hugo's `RelPermalink` has it."""
    prefix = config.languages[page.language].prefix
    own = page.front.text("url")
    if own:
        path = _expanded(own, page, config) if re.search(r"(?<!\\):", own) else own.replace("\\:", ":")
        return _whole(path if path.startswith("/") else f"{prefix}/{path}", config)
    pattern = _pattern(page, config)
    if pattern:
        path = _expanded(pattern, page, config)
        path = path.lower() if config.lower else path
    else:
        path = _default_path(page, config)
    path = path.strip("/")
    if path and config.is_ugly(page.section.lower(), page.language):
        return _whole(f"{prefix}/{path}{'.html' if page.kind == 'page' else '/index.html'}", config)
    # A pattern gives a folder, also if it ends in `.html`.
    return _whole(f"{prefix}/{path}", config, ending="/")


def _default_path(page: HugoPage, config: HugoConfig) -> str:
    """Give the path of the file; a slug replaces the last part of a page, and the folder of a section."""
    folders = page.inner.split("/") if page.inner else []
    parts = [_folder(slug or name, config) for slug, name in zip(page.slugs, folders, strict=True)]
    if page.kind == "page":
        own = _clean(page.slug, config) if page.slug else _folder(page.name, config)
        parts = [*parts[:-1], own]
    return "/".join(parts)


def aliases_of(page: HugoPage, address: str, config: HugoConfig) -> tuple[str, ...]:
    """Give the further old addresses of a page; one without a slash begins beside the page."""
    prefix = config.languages[page.language].prefix
    found = []
    for alias in page.front.texts("aliases", "alias"):
        if re.match(r"[a-z]+:", alias):
            continue
        if alias.startswith("/"):
            # Older versions of Hugo did not add the prefix, so authors wrote it.
            if f"{alias}/".startswith(f"/{prefix}/"):
                found.append(_whole(alias, config))
            path = f"{prefix}/{alias}"
        else:
            own = unquote(address.removeprefix(config.base)).removesuffix("index.html").rstrip("/")
            path = posixpath.join(posixpath.dirname(own), alias)
        found.append(_whole(path, config))
    return tuple(dict.fromkeys(alias for alias in found if alias != address))


def _whole(path: str, config: HugoConfig, *, ending: str = "") -> str:
    """Make an address from the root: with the site's base path, and a slash unless it names a file."""
    normal = posixpath.normpath(f"/{path.lstrip('/')}")
    is_file = bool(posixpath.splitext(normal)[1]) and not ending
    ended = normal if is_file or normal.endswith("/") else f"{normal}/"
    return quote(f"{config.base}{ended}", safe=_SAFE)


def _folder(name: str, config: HugoConfig) -> str:
    """Give the part of an address for a file's name: each space is a hyphen, unless the case is kept."""
    return _clean(name.replace(" ", "-") if config.lower else name, config)


def _clean(text: str, config: HugoConfig) -> str:
    """Drop the characters that Hugo drops from a path, and make one hyphen of spaces."""
    if config.table.get("removepathaccents"):
        bare = unicodedata.normalize("NFD", text)
        text = unicodedata.normalize("NFC", "".join(c for c in bare if unicodedata.category(c) != "Mn"))
    kept: list[str] = []
    is_space = False
    for number, char in enumerate(text):
        if char in _KEPT or unicodedata.category(char)[0] in "LNM" or _is_percent(text, number):
            if is_space and char != "-" and kept and kept[-1] != "-":
                kept.append("-")
            is_space = False
            kept.append(char)
        elif char.isspace() and kept:
            is_space = True
    cleaned = "".join(kept)
    return cleaned.lower() if config.lower else cleaned


def _is_percent(text: str, number: int) -> bool:
    return bool(re.fullmatch("%[0-9a-fA-F]{2}", text[number : number + 3]))


def _pattern(page: HugoPage, config: HugoConfig) -> str:
    """Give the pattern of `permalinks` for a page: by kind and section, or the first of a list that fits."""
    given = config.of_language(page.language, "permalinks")
    if isinstance(given, list):
        fits = (entry for entry in given if isinstance(entry, Mapping) and is_target(entry, page))
        return next((str(entry.get("pattern", "")) for entry in fits), "")
    if not isinstance(given, Mapping):
        return ""
    by_kind = given.get(page.kind)
    places = [by_kind] if isinstance(by_kind, Mapping) else []
    if page.kind == "page":
        places.append(given)
    for place in places:
        for count in range(len(page.sections), 0, -1):
            found = place.get("/".join(page.sections[:count]).lower())
            if isinstance(found, str):
                return found
        if page.kind == "page" and not page.sections and isinstance(place.get("/"), str):
            return str(place["/"])
    return ""


def _expanded(pattern: str, page: HugoPage, config: HugoConfig) -> str:
    def value(token: re.Match[str]) -> str:
        return _token(token[0][1:], page, config)

    return _TOKEN.sub(value, pattern).replace("\\", "")


def _token(token: str, page: HugoPage, config: HugoConfig) -> str:
    name, _, index = token.partition("[")
    day = _day(page.date)
    year = f"{day.year:04}"
    title = page.front.text("title")
    sections = [_clean(section, config) for section in page.sections]
    base = _clean(page.name, config).replace("+", "-").replace("#", "")
    texts = {
        "year": year,
        "month": f"{day:%m}",
        "monthname": f"{day:%B}",
        "day": f"{day:%d}",
        "weekday": str((day.weekday() + 1) % 7),
        "weekdayname": f"{day:%A}",
        "yearday": str(day.timetuple().tm_yday),
        "section": sections[0] if sections else "",
        "sections": "/".join(_chosen(sections, index.rstrip("]")) if index else sections),
        "title": _clean(title.replace("/", "-"), config),
        "slug": _clean(page.slug or title.replace("/", "-"), config),
        "slugorfilename": _clean(page.slug, config) or base,
        "slugorcontentbasename": _clean(page.slug, config) or base,
        "filename": base,
        "contentbasename": base,
    }
    if name[:1].isdigit():
        return _LAYOUT.sub(
            lambda found: format(day, _LAYOUTS[found[0]]) if _LAYOUTS[found[0]] else year, token
        )
    return texts.get(name.lower(), f":{token}")


def _chosen(sections: list[str], index: str) -> list[str]:
    """Give the part of the sections that `[last]`, `[0]` or `[1:]` names."""
    last = len(sections) - 1
    numbers = [
        last if part == "last" else int(part[:9]) if part.isdecimal() else None for part in index.split(":")
    ]
    if len(numbers) == 1:
        return sections[numbers[0] : numbers[0] + 1] if numbers[0] is not None and numbers[0] >= 0 else []
    return sections[numbers[0] : numbers[1]]


def _day(date: str) -> dt.date:
    found = _DAY.match(date)
    try:
        return dt.date(*(int(part) for part in found.groups())) if found else dt.date(1, 1, 1)
    except ValueError:
        return dt.date(1, 1, 1)

"""Gives the keys of a page's front matter their meaning for a site: dates, status, author, and the rest.

Hugo has more keys than a site has fields. A key that no field takes goes into the table `params`, so that
nothing is lost and no key gets another meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from pressync.content.front_matter.dates import read_date
from pressync.importers.item import Place, Remainder

if TYPE_CHECKING:
    import datetime as dt

    from pressync.importers.hugo.config import HugoConfig
    from pressync.importers.hugo.pages import HugoPage
    from pressync.importers.source_files import FolderFiles
    from pressync.importers.source_tree import Front

EXCERPTS = ("excerpt", "summary", "description")
AUTHORS = ("author", "authors")
# Keys that an item has, or that only steer Hugo.
_TAKEN = frozenset(
    """
    title slug url aliases alias date publishdate pubdate published lastmod modified draft weight build _build
    headless cascade expirydate unpublishdate
    """.split()  # noqa: SIM905 - names of keys read like a sentence
)
_PICTURES = ("featured_image", "featuredimage", "image", "cover", "thumbnail", "images")

_NAMED_OUT = ("expirydate", "unpublishdate")


def is_headless(front: Front) -> bool:
    """Tell whether Hugo does not render a page."""
    build = front.values.get("build", front.values.get("_build"))
    render = build.get("render", "always") if isinstance(build, dict) else "always"
    return front.values.get("headless") is True or render in {"never", "link", False}


def parameter(page: HugoPage, config: HugoConfig, name: str) -> str | None:
    """Give a parameter of the page, else of the site, as text."""
    own = page.front.values
    params = own.get("params")
    for table in (own, params if isinstance(params, dict) else {}):
        value = table.get(name, table.get(name.lower()))
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
    return config.parameter(page.language, name)


def status_of(page: HugoPage, today: dt.date) -> tuple[str, list[tuple[str, Remainder]]]:
    """Give the status; a page that has expired becomes a draft, because Hugo does not show it."""
    front = page.front
    key = next((name for name in _NAMED_OUT if front.text(name)), "")
    status = "draft" if front.values.get("draft") is True else ""
    if not key:
        return status, []
    end = front.text(key)
    is_over = bool(iso(end)) and iso(end)[:10] < today.isoformat()
    remainder = Remainder("expiry date", Place(page.file, front.lines.get(key, 0)), end)
    return "draft" if is_over else status, [(key, remainder)]


def author_of(front: Front) -> str:
    """Give the first author: a name, a list of names, or a table with a name."""
    for key in ("author", "authors"):
        value = front.values.get(key)
        first = value[0] if isinstance(value, list) and value else value
        name = first.get("name") if isinstance(first, dict) else first
        if isinstance(name, str) and name.strip() and not (isinstance(value, list) and len(value) > 1):
            return " ".join(name.split())
    return ""


def date_of(page: HugoPage) -> tuple[str, list[tuple[str, Remainder]]]:
    """Give the date on which the page is public: a later `publishDate` counts."""
    front = page.front
    date, public = iso(page.date), iso(front.text("publishdate", "pubdate"))
    place = Place(page.file, front.lines.get("date", 0))
    if page.date and not date:
        return public, [("date", Remainder("date", place, page.date))]
    if date and public and public[:10] > date[:10]:
        return public, [("date", Remainder("date before publishDate", place, page.date))]
    return date, []


def iso(text: str) -> str:
    """Give a date-time with its offset, if it has one; "" if it is not a date."""
    try:
        moment, utc = read_date(text)
    except ValueError:
        return ""
    return f"{moment}+00:00" if utc else moment


def fields_of(page: HugoPage, address: str, files: FolderFiles, taken: set[str]) -> dict[str, Any]:
    """Give further front matter: the page's picture, and all keys that nothing took."""
    fields: dict[str, Any] = {}
    for key in _PICTURES:
        for named in page.front.texts(key)[:1]:
            if files.has(urljoin(address, named)) and "featured_media" not in fields:
                fields["featured_media"] = urljoin(address, named)
    params = page.own.get("params", {})
    spelled = page.front.spelled
    own = {spelled[key]: value for key, value in page.own.items() if key not in {*taken, *_TAKEN, "params"}}
    rest = {**own, **(params if isinstance(params, dict) else {"params": params})}
    # A password never gets into a file; the tool's own pages had it in public.
    rest.pop("password", None)
    return {**fields, **({"params": rest} if rest else {})}

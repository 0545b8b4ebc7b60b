"""Writes the front matter of an imported file. Pure.

A file says only what pressync would not find out by itself: a slug only if the file's name gives another one,
a status only if the item is not published. So people read and edit short files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pressync.content.documents import name_and_date
from pressync.content.front_matter.dates import read_date
from pressync.content.front_matter.handlers import YAML, fenced
from pressync.content.front_matter.serialize import Bare
from pressync.content.sources import FOLDERS

if TYPE_CHECKING:
    from pressync.importers.item import Item


def written(item: Item, inner: str, *, parent: str | int | None, now: str | None) -> str:
    """Write the front matter of an item whose path below the content folder is `inner`.

    `parent` is what the folders do not say. The old addresses become redirects unless they are `now`, the
    new address, which is "" if it is not certain. With None, the item stays at its address.
    """
    values: dict[str, Any] = {"title": " ".join(item.title.split())}
    if FOLDERS.get(inner.partition("/")[0]) is not item.kind:
        values["type"] = item.kind.value
    name, named_date = name_and_date(inner, item.kind)
    slug = unquote(item.slug)
    if slug and slug != "-".join(name.lower().split()):
        values["slug"] = slug
    if (date := _date(item.date)) and read_date(date) != (named_date, False):
        values["date"] = Bare(date)
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
    return fenced(YAML, {"title": "", **shown, **item.fields})


def _aliases(item: Item, now: str) -> list[str]:
    """Give the old addresses that are not certainly the new one."""
    old = dict.fromkeys(filter(None, (item.address, *item.aliases)))
    return [
        address
        for address in old
        if "?" not in address and f"{address.rstrip('/')}/".casefold() != now.casefold()
    ]


def _date(text: str) -> str:
    """Give a date as it is written; "" for a text that is not a date."""
    try:
        read_date(text)
    except ValueError:
        return ""
    return text.strip()

"""Writes the front matter of an imported file. Pure.

A file says only what pressync would not find out by itself: a slug only if the file's name gives another one,
a status only if the item is not published. So people read and edit short files.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pressync.content.documents import name_and_date
from pressync.content.front_matter.dates import read_date
from pressync.content.front_matter.handlers import YAML, fenced
from pressync.content.front_matter.serialize import Bare
from pressync.content.sources import FOLDERS, INDEXES, stem
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.importers.item import Item

_CERTAIN = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*", re.ASCII)


def written(item: Item, inner: str, *, parent: str | int | None, author: str, has_new_address: bool) -> str:
    """Write the front matter of an item whose path below the content folder is `inner`.

    `parent` is what the folders do not say, and `author` the user to write. With `has_new_address` the old
    addresses become redirects where the new ones differ, or are not known.
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
        "author": author,
        "excerpt": item.excerpt,
        "parent": parent,
        "menu_order": item.order or None,
        "categories": list(item.categories),
        "tags": list(item.tags),
        "aliases": _aliases(item, inner) if has_new_address else list(item.aliases),
    }
    shown = {key: value for key, value in values.items() if value is not None and value not in ("", [])}
    return fenced(YAML, {"title": "", **shown, **item.fields})


def new_address(inner: str, kind: Kind) -> str:
    """Give the address of a page by its path; "" if it is not certain, as for a post."""
    if kind is Kind.POST or FOLDERS.get(inner.partition("/")[0]) is not kind:
        return ""
    path = inner.partition("/")[2]
    folder = posixpath.dirname(path)
    name = posixpath.basename(folder) if stem(path) in INDEXES else stem(path)
    above = posixpath.dirname(folder) if stem(path) in INDEXES else folder
    parts = [part for part in (*above.split("/"), name) if part]
    # A site makes another slug of a name with other characters, like `v3-5` of `v3.5`.
    return "/" + "".join(f"{part}/" for part in parts) if all(map(_CERTAIN.fullmatch, parts)) else ""


def _aliases(item: Item, inner: str) -> list[str]:
    """Give the old addresses that are not certainly the new one."""
    now = new_address(inner, item.kind).casefold()
    old = dict.fromkeys(filter(None, (item.address, *item.aliases)))
    return [address for address in old if "?" not in address and f"{address.rstrip('/')}/".casefold() != now]


def _date(text: str) -> str:
    """Give a date as it is written; "" for a text that is not a date."""
    try:
        read_date(text)
    except ValueError:
        return ""
    return text.strip()

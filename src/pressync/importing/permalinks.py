"""Proposes the structure of permalinks with which most posts keep their addresses. Pure.

WordPress has one structure for all posts of a site, and a person chooses it before the first sync. So each
old address is written as every structure that would give it, and the most frequent one is the proposal.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.content.documents import name_and_date
from pressync.model.interface import BLOG_KIND, DOCUMENTED_TYPES, SiteTypes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.importing.account import ImportedFile
    from pressync.importing.sources.item import Item


_NAME = "%postname%"
_DATE = ("%year%", "%monthnum%", "%day%")
# Each part of an address can be several tags, and a stranger's address has any number of parts.
_MOST_PARTS = 8
_ENDING = re.compile(r"(?:\.html?)?/?\Z")


def proposal(files: Iterable[ImportedFile], types: SiteTypes = DOCUMENTED_TYPES) -> str:
    """Say which structure keeps most old addresses of posts, and how many; "" without old addresses."""
    posts = [file for file in files if file.item.kind == BLOG_KIND and file.item.address]
    counted = Counter(structure for file in posts for structure in _structures(file.item, file.path, types))
    if not counted:
        return ""
    rows = ((-count, _is_odd(each), len(each), each) for each, count in counted.items())
    *_, best = min(rows)
    kept = counted[best]
    return (
        f"Permalinks: with `{best}` in Settings, Permalinks, the site keeps {kept} of {len(posts)} addresses "
        "of posts. Set it before the first sync."
    )


def _is_odd(structure: str) -> bool:
    """Tell whether a date has its parts in another order: on 2 February, day and month look alike."""
    given = [part for part in structure.split("/") if part in _DATE]
    return given != sorted(set(given), key=_DATE.index)


def _structures(item: Item, path: str, types: SiteTypes) -> set[str]:
    """Give each structure of WordPress that gives a post its old address."""
    bare = _ENDING.sub("", unquote(item.address))
    ending = unquote(item.address)[len(bare) :] or "/"
    parts = bare.strip("/").split("/")
    if "?" in item.address or len(parts) > _MOST_PARTS:
        return set()
    choices = [
        [tag for tag, value in _values(item, path, types) if value == part.casefold()] for part in parts
    ]
    # A text that no tag gives is the same for all posts, like `/blog/`.
    written = product(*(tags or [part] for tags, part in zip(choices, parts, strict=True)))
    return {f"/{'/'.join(tags)}{ending}" for tags in written if tags.count(_NAME) == 1}


def _values(item: Item, path: str, types: SiteTypes) -> list[tuple[str, str]]:
    name, named = name_and_date(path, item.kind, types)
    date = item.date or str(named or "")
    found = [(_NAME, unquote(item.slug or name).casefold())]
    found += zip(("%year%", "%monthnum%", "%day%"), date[:10].split("-"), strict=False)
    # Of several categories, the site takes one that is not known here.
    if len(item.categories) == 1:
        found.append(("%category%", "-".join(item.categories[0].casefold().split())))
    if item.author:
        found.append(("%author%", "-".join(item.author.casefold().split())))
    return found

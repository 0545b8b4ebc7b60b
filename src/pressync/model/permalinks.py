"""Finds the permalink structure of a site in the addresses of its posts. Pure."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from pressync.model.interface import BLOG_KIND
from pressync.model.web_address import path_of, split

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.model.records import Entry

# The interface does not show the permalink structure. But each published post has an address, a slug and a
# date, so the parts of the address show where they come from.
# The parts of a date in the order in which addresses have them.
_DATE = ("%year%", "%monthnum%", "%day%", "%hour%", "%minute%", "%second%")


_DATED = re.compile(r"/([0-9]{4})/([0-9]{2})(?:/([0-9]{2}))?/")


def permalink_structure(
    posts: Iterable[Mapping[str, object]],
    *,
    home: str,
    authors: Mapping[int, str] | None = None,
    categories: Collection[str] = (),
) -> str | None:
    """Give the structure as WordPress writes it, "" for plain addresses, None if no post shows it.

    A post has the members `id`, `slug`, `link` and `date`, and may have `author`. `authors` has the slugs of
    users by id, and `categories` the slugs of categories. The structure that most posts show counts.
    """
    seen = Counter(
        _of_post(post, path_of(home).rstrip("/"), authors or {}, frozenset(categories))
        for post in posts
        if post.get("slug")
    )
    seen.pop(None, None)
    return seen.most_common(1)[0][0] if seen else None


def shown_permalinks(entries: Iterable[Entry], home: str) -> str | None:
    """Give the structure that the addresses of a manifest's posts show, as `permalink_structure` does."""
    posts = (entry for entry in entries if entry.kind == BLOG_KIND)
    return permalink_structure(map(_with_date, posts), home=home)


def _with_date(post: Entry) -> dict[str, object]:
    """Give the members of a post that show the structure; an address with a date has its date."""
    date = _DATED.search(post.link)
    return {
        "id": post.id,
        "slug": post.slug,
        "link": post.link,
        # An empty part of a date would be in every address.
        "date": "-".join(filter(None, date.groups())) if date else "?",
    }


def _of_post(
    post: Mapping[str, object], folder: str, authors: Mapping[int, str], categories: frozenset[str]
) -> str | None:
    address = split(str(post.get("link", "")))
    if address is None:
        return None
    if address.query:
        return ""
    path = address.path.removeprefix(folder)
    author = post.get("author")
    tags = {
        str(post["slug"]): "%postname%",
        str(post.get("id", "")): "%post_id%",
        authors.get(author, "") if isinstance(author, int) else "": "%author%",
    }
    tags.pop("", None)
    date = dict(zip(_DATE, re.split("[T:-]", str(post.get("date", ""))), strict=False))
    parts: list[str] = []
    for segment in path.split("/"):
        part = _part(segment, tags, date, categories)
        # A category below another has both slugs in the address.
        if part != "%category%" or parts[-1:] != [part]:
            parts.append(part)
    text = "/".join(parts)
    return text if "%postname%" in text or "%post_id%" in text else None


def _part(segment: str, tags: Mapping[str, str], date: dict[str, str], categories: frozenset[str]) -> str:
    """Give the part of the structure behind one segment; a part of the date is used once."""
    if segment in tags:
        return tags[segment]
    for name, digits in date.items():
        if segment == digits:
            del date[name]
            return name
    if segment in categories:
        return "%category%"
    for text, name in tags.items():
        # `/archive-%post_id%` and `/%postname%.html` have a fixed text beside.
        if name != "%author%" and text in segment:
            return segment.replace(text, name)
    return segment

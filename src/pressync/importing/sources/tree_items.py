"""Makes the item of a Markdown file with front matter, for tools that differ only in words and addresses.

Each tool has its own keys for the same things, and its own addresses. So `Keys` is a row of words, and
`TreePage` is what a tool finds out about one file. Keys that no field takes stay in `params`.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pressync.importing.sources import markdown
from pressync.importing.sources.item import Item, Place, Remainder, last_part
from pressync.importing.sources.markdown import titled
from pressync.importing.sources.source_tree import AUTHORS, Front, author_of, further_fields, iso
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


MARKDOWN = (".md", ".markdown", ".mdx")
# Folders and collections of these names have posts.
BLOGS = frozenset({"blog", "blogs", "post", "posts", "news", "article", "articles", "writing"})


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a tool's front matter, in lower case, of which the first that is given counts.

    `dropped` only steer the tool. With `heading_wins`, the heading at the top counts before a title. If it
    `is_named`, a file without a title or a heading at its top has the name of the file as its title. `reads`
    gives the date of a text as the tool reads it, "" for none. `heading_ids` are as in `Item`.
    """

    date: tuple[str, ...] = ("date",)
    modified: tuple[str, ...] = ("updated",)
    excerpt: tuple[str, ...] = ("description", "excerpt", "summary")
    categories: tuple[str, ...] = ("categories", "category")
    tags: tuple[str, ...] = ("tags", "tag")
    order: tuple[str, ...] = ("order",)
    pictures: tuple[str, ...] = ("image", "cover")
    dropped: frozenset[str] = frozenset()
    heading_wins: bool = False
    is_named: bool = False
    reads: Callable[[str], str] = iso
    heading_ids: str = ""


@dataclass(frozen=True, slots=True)
class TreePage:
    """One file: where it goes, its old addresses, and its text with the remainders of that.

    `date` is that of the file's name. An empty `status` is that of front matter. `name` is the title if
    neither front matter nor a heading has one. A `title` counts before that of front matter.
    """

    file: str
    kind: Kind
    path: str
    body: str
    address: str = ""
    aliases: tuple[str, ...] = ()
    date: str = ""
    status: str = ""
    slug: str = ""
    author: str = ""
    categories: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    name: str = ""
    title: str = ""
    order: int | None = None
    left: Sequence[Remainder] = field(default_factory=tuple)


def item_of(
    page: TreePage, front: Front, keys: Keys, has: Callable[[str], bool] = lambda _file: False
) -> Item:
    """Make the item of a page; `has` tells whether the source has a picture at an address."""
    is_post = page.kind == Kind.POST
    name = page.name or posixpath.splitext(posixpath.basename(page.path))[0]
    given = page.title or front.text("title") or (name if keys.is_named else "")
    is_open = keys.heading_wins or (keys.is_named and not front.text("title"))
    title, body = titled(given, page.body, page.slug or name, heading_wins=is_open, is_once=keys.is_named)
    written = front.text(*keys.date)
    line = next((front.lines[key] for key in keys.date if key in front.lines), 0)
    date = keys.reads(written)
    lost = [] if date or not written else [Remainder("date", Place(page.file, line), written)]
    author = page.author or author_of(front.values)
    excerpt = front.text(*keys.excerpt)
    categories = front.texts(*keys.categories) if page.categories is None else page.categories
    tags = front.texts(*keys.tags) if page.tags is None else page.tags
    order = front.number(*keys.order)
    order = page.order if order is None else order
    is_hidden = "published" in keys.dropped and front.values.get("published") is False
    item = Item(
        key=page.file,
        kind=page.kind,
        place=Place(page.file),
        path=page.path,
        address=page.address,
        aliases=page.aliases,
        title=title,
        slug=last_part(page.slug or page.address),
        # The file's name counts for a date that the tool cannot read.
        date=date or iso(page.date),
        modified=keys.reads(front.text(*keys.modified)),
        status=page.status or ("draft" if front.is_draft or is_hidden else ""),
        excerpt=excerpt,
        author=author,
        categories=categories if is_post else (),
        tags=tags if is_post else (),
        order=None if is_post else order,
        body=body,
        heading_ids=keys.heading_ids,
        remainders=markdown.joined(page.left, lost, front.repeated),
    )
    return replace(item, fields=_further(item, front, keys, has))


def _further(item: Item, front: Front, keys: Keys, has: Callable[[str], bool]) -> dict[str, Any]:
    """Give further front matter: the page's picture, and all keys that the item does not have."""
    shown = {key: front.texts(key)[0] for key in keys.pictures if any(map(has, front.texts(key)[:1]))}
    taken = {"title", "slug", "draft", *keys.modified, *keys.dropped, *list(shown)[:1]}
    taken |= {key for key in keys.excerpt if front.text(key) == item.excerpt}
    taken |= {*AUTHORS} if item.author else set()
    taken |= {*keys.date} if keys.reads(front.text(*keys.date)) else set()
    taken |= {*keys.categories, *keys.tags} if item.kind == Kind.POST else {*keys.order}
    rest = front.rest(taken)
    if front.text("title") not in {"", item.title} and "title" not in keys.dropped:
        rest["title"] = front.text("title")
    return further_fields(rest, shown.values())

"""The meaning of each key of front matter for people, with examples; editors show it. Pure.

`convert` reads the keys. A test holds that no key is read without a row here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Described:
    """The meaning of a key, and examples of its value."""

    description: str
    examples: tuple[object, ...] = ()


_ADDRESS = Described(
    "The address that the page had in another tool: pressync keeps it as an old address.", ("/old/about/",)
)
# The keys that are fields of a record, or pressync's own.
KEYS: Mapping[str, Described] = {
    "title": Described("The title. Without it: the first heading, else the name of the file.", ("About us",)),
    "slug": Described("The last part of the address. Without it: the name of the file.", ("about",)),
    "status": Described(
        "Who can see it. Without it, a new record is published. `future` is published at its date.",
        ("draft",),
    ),
    "date": Described(
        "The date, as ISO 8601. Without an offset it is the site's time; with one (or Z) it is a moment.",
        ("2024-01-31", "2024-01-31T10:00:00", "2024-01-31T10:00:00+02:00"),
    ),
    "date_gmt": Described("The date in GMT. Name either this or `date`.", ("2024-01-31T08:00:00",)),
    "password": Described(
        "The site asks readers for this password. It is in the file, so in Git.", ("spring",)
    ),
    "parent": Described(
        "The page above: the path of its file, or its id; 0 is none. Without it, the folder decides.",
        ("team/index.md", 0),
    ),
    "menu_order": Described("The place among the pages beside it.", (3,)),
    "author": Described(
        "The user who wrote it: an id; on WordPress also a login, an e-mail address or a displayed name.",
        ("jane", 2),
    ),
    "excerpt": Described("A summary for lists of records.", ("Who we are.",)),
    "featured_media": Described(
        "The picture of the record: the path of a file, on WordPress; or its id on the site; 0 is none.",
        ("img/oven.jpg", 12),
    ),
    "comment_status": Described("Whether readers can comment.", ("closed",)),
    "ping_status": Described("Whether other sites can announce that they link to it.", ("closed",)),
    "meta": Described("Further values of the record. The interface has `footnotes`.", ({"footnotes": ""},)),
    "template": Described("The name of a template of the site's theme.", ("page-no-title",)),
    "format": Described("The format of the post, which some themes show differently.", ("aside",)),
    "sticky": Described("Whether the post stays at the top of the blog.", (True,)),
    "categories": Described(
        "The categories: ids; on WordPress also names. `News/Local` is Local below News.",
        (["News", "News/Local"],),
    ),
    "tags": Described(
        'The tags: ids; on WordPress also names. A name that looks like a number needs quotes: "2024".',
        (["bread", "2024"],),
    ),
    "aliases": Described("Old addresses, for `pressync redirects`.", (["/old/about/"],)),
    "description": Described("The excerpt, if `excerpt` and `summary` are not named.", ("Who we are.",)),
    "draft": Described("true is the same as `status: draft`.", (True,)),
    "front_page": Described(
        "true: the page is the front page of the site, where the user may choose it. A site has one.", (True,)
    ),
    "id": Described("The id of a record that exists: binds the file to it, as `pressync adopt` does.", (12,)),
    "layout": Described("The template of the repository that pressync puts the body into.", ("reference",)),
    "protect": Described("true: the record stays on the site when its file is removed.", (True,)),
    "summary": Described("The excerpt, if `excerpt` is not named.", ("Who we are.",)),
    "type": Described("The kind of record, in any folder; `none` leaves the file out.", ("page",)),
    "weight": Described("The same as `menu_order`.", (3,)),
}
# Keys of other tools that have a meaning here; any value is accepted.
FOREIGN: Mapping[str, Described] = {
    "authors": Described("The authors, if `author` is not named and the settings have a table [authors]."),
    "published": Described("false is the same as `status: draft`.", (False,)),
    "redirect_from": Described("Old addresses, as in Jekyll.", (["/old/about/"],)),
    "permalink": _ADDRESS,
    "url": _ADDRESS,
    "path": _ADDRESS,
}

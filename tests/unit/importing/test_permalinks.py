"""The structure of permalinks that keeps most addresses of posts is proposed with its figure."""

from __future__ import annotations

import pytest

from pressync.importing.account import Carried, ImportedFile
from pressync.importing.permalinks import proposal
from pressync.importing.sources.item import Item, Place
from pressync.model.interface import Kind


def post(address: str, slug: str, date: str = "2024-01-01", *categories: str) -> ImportedFile:
    item = Item(address, Kind.POST, Place("x"), address=address, slug=slug, date=date, categories=categories)
    return ImportedFile(item, f"content/posts/{slug}.md", Carried.AS_MARKDOWN)


@pytest.mark.parametrize(
    ("posts", "told"),
    [
        ([post("/2024/01/01/a/", "a"), post("/2024/02/09/b/", "b", "2024-02-09T08:00:00Z")],
         "`/%year%/%monthnum%/%day%/%postname%/` in Settings, Permalinks, the site keeps 2 of 2"),
        ([post("/blog/2024/02/02/a/", "a", "2024-02-02")], "`/blog/%year%/%monthnum%/%day%/%postname%/`"),
        ([post("/blog/a", "a"), post("/blog/b", "b"), post("/c/", "c")], "`/blog/%postname%/` in Settings"),
        ([post("/news/a.html", "a", "", "News"), post("/x/", "y")], "`/%category%/%postname%.html`"),
        ([post("/a/", "a", "", "One", "Two")], "the site keeps 1 of 1 addresses"),
        ([post("/", "a"), post("/" + "2024/" * 50, "a"), post("/?p=1", "a")], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_most_addresses_are_kept(posts: list[ImportedFile], told: str) -> None:
    said = proposal(posts)
    assert told in said
    assert bool(said) is bool(told)

"""The public records in order, and the archives of categories, tags, authors and dates."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from tests.support.site_settings import change_offset

from pressync.model.interface import Kind
from pressync.stage.server.queries import Outline, PublicRecords, archive_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.stage.server.store import Store


@contextmanager
def shelf_of(store: Store) -> Iterator[PublicRecords]:
    with store.database.reading() as db:
        yield PublicRecords(db, store.now())


def make(store: Store, title: str, **fields: str | int) -> int:
    made = store.create(Kind.PAGE, {"title": {"raw": title}, **fields})["id"]
    assert isinstance(made, int)
    return made


def titles(outlines: list[Outline]) -> list[str]:
    return [outline.title for outline in outlines]


def test_pages_come_by_menu_order_and_then_by_title(store: Store) -> None:
    for title, order in (("b", 0), ("C", 0), ("a", 0), ("first", -1), ("last", 1)):
        make(store, title, menu_order=order)
    with shelf_of(store) as records:
        assert titles(records.children(0, limit=9)) == ["first", "a", "b", "C", "last"]
        assert titles(records.children(0, limit=2, skip=1)) == ["a", "b"]
        assert records.count_children(0) == 5


def test_posts_come_newest_first(store: Store) -> None:
    for title, day in (("old", 1), ("new", 20), ("older", 1)):
        store.create(Kind.POST, {"title": {"raw": title}})
        with store.database.writing() as db:
            db.execute("UPDATE records SET date = ? WHERE title = ?", (day, title))
    store.delete(Kind.POST, 1)
    with shelf_of(store) as records:
        posts = records.posts(limit=9)
        assert [post.title for post in posts] == ["new", "older", "old"]
        assert [post.title for post in records.posts(limit=1, skip=1)] == ["older"]
        older, newer = records.older(posts[1]), records.newer(posts[1])
        assert older
        assert newer
        assert (older.title, newer.title) == ("old", "new")
        assert records.newer(posts[0]) is None
        assert records.count_posts() == 3


def day(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.fixture
def blog(store: Store) -> Store:
    """Fill a store with terms and three posts; the post that every store has is of 1 March 2024."""
    with store.writing() as db:
        for values in (
            (2, "category", "Field &amp; wood", "field", 0),
            (3, "category", "Notes", "notes", 2),
            (4, "post_tag", "Owls", "owls", 0),
        ):
            db.execute("INSERT INTO terms VALUES (?, ?, ?, ?, ?, 'About it')", values)
        db.execute(
            "INSERT INTO users (login, email, name, slug, role)"
            " VALUES ('jo', 'jo@localhost', 'Jo', 'jo', 'editor')"
        )
    store.create(
        Kind.POST,
        {"title": {"raw": "Owl"}, "date": day("2023-12-31T23:30:00"), "categories": (3,), "tags": (4,)},
    )
    store.create(
        Kind.POST,
        {"title": {"raw": "Oak"}, "date": day("2023-12-01T12:00:00"), "categories": (2,), "author": 2},
    )
    store.create(Kind.POST, {"title": {"raw": "Draft"}, "status": "draft", "categories": (2,), "tags": (4,)})
    return store


def titles_at(store: Store, path: str, offset: int = 0) -> list[str]:
    with store.database.reading() as db:
        archive = archive_at(db, path, offset)
        assert archive is not None
        records = PublicRecords(db, store.now())
        found = [post.title for post in records.posts(limit=9, archive=archive)]
        assert records.count_posts(archive) == len(found)
        return found


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("category/field/", ["Owl", "Oak"]),
        ("category/field/notes", ["Owl"]),
        ("tag/owls/", ["Owl"]),
        ("author/jo/", ["Oak"]),
        ("2023/", ["Owl", "Oak"]),
        ("2023/12/31/", ["Owl"]),
        ("2024/03/01/", ["Hello"]),
        ("blog/", ["Hello", "Owl", "Oak"]),
    ],
)
def test_an_address_leads_to_its_posts(blog: Store, path: str, found: list[str]) -> None:
    assert titles_at(blog, path) == found
    change_offset(blog, 60)
    assert titles_at(blog, "2024/01/01/", 60) == ["Owl"], "a day is a day of the site"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "category/owls/",
        "tag/notes/",
        "author/nobody/",
        "2023/02/30/",
    ],
)
def test_other_addresses_are_not_lists(blog: Store, path: str) -> None:
    with blog.database.reading() as db:
        assert archive_at(db, path, 0) is None


def test_the_terms_and_years_in_use_are_counted_without_drafts(blog: Store) -> None:
    with blog.database.reading() as db:
        records = PublicRecords(db, blog.now())
        assert [(term.name, term.count) for term in records.terms_in_use("category")] == [
            ("Field & wood", 1), ("Notes", 1)
        ]  # fmt: skip
        assert [(term.name, term.count) for term in records.terms_in_use("tag")] == [("Owls", 1)]
        assert [(year.name, year.count) for year in records.years_in_use()] == [("2024", 1), ("2023", 2)]

"""The lists of posts, at the addresses that WordPress gives them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from tests.support.site_settings import change_offset

from pressync.server.archives import EVERY_POST, archive_at, archive_of, author_of, terms_of
from pressync.server.queries import PublicRecords

if TYPE_CHECKING:
    from pressync.server.store import Store


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
    store.add_post(
        {"title": {"raw": "Owl"}, "date": day("2023-12-31T23:30:00"), "categories": (3,), "tags": (4,)}
    )
    store.add_post(
        {"title": {"raw": "Oak"}, "date": day("2023-12-01T12:00:00"), "categories": (2,), "author": 2}
    )
    store.add_post({"title": {"raw": "Draft"}, "status": "draft", "categories": (2,), "tags": (4,)})
    return store


def titles(store: Store, path: str, offset: int = 0) -> list[str]:
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
        ("category/notes", ["Owl"]),
        ("tag/owls/", ["Owl"]),
        ("author/jo/", ["Oak"]),
        ("2023/", ["Owl", "Oak"]),
        ("2023/12", ["Owl", "Oak"]),
        ("2023/12/31/", ["Owl"]),
        ("2024/03/01/", ["Hello"]),
        ("blog/", ["Hello", "Owl", "Oak"]),
    ],
)
def test_an_address_leads_to_its_posts(blog: Store, path: str, found: list[str]) -> None:
    assert titles(blog, path) == found


def test_a_day_is_a_day_of_the_site(blog: Store) -> None:
    change_offset(blog, 60)
    assert titles(blog, "2024/01/01/", 60) == ["Owl"]
    assert titles(blog, "2023/", 60) == ["Oak"]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "about/",
        "category/",
        "category/owls/",
        "tag/notes/",
        "author/nobody/",
        "9999/",
        "2023/13/",
        "2023/02/30/",
    ],
)
def test_other_addresses_are_not_lists(blog: Store, path: str) -> None:
    with blog.database.reading() as db:
        assert archive_at(db, path, 0) is None


def test_an_archive_has_one_path_a_name_and_a_description(blog: Store) -> None:
    with blog.database.reading() as db:
        found = archive_at(db, "category/notes", 0)
        assert found
        assert (found.title, found.path, found.description) == ("Notes", "/category/field/notes/", "About it")
        days = [archive_at(db, path, 0) for path in ("2023", "2023/12", "2023/12/01")]
    assert [day.title for day in days if day] == ["2023", "December 2023", "1 December 2023"]


def test_a_query_leads_to_a_list_as_with_plain_permalinks(blog: Store) -> None:
    with blog.database.reading() as db:
        found = [
            archive_of(db, query)
            for query in ({"cat": "3"}, {"author": "2"}, {"tag": "owls"}, {"cat": "4"}, {})
        ]
    assert [each.path if each else "" for each in found] == [
        "/category/field/notes/", "/author/jo/", "/tag/owls/", "", ""
    ]  # fmt: skip


def test_a_post_leads_to_its_terms_and_its_author(blog: Store) -> None:
    with blog.database.reading() as db:
        assert [(term.name, term.path) for term in terms_of(db, "category", (3, 2, 99))] == [
            ("Field & wood", "/category/field/"), ("Notes", "/category/field/notes/")
        ]  # fmt: skip
        assert terms_of(db, "tag", ()) == []
        jo = author_of(db, 2)
        assert jo
        assert (jo.name, jo.path) == ("Jo", "/author/jo/")
        assert author_of(db, 99) is None


def test_the_terms_and_years_in_use_are_counted_without_drafts(blog: Store) -> None:
    with blog.database.reading() as db:
        records = PublicRecords(db, blog.now())
        assert [(term.name, term.count) for term in records.terms_in_use("category")] == [
            ("Field & wood", 1), ("Notes", 1)
        ]  # fmt: skip
        assert [(term.name, term.count) for term in records.terms_in_use("tag")] == [("Owls", 1)]
        assert [(year.name, year.count) for year in records.years_in_use(0)] == [("2024", 1), ("2023", 2)]


def test_sticky_posts_begin_the_list_of_all_posts_alone(blog: Store) -> None:
    with blog.writing() as db:
        db.execute("UPDATE records SET sticky = 1 WHERE title = 'Oak'")
    assert titles(blog, EVERY_POST.path) == ["Oak", "Hello", "Owl"]
    assert titles(blog, "2023/") == ["Owl", "Oak"]

"""What the web site reads."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.support.site_settings import change_offset

from pressync.model.interface import Kind
from pressync.server.queries import PublicRecords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.unit.server.conftest import Clock

    from pressync.server.queries import Outline
    from pressync.server.store import Store


@contextmanager
def shelf_of(store: Store) -> Iterator[PublicRecords]:
    with store.database.reading() as db:
        yield PublicRecords(db, store.now())


def make(store: Store, title: str, **fields: str | int) -> int:
    made = store.create_page({"title": {"raw": title}, **fields})["id"]
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


def test_neighbours_come_in_the_same_order(store: Store) -> None:
    made = [make(store, title) for title in ("a", "b", "b", "C", "d")]
    with shelf_of(store) as records:
        middle = records.page(made[2])
        assert middle
        here = records.outline(middle)
        assert [each.id for each in records.before(here, limit=9)] == made[:2]
        assert [each.id for each in records.after(here, limit=1)] == made[3:4]


@pytest.mark.parametrize("status", ["draft", "pending", "private"])
def test_what_is_not_published_is_not_shown(store: Store, status: str) -> None:
    page = make(store, "Secret", status=status)
    with shelf_of(store) as records:
        assert records.page(page) is None
        assert records.page_at("/secret/") is None
        assert records.children(0, limit=9) == []
        assert records.count_children(0) == 0
        assert records.addresses(limit=9) == [("/blog/hello/", store.now())]


def test_what_is_scheduled_is_shown_from_its_moment_on(store: Store, clock: Clock) -> None:
    change_offset(store, 60)
    page = store.create_page({"title": {"raw": "Soon"}, "status": "publish"})
    assert page["id"] == 2
    with store.database.writing() as db:
        db.execute("UPDATE records SET status = 'future', date = ? WHERE id = 2", (store.now() + 60,))
    with shelf_of(store) as records:
        assert (records.page(2), records.count()) == (None, 1)
    clock.now += 60
    with shelf_of(store) as records:
        assert records.page(2)
        assert records.count() == 2


def test_ancestors_that_are_not_public_are_left_out(store: Store) -> None:
    top = make(store, "Top")
    draft = make(store, "Draft", parent=top, status="draft")
    leaf = make(store, "Leaf", parent=draft)
    with shelf_of(store) as records:
        page = records.page(leaf)
        assert page
        assert titles(records.ancestors(page)) == ["Top"]
        assert records.outline(page).path == "/top/draft/leaf/"


def test_posts_come_newest_first(store: Store) -> None:
    for title, day in (("old", 1), ("new", 20), ("older", 1)):
        store.add_post({"title": {"raw": title}})
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

"""Where records are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.server import permalinks

if TYPE_CHECKING:
    from pressync.server.store import Store


def make(store: Store, title: str, parent: int = 0) -> int:
    made = store.create_page({"title": {"raw": title}, "parent": parent})["id"]
    assert isinstance(made, int)
    return made


def link(store: Store, page: int) -> object:
    record = store.read(Kind.PAGE, page)
    assert record
    return str(record["link"]).removeprefix("http://127.0.0.1:8127")


def test_a_page_is_shown_below_its_parents(store: Store) -> None:
    setup = make(store, "Set-up", make(store, "Docs"))
    assert link(store, setup) == "/docs/set-up/"


def test_a_post_is_shown_in_the_blog(store: Store) -> None:
    post = store.read(Kind.POST, 1)
    assert post
    assert post["link"] == "http://127.0.0.1:8127/blog/hello/"


@pytest.mark.parametrize("slug", ["index", "home"])
def test_a_root_page_called_index_or_home_is_the_front_page(store: Store, slug: str) -> None:
    assert link(store, make(store, slug)) == "/"


def test_two_front_pages_do_not_share_an_address(store: Store) -> None:
    home, index = make(store, "home"), make(store, "index")
    assert (link(store, index), link(store, home)) == ("/", "/home/")


def test_below_a_parent_index_is_a_page_like_any_other(store: Store) -> None:
    assert link(store, make(store, "index", make(store, "Docs"))) == "/docs/index/"


def test_pages_cannot_hide_behind_the_blog_or_the_service(store: Store) -> None:
    assert link(store, make(store, "blog")) == "/blog-2/"
    assert link(store, make(store, "wp-json")) == "/wp-json-2/"
    assert link(store, make(store, "blog", make(store, "Docs"))) == "/docs/blog/"


def test_a_requested_path_leads_to_its_page(store: Store) -> None:
    page = make(store, "日本語", make(store, "Docs"))
    with store.database.reading() as db:
        assert permalinks.page_at(db, "/docs/日本語/") == page
        assert permalinks.page_at(db, "/日本語/") is None
        assert permalinks.page_at(db, "/docs//日本語/") is None
        assert permalinks.page_at(db, "") is None

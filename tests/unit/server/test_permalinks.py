"""Where records are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.site_settings import change_permalinks

from pressync.model.interface import Kind
from pressync.server import permalinks, rows
from pressync.server.database import read_settings, write_settings
from pressync.server.permalinks import Permalinks

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


def test_a_site_that_names_its_front_page_has_no_other(store: Store) -> None:
    index, start = make(store, "index"), make(store, "Start")
    below = make(store, "Below", start)
    for front, expected in (
        (start, ("/index/", "/")),
        (0, ("/index/", "/start/")),
        (below, ("/index/", "/start/")),
    ):
        with store.writing() as db:
            write_settings(db, replace(read_settings(db), front=front))
        assert (link(store, index), link(store, start)) == expected


def test_below_a_parent_index_is_a_page_like_any_other(store: Store) -> None:
    assert link(store, make(store, "index", make(store, "Docs"))) == "/docs/index/"


def test_pages_cannot_hide_behind_the_blog_or_the_service(store: Store) -> None:
    assert link(store, make(store, "blog")) == "/blog-2/"
    assert link(store, make(store, "wp-json")) == "/wp-json-2/"
    assert link(store, make(store, "blog", make(store, "Docs"))) == "/docs/blog/"


def test_a_requested_path_leads_to_its_page(store: Store) -> None:
    page = make(store, "日本語", make(store, "Docs"))
    with store.database.reading() as db:
        paths = Permalinks(db)
        assert paths.page_at("/docs/日本語/") == page
        assert paths.page_at("/日本語/") is None
        assert paths.page_at("/docs//日本語/") is None
        assert paths.page_at("") is None


@pytest.mark.parametrize(
    ("structure", "path"),
    [
        ("/%year%/%monthnum%/%day%/%postname%/", "/2024/03/01/hello/"),
        ("/%postname%.html", "/hello.html"),
        ("/archives/%post_id%", "/archives/1"),
        ("/%category%/%postname%/", "/uncategorized/hello/"),
        ("/%author%/%hour%-%minute%-%second%/%post_id%/", "/admin/12-00-00/1/"),
    ],
)
def test_the_structure_gives_the_path_of_a_post_and_the_path_leads_back(
    store: Store, structure: str, path: str
) -> None:
    change_permalinks(store, structure)
    with store.database.reading() as db:
        post = rows.find(db, Kind.POST, 1)
        assert post
        assert permalinks.path_of(db, post) == path
        assert Permalinks(db).post_at(path) == 1
        assert Permalinks(db).post_at("/nothing/else/at/all/here/or/there/") is None


def test_the_path_of_a_category_has_the_categories_above_it(store: Store) -> None:
    change_permalinks(store, "/%category%/%postname%/")
    with store.writing() as db:
        db.execute("INSERT INTO terms VALUES (2, 'category', 'Field', 'field', 0, '')")
        db.execute("INSERT INTO terms VALUES (3, 'category', 'Notes', 'notes', 2, '')")
        db.execute("UPDATE records SET categories = '[3]'")
        post = rows.find(db, Kind.POST, 1)
        assert post
        assert permalinks.path_of(db, post) == "/field/notes/hello/"


def test_with_plain_permalinks_an_address_is_a_number(store: Store) -> None:
    change_permalinks(store, "")
    assert link(store, make(store, "Docs")) == "/?page_id=2"
    post = store.read(Kind.POST, 1)
    assert post
    assert post["link"] == "http://127.0.0.1:8127/?p=1"


def test_a_structure_without_a_last_slash_counts_for_pages_too(store: Store) -> None:
    change_permalinks(store, "/%postname%")
    assert link(store, make(store, "Setup", make(store, "Docs"))) == "/docs/setup"


@pytest.mark.parametrize(
    "structure",
    [
        "/%year%/",
        "%postname%",
        "/%slug%/",
        "/a b/",
        "//",
        "/%category%/%category%/%postname%/",
        f"/{'a' * 200}",
    ],
)
def test_a_structure_that_leads_nowhere_is_refused(store: Store, structure: str) -> None:
    with pytest.raises(ValueError, match="is not a permalink structure"):
        change_permalinks(store, structure)

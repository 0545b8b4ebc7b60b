"""The tree beside a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.server import navigation
from pressync.server.navigation import WIDTH
from pressync.server.queries import PublicRecords

if TYPE_CHECKING:
    from pressync.server.navigation import Level, PageContext
    from pressync.server.store import Store


def make(store: Store, title: str, parent: int = 0, status: str = "publish") -> int:
    made = store.create_page({"title": {"raw": title}, "parent": parent, "status": status})["id"]
    assert isinstance(made, int)
    return made


def around(store: Store, page_id: int) -> PageContext:
    with store.database.reading() as db:
        records = PublicRecords(db, store.now())
        page = records.page(page_id)
        assert page
        return navigation.around(records, page)


def drawn(level: Level, indent: str = "") -> list[str]:
    """Draw a tree: a line a page, the current one marked, the open ones indented."""
    lines = []
    for branch in level.branches:
        lines.append(f"{indent}{branch.page.title}{' *' if branch.current else ''}")
        lines += drawn(branch.below, indent + "  ") if branch.below else []
    return [*lines, *([f"{indent}… {level.rest}"] if level.rest else [])]


def test_the_tree_is_open_on_the_way_to_the_page_and_nowhere_else(store: Store) -> None:
    docs, blog = make(store, "Docs"), make(store, "Other")
    setup, use = make(store, "Setup", docs), make(store, "Use", docs)
    make(store, "Linux", setup)
    make(store, "Daily", use)
    make(store, "Hidden", blog)
    assert drawn(around(store, setup).tree) == ["Docs", "  Setup *", "    Linux", "  Use", "Other"]


def test_a_page_knows_what_is_above_before_and_after_it(store: Store) -> None:
    docs = make(store, "Docs")
    a, b, c = (make(store, title, docs) for title in "abc")
    middle = around(store, b)
    assert [page.title for page in middle.trail] == ["Docs"]
    assert middle.before
    assert middle.after
    assert (middle.before.id, middle.after.id) == (a, c)
    assert around(store, docs).before is None


def test_only_the_way_is_shown_between_the_root_and_the_siblings(store: Store) -> None:
    top = make(store, "Top")
    way = make(store, "Way", top)
    make(store, "Aside", top)
    leaf = make(store, "Leaf", way)
    make(store, "Other leaf", way)
    assert drawn(around(store, leaf).tree) == ["Top", "  Way", "    Leaf *", "    Other leaf"]


@pytest.mark.parametrize("place", [0, 30, 60, 119])
def test_of_many_siblings_those_around_the_page_are_shown(store: Store, place: int) -> None:
    docs = make(store, "Docs")
    pages = [make(store, f"{n:03}", docs) for n in range(120)]
    *lines, rest = drawn(around(store, pages[place]).tree)
    assert rest == "  … /docs/#section"
    assert len(lines) == 1 + WIDTH
    assert f"  {place:03} *" in lines
    first = min(max(0, place - WIDTH // 2), 120 - WIDTH)
    assert [line.strip(" *") for line in lines[1:]] == [f"{n:03}" for n in range(first, first + WIDTH)]


def test_of_many_children_the_first_are_shown(store: Store) -> None:
    docs = make(store, "Docs")
    for n in range(WIDTH + 1):
        make(store, f"{n:03}", docs)
    lines = drawn(around(store, docs).tree)
    assert (len(lines), lines[-1]) == (WIDTH + 2, "  … /docs/#section")


def test_a_page_below_a_draft_has_its_place_all_the_same(store: Store) -> None:
    draft = make(store, "Draft", status="draft")
    assert drawn(around(store, make(store, "Leaf", draft)).tree) == ["Leaf *"]


def test_what_is_no_page_sees_the_root_pages(store: Store) -> None:
    make(store, "Docs")
    with store.database.reading() as db:
        assert drawn(navigation.root_level(PublicRecords(db, store.now())).tree) == ["Docs"]

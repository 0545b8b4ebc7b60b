"""The surroundings of a page: the tree of pages, and what a reader reads before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.stage.server import navigation
from pressync.stage.server.navigation import WIDTH, Level, PageContext
from pressync.stage.server.queries import PublicRecords

if TYPE_CHECKING:
    from pressync.stage.server.store import Store


def make(store: Store, title: str, parent: int = 0, status: str = "publish", order: int = 0) -> int:
    made = store.create(
        Kind.PAGE, {"title": {"raw": title}, "parent": parent, "status": status, "menu_order": order}
    )["id"]
    assert isinstance(made, int)
    return made


def around(store: Store, page_id: int) -> PageContext:
    with store.database.reading() as db:
        records = PublicRecords(db, store.now())
        page = records.shown(Kind.PAGE, page_id)
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
    for number in range(WIDTH):
        make(store, f"Z{number}", blog)
    assert drawn(around(store, setup).tree) == ["Docs", "  Setup *", "    Linux", "  Use", "Other"]


def test_the_tree_of_few_pages_has_all_of_them_in_groups(store: Store) -> None:
    write, publish = make(store, "Write", order=2), make(store, "Publish", order=1)
    words, hooks = make(store, "Words", write), make(store, "Hooks", publish, order=2)
    make(store, "Actions", publish, order=1)
    make(store, "Below a draft", make(store, "Draft", status="draft"))
    tree = ["Publish", "  Actions", "  Hooks", "Write", "  Words", "Below a draft"]
    for page, line in ((write, 3), (publish, 0), (words, 4), (hooks, 2)):
        marked = [f"{text} *" if number == line else text for number, text in enumerate(tree)]
        assert drawn(around(store, page).tree) == marked


def test_a_reader_who_always_takes_the_next_page_reads_group_after_group(store: Store) -> None:
    front = make(store, "Front")
    write, publish = make(store, "Write", order=1), make(store, "Publish", order=2)
    words = make(store, "Words", write)
    read = [front, write, words, make(store, "Deep", words), make(store, "Zoo", write), publish]
    read.append(make(store, "Hooks", publish))
    for before, page, after in zip([None, *read], read, [*read[1:], None], strict=False):
        beside = around(store, page)
        assert (beside.before.id if beside.before else None) == before
        assert (beside.after.id if beside.after else None) == after


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

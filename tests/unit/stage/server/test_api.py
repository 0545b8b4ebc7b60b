"""The five operations, over a real socket and in the documented encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unit.stage.server.wire import delete, refusal, write

from pressync.model.interface import PAGE_RECORD, Kind

if TYPE_CHECKING:
    from tests.unit.stage.server.conftest import Clock

    from pressync.stage.server.server import RunningService


# 4.1 Create a page


def test_omitted_fields_have_defaults(pages: str) -> None:
    record = write(pages, title={"raw": "About us"}).json
    assert (record["slug"], record["status"], record["author"]) == ("about-us", "publish", 1)
    assert (record["parent"], record["menu_order"], record["template"]) == (0, 0, "")
    assert (record["comment_status"], record["ping_status"]) == ("open", "open")
    assert record["date"] == record["date_gmt"] == record["modified_gmt"] == "2024-03-01T12:00:00"
    assert record["meta"] == {"footnotes": ""}


def test_a_taken_slug_gets_a_number_per_parent(pages: str) -> None:
    assert [write(pages, slug="dup").json["slug"] for _ in range(3)] == ["dup", "dup-2", "dup-3"]
    assert write(pages, slug="dup", parent=2).json["slug"] == "dup"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "trash"),
        ("comment_status", "yes"),
        ("ping_status", ""),
        ("author", 0),
        ("parent", 99),
        ("parent", 1),
    ],
)
def test_a_value_that_cannot_be_taken_is_refused_by_name(pages: str, field: str, value: object) -> None:
    assert refusal(write(pages, **{field: value}), 400) == ("invalid_field", field)


# 4.2 Update a page


def test_a_page_that_moves_gets_a_slug_that_is_free_there(pages: str) -> None:
    write(pages, slug="docs")
    write(pages, slug="a", parent=2)
    write(pages, slug="a")
    assert write(f"{pages}/4", parent=2).json["slug"] == "a-2"


def test_a_page_cannot_be_below_itself(pages: str) -> None:
    write(pages, slug="a")
    write(pages, slug="b", parent=2)
    assert "own parent" in write(f"{pages}/2", parent=2).json["message"]
    cycle = write(f"{pages}/2", parent=3)
    assert refusal(cycle, 400) == ("invalid_field", "parent")
    assert "cycle" in cycle.json["message"]


def test_what_is_published_in_the_future_becomes_scheduled(pages: str, clock: Clock) -> None:
    assert write(pages, date="2024-03-01T13:00:00", status="publish").json["status"] == "future"
    clock.now += 3600
    assert write(f"{pages}/2", menu_order=1).json["status"] == "publish"


@pytest.mark.parametrize("record", ["99", "1"])
def test_a_page_that_is_not_there_is_not_found(pages: str, record: str) -> None:
    assert refusal(write(f"{pages}/{record}", slug="a"), 404) == ("no_such_record", "")
    assert refusal(delete(f"{pages}/{record}"), 404) == ("no_such_record", "")


# 4.3 Delete a page


def test_a_delete_without_force_moves_to_the_trash_and_one_with_it_removes_for_ever(pages: str) -> None:
    made = write(pages, slug="about").json
    answer = delete(f"{pages}/2", force=False)
    assert answer.status == 200
    assert list(answer.json) == [field.name for field in PAGE_RECORD]
    assert (answer.json["status"], answer.json["slug"]) == ("trash", "about__trashed")
    assert refusal(delete(f"{pages}/2"), 410) == ("already_trashed", "")
    assert refusal(write(pages, parent=2), 400) == ("invalid_field", "parent")
    assert write(f"{pages}/2", menu_order=1).json["status"] == "trash"
    restored = write(f"{pages}/2", status="publish", menu_order=0).json
    assert (restored["status"], restored["slug"]) == ("publish", "about")
    assert delete(f"{pages}/2", force=True).json["id"] == made["id"]
    assert delete(f"{pages}/2", force=True).status == 404
    assert write(pages, slug="about").json["id"] == 3


def test_the_children_of_a_removed_page_move_to_the_root(service: RunningService, pages: str) -> None:
    write(pages, slug="a")
    write(pages, slug="docs")
    write(pages, slug="a", parent=3)
    delete(f"{pages}/3", force=True)
    child = service.store.read(Kind.PAGE, 4)
    assert child
    assert (child["parent"], child["slug"], child["modified"]) == (0, "a-2", "2024-03-01T12:00:01")


# 4.4 and 4.5 Update and delete a post


def test_a_post_has_no_parent(hello: str) -> None:
    assert refusal(write(hello, parent=0), 400) == ("unknown_field", "parent")

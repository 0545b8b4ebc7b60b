"""Many lost creates are looked up in very few requests; an incomplete list gives nothing."""

from __future__ import annotations

import pytest
from tests.unit.client.wordpress.answered import answered, page
from tests.unit.client.wordpress.test_reads import Asked

from pressync.client.wordpress.lost_creates import find_recent
from pressync.model.interface import Kind

SLUGS = [f"a-page-of-number-{number}" for number in range(25)]


def row(number: int, slug: str) -> dict[str, object]:
    """Give the row of a page with this slug."""
    return page(Kind.PAGE, number, slug=slug)


def test_a_whole_batch_is_looked_up_in_one_request() -> None:
    asked = Asked(answered(200, [row(number, slug) for number, slug in enumerate(SLUGS, 1)]))

    found = find_recent(asked, Kind.PAGE, SLUGS, requests=2)

    assert {slug: [record.id for record in records] for slug, records in found.items()} == {
        slug: [number] for number, slug in enumerate(SLUGS, 1)
    }
    assert len(asked.requests) == 1
    assert asked.query(0)["status"] == ["any,trash"]


def test_a_slug_that_got_a_number_is_one_of_the_slug_that_was_sent() -> None:
    asked = Asked(answered(200, [row(7, "b"), row(8, "a-2")]))

    found = find_recent(asked, Kind.PAGE, ["a", "b", "c"], requests=2)

    assert {slug: [record.id for record in records] for slug, records in found.items()} == {
        "a": [8],
        "b": [7],
        "c": [],
    }


def test_a_slug_is_found_as_the_site_spells_it() -> None:
    asked = Asked(answered(200, [row(7, "%e6%97%a5"), row(8, "uber")]))

    found = find_recent(asked, Kind.PAGE, ["über", "日"], requests=2)

    assert [record.id for record in found["über"]] == [8]
    assert [record.id for record in found["日"]] == [7]


def test_a_record_whose_slug_the_site_made_otherwise_may_be_of_any() -> None:
    asked = Asked(answered(200, [row(7, "what-is-this")]))

    found = find_recent(asked, Kind.PAGE, ["What is this?", "b"], requests=2)

    assert all([record.id for record in records] == [7] for records in found.values())


@pytest.mark.parametrize("requests", [1, 2])
def test_slugs_that_one_address_has_no_room_for_wait_for_the_next_and_then_for_the_next_run(
    requests: int,
) -> None:
    long = [f"{number}-{'x' * 120}" for number in range(25)]
    asked = Asked(answered(200, []), answered(200, []))

    found = find_recent(asked, Kind.PAGE, long, requests=requests)

    assert len(asked.requests) == requests
    assert all(len(request.path) < 8_000 for request in asked.requests)
    assert list(found) == long[: len(found)]
    assert 0 < len(found) < 25


def test_a_list_of_two_pages_is_read_whole_where_two_requests_are_allowed() -> None:
    first = answered(200, [row(n, "index") for n in range(1, 101)], x_wp_totalpages="2")
    asked = Asked(first, answered(200, [row(101, "index")], x_wp_totalpages="2"))

    found = find_recent(asked, Kind.PAGE, ["index"], requests=2)

    assert len(found["index"]) == 101
    assert asked.query(1)["page"] == ["2"]


@pytest.mark.parametrize(("requests", "pages"), [(1, "2"), (2, "3")])
def test_a_list_that_is_too_long_gives_nothing(requests: int, pages: str) -> None:
    asked = Asked(answered(200, [row(n, "index") for n in range(1, 101)], x_wp_totalpages=pages))

    assert find_recent(asked, Kind.PAGE, ["index"], requests=requests) == {}
    assert len(asked.requests) == 1

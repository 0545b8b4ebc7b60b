"""Lists as they are requested and read, page by page."""

from __future__ import annotations

import pytest
from tests.unit.client.wordpress.answered import answered, refused
from tests.unit.client.wordpress.test_reads import Asked

from pressync.client.port import HttpResponse
from pressync.client.wordpress.lists import every_row, get, rows
from pressync.model.errors import BadAnswer, Refused
from pressync.model.interface import Kind


def test_a_list_is_read_to_its_last_page_in_an_order_that_no_date_changes() -> None:
    asked = Asked(
        answered(200, [{"id": 1}], x_wp_totalpages="2"), answered(200, [{"id": 2}], x_wp_totalpages="2")
    )

    assert [row["id"] for row in every_row(asked, "/wp/v2/tags", (("_fields", "id"),))] == [1, 2]
    assert [asked.query(place)["page"] for place in range(2)] == [["1"], ["2"]]
    assert (asked.query(0)["orderby"], asked.query(0)["order"]) == (["id"], ["asc"])


def test_the_first_page_says_how_many_pages_there_are_at_most() -> None:
    said = ("2", "1000")
    asked = Asked(
        *(answered(200, [{"id": number}], x_wp_totalpages=last) for number, last in enumerate(said))
    )

    assert len(list(every_row(asked, "/wp/v2/tags", ()))) == 2


def test_a_service_that_says_that_a_list_never_ends_is_not_believed() -> None:
    empty = [answered(200, [], x_wp_totalpages="9999999")] * 1002
    asked = Asked(*empty)

    with pytest.raises(BadAnswer, match=r"a list has 9,999,999 pages, and gives only empty ones"):
        list(every_row(asked, "/wp/v2/tags", ()))
    assert len(asked.requests) == 1001
    with pytest.raises(
        BadAnswer, match="x-wp-totalpages of the response is 99999999, more than any site has"
    ):
        list(every_row(Asked(answered(200, [], x_wp_totalpages="99999999")), "/wp/v2/tags", ()))


def test_many_pages_whose_rows_a_user_may_not_read_are_passed() -> None:
    hidden = [answered(200, [], x_wp_totalpages="1001")] * 1000
    asked = Asked(*hidden, answered(200, [{"id": 7}], x_wp_totalpages="1001"))

    assert list(every_row(asked, "/wp/v2/posts", ())) == [{"id": 7}]


def test_a_read_that_is_refused_names_the_missing_right_for_its_kind() -> None:
    asked = Asked(refused(403, "rest_forbidden_context"))

    with pytest.raises(Refused, match="edit_posts"):
        get(asked, "/wp/v2/posts", (), Kind.POST)


@pytest.mark.parametrize(
    "response",
    [
        answered(200, {"id": 7}),
        answered(200, [7]),
        HttpResponse(200, "text/html", {}, b"[]"),
        HttpResponse(200, "application/json", {}, b"<br />[]"),
        HttpResponse(200, "application/json", {}, b"\xff"),
    ],
)
def test_a_body_that_is_not_a_list_of_records_is_a_bad_response(response: HttpResponse) -> None:
    with pytest.raises(BadAnswer, match="not the list"):
        rows(response)

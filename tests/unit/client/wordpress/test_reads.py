"""Records and lists as they are requested and read, page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.unit.client.wordpress.answered import answered, page, refused

from pressync.client.port import HttpResponse, Unreadable
from pressync.client.wordpress.by_slug import find
from pressync.client.wordpress.reads import every_row, newest, post_fields, records, rows
from pressync.model.errors import BadAnswer, NoAnswer, Refused
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.client.port import HttpRequest


class Asked:
    """Answers with what it was given, one after the other, and keeps what it was asked."""

    def __init__(self, *answers: HttpResponse) -> None:
        self.requests: list[HttpRequest] = []
        self._answers = list(answers)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Take one request."""
        self.requests.append(request)
        return self._answers.pop(0)

    def query(self, place: int) -> dict[str, list[str]]:
        """Give the query of a request."""
        return parse_qs(urlsplit(self.requests[place].path).query, keep_blank_values=True)


def test_a_hundred_records_are_read_at_once() -> None:
    first = answered(200, [page(Kind.PAGE, number) for number in range(1, 101)])
    second = answered(200, [page(Kind.PAGE, 101)])
    asked = Asked(first, second)
    read = records(asked, Kind.PAGE, range(1, 102))
    assert len(read) == 101
    assert asked.query(1)["include"] == ["101"]
    assert asked.query(0)["status"] == ["any,trash"]
    assert asked.query(0)["context"] == ["edit"]
    assert all(len(request.path) < 4_000 and request.body == b"" for request in asked.requests)


def test_a_record_that_the_list_left_out_is_asked_for_alone_and_is_not_considered_absent() -> None:
    asked = Asked(answered(200, []), answered(200, page(Kind.PAGE)))
    assert records(asked, Kind.PAGE, [7])[7].fields["status"] == "publish"
    assert urlsplit(asked.requests[1].path).path == "/wp/v2/pages/7"
    asked = Asked(answered(200, []), refused(403, "rest_forbidden_context"))
    with pytest.raises(Refused, match="edit_others_pages"):
        records(asked, Kind.PAGE, [7])


def test_published_records_that_a_user_may_not_read_are_named_by_one_request() -> None:
    shown = [{"id": number, "author": 1} for number in range(1, 100)]
    # Record 100 is a draft of somebody else, so no visitor sees it.
    forbidden = refused(403, "rest_forbidden_context")
    asked = Asked(answered(200, []), forbidden, answered(200, shown), forbidden)
    with pytest.raises(Unreadable) as caught:
        records(asked, Kind.POST, range(1, 101))
    assert (caught.value.ids, asked.query(2)["include"]) == (
        frozenset(range(1, 101)),
        [",".join(map(str, range(1, 101)))],
    )


def test_drafts_without_a_slug_are_looked_for_on_every_page_of_the_list() -> None:
    asked = Asked(
        answered(200, []),
        answered(200, [{"id": 3, "slug": "", "generated_slug": "other"}], x_wp_totalpages="2"),
        answered(
            200,
            [
                {"id": 7, "slug": "__trashed-2", "generated_slug": "about"},
                {"id": 8, "slug": "", "generated_slug": "about-2"},
            ],
            x_wp_totalpages="2",
        ),
        answered(200, [page(Kind.PAGE)]),
    )

    assert [record.id for record in find(asked, Kind.PAGE, ["about"])["about"]] == [7]
    assert asked.query(2)["page"] == ["2"]
    assert asked.query(2)["slug[]"][:3] == ["", "__trashed", "__trashed-2"]
    assert asked.query(3)["include"] == ["7"]


def test_the_newest_that_nobody_knows_are_found_behind_those_that_are_known() -> None:
    first = [{"id": number} for number in range(200, 100, -1)]
    second = [{"id": number} for number in range(100, 0, -1)]
    asked = Asked(
        answered(200, first, x_wp_totalpages="2"),
        answered(200, second, x_wp_totalpages="2"),
        answered(200, [page(Kind.PAGE, 3), page(Kind.PAGE, 150)]),
    )
    found = newest(asked, Kind.PAGE, besides={*range(1, 201)} - {3, 150})
    assert sorted(record.id for record in found) == [3, 150]
    assert (asked.query(0)["order"], asked.query(0)["_fields"]) == (["desc"], ["id"])
    assert asked.query(2)["include"] == ["3,150"]


def test_a_hundred_new_records_are_enough_and_at_most_ten_pages_are_read_for_them() -> None:
    ids = [*range(300, 200, -1)]
    listed = answered(200, [{"id": number} for number in ids], x_wp_totalpages="3")
    asked = Asked(listed, answered(200, [page(Kind.PAGE, number) for number in ids]))
    assert len(newest(asked, Kind.PAGE, besides=())) == 100
    known = answered(200, [{"id": 300}], x_wp_totalpages="999")
    assert newest(Asked(*[known] * 10), Kind.PAGE, besides={300}) == []


def test_the_custom_fields_of_posts_come_with_their_types() -> None:
    shown = {"a": {"type": "boolean"}, "b": {"type": "string"}, "c": "?"}
    described = {"schema": {"properties": {"meta": {"properties": shown}}}}
    asked = Asked(answered(200, described))
    assert post_fields(asked) == {"a": "boolean", "b": "string"}
    assert asked.requests[0].method == "GET"
    assert asked.query(0)["_method"] == ["OPTIONS"]


@pytest.mark.parametrize(
    "response",
    [
        answered(200, {"schema": {"properties": {"meta": {"properties": []}}}}),
        answered(200, []),
        answered(200, {}),
        refused(403, "rest_forbidden"),
    ],
)
def test_a_site_that_shows_no_custom_fields_has_none_or_cannot_be_asked(response: HttpResponse) -> None:
    assert post_fields(Asked(response)) == {}
    with pytest.raises(NoAnswer):
        post_fields(Asked(refused(500, "internal_server_error")))


def test_a_list_is_read_to_its_last_page_in_an_order_that_no_date_changes() -> None:
    # The first page says how many pages there are at most.
    pages = [answered(200, [{"id": n}], x_wp_totalpages=last) for n, last in ((1, "2"), (2, "1000"))]
    asked = Asked(*pages)
    assert [row["id"] for row in every_row(asked, "/wp/v2/tags", (("_fields", "id"),))] == [1, 2]
    assert [asked.query(place)["page"] for place in range(2)] == [["1"], ["2"]]
    assert (asked.query(0)["orderby"], asked.query(0)["order"]) == (["id"], ["asc"])


def uncounted(*rows_of_page: int) -> HttpResponse:
    """Give a page of a list from which a server has dropped the headers `X-WP-*`."""
    return answered(200, [{"id": number} for number in rows_of_page], x_wp_totalpages="")


@pytest.mark.parametrize("behind", [uncounted(), refused(400, "rest_post_invalid_page_number")])
def test_a_list_without_a_number_of_pages_is_read_until_a_page_has_nothing(behind: HttpResponse) -> None:
    # A user with few rights gets short pages before the last one.
    asked = Asked(uncounted(1, 2), uncounted(3), behind)
    assert [row["id"] for row in every_row(asked, "/wp/v2/posts", ())] == [1, 2, 3]
    assert len(asked.requests) == 3
    first, second = uncounted(*range(200, 100, -1)), uncounted(*range(100, 0, -1))
    asked = Asked(first, second, behind, answered(200, [page(Kind.PAGE, 3)]))
    assert [record.id for record in newest(asked, Kind.PAGE, besides={*range(1, 201)} - {3})] == [3]


def test_a_list_that_gives_the_same_rows_for_each_page_is_read_once() -> None:
    # The interface of a plugin may have no pages.
    asked = Asked(uncounted(1, 2), uncounted(1, 2))
    assert [row["id"] for row in every_row(asked, "/shop/v1/product", ())] == [1, 2]


def test_a_refusal_in_the_middle_of_a_list_is_not_its_end() -> None:
    for status, code in ((400, "rest_invalid_param"), (403, "rest_forbidden")):
        asked = Asked(uncounted(1), refused(status, code))
        with pytest.raises(Refused):
            list(every_row(asked, "/wp/v2/posts", ()))
    # Another refusal may quote the code in its sentence.
    quoting = {"code": "rest_forbidden", "message": "not rest_post_invalid_page_number"}
    with pytest.raises(Refused):
        list(every_row(Asked(uncounted(1), answered(403, quoting)), "/wp/v2/posts", ()))
    with pytest.raises(Refused):
        list(every_row(Asked(refused(400, "rest_post_invalid_page_number")), "/wp/v2/posts", ()))


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


@pytest.mark.parametrize(
    "response",
    [
        answered(200, {"id": 7}),
        answered(200, [7]),
        HttpResponse(200, "application/json", {}, b"<br />[]"),
        HttpResponse(200, "application/json", {}, b"\xff"),
    ],
)
def test_a_body_that_is_not_a_list_of_records_is_a_bad_response(response: HttpResponse) -> None:
    with pytest.raises(BadAnswer, match="not the list"):
        rows(response)

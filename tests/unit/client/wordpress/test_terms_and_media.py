"""Terms and files: the requests, and the responses of WordPress."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.unit.client.wordpress.answered import answered, refused
from tests.unit.client.wordpress.test_reads import Asked

from pressync.client.abilities import Uploaded
from pressync.client.port import HttpResponse, Upload
from pressync.client.terms import Term, clear_paths
from pressync.client.wordpress import terms_and_media
from pressync.model.errors import BadAnswer, NoAnswer, Refused
from pressync.model.interface import DOCUMENTED_TYPES

if TYPE_CHECKING:
    from pressync.model.errors import ServiceError

CATEGORIES, TAGS = (DOCUMENTED_TYPES.taxonomies[name] for name in ("categories", "tags"))
PNG = Upload("a b.png", "a-b-0123", b"\x89PNG")


def test_terms_are_read_whole_and_their_names_as_people_see_them() -> None:
    rows = [{"id": n, "name": "A &amp; B", "slug": f"a-{n}", "parent": 0} for n in range(1, 101)]
    child = {"id": 101, "name": "C", "slug": "c", "parent": 7}
    asked = Asked(answered(200, rows, x_wp_totalpages="2"), answered(200, [child]))
    found = terms_and_media.terms(asked, CATEGORIES)
    assert (len(found), found[0], found[-1]) == (101, Term(1, "A & B", "a-1", 0), Term(101, "C", "c", 7))
    assert [asked.query(place)["page"] for place in (0, 1)] == [["1"], ["2"]]


def test_a_term_is_made_with_its_parent_or_is_the_one_that_wordpress_takes_for_the_same() -> None:
    asked = Asked(answered(201, {"id": 9, "name": "A &amp; B", "slug": "a-b", "parent": 4}))
    assert terms_and_media.make_term(asked, CATEGORIES, "A & B", 4) == 9
    assert json.loads(asked.requests[0].body) == {"name": "A & B", "parent": 4}
    assert terms_and_media.make_term(Asked(refused(400, "term_exists", term_id=3)), TAGS, "News", 0) == 3
    with pytest.raises(Refused, match="rest_cannot_create"):
        terms_and_media.make_term(Asked(refused(403, "rest_cannot_create")), TAGS, "x", 0)


def test_a_term_whose_name_looks_like_html_keeps_it() -> None:
    row = {"id": 9, "name": "Vec&lt;T&gt; &amp;amp;", "slug": "vect", "parent": 0}
    asked = Asked(answered(201, row), answered(200, [row]))
    terms_and_media.make_term(asked, TAGS, "Vec<T> &amp;", 0)
    assert json.loads(asked.requests[0].body) == {"name": "Vec&lt;T> &amp;amp;"}
    assert [term.name for term in terms_and_media.terms(asked, TAGS)] == ["Vec<T> &amp;"]


def test_it_is_asked_which_terms_and_files_are_there_a_hundred_at_a_time() -> None:
    mine, theirs = answered(200, [{"id": 9}]), answered(200, [{"id": 8}])
    asked = Asked(answered(200, [{"id": 3}]), answered(200, []), mine, theirs)
    assert terms_and_media.present(asked, TAGS, range(1, 102)) == {3}
    assert terms_and_media.present(asked, None, [8, 9]) == {8, 9}
    assert [request.path.partition("?")[0] for request in asked.requests] == [
        *["/wp/v2/tags"] * 2,
        *["/wp/v2/media"] * 2,
    ]
    assert [asked.query(place)["include"][0].count(",") for place in range(4)] == [99, 0, 1, 0]


def test_a_name_that_the_database_does_not_take_is_certainly_not_stored() -> None:
    with pytest.raises(Refused) as refusal:
        terms_and_media.make_term(Asked(refused(500, "db_insert_error")), TAGS, "x" * 201, 0)
    assert "at most 200 characters" in refusal.value.todo


def test_files_are_looked_up_fifty_at_a_time_by_their_exact_slug() -> None:
    slugs = [f"x-{n:03}" for n in range(51)]
    found = answered(
        200, [{"id": 1, "slug": "x-001", "source_url": "https://s.test/x.png"}, {"id": 2, "slug": "other"}]
    )
    theirs = answered(200, [{"id": 3, "slug": "x-002", "source_url": "https://s.test/y.png"}])
    asked = Asked(found, answered(200, []), theirs)
    one, two = (Uploaded(1, "https://s.test/x.png"), Uploaded(3, "https://s.test/y.png"))
    assert terms_and_media.uploaded(asked, slugs) == {"x-001": one, "x-002": two}
    # An author sees the files of others in the context `view` alone.
    queries = [asked.query(place) for place in (0, 1, 2)]
    assert [(len(each["slug[]"]), each["context"]) for each in queries] == [
        (50, ["edit"]),
        (1, ["edit"]),
        (50, ["view"]),
    ]


def test_a_file_goes_as_a_form_with_its_slug() -> None:
    asked = Asked(answered(201, {"id": 7, "slug": PNG.slug, "source_url": "https://s.test/a-b.png"}))
    assert terms_and_media.upload(asked, PNG) == Uploaded(7, "https://s.test/a-b.png")
    request = asked.requests[0]
    assert request.content_type.startswith("multipart/form-data; boundary=")
    assert b'name="slug"\r\n\r\na-b-0123\r\n' in request.body
    assert b'name="file"; filename="a b.png"\r\n' in request.body
    assert b"\r\n\r\n\x89PNG\r\n" in request.body


def test_an_upload_that_the_server_finds_too_large_asks_for_a_smaller_file() -> None:
    with pytest.raises(Refused, match="use a smaller file"):
        terms_and_media.upload(Asked(HttpResponse(413, "text/html", {}, b"")), PNG)


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (refused(500, "rest_upload_sideload_error"), Refused),
        (refused(500, "internal_server_error"), NoAnswer),
        (HttpResponse(502, "text/html", {}, b"<title>Bad gateway</title>"), NoAnswer),
        *(
            (answered(201, {"id": 7, "slug": "x", "source_url": link}), BadAnswer)
            for link in (None, "javascript:alert(1)", 5)
        ),
    ],
)
def test_an_upload_is_refused_perhaps_carried_out_or_without_an_address(
    response: HttpResponse, error: type[ServiceError]
) -> None:
    with pytest.raises(error):
        terms_and_media.upload(Asked(response), PNG)


def test_a_row_without_an_id_is_a_bad_response() -> None:
    with pytest.raises(BadAnswer):
        terms_and_media.terms(Asked(answered(200, [{"id": 0, "name": "x"}])), TAGS)


def test_a_name_that_two_terms_share_is_no_name_of_either_nor_of_what_is_below_it() -> None:
    rows = [Term(1, "News", "news", 0), Term(2, "Two", "two", 0), Term(3, "TWO", "two-2", 0)]
    rows += [
        Term(4, "In", "in", 2),
        Term(5, "Two", "two-3", 1),
        Term(6, "Round", "a", 7),
        Term(7, "Way", "b", 6),
    ]
    clear = clear_paths(rows, nested=True)
    assert {1: "News", 5: "News/Two"}.items() <= clear.items()
    assert not {2, 3, 4} & clear.keys()
    assert {2, 3, 5}.isdisjoint(clear_paths(rows, nested=False))

"""Many slugs are looked up in very few requests, which make nothing, in each spelling that a site stores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from tests.unit.client.wordpress.answered import answered, page
from tests.unit.client.wordpress.test_reads import Asked

from pressync.client.port import HttpResponse
from pressync.client.wordpress.by_slug import at_addresses, find, numbered, spellings, stored, trashed
from pressync.model.errors import BadAnswer
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.client.port import HttpRequest


ROW = {
    "id": 3,
    "type": "page",
    "link": "https://site.test/x/",
    "modified": "m",
    "modified_gmt": "m",
    "status": "publish",
    "parent": 0,
    "author": 1,
    "title": {"raw": "T"},
    "content": {"raw": ""},
}


class Site:
    """Answers each question with the next page of rows."""

    def __init__(self, *pages: list[dict[str, object]]) -> None:
        self.pages = pages or ([],)
        self.asked: list[HttpRequest] = []

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(request)
        number = int(dict(parse_qsl(urlsplit(request.path).query))["page"])
        body = json.dumps(self.pages[number - 1]).encode()
        headers = {"x-wp-totalpages": str(len(self.pages))}
        return HttpResponse(200, "application/json", headers, body)


def slugs_in(request: HttpRequest) -> list[str]:
    """Name the slugs that are asked for in a URL."""
    return [value for key, value in parse_qsl(urlsplit(request.path).query) if key == "slug[]"]


def test_an_address_is_asked_for_with_what_the_trash_and_a_number_make_of_it() -> None:
    site = Site([{**ROW, "slug": "about"}], [{**ROW, "id": 4, "slug": "about-2"}])
    found = at_addresses(site, Kind.PAGE, ["about", "news"])
    assert [request.method for request in site.asked] == ["GET", "GET"]
    assert {"about", "about__trashed", "about__trashed-2", "about-2", "news"} <= set(slugs_in(site.asked[0]))
    assert "status=any,trash" in site.asked[0].path
    assert [record.id for record in found["about"].here] == [3]
    assert [record.id for record in found["about"].numbered] == [4]
    assert "news" not in found


@pytest.mark.parametrize("count", range(1, 30))
def test_a_response_that_has_the_query_twice_in_a_header_fits_into_four_kilobytes(count: int) -> None:
    site = Site()
    at_addresses(site, Kind.PAGE, [f"a-page-{number}" for number in range(count)])
    (request,) = site.asked
    # WordPress numbers the brackets, and sends some 600 bytes of other headers.
    repeated = request.path.replace("%5B%5D", "%5B100%5D")
    assert 2 * len(f"https://www.example.org/wp-json{repeated}") + 600 < 4096


def test_many_addresses_go_in_a_body_that_is_read_as_a_get() -> None:
    site = Site()
    at_addresses(site, Kind.POST, [f"a-post-with-a-long-name-{n}" for n in range(90)])
    (request,) = site.asked
    assert (request.method, request.override) == ("POST", "GET")
    assert len(request.path) < 1000
    assert json.loads(request.body).keys() == {"slug"}
    assert isinstance(json.loads(request.body)["slug"], list), "no page can have a list as its slug"


def test_a_response_that_is_not_a_list_is_an_error() -> None:
    def page(_request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, "text/html", {}, b"<html>")

    with pytest.raises(BadAnswer):
        at_addresses(page, Kind.PAGE, ["about"])


@pytest.mark.parametrize(
    ("sent", "there"),
    [
        ("über", "uber"),
        ("straße", "strasse"),
        ("x_y.z", "x_y-z"),
        ("plus/minus", "plus-minus"),
        ("a–dash-“q”", "a-dash-q"),  # noqa: RUF001 - what a person types
        ("日本語", quote("日本語").lower()),
        (quote("日本語"), quote("日本語").lower()),
        ("日" * 40, quote("日" * 22).lower()),
    ],
)
def test_a_slug_is_found_as_wordpress_stores_it(sent: str, there: str) -> None:
    site = Site([{**ROW, "slug": there}])
    assert [record.id for record in at_addresses(site, Kind.PAGE, [sent])[sent].here] == [3]


def test_a_long_slug_is_cut_for_its_number_and_for_the_trash_between_its_letters() -> None:
    (form,) = stored("日" * 40)
    assert len(form) == 198
    assert numbered(form) == quote("日" * 22).lower() + "-2"
    assert trashed(form)[0] == quote("日" * 21).lower() + "__trashed"


def row(number: int, slug: str) -> dict[str, object]:
    """Give the row of a page with this slug."""
    return page(Kind.PAGE, number, slug=slug)


@pytest.mark.parametrize(
    ("slugs", "there", "expected"),
    [
        (("a", "b", "c"), ("b", "a-2"), {"a": ["a-2"], "b": ["b"], "c": []}),
        (("a", "a-2"), ("a-2",), {"a": ["a-2"], "a-2": ["a-2"]}),
        (("über", "日"), ("%e6%97%a5", "uber"), {"über": ["uber"], "日": ["%e6%97%a5"]}),
        (("a",), ("a__trashed", "a-3__trashed"), {"a": ["a__trashed", "a-3__trashed"]}),
        (("What is this?", "b"), ("what-is-this",), {"What is this?": ["what-is-this"], "b": []}),
        (("a", "b"), ("other",), {"a": ["other"], "b": ["other"]}),
    ],
    ids=["numbered", "of both", "spelt", "trashed", "with dashes", "made otherwise, so of any"],
)
def test_a_record_is_found_for_each_slug_that_it_may_have_been_sent_with(
    slugs: tuple[str, ...], there: tuple[str, ...], expected: dict[str, list[str]]
) -> None:
    asked = Asked(
        answered(200, [row(number, slug) for number, slug in enumerate(there, 1)]), answered(200, [])
    )
    found = find(asked, Kind.PAGE, slugs)
    assert {slug: [record.slug for record in records] for slug, records in found.items()} == expected


@pytest.mark.parametrize(
    ("slug", "stored"),
    [
        ("über-straße", ("uber-strase", "ueber-strasse")),
        ("Café", ("cafe",)),
        ("rødgrød-på-æg", ("rodgrod-pa-aeg", "roedgroed-paa-aeg")),
        ("cafe\u0301", ("cafe",)),
        ("łódź", ("lodz",)),
        *((plain, ()) for plain in ("about", "rust-1.90.0", "日本", "чай", "が")),
    ],
)
def test_accents_are_looked_for_as_sent_and_as_perhaps_stored(slug: str, stored: tuple[str, ...]) -> None:
    assert spellings(slug) == (slug, *stored)

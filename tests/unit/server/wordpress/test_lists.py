"""Lists of records: filters, order, sheets and their headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.server.wordpress.conftest import Stage


def slugs(stage: Stage, query: str) -> list[str]:
    found = stage.ask("GET", f"/wp/v2/pages?_fields=slug&orderby=id&order=asc&{query}")
    assert found.status == 200, found.value
    return [row["slug"] for row in found.value]


def test_a_list_has_sheets_and_says_how_many(stage: Stage) -> None:
    for number in range(5):
        stage.make(title=f"p{number}")

    found = stage.ask("GET", "/wp/v2/pages?per_page=2&page=2&orderby=id&order=asc&_fields=slug")

    assert found.value == [{"slug": "p2"}, {"slug": "p3"}]
    assert (found.headers["X-WP-Total"], found.headers["X-WP-TotalPages"]) == ("5", "3")
    assert 'page=1&per_page=2>; rel="prev"' in found.headers["Link"]
    assert 'page=3&per_page=2>; rel="next"' in found.headers["Link"]
    beyond = stage.ask("GET", "/wp/v2/pages?per_page=2&page=4")
    assert beyond.code == (400, "rest_post_invalid_page_number")


def test_a_list_shows_public_records_and_the_trash_only_if_it_is_named(stage: Stage) -> None:
    stage.make(title="public")
    stage.make(title="draft", status="draft", slug="draft")
    stage.ask("DELETE", f"/wp/v2/pages/{stage.make(title='old')['id']}")

    assert slugs(stage, "") == ["public"]
    assert slugs(stage, "status=any") == ["public", "draft"]
    assert slugs(stage, "status=any,trash") == ["public", "draft", "old__trashed"]


def test_records_are_found_by_id_slug_parent_word_and_time(stage: Stage) -> None:
    one = stage.make(title="one", content="some Words")["id"]
    two = stage.make(title="two", parent=one, date="2020-01-01T00:00:00")["id"]

    assert slugs(stage, f"include={two},{one},999") == ["one", "two"]
    assert slugs(stage, "slug[]=two&slug[]=x") == slugs(stage, "slug=two,x") == ["two"]
    assert slugs(stage, f"parent={one}") == ["two"]
    assert slugs(stage, "search=words%20SOME") == ["one"]
    assert slugs(stage, "search=%25") == []
    assert slugs(stage, "modified_after=2021-01-01T00:00:00Z") == ["one"]
    assert slugs(stage, f"exclude={one}") == ["two"]
    found = stage.ask("GET", f"/wp/v2/pages?include={two},{one}&orderby=include&_fields=id").value
    assert [row["id"] for row in found] == [two, one]


def test_posts_are_found_by_their_terms(stage: Stage) -> None:
    tag = stage.make("tags", name="News")["id"]
    post = stage.make("posts", title="x", tags=[tag])["id"]

    assert [row["id"] for row in stage.ask("GET", f"/wp/v2/posts?tags={tag}").value] == [post]
    assert stage.ask("GET", "/wp/v2/posts?categories=99").value == []


@pytest.mark.parametrize("query", ["per_page=101", "page=0", "status=x", "orderby=x", "order=x", "include=x"])
def test_a_wrong_parameter_is_refused(stage: Stage, query: str) -> None:
    assert stage.ask("GET", f"/wp/v2/pages?{query}").code == (400, "rest_invalid_param")


def test_wordpress_looks_at_the_order_only_if_the_sheet_is_right(stage: Stage) -> None:
    refused = stage.ask("GET", "/wp/v2/pages?per_page=101&order=x").value

    assert list(refused["data"]["params"]) == ["per_page"]


def test_an_order_that_needs_another_parameter_says_so(stage: Stage) -> None:
    for order in ("include", "relevance", "include_slugs"):
        assert stage.ask("GET", f"/wp/v2/pages?orderby={order}").status == 400

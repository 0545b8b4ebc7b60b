"""Records are read, listed, changed and deleted as on WordPress."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.stage.server.wordpress.conftest import Stage


def test_all_wrong_parameters_are_named_at_once(stage: Stage) -> None:
    refused = stage.ask("POST", "/wp/v2/pages", {"status": "x", "menu_order": "y", "date": "2024-13-01"})
    assert refused.code == (400, "rest_invalid_param")
    assert refused.value["data"]["params"] == {
        "date": "Invalid date.",
        "menu_order": "menu_order is not of type integer.",
        "status": "status is not one of publish, future, draft, pending, and private.",
    }
    assert {name: one["code"] for name, one in refused.value["data"]["details"].items()} == {
        "date": "rest_invalid_date",
        "menu_order": "rest_invalid_type",
        "status": "rest_not_in_enum",
    }


def test_objects_that_do_not_exist_are_refused_or_left_out(stage: Stage) -> None:
    assert stage.ask("POST", "/wp/v2/pages", {"parent": 999}).code == (400, "rest_post_invalid_id")
    assert stage.ask("POST", "/wp/v2/pages", {"author": 999}).code == (400, "rest_invalid_author")
    assert stage.ask("POST", "/wp/v2/pages", {"meta": "text"}).code == (400, "rest_invalid_param")
    assert stage.ask("POST", "/wp/v2/pages", {"id": 7}).code == (400, "rest_post_exists")
    assert stage.make("posts", title="x", featured_media=999, tags=[999])["featured_media"] == 0


@pytest.mark.parametrize("route", ["pages", "posts", "categories", "tags", "media", "users"])
def test_a_number_of_any_length_is_not_found_or_refused(stage: Stage, route: str) -> None:
    for digits, status in ((18, 404), (19, 400), (30, 400)):
        assert stage.ask("GET", f"/wp/v2/{route}/{'9' * digits}").status == status


def test_null_empties_a_field_and_takes_a_page_off_the_site(stage: Stage) -> None:
    page = stage.make(title="One", parent=stage.make(title="Top")["id"], menu_order=3)
    nulls = dict.fromkeys(("status", "parent", "menu_order", "title"))
    changed = stage.ask("POST", f"/wp/v2/pages/{page['id']}", nulls).value
    assert [changed[name] for name in ("status", "parent", "menu_order")] == ["draft", 0, 0]
    assert changed["title"]["raw"] == "One"


def test_the_children_of_a_deleted_page_move_up(stage: Stage) -> None:
    top = stage.make(title="Top")["id"]
    middle = stage.make(title="Middle", parent=top)["id"]
    child = stage.make(title="Child", parent=middle)["id"]
    stage.ask("DELETE", f"/wp/v2/pages/{middle}?force=true")
    assert stage.ask("DELETE", f"/wp/v2/pages/{middle}?force=true").code == (404, "rest_post_invalid_id")
    moved = stage.ask("GET", f"/wp/v2/pages/{child}").value
    assert (moved["parent"], moved["link"]) == (top, "http://127.0.0.1:8127/top/child/")


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
    tag = stage.make("tags", name="News")["id"]
    post = stage.make("posts", title="x", tags=[tag])["id"]
    assert [row["id"] for row in stage.ask("GET", f"/wp/v2/posts?tags={tag}").value] == [post]
    for order in ("include", "relevance", "include_slugs"):
        assert stage.ask("GET", f"/wp/v2/pages?orderby={order}").status == 400, "it needs a parameter"


@pytest.mark.parametrize("query", ["per_page=101", "page=0", "status=x", "orderby=x", "order=x", "include=x"])
def test_a_wrong_parameter_is_refused(stage: Stage, query: str) -> None:
    assert stage.ask("GET", f"/wp/v2/pages?{query}").code == (400, "rest_invalid_param")

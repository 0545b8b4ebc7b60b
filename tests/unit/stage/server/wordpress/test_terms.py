"""Categories and tags: which names are the same term, slugs, and deletes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.stage.server.wordpress.conftest import Stage


def test_a_name_is_html_and_its_second_time_names_the_first(stage: Stage) -> None:
    made = stage.make("tags", name="A & B")
    again = stage.ask("POST", "/wp/v2/tags", {"name": "A &amp; b"})
    assert (made["name"], made["slug"]) == ("A &amp; B", "a-b")
    assert again.code == (400, "term_exists")
    assert again.value["data"] == {"status": 400, "term_id": made["id"]}


def test_a_category_of_the_same_name_may_have_another_parent(stage: Stage) -> None:
    top = stage.make("categories", name="Top")
    one = stage.make("categories", name="One")
    below = stage.make("categories", name="One", parent=top["id"])
    assert (one["slug"], below["slug"]) == ("one", "one-top")
    assert below["link"].endswith("/category/top/one-top/")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, (400, "rest_missing_callback_param")),
        ({"name": ""}, (500, "empty_term_name")),
        ({"name": "x", "parent": 99}, (400, "rest_term_invalid")),
    ],
)
def test_a_term_that_cannot_be_made_is_refused(
    stage: Stage, body: dict[str, object], code: tuple[int, str]
) -> None:
    assert stage.ask("POST", "/wp/v2/categories", body).code == code


def test_a_deleted_term_leaves_its_posts_and_its_children(stage: Stage) -> None:
    top = stage.make("categories", name="Top")["id"]
    child = stage.make("categories", name="Child", parent=top)["id"]
    post = stage.make("posts", title="x", categories=[top])["id"]
    assert stage.ask("DELETE", f"/wp/v2/categories/{top}").code == (501, "rest_trash_not_supported")
    assert stage.ask("DELETE", f"/wp/v2/categories/{top}?force=true").value["deleted"] is True
    assert stage.ask("GET", f"/wp/v2/posts/{post}").value["categories"] == [1]
    assert stage.ask("GET", f"/wp/v2/categories/{child}").value["parent"] == 0
    assert stage.ask("DELETE", "/wp/v2/categories/1?force=true").code == (403, "rest_cannot_delete")
    assert stage.ask("GET", f"/wp/v2/categories/{top}").code == (404, "rest_term_invalid")


def test_a_term_counts_its_public_posts_and_is_found(stage: Stage) -> None:
    tag = stage.make("tags", name="News")["id"]
    stage.make("posts", title="x", tags=[tag])
    stage.make("posts", title="y", tags=[tag], status="draft")
    (found,) = stage.ask("GET", "/wp/v2/tags?search=news&slug=news&_fields=id,count").value
    assert found == {"id": tag, "count": 1}


def test_a_term_is_changed_unless_its_slug_is_taken(stage: Stage) -> None:
    one, two = (stage.make("categories", name=name)["id"] for name in ("One", "Two"))
    assert stage.ask("POST", f"/wp/v2/categories/{one}", {"slug": "two"}).code == (400, "duplicate_term_slug")
    changed = stage.ask("PUT", f"/wp/v2/categories/{one}", {"name": "New", "parent": two}).value
    assert (changed["name"], changed["slug"], changed["parent"]) == ("New", "one", two)
    assert stage.ask("POST", f"/wp/v2/categories/{two}", {"parent": one}).value["parent"] == 0

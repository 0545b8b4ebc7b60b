"""Pages and posts: which values are refused and with which words, deletes, and rights."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.unit.server.wordpress.conftest import Stage


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


def test_null_empties_a_field_and_takes_a_page_off_the_site(stage: Stage) -> None:
    page = stage.make(title="One", parent=stage.make(title="Top")["id"], menu_order=3)

    nulls = dict.fromkeys(("status", "parent", "menu_order", "title"))
    changed = stage.ask("POST", f"/wp/v2/pages/{page['id']}", nulls).value

    assert [changed[name] for name in ("status", "parent", "menu_order")] == ["draft", 0, 0]
    assert changed["title"]["raw"] == "One"


def test_a_second_delete_finds_the_record_gone(stage: Stage) -> None:
    one, two = (stage.make(title="x")["id"] for _ in range(2))

    assert stage.ask("DELETE", f"/wp/v2/pages/{one}").value["status"] == "trash"
    assert stage.ask("DELETE", f"/wp/v2/pages/{one}").code == (410, "rest_already_trashed")
    gone = stage.ask("DELETE", f"/wp/v2/pages/{two}?force=true&_fields=deleted,previous,id")
    assert gone.value == {"deleted": True, "previous": {"id": two}}
    assert stage.ask("DELETE", f"/wp/v2/pages/{two}?force=true").code == (404, "rest_post_invalid_id")
    assert stage.ask("GET", f"/wp/v2/posts/{one}").code == (404, "rest_post_invalid_id")


def test_the_children_of_a_deleted_page_move_up(stage: Stage) -> None:
    top = stage.make(title="Top")["id"]
    middle = stage.make(title="Middle", parent=top)["id"]
    child = stage.make(title="Child", parent=middle)["id"]

    stage.ask("DELETE", f"/wp/v2/pages/{middle}?force=true")

    moved = stage.ask("GET", f"/wp/v2/pages/{child}").value
    assert (moved["parent"], moved["link"]) == (top, "http://127.0.0.1:8127/top/child/")


def test_visitors_see_no_raw_text(stage: Stage) -> None:
    number = stage.make(title="One")["id"]

    seen = stage.ask("GET", f"/wp/v2/pages/{number}").value

    assert "raw" not in seen["title"]
    assert "password" not in seen
    assert (
        "wp:action-unfiltered-html" in stage.ask("GET", f"/wp/v2/pages/{number}?context=edit").value["_links"]
    )


def test_the_footnotes_of_a_record_are_kept(stage: Stage) -> None:
    assert stage.make(title="x", meta={"footnotes": "[]"})["meta"] == {"footnotes": "[]"}
    assert stage.ask("POST", "/wp/v2/pages", {"meta": {"footnotes": 5}}).code == (400, "rest_invalid_type")

"""The effect of a write on a record, its slug and its terms, and values that are too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.stage.server import slugs
from pressync.stage.server.database import read_settings
from pressync.stage.server.rows import StoredRecord
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress import records, writing
from pressync.stage.server.wordpress.session import VISITOR, Request, Session, user_by_id

if TYPE_CHECKING:
    from tests.unit.stage.server.conftest import Clock
    from tests.unit.stage.server.wordpress.conftest import Stage

    from pressync.stage.server.store import Store


TITLES = ("One", "Two", "Old")


def test_a_slug_is_unique_among_the_pages_of_a_parent_and_among_all_posts(stage: Stage) -> None:
    top = stage.make(title="One")
    assert stage.make(title="One")["slug"] == "one-2"
    assert stage.make(title="One", parent=top["id"])["slug"] == "one"
    assert [stage.make("posts", title="One")["slug"] for _ in range(2)] == ["one", "one-2"]
    stage.upload("about.png")
    assert stage.make(title="About")["slug"] == "about-2", "the slug of a file counts"


@pytest.mark.parametrize(("kind", "slug"), [("pages", "feed"), ("pages", "123"), ("posts", "feed")])
def test_a_slug_that_wordpress_needs_itself_gets_a_number(stage: Stage, kind: str, slug: str) -> None:
    assert stage.make(kind, title="x", slug=slug)["slug"] == f"{slug}-2"


def test_a_draft_has_no_slug_until_it_is_published(stage: Stage) -> None:
    draft = stage.ask("POST", "/wp/v2/pages", {"title": "My page"}).value
    assert (draft["status"], draft["slug"], draft["generated_slug"]) == ("draft", "", "my-page")
    assert draft["link"].endswith(f"/?page_id={draft['id']}")
    published = stage.ask("POST", f"/wp/v2/pages/{draft['id']}", {"status": "publish"}).value
    assert (published["slug"], published["link"]) == ("my-page", "http://127.0.0.1:8127/my-page/")


def test_the_date_of_a_draft_follows_its_saves(stage: Stage, clock: Clock) -> None:
    draft = stage.ask("POST", "/wp/v2/posts", {"title": "x"}).value
    clock.now += 3600
    saved = stage.ask("POST", f"/wp/v2/posts/{draft['id']}", {"title": "y"}).value
    published = stage.ask("POST", f"/wp/v2/posts/{draft['id']}", {"status": "publish"}).value
    clock.now += 3600
    later = stage.ask("POST", f"/wp/v2/posts/{draft['id']}", {"title": "z"}).value
    assert (draft["date"], saved["date"]) == ("2024-03-01T12:00:00", "2024-03-01T13:00:00")
    assert published["date"] == later["date"] == "2024-03-01T13:00:00"
    assert later["modified"] == "2024-03-01T14:00:00"


def test_a_record_with_a_later_date_is_scheduled(stage: Stage) -> None:
    future = stage.make(title="x", date="2024-03-01T12:01:00")
    soon = stage.make(title="y", date="2024-03-01T12:00:59")
    past = stage.make(title="z", status="future", date="2024-03-01T11:00:00")
    assert [future["status"], soon["status"], past["status"]] == ["future", "publish", "publish"]


def test_the_trash_renames_a_slug_and_gives_it_back(stage: Stage) -> None:
    number = stage.make(title="One")["id"]
    assert stage.ask("DELETE", f"/wp/v2/pages/{number}").value["slug"] == "one__trashed"
    assert stage.make(title="One")["slug"] == "one"
    kept = stage.ask("POST", f"/wp/v2/pages/{number}", {"title": "Two"}).value
    assert (kept["status"], kept["slug"]) == ("trash", "one__trashed")
    restored = stage.ask("POST", f"/wp/v2/pages/{number}", {"status": "publish"}).value
    assert restored["slug"] == "one-2"


def test_of_two_requests_at_once_the_later_one_decides_the_list(stage: Stage, store: Store) -> None:
    first, second, old = (stage.make("posts", title=title, sticky=title == "Old")["id"] for title in TITLES)
    answers = []
    for number in (first, second):
        with store.writing() as db:
            # Both have read the list before either of them wrote it.
            user = user_by_id(db, 1) or VISITOR
            at_start = Session(db, read_settings(db), store.now(), user, store.database.uploads, {old})
            request = Request("POST", "", {"_fields": "sticky"}, number)
            answers.append(records.update(at_start, Kind.POST, {"sticky": True}, request).value)
    kept = {n: stage.ask("GET", f"/wp/v2/posts/{n}").value["sticky"] for n in (first, second, old)}
    assert answers == [{"sticky": True}] * 2
    assert kept == {first: False, second: True, old: True}


def test_a_parent_below_its_child_becomes_the_root(stage: Stage) -> None:
    top = stage.make(title="Top")["id"]
    child = stage.make(title="Child", parent=top)["id"]
    assert stage.ask("POST", f"/wp/v2/pages/{top}", {"parent": child}).value["parent"] == 0
    assert stage.ask("POST", f"/wp/v2/pages/{top}", {"parent": top}).value["parent"] == 0


def test_a_sticky_post_has_no_password_and_a_private_one_neither(stage: Stage) -> None:
    both = stage.ask("POST", "/wp/v2/posts", {"title": "x", "sticky": True, "password": "y"})
    sticky = stage.make("posts", title="x", sticky=True)["id"]
    assert both.code == (400, "rest_invalid_field")
    assert stage.ask("POST", f"/wp/v2/posts/{sticky}", {"password": "y"}).code == (400, "rest_invalid_field")
    assert stage.make("posts", title="x", status="private", password="y")["password"] == ""


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("  outer \n", "outer"), (5, ""), ({"raw": "inner"}, "inner"), ({"rendered": "x"}, ""), (None, "")],
)
def test_a_title_is_a_text_or_the_raw_part_of_an_object(stage: Stage, sent: object, kept: str) -> None:
    assert stage.make(title=sent)["title"]["raw"] == kept


def test_a_post_has_the_first_category_unless_its_list_is_empty(stage: Stage) -> None:
    assert stage.make("posts", title="x")["categories"] == [1]
    empty = stage.make("posts", title="x", categories=[], tags=[99])
    assert (empty["categories"], empty["tags"]) == ([], [])
    assert stage.ask("POST", f"/wp/v2/posts/{empty['id']}", {"title": "y"}).value["categories"] == [1]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Doc Page!", "doc-page"),
        ("Café Straße Æ", "cafe-strase-ae"),
        ("a/b a_b.c", "a-b-a_b-c"),
        ("<b>x</b> \u2013 y", "x-y"),
        ("👩", "%f0%9f%91%a9"),
        ("…", ""),
    ],
)
def test_a_text_becomes_a_slug(text: str, slug: str) -> None:
    assert slugs.as_wordpress(text) == slug
    assert slugs.as_wordpress(slug) == slug


def test_a_slug_is_cut_between_letters() -> None:
    assert len(slugs.as_wordpress("日" * 100)) == 198
    assert slugs.free("x" * 200, {"x" * 200}.__contains__) == f"{'x' * 198}-2"
    assert slugs.cut("%e6%97%a5" * 3, 20) == "%e6%97%a5" * 2
    assert slugs.cut("%d0%bc" * 2, 11) == "%d0%bc"


@pytest.mark.parametrize(
    ("structure", "numbered"),
    [
        ("/%postname%/", ["7", "12", "31", "2024"]),
        ("/%year%/%postname%/", ["7", "12"]),
        ("/%year%/%monthnum%/%postname%/", ["7", "12", "31"]),
        ("/blog/%postname%/", []),
    ],
)
def test_a_number_gets_another_where_it_would_be_a_date(structure: str, numbered: list[str]) -> None:
    reserved, numbers = slugs.dates(structure), ("7", "12", "31", "2024")
    found = [text for text in numbers if slugs.free(text, lambda _: False, reserved=reserved) != text]
    assert found == numbered


def record(*, title: str = "", excerpt: str = "", password: str = "") -> StoredRecord:
    return StoredRecord(1, Kind.PAGE, "", 0, 0, title=title, excerpt=excerpt, password=password)


def test_a_value_that_is_too_long_for_its_column_is_refused() -> None:
    for longest in (record(title="é" * 32767 + "x"), record(excerpt="x" * 65535), record(password="é" * 255)):
        writing.check(longest, new=True)
    said = "WordPress database error: Processing the value"
    for too_long, field in (
        (record(title="é" * 32768), "post_title"),
        (record(excerpt="x" * 65536), "post_excerpt"),
        (record(password="x" * 256), "post_password"),
    ):
        with pytest.raises(HttpRefusal) as raised:
            writing.check(too_long, new=True)
        told = raised.value.body.pop("additional_data")
        assert raised.value.body["code"] == "db_insert_error"
        assert told == [
            (
                f"{said} for the following field failed: {field}. "
                "The supplied value may be too long or contains invalid data."
            )
        ]
    with pytest.raises(HttpRefusal, match=r"Could not update post in the database\.") as raised:
        writing.check(record(title="x" * 70000, excerpt="x" * 70000), new=False)
    assert raised.value.code == "db_update_error"
    assert raised.value.body["additional_data"] == [
        (
            f"{said}s for the following fields failed: post_title, post_excerpt. "
            "The supplied values may be too long or contain invalid data."
        )
    ]


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
def test_an_impossible_term_is_refused(stage: Stage, body: dict[str, object], code: tuple[int, str]) -> None:
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


def test_a_term_is_changed_unless_its_slug_is_taken(stage: Stage) -> None:
    one, two = (stage.make("categories", name=name)["id"] for name in ("One", "Two"))
    assert stage.ask("POST", f"/wp/v2/categories/{one}", {"slug": "two"}).code == (400, "duplicate_term_slug")
    changed = stage.ask("PUT", f"/wp/v2/categories/{one}", {"name": "New", "parent": two}).value
    assert (changed["name"], changed["slug"], changed["parent"]) == ("New", "one", two)
    assert stage.ask("POST", f"/wp/v2/categories/{two}", {"parent": one}).value["parent"] == 0

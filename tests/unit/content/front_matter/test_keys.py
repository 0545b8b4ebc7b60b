"""The meaning of front matter, key by key and together."""

from __future__ import annotations

import pytest

from pressync.content.front_matter.keys import Meaning, interpret
from pressync.content.front_matter.value import Given, given
from pressync.model.errors import Problem
from pressync.model.interface import Kind
from pressync.model.problem_codes import Code
from pressync.model.records import FieldReference


def meaning(front_matter: dict[str, object], kind: Kind = Kind.PAGE, *, shared: bool = False) -> Meaning:
    lines = {key: line for line, key in enumerate(front_matter, 2)}
    values = given(front_matter, lines).value
    assert isinstance(values, dict)
    return interpret(values, kind, "a.md", shared=shared)


def problems(front_matter: dict[str, object], kind: Kind = Kind.PAGE, *, shared: bool = False) -> list[str]:
    return [str(problem) for problem in meaning(front_matter, kind, shared=shared).problems]


def test_fields_have_the_interfaces_names_and_types() -> None:
    said = meaning(
        {
            "title": "About",
            "slug": "about",
            "status": "publish",
            "password": "open sesame",
            "author": 3,
            "excerpt": "Us",
            "featured_media": 9,
            "comment_status": "open",
            "ping_status": "closed",
            "menu_order": 2,
            "meta": {"footnotes": "[]"},
            "template": "wide.php",
            "date": "2024-01-31",
        }
    )
    assert said.problems == ()
    assert said.fields == {
        "title": "About",
        "slug": "about",
        "status": "publish",
        "password": "open sesame",
        "author": 3,
        "excerpt": "Us",
        "featured_media": 9,
        "comment_status": "open",
        "ping_status": "closed",
        "menu_order": 2,
        "meta": {"footnotes": "[]"},
        "template": "wide.php",
        "date": "2024-01-31T00:00:00",
    }


def test_posts_have_fields_of_their_own() -> None:
    said = meaning({"format": "link", "sticky": True, "categories": [1], "tags": []}, Kind.POST)
    assert said.fields == {"format": "link", "sticky": True, "categories": (1,), "tags": ()}


def test_what_is_no_field_stands_beside_the_fields() -> None:
    said = meaning(
        {"parent": "docs", "layout": "wide", "id": 7, "protect": True, "aliases": ["/a"], "type": "page"}
    )
    assert (said.parent, said.parent_line, said.layout, said.bound_id) == ("docs", 2, "wide", 7)
    assert (said.protect, said.aliases, said.fields, said.extra) == (True, ("/a",), {}, {})


def test_null_is_not_named() -> None:
    assert meaning({"title": None, "status": None, "id": None, "toc": None}) == Meaning({})


def test_a_draft_is_a_status() -> None:
    assert meaning({"draft": True}).fields == {"status": "draft"}
    assert meaning({"draft": False}).fields == {}
    assert meaning({"published": False}).fields == {"status": "draft"}
    assert meaning({"published": True}).fields == {}
    assert meaning({"draft": True, "status": "draft"}).problems == ()


def test_a_draft_with_another_status_is_a_contradiction() -> None:
    assert problems({"status": "publish", "draft": True}) == [
        "a.md:3: 'draft: true' contradicts 'status: publish'; keep one of them"
    ]


def test_a_date_with_an_offset_is_sent_in_utc() -> None:
    assert meaning({"date": "2024-01-31T10:00:00+02:00"}).fields == {"date_gmt": "2024-01-31T08:00:00"}
    assert meaning({"date_gmt": "2024-01-31"}).fields == {"date_gmt": "2024-01-31T00:00:00"}


def test_two_dates_are_one_too_many() -> None:
    assert problems({"date": "2024-01-31", "date_gmt": "2024-01-31"}) == [
        "a.md:3: date and date_gmt are both named; keep one: they could contradict"
    ]


def test_an_excerpt_is_the_best_of_three_and_templates_have_the_others() -> None:
    three: dict[str, object] = {"description": "d", "summary": "s", "excerpt": "e"}
    assert meaning(three).fields == {"excerpt": "e"}
    assert meaning({"description": "d", "summary": "s"}).fields == {"excerpt": "s"}
    assert meaning({"description": "d"}).fields == {"excerpt": "d"}
    assert meaning(three).extra == {"description": "d", "summary": "s"}


def test_weight_orders_pages_and_is_the_templates_own_in_posts() -> None:
    assert meaning({"weight": 5}).fields == {"menu_order": 5}
    assert meaning({"weight": 5, "menu_order": 1}).fields == {"menu_order": 1}
    post = meaning({"weight": 5}, Kind.POST)
    assert (post.fields, post.extra, post.problems) == ({}, {"weight": 5}, ())


def test_generators_words_and_anything_else_are_left_to_templates_in_silence() -> None:
    extra: dict[str, object] = {"linkTitle": "x", "cascade": [{"a": 1}], "our_own": {"n": [1, 2.5, "x"]}}
    said = meaning(extra)
    assert (said.fields, said.extra, said.problems) == ({}, extra, ())


def test_a_near_miss_is_warned_of_and_kept() -> None:
    said = meaning({"titel": "x", "Date": "2024-01-31"})
    assert said.problems == (
        Problem(
            "a.md", 2, "unknown key 'titel'", "did you mean 'title'?", warning=True, code=Code.UNKNOWN_KEY
        ),
        Problem("a.md", 3, "unknown key 'Date'", "did you mean 'date'?", warning=True, code=Code.UNKNOWN_KEY),
    )
    assert said.extra == {"titel": "x", "Date": "2024-01-31"}


@pytest.mark.parametrize(
    ("key", "value", "ours"),
    [
        ("id", "versioning", "the number of a record on the site"),
        ("id", ["a"], "the number of a record on the site"),
        ("template", "home.html", "the name of a template of the site's theme"),
        ("type", "paper", "page, post, none"),
        ("status", "deprecated", "publish, future, draft, pending, private"),
    ],
)
def test_a_value_with_the_meaning_of_another_tool_is_a_warning(key: str, value: object, ours: str) -> None:
    said = meaning({"title": "x", key: value})

    assert [problem.warning for problem in said.problems] == [True]
    assert str(said.problems[0]) == (
        f"a.md:3: its {key} belongs to another tool; it is left out; here {key} is {ours}"
    )
    assert (said.fields, said.bound_id, said.extra) == ({"title": "x"}, None, {key: value})


def test_an_empty_list_of_the_other_kind_says_nothing() -> None:
    assert problems({"categories": []}) == []
    assert meaning({"categories": []}).extra == {"categories": []}


def test_mkdocs_writes_a_date_as_a_table() -> None:
    written: dict[str, object] = {"date": {"created": "2026-02-18", "updated": "2026-02-20"}}
    assert meaning(written).fields == {"date": "2026-02-18T00:00:00"}


def test_a_field_of_the_other_kind_is_warned_of() -> None:
    assert problems({"sticky": True}) == ["a.md:2: pages have no sticky; 'sticky' is left to the templates"]
    assert problems({"parent": 3}, Kind.POST) == [
        "a.md:2: posts have no parent; 'parent' is left to the templates"
    ]


def test_names_in_place_of_ids_are_kept_for_templates() -> None:
    said = meaning({"author": "Jane", "tags": ["a", "b"]}, Kind.POST)
    assert (said.fields, said.extra) == ({}, {"author": "Jane", "tags": ["a", "b"]})
    assert said.mentions == (FieldReference("author", ("Jane",), 2), FieldReference("tags", ("a", "b"), 3))
    assert said.problems == ()


def test_the_known_part_of_meta_is_taken_all_the_same() -> None:
    said = meaning({"meta": {"footnotes": "[]", "robots": "none"}})
    assert said.fields == {"meta": {"footnotes": "[]"}}
    assert said.extra == {"meta": {"footnotes": "[]", "robots": "none"}}


def test_content_in_front_matter_is_warned_of() -> None:
    assert problems({"content": "x"}) == [
        "a.md:2: the content is the text after the front matter; 'content' is left to the templates"
    ]


def test_all_problems_are_told_at_once() -> None:
    assert [
        problem.line for problem in meaning({"status": "x", "date": "y", "menu_order": "z"}).problems
    ] == [2, 3, 4]


def test_defaults_may_name_the_other_kinds_fields() -> None:
    assert meaning({"sticky": True, "status": "draft"}, shared=True).problems == ()


def test_defaults_must_not_name_what_is_one_files_alone() -> None:
    assert problems({"id": 7, "slug": "x"}, shared=True) == [
        f"a.md:{line}: '{key}' cannot be a default: two records cannot share it; name it in the file"
        for line, key in ((2, "id"), (3, "slug"))
    ]


def test_a_text_is_not_retyped() -> None:
    values = {"title": Given(value=False, line=2, text="No")}
    assert interpret(values, Kind.PAGE, "a.md").fields == {"title": "No"}

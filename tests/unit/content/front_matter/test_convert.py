"""The values that each key takes."""

from __future__ import annotations

import pytest

from pressync.content.front_matter.convert import ByName, UnfitError
from pressync.content.front_matter.keys import readers
from pressync.content.front_matter.value import given
from pressync.model.interface import Kind


def value(key: str, written: object, kind: Kind = Kind.POST) -> object:
    return readers(kind.row)[key](key, given(written))


def refusal(key: str, written: object, kind: Kind = Kind.POST) -> UnfitError:
    with pytest.raises(UnfitError) as caught:
        value(key, written, kind)
    return caught.value


@pytest.mark.parametrize("kind", Kind)
def test_every_field_of_the_interface_has_a_reader(kind: Kind) -> None:
    assert {field.name for field in kind.row.body} <= readers(kind.row).keys()


def test_a_list_is_no_text_and_a_refused_password_is_not_shown() -> None:
    error = refusal("password", ["hunter2"])
    assert error.what == "password takes text, not a list or a mapping"
    assert "hunter2" not in error.todo


@pytest.mark.parametrize(
    ("key", "written", "todo"),
    [
        ("status", "published", "did you mean 'publish'?"),
        ("status", "Draft", "did you mean 'draft'?"),
        ("status", "", "use one of publish, future, draft, pending, private"),
        ("comment_status", "close", "did you mean 'closed'?"),
        ("format", "xyz", "use one of standard, aside"),
    ],
)
def test_an_unknown_choice_names_the_nearest_or_all(key: str, written: str, todo: str) -> None:
    error = refusal(key, written)
    assert error.what == f"{key} cannot be '{written}'"
    assert error.todo.startswith(todo)


def test_comments_and_pings_may_be_switched() -> None:
    assert value("comment_status", written=True) == "open"
    assert value("ping_status", written=False) == "closed"
    assert value("comment_status", "closed") == "closed"


@pytest.mark.parametrize(("written", "read"), [(True, True), ("true", True), ("FALSE", False), (1, True)])
def test_booleans(written: object, read: object) -> None:
    assert value("sticky", written) is read


@pytest.mark.parametrize(
    ("key", "written", "read"),
    [
        ("menu_order", -3, -3),
        ("menu_order", "3", 3),
        ("weight", 10.0, 10),
        ("author", 7, 7),
        ("featured_media", 0, 0),
        ("id", 42, 42),
        ("parent", "12", 12),
        ("parent", 0, 0),
        ("parent", "./docs.md", "./docs.md"),
    ],
)
def test_numbers(key: str, written: object, read: object) -> None:
    assert value(key, written, Kind.PAGE) == read


@pytest.mark.parametrize(
    ("key", "written"),
    [
        *(("menu_order", "first"), ("menu_order", 1.5), ("menu_order", 2**70), ("menu_order", True)),
        *(
            ("id", 0),
            ("id", -1),
            ("id", 1.5),
            ("author", 0),
            ("author", -2),
            ("parent", -1),
            ("parent", "1.5"),
        ),
        *(("draft", "maybe"), ("protect", [True]), ("date", "soon"), ("date", ["2024-01-31"])),
        *(("meta", "x"), ("parent", ""), ("parent", ["a.md"]), ("aliases", [["/a"]]), ("aliases", "")),
    ],
)
def test_what_a_key_cannot_take_is_an_error(key: str, written: object) -> None:
    assert not refusal(key, written, Kind.PAGE).warning


def test_ids_are_lists_or_one() -> None:
    assert value("categories", [1, 2]) == (1, 2)
    assert value("tags", 3) == (3,)
    assert value("tags", []) == ()


@pytest.mark.parametrize(
    ("key", "written", "what", "todo"),
    [
        ("author", ["Jane", "Bob"], "author takes an id or a name", "'['Jane', 'Bob']' is left out"),
        ("tags", ["a", ""], "tags takes ids or names", "'['a', '']' is left out"),
        ("featured_media", "", "featured_media takes an id or a name", "'' is left out"),
    ],
)
def test_what_is_neither_an_id_nor_a_name_is_left_out(
    key: str, written: object, what: str, todo: str
) -> None:
    error = refusal(key, written)
    assert (error.what, error.todo, error.warning) == (what, todo, True)


@pytest.mark.parametrize(
    ("key", "written", "given"),
    [
        ("author", " Jane  Doe ", ("Jane Doe",)),
        ("featured_media", "img/a b.png", ("img/a b.png",)),
        ("tags", ["CI/CD", "b", "CI/CD", 7], ("CI/CD", "b", 7)),
        ("tags", "one tag", ("one tag",)),
        ("tags", ["2024", "007", 7], ("2024", "007", 7)),
        ("categories", [1, "news / Local & Near"], (1, "news/Local & Near")),
    ],
)
def test_a_field_of_ids_takes_names(key: str, written: object, given: tuple[int | str, ...]) -> None:
    assert value(key, written) == ByName(given)


def test_a_category_path_has_no_empty_parts() -> None:
    error = refusal("categories", ["news//local"])
    assert (error.what, error.todo, error.warning) == (
        "categories cannot be 'news//local'",
        "write a name, or a path like `news/local`",
        False,
    )


@pytest.mark.parametrize("levels", [17, 5_000])
def test_a_category_path_has_few_levels(levels: int) -> None:
    error = refusal("categories", ["a", "a/" * (levels - 1) + "b"])
    what = f"this category has {levels:,} levels, and a category has at most 16"
    assert (error.what, error.todo, error.warning) == (what, "write a shorter path like `news/local`", False)
    assert value("categories", "a/" * 16) == ByName(("a/" * 15 + "a",))


def test_meta_takes_footnotes_and_warns_of_the_rest() -> None:
    assert value("meta", {"footnotes": "[]"}) == {"footnotes": "[]"}
    error = refusal("meta", {"footnotes": "[]", "robots": "none"})
    assert (error.todo, error.warning, error.value) == ("'robots' is left out", True, {"footnotes": "[]"})


def test_a_layout_may_be_switched_off() -> None:
    assert [value("layout", written) for written in ("wide", "", False)] == ["wide", "", ""]


def test_aliases_are_a_list_or_one() -> None:
    assert value("aliases", ["/old/", "/older"]) == ("/old/", "/older")
    assert value("aliases", "/old/") == ("/old/",)


def test_other_generators_types_are_warned_of() -> None:
    assert value("type", "page") == "page"
    assert refusal("type", "docs").warning

"""The values that each key takes."""

from __future__ import annotations

import pytest

from pressync.content.front_matter.convert import UnfitError
from pressync.content.front_matter.keys import readers
from pressync.content.front_matter.value import Given, given
from pressync.model.interface import DOCUMENTED_TYPES, Kind
from pressync.model.records import FieldReference


def value(key: str, written: object, kind: Kind = Kind.POST) -> object:
    return readers(kind.row)[key](key, given(written))


def refusal(key: str, written: object, kind: Kind = Kind.POST) -> UnfitError:
    with pytest.raises(UnfitError) as caught:
        value(key, written, kind)
    return caught.value


@pytest.mark.parametrize("kind", DOCUMENTED_TYPES.kinds)
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
        ("comment_status", "close", "did you mean 'closed'?"),
        ("format", "xyz", "use one of standard, aside"),
    ],
)
def test_an_unknown_choice_names_the_nearest_or_all(key: str, written: str, todo: str) -> None:
    error = refusal(key, written)
    assert error.what == f"{key} cannot be '{written}'"
    assert error.todo.startswith(todo)


@pytest.mark.parametrize(
    ("kind", "key", "written", "read"),
    [
        *(
            (Kind.PAGE, "menu_order", -3, -3),
            (Kind.PAGE, "menu_order", "3", 3),
            (Kind.PAGE, "weight", 10.0, 10),
        ),
        *((Kind.PAGE, "featured_media", 0, 0), (Kind.PAGE, "id", 42, 42), (Kind.PAGE, "parent", "12", 12)),
        *((Kind.PAGE, "parent", "./docs.md", "./docs.md"), (Kind.POST, "comment_status", True, "open")),
        *((Kind.POST, "ping_status", False, "closed"), (Kind.POST, "comment_status", "closed", "closed")),
        *(
            (Kind.POST, "sticky", True, True),
            (Kind.POST, "sticky", "FALSE", False),
            (Kind.POST, "sticky", 1, True),
        ),
        *(
            (Kind.POST, "categories", [1, 2], (1, 2)),
            (Kind.POST, "tags", 3, (3,)),
            (Kind.POST, "tags", [], ()),
        ),
        *((Kind.POST, "layout", "wide", "wide"), (Kind.POST, "layout", False, "")),
        *(
            (Kind.POST, "aliases", ["/old/", "/older"], ("/old/", "/older")),
            (Kind.POST, "aliases", "/a", ("/a",)),
        ),
    ],
)
def test_a_key_takes_a_value(kind: Kind, key: str, written: object, read: object) -> None:
    found = value(key, written, kind)
    assert (found, type(found)) == (read, type(read))


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


@pytest.mark.parametrize(
    ("key", "written", "what", "todo"),
    [
        ("author", ["Jane", "Bob"], "author takes an id or a name", "a list or a mapping is left out"),
        ("tags", ["a", {"b": "c"}], "tags takes ids or names", "a list or a mapping is left out"),
        ("tags", ["a", ""], "tags has an empty value", "remove it: until then none of its values is sent"),
        ("tags", [None], "tags has an empty value", "remove it: until then none of its values is sent"),
    ],
)
def test_what_is_neither_id_nor_name_is_left_out(key: str, written: object, what: str, todo: str) -> None:
    error = refusal(key, written)
    assert (error.what, error.todo, error.warning) == (what, todo, True)


@pytest.mark.parametrize(
    ("key", "written", "taken", "what"),
    [
        ("tags", "update, journal", ("update, journal",), "tags is one text, and so the name of one term: "),
        ("categories", "a/b, c", ("a/b, c",), "categories is one text, and so the name of one term: "),
        ("tags", "a; b", ("a; b",), "tags is one text, and so the name of one term: "),
        ("tags", "一、二", ("一、二",), "tags is one text, and so the name of one term: "),
        ("tags", True, ("true",), "tags has the word `true`, which is taken for a name"),
        ("tags", ["a", False], ("a", "false"), "tags has the word `false`, which is taken for a name"),
    ],
)
def test_a_name_that_looks_like_something_else_is_sent_with_a_warning(
    key: str, written: object, taken: tuple[str, ...], what: str
) -> None:
    error = refusal(key, written)
    assert (error.warning, error.value) == (True, FieldReference(key, taken))
    assert error.what.startswith(what)


def test_a_null_of_yaml_among_names_is_named() -> None:
    with pytest.raises(UnfitError, match="tags has the word `~`, which is taken for a name"):
        readers(Kind.POST.row)["tags"]("tags", Given((Given("a", 1, "a"), Given(None, 1, "~")), 1, ""))


def test_one_name_with_a_comma_is_written_into_brackets() -> None:
    assert value("tags", ["bread, butter"]) == FieldReference("tags", ("bread, butter",))


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
    assert value(key, written) == FieldReference(key, given)


def test_a_category_path_has_no_empty_parts_and_few_levels() -> None:
    error = refusal("categories", ["news//local"])
    todo = "write a name, or a path like `news/local`"
    assert (error.what, error.todo, error.warning) == ("categories cannot be 'news//local'", todo, False)
    for levels in (17, 5_000):
        error = refusal("categories", ["a", "a/" * (levels - 1) + "b"])
        assert error.what == f"this category has {levels:,} levels, and a category has at most 16"
        assert (error.todo, error.warning) == ("write a shorter path like `news/local`", False)
    assert value("categories", "a/" * 16) == FieldReference("categories", ("a/" * 15 + "a",))

"""A record of WordPress is read, also if members are absent; the fields of a call become its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from tests.unit.client.wordpress.answered import page

from pressync.client.wordpress.record import body, members_of, path_of, read
from pressync.model.errors import BadAnswer
from pressync.model.interface import DOCUMENTED_TYPES, Kind

if TYPE_CHECKING:
    from pressync.model.records import Value


@pytest.mark.parametrize("kind", DOCUMENTED_TYPES.kinds)
def test_all_that_is_compared_is_asked_for(kind: Kind) -> None:
    asked = {member.removesuffix(".raw") for member in members_of(kind.row).split(",")}
    assert asked == {field.name for field in kind.row.body} | {
        "id",
        "type",
        "link",
        "modified",
        "modified_gmt",
    }
    assert "content.raw" in members_of(kind.row).split(",")


@pytest.mark.parametrize(
    ("content", "classic"),
    [
        ("A text\n\nwithout blocks", True),
        ("<!-- wp:html -->\n<p>Ours</p>\n<!-- /wp:html -->", False),
        ("Text and\n<!-- wp:more -->", False),
    ],
)
def test_a_text_without_a_block_is_classic(content: str, *, classic: bool) -> None:
    assert read(Kind.PAGE, page(Kind.PAGE, content={"raw": content})).classic is classic


def test_members_of_meta_that_are_not_ours_are_left_out() -> None:
    assert read(Kind.PAGE, page(Kind.PAGE)).fields["meta"] == {}
    echo = page(Kind.PAGE, meta={"footnotes": "[]", "_plugin": "x"})
    assert read(Kind.PAGE, echo).fields["meta"] == {"footnotes": "[]"}


def test_a_member_that_is_absent_or_of_another_type_is_left_out() -> None:
    echo = page(Kind.PAGE, title="text", parent="3", template=None)
    del echo["content"]
    fields = read(Kind.PAGE, echo).fields
    assert not {"title", "parent", "template", "excerpt", "content"} & fields.keys()


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"id": None}, "no id"),
        ({"id": True}, "no id"),
        ({"id": 8}, "record 8, but page 7"),
        ({"type": "post"}, "of type “post”"),
        ({"slug": None}, "no text `slug`"),
        ({"link": False}, "no text `link`"),
        ({"modified": 3}, "no text `modified`"),
    ],
)
def test_a_body_that_is_not_the_requested_record_is_bad(members: dict[str, object], words: str) -> None:
    with pytest.raises(BadAnswer, match=words):
        read(Kind.PAGE, page(Kind.PAGE) | members, expected=7)


@pytest.mark.parametrize("number", [0, -1, True, 2**63])
def test_a_path_is_only_made_of_an_id(number: int) -> None:
    with pytest.raises(ValueError, match="not the id"):
        path_of(Kind.PAGE, number)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (Kind.PAGE, "id", 5),
        (Kind.PAGE, "sticky", True),
        (Kind.POST, "parent", 5),
        (Kind.PAGE, "title", None),
        (Kind.PAGE, "title", 123),
        (Kind.PAGE, "title", {"raw": "x"}),
        (Kind.PAGE, "menu_order", True),
        (Kind.PAGE, "menu_order", "1"),
        (Kind.POST, "sticky", 1),
        (Kind.POST, "tags", ("new",)),
        (Kind.PAGE, "meta", "text"),
        (Kind.PAGE, "meta", {"other": "x"}),
        (Kind.PAGE, "meta", {"footnotes": 1}),
    ],
)
def test_what_a_record_does_not_have_is_never_sent(kind: Kind, name: str, value: object) -> None:
    with pytest.raises(ValueError, match=name if name != "meta" else "meta"):
        body(kind, {name: cast("Value", value)})


def test_custom_fields_go_beside_those_of_the_document_and_do_not_replace_them() -> None:
    custom: dict[str, bool | str] = {"footnotes": "", "quiet": True}
    assert body(Kind.POST, {"meta": {"footnotes": "[]"}}, custom) == {
        "meta": {"footnotes": "[]", "quiet": True}
    }
    assert body(Kind.POST, {"slug": "a"}, custom) == {"slug": "a", "meta": custom}
    assert body(Kind.POST, {"slug": "a"}, {}) == {"slug": "a"}

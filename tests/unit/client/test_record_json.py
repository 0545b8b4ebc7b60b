"""Both dialects read a record in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.client.record_json import is_id, read
from pressync.model.errors import BadAnswer
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

ECHO: Mapping[str, object] = {
    "id": 12,
    "type": "page",
    "slug": "about",
    "link": "https://example.org/about/",
    "modified": "2026-01-02T03:04:05",
    "modified_gmt": "2026-01-02T02:04:05",
    "title": {"raw": "About", "rendered": "About"},
    "menu_order": 3,
}


def test_texts_are_their_raw_member_and_the_rest_has_the_interfaces_types() -> None:
    record = read(Kind.PAGE, ECHO, expected=12)
    assert (record.id, record.slug, record.link) == (12, "about", "https://example.org/about/")
    assert record.fields == {"slug": "about", "title": "About", "menu_order": 3}


@pytest.mark.parametrize(
    "odd", [{"menu_order": "3"}, {"title": "About"}, {"menu_order": True}, {"meta": "x"}]
)
def test_a_field_of_another_type_is_left_out(odd: Mapping[str, object]) -> None:
    assert odd.keys().isdisjoint(read(Kind.PAGE, {**ECHO, **odd}).fields)


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"id": "12"}, "not a record"),
        ({"id": True}, "not a record"),
        ({"id": 13}, "record 13"),
        ({"type": "post"}, "of type “post”"),
        ({"link": None}, "no text `link`"),
    ],
)
def test_a_member_that_identifies_the_record_must_be_valid(odd: Mapping[str, object], said: str) -> None:
    with pytest.raises(BadAnswer, match=said):
        read(Kind.PAGE, {**ECHO, **odd}, expected=12)


def test_half_of_a_character_never_gets_in() -> None:
    assert read(Kind.PAGE, {**ECHO, "slug": "a\ud800"}).slug == "a?"


@pytest.mark.parametrize(
    ("number", "good"), [(1, True), (0, False), (-1, False), (True, False), (2**63, False)]
)
def test_ids_are_positive_and_fit_a_database(number: object, good: bool) -> None:
    assert is_id(number) is good

"""The fields of a call become the JSON that WordPress takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from pressync.client.wordpress.body import body
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.model.records import Value


def test_every_type_goes_as_what_it_is() -> None:
    assert body(
        Kind.POST,
        {
            "title": "A",
            "content": "",
            "date": "2024-03-01T10:00:00",
            "author": 3,
            "sticky": False,
            "categories": (3, 5),
            "tags": (),
            "meta": {"footnotes": "[]"},
        },
    ) == {
        "title": "A",
        "content": "",
        "date": "2024-03-01T10:00:00",
        "author": 3,
        "sticky": False,
        "categories": [3, 5],
        "tags": [],
        "meta": {"footnotes": "[]"},
    }


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

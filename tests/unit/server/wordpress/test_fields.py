"""The members that `_fields` asks for."""

from __future__ import annotations

import pytest

from pressync.server.wordpress.fields import Fields

VALUE = {"id": 1, "title": {"raw": "x", "rendered": "y"}}


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("", VALUE),
        (None, VALUE),
        ("id", {"id": 1}),
        ("id,title.raw", {"id": 1, "title": {"raw": "x"}}),
        ("title.raw title.rendered", {"title": {"raw": "x", "rendered": "y"}}),
        (["id"], {"id": 1}),
        ("title.nothing", {"title": []}),
        ("nothing,id.inner", []),
    ],
)
def test_the_named_members_are_left(asked: object, left: object) -> None:
    assert Fields.of(asked).cut(VALUE) == left
    assert Fields.of(asked).cut([VALUE]) == [left]

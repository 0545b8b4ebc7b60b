"""Fields of the site, in the words that a file has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.content.front_matter.edit import Setting
from pressync.pull.fields import IdNames, setting

if TYPE_CHECKING:
    from pressync.model.records import Value

WORDS = IdNames(
    pages={7: "content/pages/team.md"},
    names={("categories", 3): "News", ("author", 2): "anna"},
    files={40: "a.png"},
)


@pytest.mark.parametrize(
    ("field", "value", "keys", "expected"),
    [
        ("title", "A", (), Setting("title", "A")),
        ("menu_order", 3, ("weight",), Setting("weight", 3)),
        ("menu_order", 3, (), Setting("menu_order", 3)),
        ("excerpt", "x", ("description",), Setting("description", "x")),
        ("excerpt", "x", ("description", "summary"), Setting("summary", "x")),
        ("status", "publish", ("draft",), Setting("status", "publish", instead_of="draft")),
        ("status", "draft", ("draft",), Setting("draft", True)),
        ("status", "draft", ("published",), Setting("published", False)),
        ("status", "private", ("draft", "status"), Setting("status", "private")),
        ("date", "2024-01-31T10:00:00", (), Setting("date", "2024-01-31T10:00:00", bare=True)),
        ("date_gmt", "2024-01-31T10:00:00", ("date",), Setting("date", "2024-01-31T10:00:00Z", bare=True)),
        ("parent", 7, (), Setting("parent", "content/pages/team.md")),
        ("parent", 8, (), Setting("parent", 8)),
        ("categories", (3, 9), (), Setting("categories", ("News", 9))),
        ("author", 2, (), Setting("author", "anna")),
        ("featured_media", 40, (), Setting("featured_media", "a.png")),
        ("sticky", True, (), Setting("sticky", True)),
        ("password", "secret", ("password",), None),
        ("meta", {"footnotes": "x"}, ("meta",), None),
    ],
)
def test_each_field_is_said_in_the_files_own_words(
    field: str, value: Value, keys: tuple[str, ...], expected: Setting | None
) -> None:
    assert setting(field, value, keys, WORDS) == expected

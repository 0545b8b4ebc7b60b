"""JSON of a client is read as the standard has it."""

from __future__ import annotations

import pytest

from pressync.server import strict_json


def test_whole_characters_are_read_also_from_escapes() -> None:
    assert strict_json.read(r'["\u00e4 \ud83d\ude00", 1.5, null]') == ["ä 😀", 1.5, None]
    assert strict_json.read('{"a": 1, "b": 2}', pairs=len) == 2


@pytest.mark.parametrize("text", ["NaN", "[-Infinity]", r'"\ud800"', r'{"\udc00": 1}', "[1,]", ""])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        strict_json.read(text)

"""New texts as bytes: what stays keeps its own."""

from __future__ import annotations

import pytest

from pressync.content.documents import text_of
from pressync.pull.line_endings import replace_text


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (b"a\nb\n", "b", "c", b"a\nc\n"),
        (b"a\r\nb\r\n", "b", "c\nd", b"a\r\nc\r\nd\r\n"),
        (b"a\r\nb\nc\n", "c", "d", b"a\r\nb\nd\n"),
        (b"\xef\xbb\xbfa\nb", "a", "c", b"\xef\xbb\xbfc\nb"),
        (b"a\rb\r", "b", "c", b"a\rc\r"),
        (b"a\x0cb\nc", "c", "d", b"a\x0cb\nd"),
        (b"", "", "x\n", b"x\n"),
    ],
)
def test_only_lines_that_change_get_new_bytes(data: bytes, old: str, new: str, expected: bytes) -> None:
    text = text_of(data)
    assert replace_text(data, text, text.replace(old, new, 1)) == expected


def test_a_text_that_stays_keeps_every_byte() -> None:
    assert replace_text(b"a\r\nb\nc\r", "a\nb\nc\n", "a\nb\nc\n") == b"a\r\nb\nc\r"

"""Where keys and values stand."""

from __future__ import annotations

import pytest

from pressync.content.front_matter.spans import head_of


def values(text: str) -> dict[str, str]:
    """Give the text of each value."""
    head = head_of(text)
    assert head is not None
    return {key: text[span.start : span.end] for key, span in head.spans.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: 1 # one\n'b c': x y\n---\n", {"a": "1", "b c": "x y"}),
        ("---\na: &x [1,\n  2]\nb: *x\n---\n", {"a": "&x [1,\n  2]", "b": "*x"}),
        ("---\na:\n- 1\n- 2 # two\n# end\nb: |\n  text\n\n---\n", {"a": "\n- 1\n- 2", "b": "|\n  text"}),
        ("---\na:\nb: ''\n---\n", {"a": "", "b": "''"}),
        ("---\r\n---\r\n".replace("\r", ""), {}),
        ('+++\na = "#" # x\nb = """\nc = 1\n"""\n[t]\nd = 1\n+++\n', {"a": '"#"', "b": '"""\nc = 1\n"""'}),
        ('{"a": {"b": [1]}, "c" :2 }', {"a": '{"b": [1]}', "c": "2"}),
    ],
)
def test_each_value_is_found_without_what_stands_around_it(text: str, expected: dict[str, str]) -> None:
    assert values(text) == expected


def test_a_text_without_front_matter_has_none() -> None:
    assert head_of("Body\n") is None
    assert head_of("---\n\nA rule.\n") is None

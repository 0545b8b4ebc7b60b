"""Which lines of a body make which piece of its HTML."""

from __future__ import annotations

from tests.support.hand import placed

from pressync.pull.source_map import map_source


def lines(body: str) -> list[list[str]]:
    """Give the lines of each passage, the footnotes last."""
    rows = body.split("\n")
    found, notes = map_source(body, placed(body))
    return [[rows[n] for n in each.lines] for each in [*found, *([notes] if notes else [])]]


def test_every_block_is_a_passage() -> None:
    assert lines("# a\nb\nc\n\n- d\n\n  e\n\n---\n") == [["# a"], ["b", "c"], ["- d", "", "  e"], ["---"]]


def test_raw_html_is_a_passage_with_all_that_it_encloses() -> None:
    body = "<div>\n\na\n\n</div>\n\nb\n"
    assert lines(body) == [["<div>", "", "a", "", "</div>"], ["b"]]


def test_definitions_belong_to_no_passage() -> None:
    assert lines("[x]: /x\n\na [x]\n\n[y]: /y\n") == [["a [x]"]]


def test_footnotes_are_one_passage_wherever_they_are_written() -> None:
    assert lines("a[^1] b[^2]\n\n[^1]: c\n\nd\n\n[^2]: e\n\n    f\n") == [
        ["a[^1] b[^2]"],
        ["d"],
        ["[^1]: c", "[^2]: e", "", "    f"],
    ]


def test_indented_code_and_html_side_by_side_are_told_apart() -> None:
    assert lines("    code\n\n<hr>\n<b>x</b>\n\ntext\n") == [["    code"], ["<hr>", "<b>x</b>"], ["text"]]


def test_an_empty_body_has_none() -> None:
    assert lines("") == lines("\n<!-- -->\n") == []

"""The lines of one record, and the text of any row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.any_manifest import any_entry
from tests.support.builders import entry

from pressync.model.records import Medium
from pressync.state.manifest.lines import as_json, one_line, rows_of, two_lines

if TYPE_CHECKING:
    from pressync.model.records import Entry


def test_a_record_breaks_behind_its_path_whatever_the_path_holds() -> None:
    for path in ("a.md", 'a "b", kind: é \\.md', "x/\U0001f600.md"):
        known = entry(path, 7, parent_path="content/pages/b.md", protect=True)
        first, second = two_lines(known).removeprefix("\n").split("\n")
        assert json.loads(f"{first}0: 0}}".replace(",0: 0", "")) == {"path": path}
        assert list(json.loads(f"{{{second}"))[:2] == ["kind", "id"]
        assert json.loads(first + second)["parent"] == "content/pages/b.md"


@given(st.lists(any_entry, max_size=5))
def test_many_records_are_written_as_each_of_them(entries: list[Entry]) -> None:
    assert ",".join(rows_of(entries)) == ",".join(map(two_lines, entries))


@pytest.mark.parametrize("path", ['", "kind": "x.md', '}, {"path": "x.md', "half\ud83d.md"])
def test_text_that_looks_like_the_place_of_a_line_break_gets_none(path: str) -> None:
    entries = [entry(path, 7), entry("b.md", 8, slug=path, fingerprints={"kind": "aa", "path": "bb"})] * 700
    assert ",".join(rows_of(entries)) == ",".join(map(two_lines, entries))


def test_a_row_that_is_not_a_record_is_one_line() -> None:
    row = one_line(Medium("b1", "x.jpg", 31, "https://site.test/x.jpg"))
    assert row == '\n{"blob": "b1", "path": "x.jpg", "id": 31, "link": "https://site.test/x.jpg"}'


def test_half_a_character_is_written_as_the_sign_of_a_character_that_is_lost() -> None:
    assert as_json({"a": ("x\ud83d",)}) == '{"a": ["x\ufffd"]}'

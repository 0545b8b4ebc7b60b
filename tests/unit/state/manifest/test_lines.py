"""The lines of one record, and the text of any row."""

from __future__ import annotations

import json

from tests.support.builders import entry

from pressync.model.records import Medium
from pressync.state.manifest.lines import as_json, one_line, two_lines


def test_a_record_breaks_behind_its_path_whatever_the_path_holds() -> None:
    for path in ("a.md", 'a "b", kind: é \\.md', "x/\U0001f600.md"):
        known = entry(path, 7, parent_path="content/pages/b.md", protect=True)
        first, second = two_lines(known).removeprefix("\n").split("\n")
        assert json.loads(f"{first}0: 0}}".replace(",0: 0", "")) == {"path": path}
        assert list(json.loads(f"{{{second}"))[:2] == ["kind", "id"]
        assert json.loads(first + second)["parent"] == "content/pages/b.md"


def test_a_row_that_is_not_a_record_is_one_line() -> None:
    row = one_line(Medium("b1", "x.jpg", 31, "https://site.test/x.jpg"))
    assert row == '\n{"blob": "b1", "path": "x.jpg", "id": 31, "link": "https://site.test/x.jpg"}'


def test_half_a_character_is_written_as_the_sign_of_a_character_that_is_lost() -> None:
    assert as_json({"a": ("x\ud83d",)}) == '{"a": ["x\ufffd"]}'

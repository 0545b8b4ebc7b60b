"""A record's lines, and the entry that is made of them in one step."""

from __future__ import annotations

from dataclasses import fields

from tests.support.entries import entry

from pressync.model.records import Entry
from pressync.state.manifest.lines import RecordLines, entry_of, to_record


def test_the_members_of_a_record_stand_in_the_order_of_an_entry() -> None:
    named = ["parent_path" if name == "parent" else name for name in RecordLines.__struct_fields__]
    assert named == [field.name for field in fields(Entry)]


def test_an_entry_is_made_of_what_is_written_for_it() -> None:
    known = entry("content/pages/a.md", 7, parent_path="content/pages/b.md", aliases=("/old/",), protect=True)
    assert entry_of(RecordLines(**to_record(known))) == known  # type: ignore[arg-type]

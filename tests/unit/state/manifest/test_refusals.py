"""Text that is not a manifest: the error names the line, the record and what to do."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.support.builders import entry, manifest
from tests.unit.state.manifest.refused import refusal, with_records

from pressync.state.manifest.codec import encode

ABOUT = entry("content/pages/about.md", 12)
TEAM = entry("content/pages/team.md", 13)


def test_conflict_markers_are_named_by_their_line() -> None:
    lines = encode(manifest(ABOUT, TEAM)).splitlines()
    lines[3:3] = ["<<<<<<< HEAD", *lines[3:5], "=======", *lines[3:5], ">>>>>>> topic"]
    said = refusal("\n".join(lines))
    assert said.startswith("m.json:4: it has the conflict markers of an unfinished merge; ")


def test_text_that_is_not_json_is_named_by_its_line() -> None:
    text = encode(manifest(ABOUT, TEAM)).replace('"id": 13', '"id": oops')
    assert refusal(text).startswith("m.json:7: it is not valid JSON; ")


RECORD = msgspec.to_builtins(ABOUT)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "m.json:1: it ends too early"),
        ("[]", "m.json: it is not a JSON object"),
        ("{}", "m.json: it has no version"),
        ('{"version": "1"}', "m.json: it has no version"),
        (
            '{"version": 2, "target": 5, "records": {}}',
            "m.json: it was written by a newer pressync (version 2); upgrade pressync",
        ),
        ('{"version": 0, "target": "t", "records": []}', "m.json: its head is not one that pressync writes"),
        ('{"version": 1, "records": []}', "m.json: it has no 'target'"),
        ('{"version": 1, "target": "t"}', "m.json: it has no 'records'"),
        (
            '{"version": 1, "target": 5, "records": []}',
            "m.json: it is not a manifest: Expected 'str', got 'int'",
        ),
        (
            '{"version": 1, "target": "t", "records": {}}',
            "m.json: it is not a manifest: Expected 'array', got",
        ),
        (
            '{"version": 1, "target": "t", "records": [], "new": 1}',
            "m.json: its head is not one that pressync",
        ),
        (with_records(3), "m.json: record 1: Expected 'object', got 'int'"),
        (
            with_records(RECORD, {**RECORD, "id": "13", "path": "b.md"}),
            "m.json: record 2 ('b.md'): id: Expected 'int', got 'str'",
        ),
        (with_records({**RECORD, "id": 0}), "id: Expected 'int' >= 1"),
        (with_records({**RECORD, "id": -1}), "id: Expected 'int' >= 1"),
        (with_records({**RECORD, "id": True}), "id: Expected 'int', got 'bool'"),
        (with_records({**RECORD, "kind": "media"}), "kind: Invalid enum value 'media'"),
        (with_records({**RECORD, "fingerprints": {"title": 1}}), "Expected 'str', got 'int'"),
        (with_records({**RECORD, "later": 1}), "unknown field 'later'; a newer pressync may have written it"),
        (with_records({k: v for k, v in RECORD.items() if k != "link"}), "missing required field 'link'"),
        (
            with_records({**RECORD, "path": "/etc/passwd"}),
            "'/etc/passwd' is not a path inside the repository",
        ),
        (with_records({**RECORD, "path": "a/../../b"}), "'a/../../b' is not a path inside the repository"),
        (with_records({**RECORD, "path": "a\nb"}), r"'a\nb' is not a path inside the repository"),
        (with_records({**RECORD, "parent": "../up.md"}), "its parent '../up.md' is not a path inside"),
        (
            with_records(RECORD, {**RECORD, "id": 99}),
            "content/pages/about.md is in it twice, as page 12 and page 99; keep the record",
        ),
        (
            with_records(RECORD, {**RECORD, "path": "b.md"}),
            "page 12 is in it twice, for content/pages/about.md and for b.md",
        ),
    ],
)
def test_what_is_wrong_is_named(text: str, said: str) -> None:
    assert said in refusal(text)


@pytest.mark.parametrize(
    ("part", "row", "told"),
    [
        ("names", {"field": "mood", "name": "x", "id": 1}, "name 1: field: Invalid enum value 'mood'"),
        ("names", {"field": "tags", "name": "x", "id": 0}, "name 1: id: "),
        ("media", {"blob": "b", "path": "img/x.jpg", "id": "1", "link": ""}, "file 1 ('img/x.jpg'): id: "),
        ("doubts", {"path": "a.md", "kind": "page"}, "unconfirmed create 1 ('a.md'): "),
    ],
)
def test_a_damaged_name_file_or_doubt_is_named_by_its_place(
    part: str, row: dict[str, object], told: str
) -> None:
    assert told in refusal(json.dumps({"version": 1, "target": "t", part: [row], "records": []}))

"""Manifest <-> text: what it looks like, that it merges, and that nothing damaged is taken for whole."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import builders
from tests.support.any_manifest import any_manifest
from tests.support.builders import manifest

from pressync.model.errors import ManifestError
from pressync.state.manifest.codec import decode, encode

if TYPE_CHECKING:
    from pressync.model.records import Manifest

# Two fields are enough here, and short digests can be read.
entry = partial(builders.entry, fingerprints={"title": "t1", "content": "c1"}, commit="c" * 40, basis="")
ABOUT = entry("content/pages/about.md", 12, fingerprints={"title": "t1"})
TEAM = entry(
    "content/pages/about/team.md",
    13,
    fingerprints={"title": "t2"},
    parent_path="content/pages/about.md",
    protect=True,
    former=("https://site.test/crew/",),
)


def test_a_record_is_two_lines_in_the_order_of_paths() -> None:
    assert encode(manifest(TEAM, ABOUT)) == (
        '{"version": 1,\n'
        ' "target": "https://site.test/wp-json",\n'
        ' "records": [\n'
        '{"path": "content/pages/about.md",\n'
        ' "kind": "page", "id": 12, "slug": "about", "link": "https://site.test/about/", '
        '"modified": "2024-01-31T12:00:00", "modified_gmt": "2024-01-31T11:00:00", '
        f'"blob": "{"b" * 40}", "commit": "{"c" * 40}", "fingerprints": {{"title": "t1"}}}},\n'
        '{"path": "content/pages/about/team.md",\n'
        ' "kind": "page", "id": 13, "slug": "team", "link": "https://site.test/team/", '
        '"modified": "2024-01-31T12:00:00", "modified_gmt": "2024-01-31T11:00:00", '
        f'"blob": "{"b" * 40}", "commit": "{"c" * 40}", "fingerprints": {{"title": "t2"}}, '
        '"parent": "content/pages/about.md", "protect": true, "former": ["https://site.test/crew/"]}\n'
        "]}\n"
    )


def test_paths_are_sorted_by_their_bytes() -> None:
    # As UTF-16 or by a locale these would be in another order; Git's is that of the bytes.
    paths = ["Z.md", "a-b.md", "a/b.md", "a0.md", "é.md", "\uffee.md", "\U0001f600.md"]
    known = manifest(*(entry(path, number) for number, path in enumerate(reversed(paths), 1)))
    assert list(decode(encode(known), where="m.json").entries) == paths


@given(any_manifest)
def test_every_manifest_is_read_as_it_was_written(known: Manifest) -> None:
    text = encode(known)
    assert decode(text, where="m.json") == known
    assert encode(decode(text, where="m.json")) == text
    others = sum(len(part) + 1 for part in (known.names, known.media, known.unconfirmed) if part)
    assert text.count("\n") == others + (4 + 2 * len(known.entries) if known.entries else 3)


def test_half_a_character_in_a_response_does_not_stop_the_manifest_from_being_saved() -> None:
    odd = entry("a.md", 1, slug="\ud83d", changed_by_service={"slug": "x\ude00"}, former=("\ud800",))
    read = decode(encode(manifest(odd)).encode().decode(), where="m.json").entries["a.md"]
    assert (read.slug, read.changed_by_service, read.former) == ("\ufffd", {"slug": "x\ufffd"}, ("\ufffd",))


@given(st.integers(0))
def test_a_manifest_that_ends_too_early_is_never_taken_for_whole(cut: int) -> None:
    text = encode(manifest(ABOUT, TEAM))
    said = refusal(text[: cut % (len(text) - 1)])
    assert said.startswith("m.json:")


@given(st.integers(0), st.integers(1, 255))
def test_a_flipped_byte_gives_a_manifest_or_a_manifest_error(at: int, flip: int) -> None:
    data = bytearray(encode(manifest(ABOUT, TEAM)).encode())
    data[at % len(data)] ^= flip
    try:
        read = decode(data.decode(errors="surrogateescape"), where="m.json")
    except ManifestError:
        return
    assert len(read.entries) == 2


@pytest.mark.parametrize("name", ["file/production.json", "file/production.made", "ref/production.made"])
def test_a_manifest_of_the_earlier_version_is_written_again_byte_for_byte(name: str) -> None:
    text = (Path(__file__).parents[3] / "system/earlier_version" / name).read_text(encoding="utf-8")
    assert encode(decode(text, where=name)) == text


def refusal(text: str) -> str:
    """Give the message with which a manifest is refused."""
    with pytest.raises(ManifestError) as caught:
        decode(text, where="m.json")
    return str(caught.value)


def with_records(*records: object) -> str:
    """Write a manifest with these records."""
    return json.dumps({"version": 1, "target": "t", "records": records})


def test_conflict_markers_and_what_is_not_json_are_named_by_their_line() -> None:
    text = encode(manifest(ABOUT, TEAM))
    lines = text.splitlines()
    lines[3:3] = ["<<<<<<< HEAD", *lines[3:5], "=======", *lines[3:5], ">>>>>>> topic"]
    said = refusal("\n".join(lines))
    assert said.startswith("m.json:4: it has the conflict markers of an unfinished merge; ")
    assert refusal(text.replace('"id": 13', '"id": oops')).startswith("m.json:7: it is not valid JSON; ")
    for deep in ("[" * 100_000, '{"version": 1, "target": "t", "records": ' + "[" * 100_000):
        assert "m.json" in refusal(deep)


RECORD = msgspec.to_builtins(ABOUT, enc_hook=str)


def other(**members: object) -> str:
    """Write a manifest with one record that has other members."""
    return with_records({**RECORD, **members})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "m.json:1: it ends too early"),
        ("[]", "m.json: it is not a JSON object"),
        ("{}", "m.json: it has no version"),
        ('{"version": "1"}', "m.json: it has no version"),
        ('{"version": 2, "target": 5}', "m.json: it was written by a newer pressync (version 2); upgrade"),
        ('{"version": 0, "target": "t", "records": []}', "m.json: its head is not one that pressync writes"),
        ('{"version": 1, "records": []}', "m.json: it has no 'target'"),
        ('{"version": 1, "target": "t"}', "m.json: it has no 'records'"),
        ('{"version": 1, "target": 5, "records": []}', "it is not a manifest: Expected 'str', got 'int'"),
        ('{"version": 1, "target": "t", "records": {}}', "it is not a manifest: Expected 'array', got"),
        ('{"version": 1, "target": "t", "records": [], "new": 1}', "its head is not one that pressync"),
        (with_records(3), "m.json: record 1: Expected 'object', got 'int'"),
        (
            with_records(RECORD, {**RECORD, "id": "13", "path": "b.md"}),
            "m.json: record 2 ('b.md'): id: Expected 'int', got 'str'",
        ),
        (other(id=0), "id: Expected 'int' >= 1"),
        (other(id=-1), "id: Expected 'int' >= 1"),
        (other(id=True), "id: Expected 'int', got 'bool'"),
        (other(kind="A film"), "kind: 'A film' is not the name of a type"),
        (other(fingerprints={"title": 1}), "Expected 'str', got 'int'"),
        (other(later=1), "unknown field 'later'; a newer pressync may have written it"),
        (with_records({k: v for k, v in RECORD.items() if k != "link"}), "missing required field 'link'"),
        (other(path="/etc/passwd"), "'/etc/passwd' is not a path inside the repository"),
        (other(path="a/../../b"), "'a/../../b' is not a path inside the repository"),
        (other(path="a\nb"), r"'a\nb' is not a path inside the repository"),
        (other(parent="../up.md"), "its parent '../up.md' is not a path inside"),
        (
            with_records(RECORD, {**RECORD, "id": 99}),
            "is in it twice, as page 12 and page 99; keep the record",
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
        ("names", {"field": "A mood", "name": "x", "id": 1}, "name 1: field: Expected 'str' matching"),
        ("names", {"field": "tags", "name": "x", "id": 0}, "name 1: id: "),
        ("media", {"blob": "b", "path": "img/x.jpg", "id": "1", "link": ""}, "file 1 ('img/x.jpg'): id: "),
        ("doubts", {"path": "a.md", "kind": "page"}, "unconfirmed create 1 ('a.md'): "),
    ],
)
def test_a_damaged_row_is_named_by_its_place(part: str, row: dict[str, object], told: str) -> None:
    assert told in refusal(json.dumps({"version": 1, "target": "t", part: [row], "records": []}))

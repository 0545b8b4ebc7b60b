"""A manifest that is read in pieces has the same records as one that is read as a whole."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given
from tests.support.any_manifest import any_manifest
from tests.support.builders import entry

from pressync.model.errors import ManifestError
from pressync.model.front_page import FRONT_PAGE
from pressync.model.records import Entry, Manifest, Name
from pressync.state.manifest import codec, record_stream
from pressync.state.manifest.record_stream import RecordOutline, RecordStream, same_records

PAGES = {
    f"content/pages/p{number}.md": entry(f"content/pages/p{number}.md", number) for number in range(1, 60)
}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_stream, "_PIECE", 512)


def stream(manifest: Manifest | str) -> RecordStream:
    text = manifest if isinstance(manifest, str) else codec.encode(manifest)
    return RecordStream(io.BytesIO(text.encode()), where="manifest.json")


def records(found: RecordStream) -> list[Entry]:
    return [each for piece in found.pieces() for each in found.entries(piece)]


@given(any_manifest)
def test_the_pieces_of_any_manifest_are_its_records(manifest: Manifest) -> None:
    whole = codec.decode(codec.encode(manifest), where="")
    found = stream(manifest)
    assert found.head == replace(whole, entries={})
    assert {each.path: each for each in records(found)} == whole.entries


@given(any_manifest)
def test_a_head_is_plain_if_it_names_the_target_and_nothing_else(manifest: Manifest) -> None:
    found = stream(manifest)
    assert found.is_plain(manifest.target) == (found.head == Manifest(found.head.target))
    assert not found.is_plain(f"{manifest.target}/")


def test_a_head_in_other_words_is_not_plain_and_a_later_version_is_refused() -> None:
    text = codec.encode(Manifest("there", PAGES))
    assert stream(text).is_plain("there")
    for wrong in ('{"version": 2,', '{"version": 1, "more": 1,'):
        damaged = stream(text.replace('{"version": 1,', wrong))
        assert not damaged.is_plain("there")
        with pytest.raises(ManifestError):
            _ = damaged.head


@given(any_manifest)
def test_the_outline_of_a_record_has_each_member_of_its_entry_but_one_fingerprint(manifest: Manifest) -> None:
    found = [each for piece in stream(manifest).pieces() for each in stream(manifest).outlines(piece)]
    entries = records(stream(manifest))
    names = {*RecordOutline.__struct_fields__} - {"fingerprints"}
    assert names == {*Entry.__struct_fields__} - {"fingerprints"}
    assert [[getattr(each, name) or None for name in names] for each in found] == [
        [getattr(each, name) or None for name in names] for each in entries
    ]
    assert [each.fingerprints.front_page for each in found] == [
        each.fingerprints.get(FRONT_PAGE, "") for each in entries
    ]


def test_a_long_manifest_has_several_pieces_in_the_order_of_the_paths() -> None:
    found = stream(Manifest("there", PAGES))
    assert len([*found.pieces()]) > 9
    assert [each.path for each in records(stream(Manifest("there", PAGES)))] == sorted(PAGES)


def test_only_the_named_records_are_decoded() -> None:
    named = ["content/pages/p7.md", "content/pages/p59.md", "content/pages/none.md"]
    found = stream(Manifest("there", PAGES)).named(named)
    assert sorted(each.id for each in found) == [7, 59]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace(',\n "records"', ', "records"'),
        lambda text: text.replace("},\n{", "}\n{", 1),
        lambda text: text.replace('"kind": "page"', '"kind": "movie"', 1),
        lambda text: text.replace('"id": 7', '"id": 0'),
        lambda text: text.replace('"id": 7', '"more": 7, "id": 7'),
        lambda text: text.replace("\n]}\n", "\n]}"),
        lambda text: text.replace("\n]}\n", ',\n"more": 1}\n'),
        lambda text: text[:-700],
    ],
)
def test_anything_else_than_such_a_manifest_is_refused(damage: object) -> None:
    assert callable(damage)
    damaged = damage(codec.encode(Manifest("there", PAGES)))
    with pytest.raises(ManifestError):
        records(stream(damaged))
    with pytest.raises(ManifestError):
        assert [stream(damaged).outlines(piece) for piece in stream(damaged).pieces()]


def test_two_manifests_have_the_same_records_whatever_stands_before_them() -> None:
    known = Manifest("there", PAGES)
    named = replace(known, names={Name("tags", "blue"): 4})
    fewer = replace(known, entries={path: PAGES[path] for path in sorted(PAGES)[1:]})
    assert same_records(stream(known), stream(named))
    assert not same_records(stream(known), stream(fewer))
    assert not same_records(stream(known), stream(replace(known, target="elsewhere")))

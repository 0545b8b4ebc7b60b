"""The rows of a manifest as text, and the records that are read in groups."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from msgspec import structs, to_builtins
from tests.support.any_manifest import any_manifest
from tests.support.builders import entry

from pressync.model.errors import ManifestError
from pressync.model.records import Entry, Manifest, Name
from pressync.model.visibility import FRONT_PAGE
from pressync.state.manifest import codec, rows
from pressync.state.manifest.rows import (
    RecordOutline,
    SortedRows,
    as_json,
    two_lines,
)


def test_a_record_breaks_behind_its_path_whatever_the_path_holds() -> None:
    for path in ("a.md", 'a "b", kind: é \\.md', "x/\U0001f600.md"):
        known = entry(path, 7, parent_path="content/pages/b.md", protect=True)
        first, second = two_lines(known).removeprefix("\n").split("\n")
        assert json.loads(f"{first}0: 0}}".replace(",0: 0", "")) == {"path": path}
        assert list(json.loads(f"{{{second}"))[:2] == ["kind", "id"]
        assert json.loads(first + second)["parent"] == "content/pages/b.md"


def test_half_a_character_is_written_as_the_sign_of_a_character_that_is_lost() -> None:
    assert as_json({"a": ("x\ud83d",)}) == '{"a": ["x\ufffd"]}'


PAGES = {
    f"content/pages/p{number}.md": entry(f"content/pages/p{number}.md", number) for number in range(1, 60)
}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_PIECE", 512)


def stream(manifest: Manifest | str) -> SortedRows:
    text = manifest if isinstance(manifest, str) else codec.encode(manifest)
    return SortedRows(io.BytesIO(text.encode()), where="manifest.json")


def records(found: SortedRows) -> list[Entry]:
    return [each for group in found.groups() for each in found.entries(group)]


@given(any_manifest)
def test_the_groups_of_any_manifest_are_its_records(manifest: Manifest) -> None:
    whole = codec.decode(codec.encode(manifest), where="")
    found = stream(manifest)
    assert codec.decode_head(found.head, where="") == replace(whole, entries={})
    assert {each.path: each for each in records(found)} == whole.entries


@given(any_manifest)
def test_a_head_is_plain_if_it_names_the_target_and_nothing_else(manifest: Manifest) -> None:
    found = stream(manifest)
    read = codec.decode_head(found.head, where="")
    assert found.is_plain(manifest.target) == (read == Manifest(read.target))
    assert not found.is_plain(f"{manifest.target}/")


def test_a_head_in_other_words_is_not_plain_and_a_later_version_is_refused() -> None:
    text = codec.encode(Manifest("there", PAGES))
    assert stream(text).is_plain("there")
    for wrong in ('{"version": 2,', '{"version": 1, "more": 1,'):
        damaged = stream(text.replace('{"version": 1,', wrong))
        assert not damaged.is_plain("there")
        with pytest.raises(ManifestError):
            codec.decode_head(damaged.head, where="")


@given(any_manifest)
def test_the_outline_of_a_record_has_each_member_of_its_entry_but_one_fingerprint(manifest: Manifest) -> None:
    found = [each for group in stream(manifest).groups() for each in stream(manifest).outlines(group)]
    entries = records(stream(manifest))
    names = {*RecordOutline.__struct_fields__} - {"fingerprints"}
    assert names == {*Entry.__struct_fields__} - {"fingerprints"}
    # The outline has the take in its plain form, so that a comparison of records loads no nouns.
    plain = [structs.replace(each, take=each.take and to_builtins(each.take)) for each in entries]
    assert [[getattr(each, name) or None for name in names] for each in found] == [
        [getattr(each, name) or None for name in names] for each in plain
    ]
    assert [each.fingerprints.front_page for each in found] == [
        each.fingerprints.get(FRONT_PAGE, "") for each in entries
    ]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace(',\n "records"', ', "records"'),
        lambda text: text.replace("},\n{", "}\n{", 1),
        lambda text: text.replace('"kind": "page"', '"kind": "A movie"', 1),
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
        assert [stream(damaged).outlines(group) for group in stream(damaged).groups()]


def test_two_manifests_have_the_same_records_whatever_stands_before_them() -> None:
    known = Manifest("there", PAGES)
    named = replace(known, names={Name("tags", "blue"): 4})
    fewer = replace(known, entries={path: PAGES[path] for path in sorted(PAGES)[1:]})
    assert stream(known).has_same(stream(named))
    assert not stream(known).has_same(stream(fewer))
    assert not stream(known).has_same(stream(replace(known, target="elsewhere")))


class Endless(io.RawIOBase):
    """A file of spaces between a beginning and an end; it counts what was read."""

    def __init__(self, text: bytes) -> None:
        self._text, self._at, self._size = text, 0, 1 << 40
        self.given = 0

    def seek(self, at: int, whence: int = io.SEEK_SET) -> int:
        self._at = self._size if whence == io.SEEK_END else at
        return self._at

    def read(self, size: int = -1) -> bytes:
        self.given += size
        piece = self._text[self._at : self._at + size].ljust(size)
        return b"\n]}\n" if self._at + size == self._size else piece


@pytest.mark.parametrize("text", [b"", codec.encode(Manifest("t", PAGES)).encode().removesuffix(b"\n]}\n")])
def test_text_that_never_comes_to_a_record_is_not_held(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_LARGEST_HEAD", 50_000)
    monkeypatch.setattr(rows, "_LONGEST_ROW", 50_000)
    file = Endless(text)
    with pytest.raises(ManifestError, match=r"it has (no records|records in another form)"):
        SortedRows(file, where="manifest.json")  # type: ignore[arg-type]
    assert file.given < len(text) + 100_000

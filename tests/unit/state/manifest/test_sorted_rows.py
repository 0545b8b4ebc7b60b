"""Single records are found in the text that `codec` writes."""

from __future__ import annotations

import io
from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.any_manifest import any_manifest
from tests.support.builders import entry

from pressync.model.errors import ManifestError
from pressync.model.records import Manifest, Name, UnconfirmedCreate
from pressync.state.manifest import codec
from pressync.state.manifest import rows as as_rows
from pressync.state.manifest.rows import SortedRows

PAGES = {
    f"content/pages/p{number:03}.md": entry(f"content/pages/p{number:03}.md", number)
    for number in range(1, 60)
}
TEXT = codec.encode(Manifest("there", PAGES, {Name("tags", "blue"): 4}))


@pytest.fixture(autouse=True)
def _short_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("_STEP", 64), ("_NEAR", 256), ("_COPIED", 100)):
        monkeypatch.setattr(as_rows, name, size)


def rows(text: str) -> SortedRows:
    return SortedRows(io.BytesIO(text.encode()), where="manifest.json")


@given(any_manifest, st.text(max_size=12))
def test_a_path_is_found_where_its_record_is_or_would_be(known: Manifest, other: str) -> None:
    text = codec.encode(known)
    found, paths = rows(text), sorted(known.entries)
    places = [found.find(path) for path in paths]
    for path, place in zip(paths, places, strict=True):
        assert found.entry(*place) == codec.decode(text, where="").entries[path]
    begins = [begin for begin, _ in places] + [places[-1][1] if places else len(found.head) - 1]
    if other not in known.entries:
        begin = begins[bisect_left(paths, other)]
        assert found.find(other) == (begin, begin)
        assert found.entry(begin, begin) is None


@pytest.mark.parametrize("path", sorted(PAGES)[::7])
def test_a_record_among_many_is_found_with_few_reads(path: str) -> None:
    file = io.BytesIO(TEXT.encode())
    found = SortedRows(file, where="")
    read = [0]

    class Counted(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            read[0] += size or 0
            return super().read(size)

    found._file = Counted(TEXT.encode())  # noqa: SLF001 - the reads that a search makes
    assert found.entry(*found.find(path)) == PAGES[path]
    assert read[0] < len(TEXT) / 4


def test_a_record_that_is_longer_than_a_read_is_found_too() -> None:
    long = entry("content/pages/p030b.md", 99, links=tuple(f"content/pages/{n}.md" for n in range(500)))
    found = rows(codec.encode(Manifest("there", {**PAGES, long.path: long})))
    for each in (long, *PAGES.values()):
        assert found.entry(*found.find(each.path)) == each


def test_the_pieces_are_the_text_behind_the_head() -> None:
    found = rows(TEXT)
    assert (found.head + b"".join(found.pieces())).decode() == TEXT


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace(',\n "records"', ', "records"'),
        lambda text: text.replace("\n]}\n", "\n]}"),
        lambda text: text.replace("\n]}\n", ',\n"more": 1}\n'),
        lambda text: text.replace('\n{"path": ', '\n{ "path": '),
        lambda text: text.replace("\n]}\n", '\n],\n "media": [\n{"blob": "b", "path": "p"}\n]}\n'),
        lambda text: text[:-700],
        lambda _: "",
    ],
)
def test_text_in_another_form_is_refused(damage: object) -> None:
    assert callable(damage)
    with pytest.raises(ManifestError, match="cannot be found one by one"):
        rows(damage(TEXT))


def test_unconfirmed_creates_behind_the_records_are_not_taken_for_records() -> None:
    create = UnconfirmedCreate("zzz.md", PAGES[min(PAGES)].kind, "c", "2024-01-31T12:00:00+00:00", "c", {})
    whole = codec.encode(Manifest("there", PAGES, unconfirmed=(create, create)))
    begin, end = whole.index(',\n "doubts"'), whole.index(',\n "records"')
    moved = whole[:begin] + whole[end:].replace(
        "\n]}\n", "\n]" + whole[begin:end].replace("}]", "}\n]") + "}\n"
    )
    assert codec.decode(moved, where="").entries == PAGES
    with pytest.raises(ManifestError, match="something else than records"):
        rows(moved)


def test_a_row_without_its_path_is_refused_when_it_is_met() -> None:
    found = rows(TEXT.replace('{"path": "content/pages/p030.md",\n', '{"path": "content/pages/p030.md\n'))
    with pytest.raises(ManifestError, match="a row without a path"):
        found.find("content/pages/p030.md")

"""Single records are found in the text, and replaced in it, as `codec` would write them."""

from __future__ import annotations

import io
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support.any_manifest import any_manifest
from tests.support.builders import entry

from pressync.model.errors import ManifestError
from pressync.model.interface import Kind
from pressync.model.records import Manifest, Name, RolledBack, UnconfirmedCreate
from pressync.state.manifest import codec
from pressync.state.manifest import rows as as_rows
from pressync.state.manifest.codec import HeldText, rewrite
from pressync.state.manifest.rows import SortedRows, two_lines

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.model.records import Entry


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


def record(rows_: SortedRows, path: str) -> Entry | None:
    return rows_.entry(*rows_.find(path))


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
    links = tuple(f"content/pages/{n}.md" for n in range(500))
    # The path alone, with its quotes, has as many bytes as one read, or as two.
    paths = ["content/pages/p030b.md", *(f"content/pages/p030{'x' * more}" for more in (42, 43, 44, 108))]
    long = {path: entry(path, 99 + number, links=links) for number, path in enumerate(paths)}
    found = rows(codec.encode(Manifest("there", {**PAGES, **long})))
    for each in (*long.values(), *PAGES.values()):
        assert found.entry(*found.find(each.path)) == each


def test_the_pieces_are_the_text_behind_the_head_with_the_edits_in_it() -> None:
    found = rows(TEXT)
    assert (found.head + b"".join(found.pieces())).decode() == TEXT
    first, last = found.find(min(PAGES)), found.find(max(PAGES))
    kept = codec.encode(Manifest("there", {path: PAGES[path] for path in sorted(PAGES)[1:-1]}))
    edited = b"".join(found.pieces([(*first, b""), (*last, b"")]))
    assert edited == kept.encode().partition(b'"records": [')[2]


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
    # The last row is on one line, so the text ends before a path does.
    found = rows(TEXT.replace('{"path": "content/pages/p059.md",\n', '{"path": "content/pages/p059.md",'))
    with pytest.raises(ManifestError, match="a row without a path"):
        found.find("content/pages/p059.md")


@given(any_manifest)
def test_each_record_of_any_manifest_is_found_and_no_other(manifest: Manifest) -> None:
    text = codec.encode(manifest)
    records = rows(text)
    known = codec.decode(text, where="").entries
    assert {path: record(records, path) for path in known} == known
    for other in {"", "content", "zzz", *(f"{path}.md" for path in known)} - known.keys():
        assert record(records, other) is None


def test_all_of_many_records_are_found() -> None:
    known = {
        path: entry(path, number, links=("content/pages/é.md",))
        for number in range(1, 300)
        for path in [f"content/pages/{number % 7}/p{'é' * (number % 3)}{number}.md"]
    }
    records = rows(codec.encode(Manifest("there", known)))
    assert {path: record(records, path) for path in known} == known
    assert record(records, "content/pages/3/p.md") is None


@pytest.mark.parametrize(
    ("sign", "instead"), [('"kind": "page"', '"kind": "A movie"'), ('.md",\n', '.md" \n')]
)
def test_what_is_not_a_record_is_refused(sign: str, instead: str) -> None:
    text = codec.encode(Manifest("there", {"a.md": entry("a.md", 1)}))
    with pytest.raises(ManifestError):
        record(rows(text.replace(sign, instead)), "a.md")


NUMBERED = {f"p{number:03}.md": entry(f"p{number:03}.md", number) for number in range(1, 60)}
KNOWN = Manifest("there", NUMBERED, {Name("tags", "blue"): 4})
CREATE = UnconfirmedCreate("c.md", Kind.PAGE, "c", "2024-01-31T12:00:00+00:00", "c", {})
CHANGED = structs.replace(NUMBERED["p030.md"], slug="changed")


def written(known: Manifest, changed: Collection[str] | None, *, over: str, held: Manifest) -> str | None:
    new = rewrite(held, known, changed, lambda: SortedRows(io.BytesIO(over.encode()), where=""))
    if new is None:
        return None
    manifest, pieces = new
    text = b"".join(pieces).decode()
    assert codec.decode(text, where="") == manifest
    return text


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the paths of the records that are encoded."""
    paths: list[str] = []

    def noted(each: Entry) -> str:
        paths.append(each.path)
        return two_lines(each)

    monkeypatch.setattr(codec, "two_lines", noted)
    return paths


# Characters that JSON escapes, that UTF-8 and UTF-16 sort in another order, and the separators of a row.
PATHS = (
    'a", "b.md',
    "a.md",
    "a/b.md",
    "a\\.md",
    "b,.md",
    "(.md",
    "\uffee.md",
    "\U0001f600.md",
    "é.md",
    "z.md",
)
# Each path with the number of its record and one of two slugs.
records = st.permutations(range(1, len(PATHS) + 1)).flatmap(
    lambda numbers: st.dictionaries(
        st.sampled_from([*zip(PATHS, numbers, strict=True)]), st.sampled_from(["one", "two"])
    )
)
manifests = st.builds(
    lambda found, names: Manifest(
        "there", {path: entry(path, number, slug=slug) for (path, number), slug in found.items()}, names
    ),
    records,
    st.dictionaries(st.just(Name("tags", "blue")), st.integers(1, 2)),
)


@given(manifests, manifests, st.sets(st.sampled_from(PATHS)))
def test_the_bytes_are_those_of_the_whole_manifest(held: Manifest, known: Manifest, more: set[str]) -> None:
    """Any records are changed, inserted, removed or renamed; `more` are said to have changed and have not."""
    over, expected = codec.encode(held), codec.encode(known)
    changed = {path for path in PATHS if held.entries.get(path) != known.entries.get(path)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "_FEW", 0)
        assert written(known, changed | more, over=over, held=held) == (
            None if expected == over else expected
        )
    assert written(known, None, over=over, held=held) == (None if expected == over else expected)


def test_only_the_records_that_changed_are_encoded(encoded: list[str]) -> None:
    after = {**NUMBERED, "p030.md": CHANGED, "p030b.md": entry("p030b.md", 99)}
    del after["p001.md"]
    known, changed = replace(KNOWN, entries=after), {"p030.md", "p030b.md", "p001.md"}
    text = written(known, changed, over=codec.encode(KNOWN), held=KNOWN)
    encoded[: len(NUMBERED)] = []
    assert text == codec.encode(known)
    assert encoded[:2] == ["p030.md", "p030b.md"]


def test_nothing_is_encoded_where_nothing_changes(encoded: list[str]) -> None:
    text = codec.encode(KNOWN)
    encoded.clear()
    assert written(KNOWN, {"p030.md"}, over=text, held=KNOWN) is None
    assert written(KNOWN, None, over=text, held=KNOWN) is None
    assert encoded == []


@pytest.mark.parametrize(
    "known",
    [
        replace(KNOWN, names={}),
        replace(KNOWN, unconfirmed=(CREATE,)),
        replace(KNOWN, rolled_back=RolledBack("run", "c" * 40, "digest")),
    ],
)
def test_another_head_stands_before_the_same_records(known: Manifest, encoded: list[str]) -> None:
    over = codec.encode(KNOWN)
    encoded.clear()
    text = written(known, (), over=over, held=KNOWN)
    assert encoded == []
    assert text == codec.encode(known)


@pytest.mark.parametrize(
    "form",
    [
        lambda text: text.replace(",\n{", ", {"),
        lambda text: text.replace("\n]}\n", "]}"),
        lambda text: text.replace('"p030.md",\n', '"p030.md", '),
        lambda text: text.replace('{"path": "p030.md"', '{ "path": "p030.md"'),
        # Git has merged two branches line by line, and the records are not sorted.
        lambda text: (
            text.replace('"p010.md"', '"swap"')
            .replace('"p030.md"', '"p010.md"')
            .replace('"swap"', '"p030.md"')
        ),
    ],
)
def test_text_that_somebody_has_written_in_another_way_is_written_anew(form: object) -> None:
    assert callable(form)
    over = form(codec.encode(KNOWN))
    held = codec.decode(over, where="")
    changed = structs.replace(held.entries["p030.md"], slug="changed")
    known = replace(held, entries={**held.entries, "p030.md": changed})
    assert written(known, {"p030.md"}, over=over, held=held) == codec.encode(known)


def test_a_text_in_memory_is_the_same_one_while_nothing_changes() -> None:
    held = HeldText(Manifest("there"))
    assert held.rewritten(Manifest("there"), None) is held
    new = held.rewritten(KNOWN, ())
    assert new.text.decode() == codec.encode(KNOWN)
    assert new.rewritten(KNOWN, ()) is new
    known = replace(KNOWN, entries={**NUMBERED, "p030.md": CHANGED})
    assert new.rewritten(known, {"p030.md"}).text.decode() == codec.encode(known)

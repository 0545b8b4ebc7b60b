"""A manifest that is written over an earlier one has the bytes that `codec` gives, whatever has changed."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support.builders import entry

from pressync.model.interface import Kind
from pressync.model.records import Manifest, Name, UnconfirmedCreate
from pressync.model.run_marks import RolledBack
from pressync.state.manifest import codec, lines, rewriting
from pressync.state.manifest.rewriting import HeldText, Rewriting, rewrite
from pressync.state.manifest.sorted_rows import SortedRows

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.model.records import Entry

PAGES = {f"p{number:03}.md": entry(f"p{number:03}.md", number) for number in range(1, 60)}
KNOWN = Manifest("there", PAGES, {Name("tags", "blue"): 4})
CREATE = UnconfirmedCreate("c.md", Kind.PAGE, "c", "2024-01-31T12:00:00+00:00", "c", {})
CHANGED = structs.replace(PAGES["p030.md"], slug="changed")


def written(known: Manifest, changed: Collection[str] | None, *, over: str, held: Manifest) -> str | None:
    new = rewrite(held, known, changed, lambda: SortedRows(io.BytesIO(over.encode()), where=""))
    if new is None:
        return None
    assert isinstance(new, Rewriting)
    text = b"".join(new.pieces).decode()
    assert codec.decode(text, where="") == new.held
    return text


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the paths of the records that are encoded."""
    paths: list[str] = []

    def noted(each: Entry) -> str:
        paths.append(each.path)
        return lines.two_lines(each)

    monkeypatch.setattr(rewriting, "two_lines", noted)
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
        patch.setattr(rewriting, "_FEW", 0)
        assert written(known, changed | more, over=over, held=held) == (
            None if expected == over else expected
        )
    assert written(known, None, over=over, held=held) == (None if expected == over else expected)


def test_only_the_records_that_changed_are_encoded(encoded: list[str]) -> None:
    after = {**PAGES, "p030.md": CHANGED, "p030b.md": entry("p030b.md", 99)}
    del after["p001.md"]
    known, changed = replace(KNOWN, entries=after), {"p030.md", "p030b.md", "p001.md"}
    text = written(known, changed, over=codec.encode(KNOWN), held=KNOWN)
    encoded[: len(PAGES)] = []
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


def test_many_changes_are_encoded_as_a_whole() -> None:
    after = {path: structs.replace(each, slug="x") for path, each in PAGES.items()}
    known = replace(KNOWN, entries=after)
    assert written(known, set(PAGES), over="not looked at", held=KNOWN) == codec.encode(known)


def test_a_text_in_memory_is_the_same_one_while_nothing_changes() -> None:
    held = HeldText(Manifest("there"))
    assert held.rewritten(Manifest("there"), None) is held
    new = held.rewritten(KNOWN, ())
    assert new.text.decode() == codec.encode(KNOWN)
    assert new.rewritten(KNOWN, ()) is new
    known = replace(KNOWN, entries={**PAGES, "p030.md": CHANGED})
    assert new.rewritten(known, {"p030.md"}).text.decode() == codec.encode(known)

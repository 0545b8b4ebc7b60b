"""What this clone made, beside the manifest: what of it is lost, and that it never stands in the way."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.any_manifest import any_manifest
from tests.support.builders import TARGET, entry, manifest

from pressync.model.interface import Kind
from pressync.state import atomic_files
from pressync.state.created_copy import CreatedCopy
from pressync.state.journal_lines import Removed
from pressync.state.manifest import codec
from pressync.state.manifest.codec import decode, encode
from pressync.state.manifest.sorted_rows import SortedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.model.records import Entry, Manifest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "production.made"


def by_path(*entries: Entry) -> dict[str, Entry]:
    return {each.path: each for each in entries}


def fail(*_: object, **__: object) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def text_of(entries: dict[str, Entry]) -> Callable[[], Iterator[bytes]]:
    """Give the text of these records as the manifest would."""
    return SortedRows(io.BytesIO(encode(manifest(*entries.values())).encode()), where="").pieces


def made(path: Path, *entries: Entry) -> None:
    """Let a run have made these records."""
    CreatedCopy(path, TARGET, []).save(by_path(*entries), {})


def test_a_record_is_lost_if_the_manifest_has_neither_its_path_nor_its_id(path: Path) -> None:
    made(path, entry("same.md", 6), entry("moved.md", 7), entry("bound.md", 8), entry("lost.md", 9))
    known = by_path(entry("same.md", 6), entry("here.md", 7), entry("bound.md", 80))
    assert CreatedCopy(path, TARGET, []).forgotten_by_manifest(known) == by_path(entry("lost.md", 9))


def test_a_post_of_the_same_id_is_another_record(path: Path) -> None:
    made(path, entry("page.md", 7))
    known = by_path(entry("post.md", 7, kind=Kind.POST))
    assert CreatedCopy(path, TARGET, []).forgotten_by_manifest(known).keys() == {"page.md"}


def test_what_the_journal_says_was_removed_is_not_lost(path: Path) -> None:
    made(path, entry("removed.md", 8), entry("lost.md", 9))
    lines = [Removed(1, "removed.md", Kind.PAGE, 8)]
    assert CreatedCopy(path, TARGET, lines).forgotten_by_manifest({}).keys() == {"lost.md"}


def test_what_is_lost_stays_in_the_file_until_another_path_has_its_record(path: Path) -> None:
    made(path, entry("lost.md", 9))
    for known, kept in (
        (entry("a.md", 1), {"a.md", "lost.md"}),
        (entry("found.md", 9), {"a.md", "found.md"}),
    ):
        memory = CreatedCopy(path, TARGET, [])
        memory.save(by_path(known), memory.forgotten_by_manifest({}))
        assert decode(path.read_text(), where="made").entries.keys() == kept


def test_it_is_current_when_it_holds_what_the_manifest_does(path: Path) -> None:
    made(path, entry("a.md", 1))
    for known, current in (
        (by_path(entry("a.md", 1)), True),
        ({}, False),
        (by_path(entry("a.md", 2)), False),
    ):
        memory = CreatedCopy(path, TARGET, [])
        memory.forgotten_by_manifest(known)
        assert memory.is_current == current


def test_nothing_is_decoded_where_the_copy_has_the_same_text(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = by_path(entry("a.md", 1), entry("b.md", 2))
    made(path, *known.values())
    monkeypatch.setattr("pressync.state.manifest_file.ManifestFile.read", fail)
    memory = CreatedCopy(path, TARGET, [])
    assert memory.forgotten_by_manifest(known, records=text_of(known)) == {}
    assert memory.is_current


@pytest.mark.parametrize("text", [lambda: iter([b"\n]}\n"]), fail, lambda: iter([])])
def test_another_text_is_compared_record_by_record(path: Path, text: Callable[[], Iterator[bytes]]) -> None:
    made(path, entry("a.md", 1), entry("lost.md", 9))
    memory = CreatedCopy(path, TARGET, [])
    assert memory.forgotten_by_manifest(by_path(entry("a.md", 1)), records=text).keys() == {"lost.md"}
    assert not memory.is_current


def test_the_same_text_for_another_target_is_another_copy(path: Path) -> None:
    made(path, entry("a.md", 1))
    known = by_path(entry("a.md", 1))
    memory = CreatedCopy(path, "https://other.test", [])
    assert memory.forgotten_by_manifest(known, records=text_of(known)) == {}
    assert not memory.is_current


def test_the_text_of_the_manifest_is_copied(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = by_path(entry("a.md", 1), entry("b.md", 2))
    expected = encode(manifest(*known.values()))
    text = text_of(known)
    with monkeypatch.context() as patch:
        patch.setattr(codec, "pieces", fail)
        CreatedCopy(path, TARGET, []).save(known, {}, text)
    assert path.read_text() == expected
    CreatedCopy(path, TARGET, []).save(by_path(entry("c.md", 3)), {}, fail)
    assert decode(path.read_text(), where="made").entries == by_path(entry("c.md", 3))


def test_what_was_made_on_another_target_says_nothing_of_this_one(path: Path) -> None:
    made(path, entry("a.md", 7))
    assert CreatedCopy(path, "https://other.test", []).forgotten_by_manifest({}) == {}


def test_a_file_that_cannot_be_read_or_written_stands_in_nobodys_way(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("torn")
    memory = CreatedCopy(path, TARGET, [])
    assert memory.forgotten_by_manifest({}) == {}
    path.write_text("torn by somebody else")
    memory.save(by_path(entry("a.md", 1)), {})
    path.unlink()
    monkeypatch.setattr(atomic_files, "replace", fail)
    made(path, entry("a.md", 1))
    assert not path.exists()


@given(any_manifest, st.data())
def test_to_read_it_is_the_same_by_a_shorter_way(known: Manifest, data: st.DataObject) -> None:
    kept = data.draw(st.sets(st.sampled_from(sorted(known.entries)))) if known.entries else set()
    entries = {path: known.entries[path] for path in kept}
    with TemporaryDirectory() as folder:
        path = Path(folder, "production.made")
        CreatedCopy(path, TARGET, []).save(known.entries, {})
        whole = CreatedCopy(path, TARGET, []).forgotten_by_manifest(entries)
        assert CreatedCopy(path, TARGET, []).forgotten_by_manifest(entries, to_read=True) == whole

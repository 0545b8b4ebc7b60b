"""What this clone made, beside the manifest: what of it is lost, and that it never stands in the way."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.any_manifest import any_manifest
from tests.support.builders import TARGET, entry

from pressync.model.interface import Kind
from pressync.state import atomic_files
from pressync.state.created_copy import CreatedCopy
from pressync.state.journal_lines import Removed
from pressync.state.manifest.codec import decode

if TYPE_CHECKING:
    from pressync.model.records import Entry, Manifest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "production.made"


def by_path(*entries: Entry) -> dict[str, Entry]:
    return {each.path: each for each in entries}


def fail(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


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

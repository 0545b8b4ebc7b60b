"""The bonds between paths and records that a clone vouches for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.entries import TARGET, entry

from pressync.state.vouched import Bond, Vouched

if TYPE_CHECKING:
    from pathlib import Path

A, B = "content/pages/a.md", "content/pages/b.md"
COMMIT = "c" * 40


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Name the notes; they are not there yet."""
    return tmp_path / "pressync" / "site.vouched"


def kept(file: Path) -> Vouched:
    return Vouched(file, TARGET)


def test_what_was_written_is_vouched_for_in_the_next_run(file: Path) -> None:
    first = kept(file)
    first.add(entry(A, 7))
    first.save()
    assert kept(file).bonds() == {A: Bond("page", 7, COMMIT)}
    assert kept(file).bonds()[A].holds(entry(A, 7))
    assert not kept(file).bonds()[A].holds(entry(A, 8))
    assert file.stat().st_mode & 0o077 == 0


def test_a_run_without_writes_touches_nothing(file: Path) -> None:
    kept(file).save()
    assert not file.exists()


def test_a_record_belongs_to_one_path_the_last_one(file: Path) -> None:
    for path in (A, B):
        run = kept(file)
        run.add(entry(path, 7))
        run.save()
    assert kept(file).bonds().keys() == {B}


def test_a_deleted_record_is_remembered_as_such(file: Path) -> None:
    first = kept(file)
    first.add(entry(A, 7))
    first.save()
    second = kept(file)
    second.end(A)
    second.save()
    assert kept(file).bonds() == {A: Bond("page", 0, COMMIT)}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"target": "another", "records": [["a", "page", 1, ""]]}', "\0"]
)
def test_notes_that_are_none_vouch_for_nothing(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    assert kept(file).bonds() == {}

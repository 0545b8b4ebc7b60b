"""The bonds between paths and records that a clone vouches for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import HEAD, TARGET, entry
from tests.support.states import opened, unconfirmed_in

from pressync.model.interface import Kind
from pressync.state.vouched import Bond, Vouched

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.state.journal_lines import Action
    from pressync.state.state import State

A, B, C = (f"content/pages/{name}.md" for name in "abc")
COMMIT = HEAD


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Name the notes; they are not there yet."""
    return tmp_path / "pressync" / "site.vouched"


def intend(state: State, path: str, action: Action, number: int | None) -> int:
    """Write down a call for a page."""
    return state.intend(
        action=action, path=path, kind=Kind.PAGE, id=number, slug="", fingerprints={}, commit=COMMIT, blob=""
    )


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


@pytest.mark.parametrize("count", [1, 400, 401])
def test_what_a_large_run_wrote_is_saved_in_pieces(file: Path, count: int) -> None:
    notes, more = kept(file), kept(file)
    for number in range(1, count + 1):
        notes.add(entry(f"content/pages/é{number}.md", number))
    notes.save()
    text = file.read_text()
    assert text == json.dumps(json.loads(text)), "it is written as a whole would be"
    assert kept(file).bonds()[f"content/pages/é{count}.md"] == Bond("page", count, COMMIT)
    more.end("content/pages/é1.md")
    more.save()
    assert kept(file).bonds()["content/pages/é1.md"].id == 0


def test_a_run_that_was_killed_before_it_saved_is_vouched_for_by_its_journal(tmp_path: Path) -> None:
    with opened(tmp_path) as killed:
        number = intend(killed, A, "create", None)
        killed.settle(number, A, entry(A, 7))
        intend(killed, B, "update", 8)
        unconfirmed_in(killed, C, {"slug": "c"})
        killed.resolve(C, entry(C, 9))
        killed.put(entry("content/pages/pulled.md", 10))
    with opened(tmp_path) as after:
        assert {path: bond.id for path, bond in after.vouched.bonds().items()} == {A: 7, B: 8, C: 9}
        after.settle(intend(after, A, "delete", 7), A, None)
        after.save()
    with opened(tmp_path, writable=False) as last:
        assert {path: bond.id for path, bond in last.vouched.bonds().items()} == {A: 0, B: 8, C: 9}


def test_the_bonds_of_some_paths_are_those_among_all(file: Path) -> None:
    notes = kept(file)
    for number, path in enumerate((A, B), 1):
        notes.add(entry(path, number))
    notes.save()
    notes = kept(file)
    notes.add(entry(C, 2))
    notes.end(A)
    for only in ((), (A,), (B, C), (A, B, C, "none.md")):
        assert notes.bonds(only) == {path: bond for path, bond in notes.bonds().items() if path in only}
    assert notes.bonds((A, C)) == {A: Bond("page", 0, COMMIT), C: Bond("page", 2, COMMIT)}


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

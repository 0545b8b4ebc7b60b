"""The facts that a clone keeps beside the manifest: what was forgotten, who vouches, and what was seen."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NoReturn

import pytest
from tests.support.builders import HEAD, TARGET, entry
from tests.support.states import log_in, opened, unconfirmed_in

from pressync.model.interface import Kind
from pressync.state import atomic_files
from pressync.state.clone_facts import CreatedCopy, Vouched
from pressync.state.clone_files import CloneFiles
from pressync.state.clone_log import Bond, CloneLog
from pressync.state.journal_lines import Removed
from pressync.state.manifest.codec import decode

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pressync.model.records import Entry
    from pressync.state.journal_lines import Action, Line
    from pressync.state.state import State


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "production.made"


def copy(path: Path, target: str = TARGET, lines: Iterable[Line] = ()) -> CreatedCopy:
    """Open the copy of this path."""
    return CreatedCopy(path, CloneLog(CloneFiles(path.parent, path.stem), target), lines)


def by_path(*entries: Entry) -> dict[str, Entry]:
    return {each.path: each for each in entries}


def fail(*_: object, **__: object) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def made(path: Path, *entries: Entry) -> None:
    """Let a run have made these records."""
    copy(path).save(by_path(*entries), {})


def test_a_record_is_lost_if_the_manifest_has_neither_its_path_nor_its_id(path: Path) -> None:
    names = ("same", "moved", "bound", "removed", "lost", "page")
    made(path, *(entry(f"{name}.md", number) for number, name in enumerate(names, 6)))
    post = entry("post.md", 11, kind=Kind.POST)
    known = by_path(entry("same.md", 6), entry("here.md", 7), entry("bound.md", 80), post)
    lines = [Removed(1, "removed.md", Kind.PAGE, 9)]
    assert copy(path, lines=lines).forgotten_by_manifest(known) == by_path(
        entry("lost.md", 10), entry("page.md", 11)
    )


def test_what_is_lost_stays_in_the_file_until_another_path_has_its_record(path: Path) -> None:
    made(path, entry("lost.md", 9))
    for known, kept in (
        (entry("a.md", 1), {"a.md", "lost.md"}),
        (entry("found.md", 9), {"a.md", "found.md"}),
    ):
        memory = copy(path)
        memory.save(by_path(known), memory.forgotten_by_manifest({}))
        assert decode(path.read_text(), where="made").entries.keys() == kept


def test_an_unreadable_file_stands_in_nobodys_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("torn")
    memory = copy(path)
    assert memory.forgotten_by_manifest({}) == {}
    path.write_text("torn by somebody else")
    memory.save(by_path(entry("a.md", 1)), {})
    path.unlink()
    monkeypatch.setattr(atomic_files, "replace", fail)
    made(path, entry("a.md", 1))
    assert not path.exists()


A, B, C = (f"content/pages/{name}.md" for name in "abc")
COMMIT = HEAD


def intend(state: State, path: str, action: Action, number: int | None) -> int:
    """Write down a call for a page."""
    return state.intend(
        action=action, path=path, kind=Kind.PAGE, id=number, slug="", fingerprints={}, commit=COMMIT, blob=""
    )


def vouched(folder: Path) -> Vouched:
    return Vouched(log_in(folder))


def test_what_was_written_is_vouched_for_in_the_next_run_and_what_was_deleted_is_not(tmp_path: Path) -> None:
    for path in (A, B):
        run = vouched(tmp_path)
        run.add(entry(path, 7))
        run.save()
        # A record belongs to one path, the last one.
        assert vouched(tmp_path).bonds() == {path: Bond("page", 7, COMMIT)}
        assert vouched(tmp_path).bonds()[path].holds(entry(path, 7))
        assert not vouched(tmp_path).bonds()[path].holds(entry(path, 8))
    second = vouched(tmp_path)
    second.end(B)
    second.save()
    assert vouched(tmp_path).bonds() == {B: Bond("page", 0, COMMIT)}


@pytest.mark.parametrize("count", [1, 400, 401])
def test_what_a_large_run_wrote_is_saved_in_pieces(tmp_path: Path, count: int) -> None:
    notes, more = vouched(tmp_path), vouched(tmp_path)
    for number in range(1, count + 1):
        notes.add(entry(f"content/pages/é{number}.md", number))
    notes.save()
    assert len(log_in(tmp_path).path.read_bytes().splitlines()) == -(-count // 400)
    assert vouched(tmp_path).bonds()[f"content/pages/é{count}.md"] == Bond("page", count, COMMIT)
    more.end("content/pages/é1.md")
    more.save()
    assert vouched(tmp_path).bonds()["content/pages/é1.md"].id == 0


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
        assert last.created_copy.removed() == {(Kind.PAGE, 7)}

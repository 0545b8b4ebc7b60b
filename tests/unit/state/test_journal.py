"""The journal on disk: what it gives back after a crash, and what it refuses."""

from __future__ import annotations

import contextlib
import errno
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import TARGET, entry
from tests.unit.state.test_atomic_files import largest_file

from pressync.model.errors import JournalError, StorageError
from pressync.model.interface import Kind
from pressync.state import atomic_files
from pressync.state.journal import Journal
from pressync.state.journal_lines import Done, Intent, encode, encode_header

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.state.journal_lines import Line


def intent(number: int) -> Intent:
    return Intent(number, "create", f"{number}.md", Kind.PAGE, None, "s", {"title": "t"}, "c", "b", "2024")


def done(number: int) -> Done:
    return Done(number, (entry(f"{number}.md", 100 + number),))


LINES: list[Line] = [intent(1), done(1), intent(2), done(2), intent(3)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "production.journal"


def written(path: Path, lines: list[Line]) -> bytes:
    """Write a journal and return what is in it, without the reserved place at its end."""
    journal = Journal(path, TARGET)
    for line in lines:
        journal.sync(journal.write(line), line)
    journal.close()
    return path.read_bytes().rstrip(b"\0")


def read(path: Path) -> list[Line]:
    return list(Journal(path, TARGET).read())


def times_open(path: Path) -> int:
    """Count the descriptors of this process that are this file."""
    count, there = 0, path.stat()
    for descriptor in range(1024):
        with contextlib.suppress(OSError):
            count += os.path.samestat(os.fstat(descriptor), there)
    return count


def fail(error: int) -> object:
    def failing(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    return failing


def test_a_closed_journal_holds_no_file_open_and_opens_it_for_the_next_line(path: Path) -> None:
    assert read(path) == []
    assert not path.exists()
    journal = Journal(path, TARGET)
    journal.write(LINES[0])
    assert times_open(path) == 1
    journal.close()
    assert times_open(path) == 0
    journal.write(LINES[1])
    journal.close()
    assert read(path) == LINES[:2]


def test_a_journal_torn_at_any_byte_gives_the_lines_that_are_whole(path: Path) -> None:
    whole = written(path, LINES)
    for cut in range(len(whole), -1, -1):
        for reserved in (0, 1, 5000):
            os.truncate(path, cut)
            os.truncate(path, cut + reserved)
            assert read(path) == LINES[: max(whole[:cut].count(b"\n") - 1, 0)]


def test_a_flipped_byte_stops_everything(path: Path) -> None:
    whole = written(path, LINES)
    with path.open("r+b", buffering=0) as file:
        for at in range(len(whole) - 1):
            os.pwrite(file.fileno(), bytes([whole[at] ^ 4]), at)
            with pytest.raises(JournalError, match=r"production.journal:[1-6]: the journal is damaged"):
                read(path)
            os.pwrite(file.fileno(), whole[at : at + 1], at)


def test_a_block_that_never_reached_the_disk_ends_the_journal(path: Path) -> None:
    # After a power cut a later block of the same unsynced write may be there without an earlier one.
    header, first, second = encode_header(TARGET), encode(intent(1)), encode(intent(2))
    path.write_bytes(header + first + bytes(len(second)) + encode(intent(3)))
    assert read(path) == [intent(1)]
    path.write_bytes(header + first[:10] + bytes(len(first) - 10) + second)
    assert read(path) == []


def test_a_journal_that_cannot_be_read_or_written_says_so(path: Path) -> None:
    with pytest.raises(StorageError, match=r"so this was not sent: create of 1\.md; free some space"):
        Journal(path / "none", TARGET).write(intent(1))
    path.mkdir()
    with pytest.raises(JournalError, match="the journal cannot be read"):
        read(path)


def test_a_full_disk_strikes_at_an_intent_and_never_at_an_outcome(path: Path) -> None:
    journal = Journal(path, TARGET)
    sent = 0
    with largest_file(atomic_files.CHUNK):
        while True:
            try:
                journal.write(intent(sent + 1))
            except StorageError:
                break
            sent += 1
            journal.write(done(sent))
    journal.close()
    assert sent > 100
    assert read(path) == [line for number in range(1, sent + 1) for line in (intent(number), done(number))]


def test_outcomes_of_all_calls_under_way_have_their_place(path: Path) -> None:
    journal = Journal(path, TARGET)
    calls = 0
    with largest_file(atomic_files.CHUNK):
        try:
            while True:
                journal.write(intent(calls + 1), under_way=calls)
                calls += 1
        except StorageError:
            pass
    journal.close()
    assert 5 < calls < 20
    assert len(path.read_bytes().rstrip(b"\0")) + calls * 10_000 < path.stat().st_size == atomic_files.CHUNK


def test_a_failed_sync_is_final_and_says_what_is_lost(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(path, TARGET)
    ticket = journal.write(done(1))
    with monkeypatch.context() as patch:
        patch.setattr(atomic_files, "_sync", fail(errno.EIO))
        with pytest.raises(StorageError, match=r"\(Input/output error\); it lacks this: 1.md is page 101"):
            journal.sync(ticket, done(1))
    with pytest.raises(StorageError, match=r"1\.md is page 101"):
        journal.sync(ticket, done(1))
    with pytest.raises(StorageError, match=r"so this was not sent: create of 2\.md"):
        journal.write(intent(2))
    journal.close()


def test_threads_share_syncs_that_make_lines_durable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(path, TARGET)
    synced: list[int] = []
    real = atomic_files._sync  # noqa: SLF001 - the one place where all syncs go through

    def counted(descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        content = os.pread(descriptor, size, 0).rstrip(b"\0")
        real(descriptor)
        synced.append(content.count(b"\n") - 1)

    monkeypatch.setattr(atomic_files, "_sync", counted)

    def run(thread: int) -> None:
        for each in range(50):
            line = intent(thread * 50 + each + 1)
            ticket = journal.write(line)
            journal.sync(ticket, line)
            assert max(synced) >= ticket

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(run, range(8)))
    journal.close()
    assert len(synced) <= 400
    assert sorted(line.n for line in read(path) if isinstance(line, Intent)) == list(range(1, 401))


@pytest.mark.parametrize("kept", [[intent(3)], []])
def test_compacting_keeps_open_intents_and_later_lines_follow_them(path: Path, kept: list[Line]) -> None:
    journal = Journal(path, TARGET)
    for line in LINES:
        journal.write(line)
    journal.compact([line for line in kept if isinstance(line, Intent)])
    assert read(path) == kept
    assert path.exists() == bool(kept)
    journal.sync(journal.write(done(3)), done(3))
    journal.close()
    assert read(path) == [*kept, done(3)]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("step", ["replace", "remove", "sync_folder"])
def test_a_failure_of_compacting_is_no_harm(path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    journal = Journal(path, TARGET)
    journal.write(intent(1))
    with monkeypatch.context() as patch:
        patch.setattr(atomic_files, step, fail(errno.EIO))
        journal.compact([] if step == "remove" else [intent(1)])
    journal.sync(journal.write(intent(2)), intent(2))
    journal.close()
    assert read(path) == [intent(1), intent(2)]

"""The durable steps: what is replaced at once, what stays when it fails, what is reserved."""

from __future__ import annotations

import errno
import os
import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pressync.state import atomic_files
from pressync.state.atomic_files import CHUNK, AppendFile, make_folder, remove, replace, try_to_replace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond `size` bytes: to the writer that looks like a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    file.write_text("old")
    file.chmod(0o640)
    replace(file, b"new", mode=0o600)
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_new_file_gets_the_mode_that_was_asked_for(tmp_path: Path) -> None:
    replace(tmp_path / "journal", b"new", mode=0o600)
    assert (tmp_path / "journal").stat().st_mode & 0o777 == 0o600


def test_a_symbolic_link_stays_one_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "m.json"
    link.symlink_to("elsewhere/real.json")
    replace(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "elsewhere/real.json").read_text() == "new"
    assert [each.name for each in (tmp_path / "elsewhere").iterdir()] == ["real.json"]


def test_when_the_disk_is_full_the_old_file_stays_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    file.write_text("old")
    with largest_file(10_000), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        replace(file, bytes(20_000))
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_when_the_name_cannot_be_changed_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.json"
    file.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.replace", refuse)
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            replace(file, b"new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_what_a_crash_left_beside_the_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / ".m.json.new").write_text("half a manifest, longer than the whole one")
    replace(tmp_path / "m.json", b"whole")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("m.json", "whole")]


@pytest.mark.parametrize("kind", ["folder", "link", "dangling link"])
def test_something_else_of_the_temporary_file_s_name_stays_and_is_not_written_through(
    tmp_path: Path, kind: str
) -> None:
    occupied, other = tmp_path / ".m.json.new", tmp_path / "other"
    if kind == "folder":
        (occupied / "sub").mkdir(parents=True)
    else:
        occupied.symlink_to(other)
    if kind == "link":
        other.write_text("not ours")
    before = sorted(each.name for each in tmp_path.iterdir())
    replace(tmp_path / "m.json", b"new")
    assert (tmp_path / "m.json").read_bytes() == b"new"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([*before, "m.json"])
    if kind == "link":
        assert other.read_text() == "not ours"


def test_to_try_leaves_everything_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    try_to_replace(file, b"new")
    assert list(tmp_path.iterdir()) == []
    file.write_text("old")
    with largest_file(10_000), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        try_to_replace(file, bytes(20_000))
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("m.json", "old")]


def test_the_contents_are_durable_before_the_name_and_the_name_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.json"
    file.write_text("old")
    seen: list[tuple[str, str]] = []
    for step in ("_sync", "sync_folder"):
        monkeypatch.setattr(atomic_files, step, lambda _, step=step: seen.append((step, file.read_text())))
    replace(file, b"new")
    assert seen == [("_sync", "old"), ("sync_folder", "new")]


def test_a_file_that_is_not_there_is_removed_already(tmp_path: Path) -> None:
    remove(tmp_path / "journal")
    assert list(tmp_path.iterdir()) == []


def test_folders_are_made_on_the_way(tmp_path: Path) -> None:
    make_folder(tmp_path / "a/b", mode=0o700)
    make_folder(tmp_path / "a/b", mode=0o700)
    assert (tmp_path / "a/b").stat().st_mode & 0o777 == 0o700


def test_an_appended_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    AppendFile(tmp_path / "journal", end=0).close()
    assert (tmp_path / "journal").stat().st_mode & 0o777 == 0o600


def test_what_is_appended_fills_the_place_that_was_reserved(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    file = AppendFile(path, end=0)
    file.append(b"one")
    file.reserve(1000)
    file.append(b"two")
    file.sync()
    file.close()
    assert path.read_bytes() == b"onetwo".ljust(CHUNK, b"\0")


def test_a_reserved_place_is_there_when_the_disk_is_full(tmp_path: Path) -> None:
    file = AppendFile(tmp_path / "journal", end=0)
    with largest_file(CHUNK):
        file.reserve(CHUNK)
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
            file.reserve(CHUNK + 1)
        file.append(b"x" * CHUNK)
        file.sync()
    file.close()
    assert (tmp_path / "journal").read_bytes() == b"x" * CHUNK


def test_what_is_behind_the_end_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"whole\ntorn, and longer than what follows")
    file = AppendFile(path, end=6)
    file.append(b"next\n")
    file.close()
    assert path.read_bytes() == b"whole\nnext\n"


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: whole(fd, bytes(data)[:3], at))
    replace(tmp_path / "m.json", b"0123456789")
    assert (tmp_path / "m.json").read_bytes() == b"0123456789"


def test_a_file_that_cannot_be_cut_is_closed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, _length: int) -> None:
        opened.append(descriptor)
        raise OSError(errno.EROFS, "Read-only file system")

    opened: list[int] = []
    (tmp_path / "journal").write_bytes(b"torn")
    monkeypatch.setattr(os, "ftruncate", refuse)
    (tmp_path / "journal").write_bytes(b"torn")
    with pytest.raises(OSError, match="Read-only"):
        AppendFile(tmp_path / "journal", end=0)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(opened[0])


def test_what_is_cut_stays_cut_before_anything_is_appended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"whole\ntorn")
    seen: list[bytes] = []
    monkeypatch.setattr(atomic_files, "_sync", lambda _: seen.append(path.read_bytes()))
    AppendFile(path, end=6).close()
    AppendFile(path, end=6).close()
    assert seen == [b"whole\n"]

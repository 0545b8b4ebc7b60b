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
    from collections.abc import Callable, Iterator
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


def test_a_replaced_file_keeps_its_mode_and_a_new_one_has_what_was_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    file.write_text("old")
    file.chmod(0o640)
    (tmp_path / ".m.json.new").write_text("half a manifest of a crash, longer than the whole one")
    replace(file, b"new", mode=0o600)
    assert file.read_text() == "new"
    replace(tmp_path / "note", b"new", mode=0o600)
    AppendFile(tmp_path / "journal", end=0).close()
    for _ in range(2):
        make_folder(tmp_path / "a/b", mode=0o700)
        remove(tmp_path / "none")
    assert {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*") if path.name != "a"} == {
        "m.json": 0o640,
        "note": 0o600,
        "journal": 0o600,
        "b": 0o700,
    }


def test_a_symbolic_link_stays_one_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "m.json"
    link.symlink_to("elsewhere/real.json")
    replace(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "elsewhere/real.json").read_text() == "new"
    assert [each.name for each in (tmp_path / "elsewhere").iterdir()] == ["real.json"]


@pytest.mark.parametrize("change", [replace, try_to_replace])
def test_when_the_disk_is_full_the_old_file_stays_and_nothing_is_left_beside_it(
    tmp_path: Path, change: Callable[[Path, bytes], None]
) -> None:
    file = tmp_path / "m.json"
    try_to_replace(file, b"new")
    assert list(tmp_path.iterdir()) == []
    file.write_text("old")
    with largest_file(10_000), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        change(file, bytes(20_000))
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("m.json", "old")]


def test_where_no_name_can_change_the_old_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize("kind", ["folder", "link", "dangling link"])
def test_something_else_of_the_temporary_name_is_not_written_through(tmp_path: Path, kind: str) -> None:
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


def test_what_is_behind_the_end_is_cut_and_stays_cut_before_anything_is_appended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"whole\ntorn, and longer than what follows")
    seen: list[bytes] = []
    monkeypatch.setattr(atomic_files, "_sync", lambda _: seen.append(path.read_bytes()))
    AppendFile(path, end=6).close()
    file = AppendFile(path, end=6)
    file.append(b"next\n")
    file.close()
    assert seen == [b"whole\n"]
    assert path.read_bytes() == b"whole\nnext\n"

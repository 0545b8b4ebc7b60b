"""The lock, between real processes."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pressync.model.errors import LockHeld, StorageError
from pressync.state.clone_files import Lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

_HOLDER = """
import sys
from pathlib import Path
from pressync.state.clone_files import Lock
lock = Lock(Path(sys.argv[1]), "pressync sync")
lock.acquire(0, print)
print("held", flush=True)
sys.stdin.read()
lock.release()
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run another process that holds the lock until its input ends."""
    command = [sys.executable, "-c", _HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("wait", "told"), [(0, 0), (0.1, 1)])
def test_who_does_not_wait_any_longer_is_told_the_holder(tmp_path: Path, wait: float, told: int) -> None:
    said: list[str] = []
    with holder(tmp_path / "lock") as process, pytest.raises(LockHeld) as caught:
        Lock(tmp_path / "lock", "pressync sync").acquire(wait, said.append)
    text = str(caught.value)
    assert text.startswith(f"process {process.pid} on host {os.uname().nodename}, `pressync sync`, since 2")
    assert text.endswith(" holds the lock of this site; try again when it is done")
    assert len(said) == told


def test_who_waits_is_told_once_and_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    said: list[str] = []
    with holder(tmp_path / "lock") as process:
        assert process.stdin is not None

        def on_wait(sentence: str) -> None:
            said.append(sentence)
            process.stdin.close()  # type: ignore[union-attr]

        lock = Lock(tmp_path / "lock", "pressync adopt")
        lock.acquire(60, on_wait)
        lock.release()
    (sentence,) = said
    assert sentence.startswith(f"waiting for process {process.pid} on host ")


def test_a_released_lock_leaves_its_file_and_names_nobody(tmp_path: Path) -> None:
    lock, other = (Lock(tmp_path / "state/lock", "pressync") for _ in range(2))
    lock.acquire(0, pytest.fail)
    assert (tmp_path / "state/lock").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    with pytest.raises(LockHeld):
        other.acquire(0, pytest.fail)
    lock.release()
    lock.release()
    assert (tmp_path / "state/lock").read_bytes() == b""
    other.acquire(0, pytest.fail)
    other.release()


@pytest.mark.parametrize("information", [b"", b"[]", b"\xff", b'{"pid": 1}', b"17"])
def test_a_holder_that_has_not_said_who_it_is_is_another_process(tmp_path: Path, information: bytes) -> None:
    path = tmp_path / "lock"
    path.write_bytes(information)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LockHeld, match="another process holds the lock"):
            Lock(path, "pressync").acquire(0, pytest.fail)


def test_a_lock_that_cannot_be_made_says_where_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StorageError, match=r"state/lock: the lock cannot be taken .*; make its folder"):
        Lock(tmp_path / "state" / "lock", "pressync").acquire(0, pytest.fail)


@pytest.mark.parametrize(("module", "name"), [(fcntl, "flock"), (os, "ftruncate")])
def test_a_file_system_without_locks_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(module, name, refuse)
    with pytest.raises(StorageError, match="No locks available"):
        Lock(tmp_path / "lock", "pressync sync").acquire(0, print)


def test_the_lock_is_let_go_though_the_disk_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Lock(tmp_path / "lock", "one"), Lock(tmp_path / "lock", "two")
    first.acquire(0, print)
    with monkeypatch.context() as full:
        full.setattr(os, "ftruncate", _refused)
        first.release()
    second.acquire(0, print)
    second.release()


def _refused(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")

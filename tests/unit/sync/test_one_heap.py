"""The threads of a run share one heap, where the C library is that of Linux."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

_HEAPS = """
import ctypes, sys, threading
from pressync.sync import one_heap
if sys.argv[1:]:
    one_heap.share()
here, done = threading.Barrier(5), threading.Barrier(5)
def work():
    held = bytearray(50_000)
    here.wait(); done.wait()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
here.wait()
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, file); libc.fflush(file)
done.wait()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="this C library has one heap anyway")
def test_threads_share_one_heap() -> None:
    assert _heaps() > 1
    assert _heaps("share") == 1


def _heaps(*arguments: str) -> int:
    """Count the heaps of a process with four threads."""
    done = subprocess.run(
        [sys.executable, "-c", _HEAPS, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.count("<heap nr=")


def test_another_c_library_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    ctypes = pytest.importorskip("ctypes")
    from pressync.sync import one_heap  # noqa: PLC0415 - the other test loads it in a process of its own

    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    one_heap.share()

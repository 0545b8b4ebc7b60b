"""Tells the C library to use one heap for all threads of this process.

The C library of Linux gives each thread a heap of its own, so that threads do not wait for each other. Each
of these heaps grows to what its thread once needed for a response. The threads of Python wait for each other
anyway, and eight of them kept 5 MB in this way.
"""

from __future__ import annotations

import contextlib

# Its name is M_ARENA_MAX in malloc.h.
_MOST_HEAPS = -8


def share() -> None:
    """Let the threads that begin from now on share one heap; other C libraries have no such setting."""
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415 - only a run that sends something has threads

        ctypes.CDLL(None).mallopt(_MOST_HEAPS, 1)

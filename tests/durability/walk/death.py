"""A kill inside the process: from the chosen moment on, nothing reaches the disk any more.

As cheap as an exception and as final as SIGKILL: whatever still wants to write, save or remove dies too. The
kills of real processes are in tests/durability/sweeps; this one is for walks of a thousand syncs.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING
from unittest import mock

from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# The steps by which the state of a site gets onto the disk.
_STEPS = ("_write_at", "_sync", "sync_folder", "replace", "remove")


class Killed(BaseException):
    """The process is no more."""


@contextlib.contextmanager
def after(steps: int | None) -> Iterator[None]:
    """Die at the first step that would reach the disk after so many; with None, live."""
    if steps is None:
        yield
        return
    left = steps
    lock = threading.Lock()

    def mortal(step: Callable[..., None]) -> Callable[..., None]:
        def taken(*args: object, **more: object) -> None:
            nonlocal left
            with lock:
                left -= 1
                if left < 0:
                    raise Killed
            step(*args, **more)

        return taken

    with contextlib.ExitStack() as stack:
        for name in _STEPS:
            stack.enter_context(mock.patch.object(atomic_files, name, mortal(getattr(atomic_files, name))))
        yield

"""A simulated kill: from the chosen step on, nothing reaches the disk any more.

It costs as little as an exception, so a walk can have a thousand of them. Every later attempt to write, save
or remove raises too, as after SIGKILL. `tests/durability/sweeps` kills real processes.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING
from unittest import mock

from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# The functions that put the state of a site onto the disk.
_STEPS = ("_write_at", "_sync", "sync_folder", "replace", "remove")


class Killed(BaseException):
    """The process is dead."""


@contextlib.contextmanager
def after(steps: int | None) -> Iterator[None]:
    """Raise `Killed` at every step to the disk after this many; with None, never."""
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

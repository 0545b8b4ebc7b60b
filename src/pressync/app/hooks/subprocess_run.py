"""A command of pressync as a process of its own, with an end to the time that Git waits for it.

It must not know what the command does. What decided its shape: a call that is under way when time is up
must be answered and settled, or a person has to look after it; so the process is only asked to stop, and
if it still waits for its answer then, Git goes on without it and it ends by itself.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pressync.app.hooks import script

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# How long a process that was asked to stop may still keep Git waiting, in seconds.
_GRACE = 3.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code (None: it still goes on), and what it printed.

    `stopped` tells that it was asked to end before it was done.
    """

    code: int | None
    printed: str
    said: str
    stopped: bool = False

    @property
    def document(self) -> dict[str, Any] | None:
        """The JSON document that it printed; None if it printed none."""
        try:
            found = json.loads(self.printed)
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


def run(words: Sequence[str], environ: Mapping[str, str], deadline: float) -> Ended:
    """Run `pressync WORDS…` until it ends, or until `deadline` by the monotonic clock, or Ctrl-C."""
    # Files and no pipes: whoever goes on without us must be able to go on writing.
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [*script.python(), *words],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=said,
            # A Ctrl-C is for Git and for us; we pass it on in our own way.
            start_new_session=True,
        )
        stopped = not _wait(process, deadline)
        if stopped:
            process.terminate()
            _wait(process, time.monotonic() + _GRACE)
        printed.seek(0)
        said.seek(0)
        return Ended(
            process.returncode,
            printed.read().decode(errors="replace"),
            said.read().decode(errors="replace"),
            stopped,
        )


def _wait(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(deadline - time.monotonic(), 0))
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        return False
    return True

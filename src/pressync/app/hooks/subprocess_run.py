"""Runs a command of pressync in a process of its own, and limits the time that Git waits for it.

A request that is under way at the limit must get its response and be settled, or a person has to do it. So
the process is only asked to stop. If it still waits for a response then, Git goes on, and the process ends
alone.
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

# Seconds that Git still waits for a process that was asked to stop.
_GRACE = 3.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The end of a command: its exit code (None if it still runs), and its two outputs.

    `stopped` tells that it was asked to stop before it was done.
    """

    code: int | None
    printed: str
    errors: str
    stopped: bool = False

    @property
    def document(self) -> dict[str, Any] | None:
        """The JSON document on its standard output; None if there is none."""
        try:
            found = json.loads(self.printed)
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


def run(words: Sequence[str], environ: Mapping[str, str], deadline: float) -> CommandResult:
    """Run `pressync WORDS…` until it ends, or until `deadline` by the monotonic clock, or Ctrl-C."""
    # The outputs are files, because a process that outlives us must still be able to write.
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*script.python(), *words],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=errors,
            # Ctrl-C must not reach the process directly: we ask it to stop instead.
            start_new_session=True,
        )
        stopped = not _wait(process, deadline)
        if stopped:
            process.terminate()
            _wait(process, time.monotonic() + _GRACE)
        printed.seek(0)
        errors.seek(0)
        return CommandResult(
            process.returncode,
            printed.read().decode(errors="replace"),
            errors.read().decode(errors="replace"),
            stopped,
        )


def _wait(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(deadline - time.monotonic(), 0))
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        return False
    return True

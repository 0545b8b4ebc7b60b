"""The entry point of `pressync` and `python -m pressync`."""

from __future__ import annotations

import gc
import io
import os
import sys

from pressync.cli.main import pressync
from pressync.config import environment

# Python collects garbage after this many new objects. A manifest of 10,000 records has 30,000 objects that
# live to the end. With Python's default of 700, collections take an eighth of the time of a plan.
THRESHOLDS = (50_000, 20, 20)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _open_closed_streams()
    environment.take_secrets()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Content can have any character, and some terminals have 256. Others are escaped, as in stderr.
        sys.stdout.reconfigure(errors="backslashreplace")
    gc.set_threshold(*THRESHOLDS)
    pressync(prog_name="pressync")


def _open_closed_streams() -> None:
    """Open the standard streams that a scheduler closed; else the journal could get one of their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115 - the stream stays open
            os.set_inheritable(nothing.fileno(), True)
            setattr(sys, name, nothing)


if __name__ == "__main__":
    main()

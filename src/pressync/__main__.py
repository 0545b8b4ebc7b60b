"""`pressync` and `python -m pressync`: nothing but the way in."""

from __future__ import annotations

import gc
import io
import os
import sys

from pressync.cli.main import pressync
from pressync.config import environment

# So many objects more than before are made before Python looks for garbage among all. A manifest of 10,000
# records is 30,000 that live to the end: looking after every 700 is an eighth of a plan.
_OBJECTS = 50_000


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _open_what_is_closed()
    environment.take_secrets()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Content holds any character, and some terminals have 256: as on standard error, others are escaped.
        sys.stdout.reconfigure(errors="backslashreplace")
    gc.set_threshold(_OBJECTS, 20, 20)
    pressync(prog_name="pressync")


def _open_what_is_closed() -> None:
    """Open the standard files that a scheduler closed; a journal would be the next to get their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115 - it stays open
            os.set_inheritable(nothing.fileno(), True)
            setattr(sys, name, nothing)


if __name__ == "__main__":
    main()

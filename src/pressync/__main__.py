"""`pressync` and `python -m pressync`: nothing but the way in."""

from __future__ import annotations

import io
import os
import sys

from pressync.cli import pressync


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _open_what_is_closed()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Content holds any character, and some terminals have 256: as on standard error, others are escaped.
        sys.stdout.reconfigure(errors="backslashreplace")
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

"""`pressync` and `python -m pressync`: nothing but the way in."""

from __future__ import annotations

import io
import sys

from pressync.cli import pressync


def main() -> None:
    """Run the command line and end the process with its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Content holds any character, and some terminals have 256: as on standard error, others are escaped.
        sys.stdout.reconfigure(errors="backslashreplace")
    pressync(prog_name="pressync")


if __name__ == "__main__":
    main()

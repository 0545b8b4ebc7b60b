"""`pressync` and `python -m pressync`: nothing but the way in."""

from __future__ import annotations

from pressync.cli import pressync


def main() -> None:
    """Run the command line and end the process with its exit code."""
    pressync(prog_name="pressync")


if __name__ == "__main__":
    main()

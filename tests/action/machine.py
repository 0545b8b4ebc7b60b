"""What stands on a runner before the last step: a clone of the origin, and the program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tests.repository import SampleRepository

if TYPE_CHECKING:
    from pathlib import Path


def machine(temporary: Path) -> Path:
    """Make what the step that installs makes, of this tree: the program, in the runner's temporary folder."""
    program = temporary / "pressync/bin/pressync"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m pressync "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return temporary


def check_out(origin: SampleRepository, folder: Path, *options: str) -> SampleRepository:
    """Clone the origin, as actions/checkout does with `fetch-depth: 0`."""
    origin.git("clone", "--quiet", *options, f"file://{origin.root}", str(folder))
    return SampleRepository(folder)

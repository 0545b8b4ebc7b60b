"""What stands on a runner before the last step: a clone of the origin, and the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.repository import SampleRepository

if TYPE_CHECKING:
    from pathlib import Path


def machine(temporary: Path, program: Path) -> Path:
    """Make what the step that installs makes: a program, in the runner's temporary folder."""
    installed = temporary / "pressync/bin/pressync"
    installed.parent.mkdir(parents=True)
    installed.symlink_to(program)
    return temporary


def check_out(origin: SampleRepository, folder: Path, *options: str) -> SampleRepository:
    """Clone the origin, as actions/checkout does with `fetch-depth: 0`."""
    origin.git("clone", "--quiet", *options, f"file://{origin.root}", str(folder))
    return SampleRepository(folder)

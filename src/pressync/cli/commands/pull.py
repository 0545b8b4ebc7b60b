"""`pressync pull`: takes edits that people made on the site into the files, where Git can merge them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync pull                          # all edits that are known",
        "pressync pull --diff                   # look first",
        "pressync pull content/pages/about.md",
    ),
)
@options.paths
@click.option("--diff", is_flag=True, help="Show what would change in the files, and write nothing.")
@click.option("--force", is_flag=True, help="Merge into files with uncommitted changes as well.")
@click.pass_obj
def command(globals_: Globals, *, paths: tuple[str, ...], diff: bool, force: bool) -> None:
    """Take edits made on the site into the files at PATH, or into all files whose records are in conflict.

    It touches only what was edited on the site. Look at `git diff`, then commit. The site is not changed.
    """
    from pressync.cli import pull  # noqa: PLC0415 - `--help` loads nothing else

    pull.run(globals_, paths, diff=diff, force=force)

"""`pressync pull`: what people changed on the site goes into the files, for merging in Git."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import options

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command()
@options.paths
@options.site
@click.option("--diff", is_flag=True, help="Show what would change in the files, and write nothing.")
@click.option("--force", is_flag=True, help="Merge into files that have uncommitted changes, too.")
@click.pass_obj
def command(globals_: Globals, *, paths: tuple[str, ...], site: str | None, diff: bool, force: bool) -> None:
    """Take edits made on the site into the files at PATH, or into all files whose records are in conflict.

    Only what was edited there is touched; look at `git diff`, then commit. The site is not changed.
    """
    from pressync.cli import pull  # noqa: PLC0415 - `--help` loads nothing else

    pull.run(globals_, paths, site, diff=diff, force=force)

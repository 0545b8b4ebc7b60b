"""`pressync explain`: says why a record is what it is, and what the next sync does with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import completions, options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync explain content/pages/about.md",
        "pressync explain content/pages/about.md status parent   # only these fields",
        "pressync explain content/pages/about.md --drift    # who edited it on the site",
    ),
)
@click.argument("path", shell_complete=completions.documents)
@click.argument("fields", nargs=-1, metavar="[FIELD]...", shell_complete=completions.fields)
@click.option("--drift", is_flag=True, help="Read the site: what others changed there, and who.")
@options.revision
@options.text_or_json
@click.pass_obj
def command(
    globals_: Globals,
    /,
    *,
    path: str,
    fields: tuple[str, ...],
    drift: bool,
    ref: str,
    worktree: bool,
    form: str,
) -> None:
    """Say why the record of PATH is what it is: its source, its values and their places, its last sync.

    The last part is what the next sync does with it and why. Without --drift it needs no network. Changes
    nothing.
    """
    from pressync.app.revision import Revision  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli import explain  # noqa: PLC0415

    explain.run(globals_, path, fields, Revision(ref, worktree=worktree), drift=drift, form=form)

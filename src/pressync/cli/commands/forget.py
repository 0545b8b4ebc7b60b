"""`pressync forget`: drops a record from the manifest and does not change the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import completions
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync forget content/pages/about.md",
        "pressync forget content/pages/about.md content/pages/team.md --site staging",
    ),
)
@click.argument("paths", metavar="PATH…", nargs=-1, required=True, shell_complete=completions.recorded)
@click.pass_obj
def command(globals_: Globals, paths: tuple[str, ...]) -> None:
    """Drop the record of each PATH from the manifest. Sends nothing.

    If the file is still committed, the next sync creates a new record for it.
    """
    from pressync.app import bind  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.app.revision import Revision  # noqa: PLC0415
    from pressync.cli import console  # noqa: PLC0415
    from pressync.model.printable import one_line  # noqa: PLC0415

    with console.open_workspace(globals_) as workspace:
        entries = bind.forget(workspace, workspace.paths(paths))
        sources, can = workspace.content(Revision()).sources, workspace.capabilities
    for entry in entries:
        click.echo(one_line(f"Forgot {entry.path}; {entry.kind} {entry.id} stays on the site unchanged."))
    still = [entry.kind for entry in entries if entry.path in sources]
    if not still:
        return
    at_its_address = ", or binds the one at its address" if can.read else ""
    then = (
        f"creates a new record{at_its_address}"
        if can.create.issuperset(still)
        else "cannot create all of them"
    )
    files = "1 file is" if len(still) == 1 else f"{len(still)} files are"
    click.echo(f"{files} still committed: the next sync {then}.")

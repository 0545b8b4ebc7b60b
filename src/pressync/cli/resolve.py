"""`pressync resolve`: a person says what became of a create in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import options

if TYPE_CHECKING:
    from pressync.cli import Globals


@click.command()
@click.argument("path", shell_complete=options.files_there)
@options.site
@click.option("--id", "number", type=click.IntRange(1), metavar="N", help="It made the record with this id.")
@click.option("--not-created", is_flag=True, help="It made nothing; the next sync creates it.")
@click.pass_obj
def command(given: Globals, path: str, site: str | None, number: int | None, not_created: bool) -> None:
    """Settle the create of PATH whose answer never came.

    Look for the page on the site first: by its slug, and among drafts and in the trash.
    """
    if (number is None) == (not not_created):
        raise click.UsageError("say either --id N or --not-created")
    from pressync import binding  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli import console  # noqa: PLC0415 - `--help` loads nothing else

    with console.open_workspace(given, site) as workspace:
        name = workspace.path(path)
        binding.resolve(workspace, name, number)
    if number is None:
        click.echo(f"{name} was not created; the next sync creates it.")
    else:
        click.echo(f"{name} is record {number}; the next sync sends what the file says.")

"""`pressync resolve`: a person says whether an unconfirmed create made a record."""

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
        "pressync resolve content/posts/news.md --id 31",
        "pressync resolve content/posts/news.md --not-created",
    ),
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", shell_complete=completions.unconfirmed)
@click.option(
    "--id", "number", type=options.RecordId(), metavar="N", help="The create made the record with this id."
)
@click.option("--not-created", is_flag=True, help="The create made no record; the next sync creates it.")
@click.pass_obj
def command(globals_: Globals, paths: tuple[str, ...], number: int | None, *, not_created: bool) -> None:
    """Settle the unconfirmed create of each PATH; --id takes one PATH.

    First look for the page on the site: by its slug, among the drafts and in the trash.
    """
    if (number is None) == (not not_created):
        raise click.UsageError("give either --id N or --not-created")
    if number is not None and len(paths) > 1:
        raise click.UsageError("--id N is the record of one PATH")
    from pressync.app import bind  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli import console  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.model.printable import one_line  # noqa: PLC0415

    with console.open_workspace(globals_) as workspace:
        answers = dict.fromkeys(workspace.paths(paths), number)
        bind.resolve(workspace, answers)
    first = one_line(next(iter(answers)))
    if number is not None:
        click.echo(f"{first} is record {number}; the next sync sends the content of the file.")
    elif len(answers) == 1:
        click.echo(f"{first} was not created; the next sync creates it.")
    else:
        click.echo(f"{len(answers)} documents were not created; the next sync creates them.")

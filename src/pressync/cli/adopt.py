"""`pressync adopt`: binds files to records that exist on the site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.cli import options

if TYPE_CHECKING:
    from pressync.cli import Globals


@click.command()
@click.argument("path", required=False, shell_complete=options.files_there)
@click.argument("number", metavar="[ID]", type=click.IntRange(1), required=False)
@options.site
@click.option(
    "--from",
    "list_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.csv|EXPORT.xml",
    help="Bind many: lines of `path,id`, or a WordPress export whose addresses match the files.",
)
@click.pass_obj
def command(
    given: Globals, path: str | None, number: int | None, site: str | None, list_file: Path | None
) -> None:
    """Bind the document at PATH to the record ID, instead of creating a new one.

    Nothing is sent; the next sync sends what the file says.
    """
    if (path is None or number is None) == (list_file is None):
        raise click.UsageError("say PATH and ID, or --from FILE")
    from pressync import binding  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.adoption import bindings  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli import console  # noqa: PLC0415
    from pressync.errors import ConfigError  # noqa: PLC0415
    from pressync.revision import Revision  # noqa: PLC0415

    with console.open_workspace(given, site) as workspace:
        if list_file is not None:
            wanted = bindings(list_file, workspace.content(Revision()))
        else:
            wanted = {str(path): int(number or 0)}
        named = dict(zip(workspace.paths(wanted), wanted.items(), strict=True))
        if len(named) < len(wanted):
            twins = ", ".join(sorted(set(wanted) - {typed for typed, _ in named.values()}))
            raise ConfigError(f"{twins} names a file that another line names too", todo="leave one line")
        made = binding.adopt(workspace, {path: number for path, (_, number) in named.items()}, Revision())
    for entry in made:
        console.tell(given, f"{entry.path} is {entry.kind} {entry.id} now.")
    files, say = ("file", "it says") if len(made) == 1 else ("files", "they say")
    click.echo(f"Bound {len(made)} {files}; the next sync sends what {say}.")

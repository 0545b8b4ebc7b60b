"""`pressync adopt`: binds files to existing records of the site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.cli import completions, options
from pressync.cli.command import Command, File

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.cli.main import Globals
    from pressync.model.records import Entry


@click.command(
    cls=Command,
    examples=(
        "pressync adopt content/pages/about.md 12",
        "pressync adopt --from-site             # all, by their addresses",
        "pressync adopt --from export.xml       # all of a WordPress export",
    ),
)
@click.argument("path", required=False, shell_complete=completions.unbound)
@click.argument("number", metavar="[ID]", type=options.RecordId(), required=False)
@click.option(
    "--from",
    "list_file",
    type=File(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.csv|EXPORT.xml",
    help="Bind many files: lines of `path,id`, or a WordPress export whose addresses match the files.",
)
@click.option(
    "--from-site",
    is_flag=True,
    help="Bind each document without a record to the record that has its address on the site.",
)
@click.pass_obj
def command(
    globals_: Globals,
    path: str | None,
    number: int | None,
    list_file: Path | None,
    *,
    from_site: bool,
) -> None:
    """Bind the document at PATH to the record ID, instead of creating a new record.

    The command sends nothing. The next sync sends the content of the file.
    """
    if from_site:
        if path is not None or list_file is not None:
            raise click.UsageError("use --from-site alone")
        _from_site(globals_)
        return
    if (path is None or number is None) == (list_file is None):
        raise click.UsageError("give PATH and ID, --from FILE, or --from-site")
    from pressync.app import bind  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.app.adopt_list import bindings  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.app.revision import Revision  # noqa: PLC0415
    from pressync.cli import console  # noqa: PLC0415
    from pressync.model.errors import ConfigError  # noqa: PLC0415

    with console.open_workspace(globals_) as workspace:
        if list_file is not None:
            wanted = bindings(list_file, workspace.content(Revision()))
        else:
            wanted = {str(path): int(number or 0)}
        named = dict(zip(workspace.paths(wanted), wanted.items(), strict=True))
        if len(named) < len(wanted):
            twins = ", ".join(sorted(set(wanted) - {typed for typed, _ in named.values()}))
            raise ConfigError(
                f"{twins} names a file that another line names too", todo="keep one of the lines"
            )
        made = bind.adopt(
            workspace,
            {path: number for path, (_, number) in named.items()},
            Revision(),
            lambda sentence: console.tell(globals_, sentence),
        )
    _tell(globals_, made)
    files, their = ("file", "its") if len(made) == 1 else ("files", "their")
    click.echo(f"Bound {len(made)} {files}; the next sync sends {their} content.")


def _from_site(globals_: Globals) -> None:
    from pressync.app.bind_from_site import adopt_from_site  # noqa: PLC0415
    from pressync.app.revision import Revision  # noqa: PLC0415
    from pressync.cli import console  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.plan import reasons  # noqa: PLC0415

    with console.open_workspace(globals_) as workspace:
        done = adopt_from_site(workspace, Revision())
    _tell(globals_, done.bound)
    for path, records in done.left.items():
        console.tell(globals_, f"{path} was not bound: {reasons.several(path, records)}.")
    click.echo(_counted(len(done.bound), len(done.left), done.nothing_there))


def _tell(globals_: Globals, bound: Sequence[Entry]) -> None:
    """Tell which record a file has now; of many files only with `--verbose`, and `status` lists them."""
    from pressync.cli import console  # noqa: PLC0415 - `--help` loads nothing else

    for entry in bound if len(bound) == 1 or globals_.verbose else ():
        console.tell(globals_, f"{entry.path} is now {entry.kind} {entry.id}.")


def _counted(bound: int, left: int, nothing: int) -> str:
    if not bound + left + nothing:
        return "Every document is bound already."
    words = [f"Bound {bound} {'file' if bound == 1 else 'files'}"]
    if left:
        words.append(f"{left} left for you to decide")
    if nothing:
        words.append(f"the site has nothing at the {'address' if nothing == 1 else 'addresses'} of {nothing}")
    return f"{'; '.join(words)}. The next sync sends the content of the files."

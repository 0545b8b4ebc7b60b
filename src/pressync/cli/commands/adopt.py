"""`pressync adopt`, `resolve` and `forget`: a person says which record a file has, or that it has none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.app.revision import Revision
from pressync.cli import console, options
from pressync.model.errors import ConfigError
from pressync.model.printable import counted, one_line
from pressync.model.visibility import is_deleted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.model.records import Entry


@options.command(
    "pressync adopt content/pages/about.md 12",
    "pressync adopt --from-site             # all, by their addresses",
    "pressync adopt --from export.xml       # all of a WordPress export",
)
@click.argument("path", required=False, shell_complete=options.completed("unbound"))
@click.argument("number", metavar="[ID]", type=options.record_id, required=False)
@click.option(
    "--from",
    "list_file",
    type=options.File(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.csv|EXPORT.xml",
    help="Bind many files: lines of `path,id`, or a WordPress export whose addresses match the files.",
)
@options.flag(
    "--from-site", help="Bind each document without a record to the record that has its address on the site."
)
def command(
    globals_: options.Globals,
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
    from pressync.app import bind

    with console.open_workspace(globals_) as workspace:
        if list_file is not None:
            wanted = bind.bindings(list_file, workspace.content(Revision()))
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
    their = "its" if len(made) == 1 else "their"
    click.echo(f"Bound {counted(len(made), 'file')}; the next sync sends {their} content.")


def _from_site(globals_: options.Globals) -> None:
    from pressync.app.bind import adopt_from_site
    from pressync.plan import reasons

    with console.open_workspace(globals_) as workspace:
        done = adopt_from_site(workspace, Revision())
    _tell(globals_, done.bound)
    for path, records in done.left.items():
        console.tell(globals_, f"{path} was not bound: {reasons.several(path, records)}.")
    if not done.bound and not done.left and not done.nothing_there:
        click.echo("Every document is bound already.")
        return
    words = [f"Bound {counted(len(done.bound), 'file')}"]
    if done.left:
        words.append(f"{len(done.left)} left for you to decide")
    if done.nothing_there:
        addresses = "address" if done.nothing_there == 1 else "addresses"
        words.append(f"the site has nothing at the {addresses} of {done.nothing_there}")
    click.echo(f"{'; '.join(words)}. The next sync sends the content of the files.")


def _tell(globals_: options.Globals, bound: Sequence[Entry]) -> None:
    """Tell which record a file has now; of many files only with `--verbose`, and `status` lists them."""
    for entry in bound if len(bound) == 1 or globals_.verbose else ():
        console.tell(globals_, f"{entry.path} is now {entry.kind} {entry.id}.")


@options.command(
    "pressync resolve content/posts/news.md --id 31", "pressync resolve content/posts/news.md --not-created"
)
@click.argument(
    "paths", nargs=-1, required=True, metavar="PATH...", shell_complete=options.completed("unconfirmed")
)
@click.option(
    "--id", "number", type=options.record_id, metavar="N", help="The create made the record with this id."
)
@options.flag("--not-created", help="The create made no record; the next sync creates it.")
def resolve(
    globals_: options.Globals, paths: tuple[str, ...], number: int | None, *, not_created: bool
) -> None:
    """Settle the unconfirmed create of each PATH; --id takes one PATH.

    First look for the page on the site: by its slug, among the drafts and in the trash.
    """
    if (number is None) == (not not_created):
        raise click.UsageError("give either --id N or --not-created")
    if number is not None and len(paths) > 1:
        raise click.UsageError("--id N is the record of one PATH")
    from pressync.app import bind

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


@options.command(
    "pressync forget content/pages/about.md",
    "pressync forget content/pages/about.md content/pages/team.md --site staging",
)
@click.argument(
    "paths", metavar="PATH…", nargs=-1, required=True, shell_complete=options.completed("recorded")
)
def forget(globals_: options.Globals, paths: tuple[str, ...]) -> None:
    """Drop the record of each PATH from the manifest. Sends nothing.

    If the file is still committed, the next sync creates a new record for it.
    """
    from pressync.app import bind

    with console.open_workspace(globals_) as workspace:
        entries = bind.forget(workspace, workspace.paths(paths))
        sources, can = workspace.content(Revision()).sources, workspace.capabilities
    for entry in entries:
        there = "was deleted on the site" if is_deleted(entry) else "stays on the site unchanged"
        click.echo(one_line(f"Forgot {entry.path}; {entry.kind} {entry.id} {there}."))
    still = [entry.kind for entry in entries if entry.path in sources]
    if not still:
        return
    at_its_address = ", or binds the one at its address" if can.read else ""
    then = (
        f"creates a new record{at_its_address}"
        if all(map(can.creates, still))
        else "cannot create all of them"
    )
    click.echo(f"{counted(len(still), 'file is', 'files are')} still committed: the next sync {then}.")

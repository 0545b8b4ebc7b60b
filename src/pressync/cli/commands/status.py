"""`pressync status` and `explain`: whether each record is up to date, and why one record is what it is.

The manifest has neither titles nor dates. So a title is read from the file when somebody asks for it, and the
date only of the few records that wait for one.
"""

from __future__ import annotations

import click

from pressync.app.revision import Revision
from pressync.cli import console, options
from pressync.cli.report.layout import fitted
from pressync.model.errors import ConfigError
from pressync.model.printable import one_line


@options.command(
    "pressync status",
    "pressync status content/posts          # the records of one file or folder",
    'pressync status --format json | jq ".records[].link"',
    "pressync status --worktree             # with edits not committed yet",
)
@options.paths
@options.text_or_json
@options.revision
def command(
    globals_: options.Globals, /, *, paths: tuple[str, ...], form: str, ref: str, worktree: bool
) -> None:
    """Show every record, or those at the paths: path, id, address, modified, and whether it is up to date.

    The notes of editors are listed as the last look at the site saw them: `pressync notes` looks again.

    The states: up to date, changed, new, blocked, conflict, unconfirmed, deleted (the file is gone, and the
    record still exists). JSON says in_step for up to date and in_doubt for unconfirmed.
    """
    from pressync.cli.plan import tell_uncommitted, tell_under_way
    from pressync.cli.report import documents, text

    with console.open_site(globals_) as site:
        workspace, revision = site.workspace, Revision(ref, worktree=worktree)
        with console.Meter(globals_) as meter:
            planned = site.planned((), revision, meter.of("Reading"))
        standings = site.standings(planned, paths, revision, titles=form == "json")
        with workspace.reading() as state:
            noted = state.log.editor_notes()
        printed = (
            documents.status(site.name, standings, noted)
            if form == "json"
            else text.status(standings, noted, colour=console.colour_wanted(), columns=console.columns())
        )
        click.echo(printed, nl=False)
        for refusal in planned.plan.refusals:
            console.tell(globals_, f"Sync would refuse: {one_line(refusal.message)}")
        left = site.left_behind(ref)
        console.tell_problems(globals_, left, warnings=len(left))
        tell_uncommitted(globals_, workspace, worktree=worktree)
        tell_under_way(globals_, workspace, (standing.state for standing in standings))
        if workspace.settings.site.url is None:
            console.tell(globals_, workspace.clone.embedded.where_to_look(workspace.clone.embedded_data))


@options.command(
    "pressync explain content/pages/about.md",
    "pressync explain content/pages/about.md status parent   # only these fields",
    "pressync explain content/pages/about.md --drift    # who edited it on the site",
)
@click.argument("path", shell_complete=options.completed("documents"))
@click.argument("fields", nargs=-1, metavar="[FIELD]...", shell_complete=options.completed("fields"))
@options.flag("--drift", help="Read the site: what others changed there, and who.")
@options.revision
@options.text_or_json
def explain(
    globals_: options.Globals,
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
    from pressync.app.explain import explain as explaining
    from pressync.cli.plan import tell_uncommitted
    from pressync.cli.report import documents, explanation

    revision = Revision(ref, worktree=worktree)
    with console.open_workspace(globals_) as workspace:
        try:
            whole = workspace.paths([path], revision)[0]
        except ConfigError:
            # A commit may have removed the file.
            gone = explaining.path_of(workspace, globals_.directory, path)
            if gone is None:
                raise
            whole = gone
        explained = explaining.explain(workspace, whole, revision, drift=drift)
        tell_uncommitted(globals_, workspace, worktree=worktree)
    all_names = {*(field.name for field in explained.fields), *explained.left}
    unknown = [name for name in fields if name not in all_names]
    if unknown and all_names:
        todo = f"name one of {', '.join(sorted(all_names))}"
        raise ConfigError(f"it has no field '{unknown[0]}'", todo=todo)
    console.tell_problems(globals_, explained.problems, warnings=console.SHOWN_WARNINGS)
    if form == "json":
        click.echo(documents.text(explanation.document(explained, fields)), nl=False)
        return
    shown = explanation.text(explained, fields, colour=console.colour_wanted())
    click.echo(fitted(shown, console.columns()), nl=False)

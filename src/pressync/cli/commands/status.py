"""`pressync status`: shows every record and whether it is up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.cli.options import Command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.app.workspace import Workspace
    from pressync.cli.main import Globals
    from pressync.model.changes import Refusal


@click.command(
    cls=Command,
    examples=(
        "pressync status",
        "pressync status content/posts          # the records of one file or folder",
        'pressync status --format json | jq ".records[].link"',
        "pressync status --worktree             # with edits not committed yet",
    ),
)
@options.paths
@options.text_or_json
@options.revision
@click.pass_obj
def command(globals_: Globals, /, *, paths: tuple[str, ...], form: str, ref: str, worktree: bool) -> None:
    """Show every record, or those at the paths: path, id, address, modified, and whether it is up to date.

    The notes of editors are counted as the last look at the site saw them.

    The states: up to date, changed, new, blocked, conflict, unconfirmed, deleted (the file is gone, and the
    record still exists). JSON says in_step for up to date and in_doubt for unconfirmed.
    """
    from pressync.app import embedded_server
    from pressync.app.revision import Revision
    from pressync.app.standings import standings as list_standings
    from pressync.cli.plan import tell_uncommitted, tell_under_way
    from pressync.cli.report import documents, text
    from pressync.plan.build import PlanOptions

    with console.open_workspace(globals_) as workspace:
        with console.Meter(globals_) as meter:
            revision = Revision(ref, worktree=worktree)
            chosen = workspace.paths(paths, revision)
            planned = workspace.plan(revision, PlanOptions(), meter.of("Reading"))
        with workspace.reading() as state:
            notes = state.log.notes()
        content = workspace.content(revision)
        standings = list_standings(planned, content, chosen, titles=form == "json", notes=notes)
        name = workspace.settings.site.name
        printed = (
            documents.status(name, standings)
            if form == "json"
            else text.status(standings, colour=console.colour_wanted(), columns=console.columns())
        )
        click.echo(printed, nl=False)
        _tell_problems(globals_, workspace, planned.plan.refusals, ref)
        tell_uncommitted(globals_, workspace, worktree=worktree)
        tell_under_way(globals_, workspace, (standing.state for standing in standings))
        if workspace.settings.site.url is None:
            own = embedded_server.data_directory(workspace.embedded_home)
            console.tell(globals_, embedded_server.where_to_look(own))


def _tell_problems(globals_: Globals, workspace: Workspace, refusals: Sequence[Refusal], ref: str) -> None:
    """Name the refusals of a sync, and the records that no file has any more or that a reset took back."""
    from pressync.app.revision import Revision
    from pressync.model.printable import one_line
    from pressync.plan import known_elsewhere
    from pressync.state.clone_facts import RunRecords

    with workspace.reading() as state:
        content = workspace.content(Revision(ref))
        left = known_elsewhere.orphans(workspace.repository, content.tree, state.forgotten_by_manifest)
        entries = state.manifest.entries
        runs = RunRecords(state.log)
        back = known_elsewhere.taken_back(workspace.repository, content.tree, entries, runs)
    for refusal in refusals:
        console.tell(globals_, f"Sync would refuse: {one_line(refusal.message)}")
    problems = [
        *known_elsewhere.of_orphans(left, named=len(left)),
        *known_elsewhere.of_taken_back(back, readable=workspace.capabilities.read, named=len(back)),
    ]
    console.tell_problems(globals_, problems, warnings=len(problems))

"""`pressync explain`: says why a record is what it is, and what the next sync does with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import completions, console, options
from pressync.cli.options import Command
from pressync.cli.report.layout import fitted
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pressync.app.explain.origins import Explanation
    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
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
    from pressync.app.explain.explain import Question, explain
    from pressync.app.revision import Revision
    from pressync.cli.plan import planner
    from pressync.cli.report import documents, explanation

    revision = Revision(ref, worktree=worktree)
    with console.open_workspace(globals_) as workspace:
        asked = Question(_path(globals_, workspace, path, revision), revision, drift)
        found = explain(workspace, asked, planner(workspace, reads_site=drift))
    _refuse_unknown(found, fields)
    console.tell_problems(globals_, found.problems, warnings=console.SHOWN_WARNINGS)
    if form == "json":
        click.echo(documents.text(explanation.document(found, fields)), nl=False)
        return
    shown = explanation.text(found, fields, colour=console.colour_wanted())
    click.echo(fitted(shown, console.columns()), nl=False)


def _path(globals_: Globals, workspace: Workspace, typed: str, revision: Revision) -> str:
    """Find the path, also that of a file that a commit has removed."""
    from pressync.app.explain import explain

    try:
        return workspace.path(typed, revision)
    except ConfigError:
        gone = explain.path_of(workspace, globals_.directory, typed)
        if gone is None:
            raise
        return gone


def _refuse_unknown(found: Explanation, fields: tuple[str, ...]) -> None:
    known = {*(field.name for field in found.fields), *found.left}
    unknown = [name for name in fields if name not in known]
    if unknown and known:
        raise ConfigError(f"it has no field '{unknown[0]}'", todo=f"name one of {', '.join(sorted(known))}")

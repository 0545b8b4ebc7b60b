"""`pressync explain` at work: builds the plan of one path, and prints what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.app.explain import removed
from pressync.app.explain.explain import Question, explain
from pressync.app.explain.origins import SettingsFile
from pressync.cli import console
from pressync.cli.plan import planner
from pressync.cli.report import explanation, json
from pressync.cli.report.layout import fitted
from pressync.config import location
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pressync.app.explain.explanation import Explanation
    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.cli.main import Globals


def run(
    globals_: Globals, path: str, fields: tuple[str, ...], revision: Revision, *, drift: bool, form: str
) -> None:
    """Print the explanation of a path, or of some of its fields."""
    with console.open_workspace(globals_) as workspace:
        place = location.find(workspace.repository, globals_.config_file)
        asked = Question(_path(globals_, workspace, path, revision), revision, drift)
        file = SettingsFile(place.text or "", place.where)
        found = explain(workspace, asked, planner(workspace, reads_site=drift), file)
    _refuse_unknown(found, fields)
    console.tell_problems(globals_, found.problems, warnings=console.SHOWN_WARNINGS)
    if form == "json":
        click.echo(json.text(explanation.document(found, fields)), nl=False)
        return
    shown = explanation.text(found, fields, colour=console.colour_wanted())
    click.echo(fitted(shown, console.columns()), nl=False)


def _path(globals_: Globals, workspace: Workspace, typed: str, revision: Revision) -> str:
    """Find the path, also that of a file that a commit has removed."""
    try:
        return workspace.path(typed, revision)
    except ConfigError:
        gone = removed.path_of(workspace, globals_.directory, typed)
        if gone is None:
            raise
        return gone


def _refuse_unknown(found: Explanation, fields: tuple[str, ...]) -> None:
    known = {*(field.name for field in found.fields), *found.left}
    unknown = [name for name in fields if name not in known]
    if unknown and known:
        raise ConfigError(f"it has no field '{unknown[0]}'", todo=f"name one of {', '.join(sorted(known))}")

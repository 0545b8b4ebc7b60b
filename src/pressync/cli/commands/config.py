"""`pressync config`: shows the settings in force, each with its origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.app.workspace import Workspace
    from pressync.cli.main import Globals


@click.command(cls=Command, examples=("pressync config", "pressync config --site staging --format json"))
@options.text_or_json
@click.pass_obj
def command(globals_: Globals, form: str) -> None:
    """Show the settings in force and where each came from. Of a secret it shows only that it is set."""
    import json  # noqa: PLC0415 - `--help` loads nothing else

    from pressync.cli import console  # noqa: PLC0415
    from pressync.model.printable import one_line  # noqa: PLC0415

    with console.open_workspace(globals_) as workspace:
        rows = _rows(workspace)
    if form == "json":
        click.echo(
            json.dumps({name: {"value": value, "from": origin} for name, value, origin in rows}, indent=2)
        )
        return
    width = max(len(name) for name, _, _ in rows)
    for name, value, origin in rows:
        click.echo(f"{name:<{width}}  {one_line(str(value)) or 'none'}  ({one_line(origin)})")


def _rows(workspace: Workspace) -> list[tuple[str, str, str]]:
    """Write the settings in force as rows of name, value and origin; of a secret only that it is set."""
    settings, site, origins = workspace.settings, workspace.settings.site, workspace.settings.origins
    rows = [
        ("site", site.name, origins["site"]),
        ("content", settings.content or ".", origins["content"]),
        ("templates", settings.templates or ".", origins["templates"]),
        ("exclude", ", ".join(settings.exclude), origins["exclude"]),
        ("folders", settings.folders, origins["folders"]),
        (
            "authors",
            ", ".join(f"{name} = {user}" for name, user in settings.authors.items()),
            origins["authors"],
        ),
        ("url", site.url or "the embedded service", origins.get("url", "default")),
        ("dialect", site.dialect, origins.get("dialect", "default")),
        ("user", site.user or "", origins["user"]),
        ("manifest", workspace.manifest_place, origins["manifest"]),
        ("remote", _remote(workspace), origins["remote"]),
        ("branch", site.branch or "any", origins["branch"]),
        ("blocks", "true" if site.blocks else "false", origins["blocks"]),
    ]
    if site.reference is None:
        rows = [row for row in rows if row[0] != "remote"]
    rows += [
        (variable.removeprefix("PRESSYNC_").lower(), "is set", variable)
        for variable in ("PRESSYNC_PASSWORD", "PRESSYNC_TOKEN")
        if workspace.environ.get(variable)
    ]
    if site.password_command:
        rows.append(("password_command", "is set", origins["password_command"]))
    return rows


def _remote(workspace: Workspace) -> str:
    kept = workspace.manifest_reference
    return (kept.reference.remote if kept else None) or "none"

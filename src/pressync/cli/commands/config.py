"""`pressync config`: shows the settings in force, each with its origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.app.workspace import Workspace
    from pressync.cli.main import Globals
    from pressync.config.settings import Site

    _Row = tuple[str, str | tuple[str, ...], str]


@click.command(cls=Command, examples=("pressync config", "pressync config --site staging --format json"))
@options.text_or_json
@click.option(
    "--trust",
    is_flag=True,
    help="Let this clone send its credentials to this `url`, and run this `password_command`.",
)
@click.pass_obj
def command(globals_: Globals, form: str, *, trust: bool) -> None:
    """Show the settings in force and where each came from. Of a secret it shows only that it is set.

    With several sites, of which none is chosen, it lists the sites alone.
    """
    import json

    from pressync.model.errors import ConfigError
    from pressync.model.printable import one_line

    names, where = console.sites(globals_)
    sites: _Row = ("sites", names, where)
    alone = len(names) > 1 and not console.is_site_chosen(globals_)
    if alone and trust:
        raise ConfigError("--trust is about one site", todo="choose it with `--site NAME`")
    if alone:
        rows = [sites]
    else:
        with console.open_workspace(globals_) as workspace:
            if trust:
                console.tell(globals_, one_line(workspace.clone.credentials.trust()))
            rows = [*_rows(workspace), sites]
    if form == "json":
        values = {name: {"value": value, "from": origin} for name, value, origin in rows}
        click.echo(json.dumps({"version": 1, **values}, indent=2))
        return
    width = max(len(name) for name, _, _ in rows)
    for name, value, origin in rows:
        text = value if isinstance(value, str) else ", ".join(value)
        click.echo(f"{name:<{width}}  {one_line(text) or 'none'}  ({one_line(origin)})")
    if alone:
        console.tell(globals_, "`pressync --site NAME config` shows the settings of one site.")


def _rows(workspace: Workspace) -> list[_Row]:
    """Write the settings in force as rows of name, value and origin; of a secret only that it is set."""
    settings, site, origins = workspace.settings, workspace.settings.site, workspace.settings.origins
    rows: list[_Row] = [
        ("site", site.name, origins["site"]),
        ("content", settings.content or ".", origins["content"]),
        ("templates", settings.templates or ".", origins["templates"]),
        ("exclude", ", ".join(settings.exclude), origins["exclude"]),
        ("folders", settings.folders, origins["folders"]),
        *(
            (key, ", ".join(f"{name} = {chosen}" for name, chosen in table.items()), origins[key])
            for key, table in (("authors", settings.authors), ("terms", settings.terms))
        ),
        ("url", site.url or "the embedded service", origins.get("url", "default")),
        ("dialect", site.dialect, origins.get("dialect", "default")),
        ("user", site.user or "", origins["user"]),
        ("manifest", workspace.manifest_place, origins["manifest"]),
        ("remote", _remote(workspace), origins["remote"]),
        ("branch", site.branch or "any", origins["branch"]),
        *((key, "true" if on else "false", origins[key]) for key, on in _switches(site).items()),
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


def _switches(site: Site) -> dict[str, bool]:
    return {"blocks": site.blocks, "front_page": site.front_page, "notify": site.notify}


def _remote(workspace: Workspace) -> str:
    kept = workspace.manifest_reference
    return (kept.reference.remote if kept else None) or "none"

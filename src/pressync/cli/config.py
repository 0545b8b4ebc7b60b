"""`pressync config`: the settings that are in force, each with the place it came from."""

from __future__ import annotations

import click

from pressync.cli import Globals, options


@click.command()
@options.site
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to print.")
@click.pass_obj
def command(given: Globals, site: str | None, form: str) -> None:
    """Show the settings in force and where each came from. Secrets are only told to be there."""
    import json  # noqa: PLC0415 - `--help` loads nothing else

    from pressync.cli import console  # noqa: PLC0415
    from pressync.report.printable import one_line  # noqa: PLC0415

    with console.open_workspace(given, site) as workspace:
        rows = workspace.described()
    if form == "json":
        click.echo(json.dumps({name: {"value": value, "from": origin} for name, value, origin in rows}, indent=2))
        return
    width = max(len(name) for name, _, _ in rows)
    for name, value, origin in rows:
        click.echo(f"{name:<{width}}  {one_line(str(value))}  ({one_line(origin)})")

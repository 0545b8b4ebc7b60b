"""`pressync redirects`: prints rules from the former addresses of records to the present ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync redirects                     # a table: old address, new address",
        "pressync redirects --format nginx > redirects.conf",
    ),
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("nginx", "apache", "csv", "json")),
    default="csv",
    show_default=True,
    help="How to print.",
)
@click.option(
    "--base",
    metavar="URL",
    help="The site's public address, in place of one on this machine. Default: from `url` in pressync.toml.",
)
@click.pass_obj
def command(globals_: Globals, form: str, base: str | None) -> None:
    """Print old address -> new address, from the manifest: former addresses, and `aliases` of front matter.

    If another record has an old address now, that address is left out with a note.
    """
    from pressync.app.redirects.collect import base_address, collect, public_address  # noqa: PLC0415
    from pressync.app.redirects.rules import FORMATS  # noqa: PLC0415
    from pressync.cli import console  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli.report import warning_groups  # noqa: PLC0415
    from pressync.model.printable import printable  # noqa: PLC0415

    named = base_address(base) if base else None
    with console.open_workspace(globals_) as workspace, workspace.reading() as state:
        public = named if base else public_address(workspace.settings.site.url)
        redirects = collect(state.manifest, public)
    text, notes = FORMATS[form](redirects.found)
    click.echo(printable(text), nl=False)
    for alike in warning_groups.groups((*redirects.notes, *notes)):
        console.tell(globals_, f"Note: {warning_groups.line(alike)}")

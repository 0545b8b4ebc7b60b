"""`pressync redirects`: prints rules from the former addresses of records to the present ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.cli.command import Command, File

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync redirects                     # a table: old address, new address",
        "pressync redirects --format nginx > redirects.conf",
        "pressync redirects --against .pressync/import   # the old addresses",
    ),
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("nginx", "apache", "csv", "json", "redirection")),
    help="How to print; `redirection` is for the plugin Redirection. Default: csv, with --against text.",
)
@click.option(
    "--against",
    type=File(exists=True, path_type=Path),
    metavar="FILE",
    help="Say what became of each address in FILE: a sitemap, a table, or .pressync/import for the tables of "
    "all imports. End with 1 if one is hidden or lost.",
)
@click.option(
    "--base",
    metavar="URL",
    help="The site's public address, in place of one on this machine. Default: from `url` in pressync.toml.",
)
@click.pass_obj
def command(globals_: Globals, form: str | None, against: Path | None, base: str | None) -> None:
    """Print old address -> new address, from the manifest: former addresses, and `aliases` of front matter.

    If another record has an old address now, or visitors do not see the record, that address is left out with
    a note.
    """
    from pressync.cli import redirects  # noqa: PLC0415 - `--help` loads nothing else

    redirects.run(globals_, form, against, base)

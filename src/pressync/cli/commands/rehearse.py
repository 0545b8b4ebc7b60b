"""`pressync rehearse`: the sync of a commit on a stage of one's own, and the account of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pressync.cli import options
from pressync.cli.command import Command
from pressync.cli.rehearse_options import RehearseOptions

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync rehearse                      # look at the site before it is touched",
        "pressync rehearse --site production --keep",
        "pressync rehearse --on wordpress --mount theme=../harbour",
        "pressync rehearse --format json",
    ),
)
@click.option(
    "--on",
    "stage",
    type=click.Choice(("embedded", "wordpress")),
    default="embedded",
    show_default=True,
    help="The stage: the embedded service, or real WordPress in the site's version (needs Node.js 20).",
)
@click.option(
    "--mount",
    multiple=True,
    metavar="KIND=DIR",
    help="Give WordPress a folder: theme=DIR, plugin=DIR, or wordpress=DIR for its own unpacked files.",
)
@click.option("--keep", is_flag=True, help="Keep the stage, and print how to look at it later.")
@options.max_delete
@options.overwrite
@options.allow_rewind
@options.new_manifest
@options.strict
@options.keep_going
@options.revision
@options.text_or_json
@click.pass_obj
def command(globals_: Globals, /, **values: Any) -> None:  # noqa: ANN401 - the fields of the options are typed
    """Sync the commit to a stage on this machine, check every link, and tell what the real sync would do.

    Nothing is written to the site, its manifest or the work tree. At a terminal, the stage answers until you
    press Enter.
    """
    from pressync.cli import rehearse  # noqa: PLC0415 - `--help` loads nothing else

    rehearse.run(globals_, RehearseOptions(**values))

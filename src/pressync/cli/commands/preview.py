"""`pressync preview`: shows the work tree in the browser, and follows each saved file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pressync.cli import completions
from pressync.cli.command import Command
from pressync.cli.preview_options import PreviewCommandOptions

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync preview                       # the whole site, until Ctrl-C",
        "pressync preview content/posts/a.md    # opens the page of this file",
        "pressync preview --site production --drift",
    ),
)
@click.argument("path", required=False, shell_complete=completions.documents)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port; 0 takes any free port. Default: 8227, or the next free one.",
)
@click.option("--drift", is_flag=True, help="Read every record once, and compare with what the site has now.")
@click.option("--open/--no-open", "browser", default=True, help="Open a browser. Default: at a terminal.")
@click.pass_obj
def command(globals_: Globals, /, **values: Any) -> None:  # noqa: ANN401 - the fields of the options are typed
    """Show the files of the work tree as a site on this machine, committed or not, until Ctrl-C.

    The browser follows each saved file. Each page says what a sync would send, and what `check` says of it.
    Nothing is written to the site, its manifest or the work tree.
    """
    from pressync.cli import preview  # noqa: PLC0415 - `--help` loads nothing else

    preview.run(globals_, PreviewCommandOptions(**values))

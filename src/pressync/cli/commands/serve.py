"""`pressync serve`: runs the embedded content service and its web pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pressync.app.embedded_server import DEFAULT_PORT
from pressync.cli.command import Command, File
from pressync.config import environment

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync serve                         # until Ctrl-C",
        "pressync serve --detach && pressync sync",
        "pressync serve --stop",
    ),
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"The port; 0 takes any free port. Default: {DEFAULT_PORT}, or the next free one.",
)
@click.option(
    "--data",
    type=File(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the site's data. Default: in this clone's Git directory.",
)
@click.option("--address", metavar="URL", help="The site's public address, for the links of its records.")
@click.option("--title", help="The site's title.")
@click.option(
    "--permalinks",
    metavar="STRUCTURE",
    help="The addresses of posts, as in WordPress's settings: /%year%/%postname%/, or `plain` for /?p=1.",
)
@click.option(
    "--dialect",
    type=click.Choice(["both", "documented", "wordpress"]),
    default="both",
    show_default=True,
    help="How the service speaks; `documented` answers nothing but the documented interface.",
)
@click.option("--seed-posts", type=click.IntRange(0), default=0, metavar="N", help="Create N posts to adopt.")
@click.option("--detach", is_flag=True, help="Serve in the background and return.")
@click.option("--stop", is_flag=True, help="Stop the server that serves this clone's site.")
@click.pass_obj
def command(globals_: Globals, /, *, data: Path | None, detach: bool, stop: bool, **settings: Any) -> None:  # noqa: ANN401 - `serve` has the types
    """Run the embedded content service until Ctrl-C, and show its site.

    `sync` writes to this service if no site is configured. If PRESSYNC_SERVE_TOKEN is set, writes need that
    token.
    """
    from pressync.cli import serve  # noqa: PLC0415 - `--help` loads nothing else

    directory = serve.directory(globals_, data)
    if stop:
        serve.stop(directory)
    elif detach:
        flags = {"data": directory, **settings}
        chosen = [(name.replace("_", "-"), value) for name, value in flags.items() if value is not None]
        serve.detach(globals_, directory, [f"--{name}={value}" for name, value in chosen])
    else:
        token = environment.whole().get(environment.SERVE_TOKEN)
        serve.serve(globals_, directory, token=token, **settings)

"""`pressync demo`: the story of pressync in a folder and a site of its own."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.cli.report.layout import BOLD, DIM, GREEN, paint
from pressync.model.errors import storing

if TYPE_CHECKING:
    from pressync.stage.demo import Display

_FOLDER = "pressync-demo"
_LEAVES = {"q", "Q", "\x03", "\x04", "\x1b"}


@options.command(
    "pressync demo                          # a key for each step",
    "pressync demo --keep                   # and go on in ./pressync-demo",
    "pressync demo --on wordpress           # with real WordPress, by Node.js",
)
@options.one_of(
    "--on",
    "stage",
    of=("embedded", "wordpress"),
    help="The site: the embedded service, or real WordPress on this machine.",
)
@options.mount
@options.flag("--keep", help=f"Make the folder ./{_FOLDER}, and leave it at the end.")
def command(globals_: options.Globals, stage: str, mount: tuple[str, ...], *, keep: bool) -> None:
    """Show in two minutes how pressync works, in a folder and a site that are made for it.

    Each step shows its commands. Without a terminal it runs through by itself, and ends with 0 only if each
    step did what it says. Nothing is left of it, also if it is killed.
    """
    from pressync.stage import demo
    from pressync.stage.demo_site import Options

    if mount and stage != "wordpress":
        raise click.UsageError("--mount is for `--on wordpress`")
    if keep:
        folder = (globals_.directory / _FOLDER).absolute()
        with storing(folder, "the folder cannot be made", "remove it, or call the demo in another folder"):
            folder.mkdir()
    else:
        folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDER}-"))
    demo.tell(folder, Options(stage, mount, keep), _display(globals_))
    if keep:
        later = (
            "`pressync serve --detach` shows the site again" if stage == "embedded" else "its site is gone"
        )
        console.tell(globals_, f"\nThe folder is {folder}: {later}.")
    elif console.is_watched(globals_):
        begin = "`pressync init --url https://example.org` in a Git repository of yours"
        console.tell(
            globals_, f"\nThe folder and the site of the demo are gone. To begin with your own: {begin}."
        )


def _display(globals_: options.Globals) -> Display:
    from pressync.stage.demo import Display

    colour = console.colour_wanted()

    def heading(title: str, words: str) -> None:
        click.echo(f"\n{paint(title, BOLD, colour=colour)}\n{words}\n")

    def output(text: str) -> None:
        for line in text.splitlines():
            click.echo(f"    {line}" if line else "")

    return Display(
        heading=heading,
        command=lambda line: click.echo(f"  {paint(f'$ {line}', BOLD, colour=colour)}"),
        output=output,
        remark=lambda text: click.echo(f"  {paint(f'# {text}', GREEN, colour=colour)}"),
        waits=lambda: _wait(globals_),
        colour=colour,
    )


def _wait(globals_: options.Globals) -> None:
    """Wait for a key, if a person is there."""
    if not (console.is_watched(globals_) and sys.stdout.isatty()):
        return
    click.echo(
        f"\n  {paint('A key goes on, q ends the demo.', DIM, colour=console.colour_wanted())}", err=True
    )
    if click.getchar() in _LEAVES:
        raise click.Abort

"""`pressync preview`: shows the work tree in the browser, and follows each saved file."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from pressync.app.revision import Revision
from pressync.cli import console, options
from pressync.model.errors import ConfigError
from pressync.model.printable import listed, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.model.changes import Outcome, Plan

_HOST = "127.0.0.1"
_PORTS = range(8227, 8327)
_MANY = 50
_OTHERS = "the commits of this clone, or its manifest"


@options.command(
    "pressync preview                       # the whole site, until Ctrl-C",
    "pressync preview content/posts/a.md    # opens the page of this file",
    "pressync preview --site production --drift",
)
@click.argument("path", required=False, shell_complete=options.completed("documents"))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port; 0 takes any free port. Default: 8227, or the next free one.",
)
@options.flag("--drift", help="Read every record once, and compare with what the site has now.")
@click.option("--open/--no-open", "browser", default=True, help="Open a browser. Default: at a terminal.")
def command(
    globals_: options.Globals, path: str | None, port: int | None, *, drift: bool, browser: bool
) -> None:
    """Show the files of the work tree as a site on this machine, committed or not, until Ctrl-C.

    The browser follows each saved file. Each page says what a sync would send, and what `check` says of it.
    Nothing is written to the site, its manifest or the work tree.
    """
    from pressync.stage.preview import PreviewOptions, opened
    from pressync.stage.rehearse.stage import stage_folder
    from pressync.sync.apply import RunListener

    with (
        console.open_workspace(globals_) as workspace,
        console.stopping(globals_, "Ending the preview.") as stop,
        console.Meter(globals_) as meter,
        stage_folder(workspace.clone.embedded_home) as folder,
    ):
        shown = workspace.paths([path], Revision(worktree=True))[0] if path else None
        count = _Count(meter)
        chosen = PreviewOptions(
            port=_port(port),
            drift=drift,
            stop=stop,
            # The sentences of this sync are about the stage.
            listener=RunListener(count.outcome, lambda _sentence: None),
            progress=console.until_stopped(stop, meter.of("Reading")),
            expect=count.expect,
        )
        with opened(workspace, folder.path, chosen) as preview:
            address = preview.address_of(shown) if shown is not None else f"{preview.address}/"
            click.echo(f"The preview: {address}")
            console.tell(globals_, "It follows the files of the work tree. Ctrl-C ends it.")
            _tell_trouble(globals_, preview.trouble)
            # A remote login does not have a screen.
            has_screen = sys.platform == "darwin" or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
            if browser and has_screen and console.is_watched(globals_):
                click.launch(address)

            def saved(paths: list[str]) -> None:
                files = [one_line(path) for path in paths if ".git" not in path.split("/")]
                console.tell(globals_, f"Changed: {listed(files) or _OTHERS}.")
                _tell_trouble(globals_, preview.trouble)

            preview.follow(saved)


class _Count:
    """Shows how many records the stage has taken, if they are many."""

    def __init__(self, meter: console.Meter) -> None:
        self._shown = meter.of("Preparing")
        self._done = self._total = 0

    def expect(self, plan: Plan) -> bool:
        self._done, self._total = 0, len(plan.pending)
        return True

    def outcome(self, _outcome: Outcome) -> None:
        self._done += 1
        if self._total >= _MANY:
            self._shown(self._done, max(self._done, self._total))


def _port(asked: int | None) -> int:
    """Give the port that was asked for, or the next free one.

    :raises ConfigError: another program has the port.
    """
    from pressync.app import embedded_server

    if asked is None:
        return next((port for port in _PORTS if embedded_server.is_free(_HOST, port)), 0)
    if not embedded_server.is_free(_HOST, asked):
        raise ConfigError(
            f"another program has port {asked}",
            where="--port",
            todo="leave `--port` out for the next free one",
        )
    return asked


def _tell_trouble(globals_: options.Globals, trouble: Sequence[str]) -> None:
    for sentence in trouble:
        console.tell(globals_, one_line(sentence))

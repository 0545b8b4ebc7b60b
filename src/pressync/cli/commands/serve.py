"""`pressync serve`: runs the embedded content service and its web pages."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from pressync.app import embedded_server
from pressync.cli import console, options
from pressync.client.dialects import DIALECTS
from pressync.config import environment
from pressync.model.errors import ConfigError, PressyncError, RepositoryError, StorageError, storing
from pressync.model.interface import BLOG_KIND, DOCUMENTED_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.app.embedded_server import RunningServer
    from pressync.model.interface import SiteTypes
    from pressync.stage.server.server import RunningService

# A detached server that does not answer within this many seconds has failed; its log says why.
_STARTING_SECONDS = 20.0
_LOG = "serve.log"


@options.command(
    "pressync serve                         # until Ctrl-C",
    "pressync serve --detach && pressync sync",
    "pressync serve --stop",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"The port; 0 takes any free port. Default: {embedded_server.DEFAULT_PORT}, or the next free one.",
)
@click.option(
    "--data",
    type=options.File(file_okay=False, path_type=Path),
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
@options.one_of(
    "--dialect",
    of=["both", *DIALECTS],
    help="How the service speaks; `documented` answers nothing but the documented interface.",
)
@click.option("--seed-posts", type=click.IntRange(0), default=0, metavar="N", help="Create N posts to adopt.")
@options.flag("--detach", help="Serve in the background and return.")
@options.flag("--stop", help="Stop the server that serves this clone's site.")
def command(
    globals_: options.Globals,
    /,
    *,
    data: Path | None,
    detach: bool,
    stop: bool,
    **settings: Any,  # noqa: ANN401 - `serve_here` has the types
) -> None:
    """Run the embedded content service until Ctrl-C, and show its site.

    `sync` writes to this service if no site is configured. If PRESSYNC_SERVE_TOKEN is set, writes need that
    token.
    """
    directory = directory_of(globals_, data)
    if stop:
        _stop(directory)
    elif detach:
        flags = {"data": directory, **settings}
        chosen = [(name.replace("_", "-"), value) for name, value in flags.items() if value is not None]
        serve_detached(globals_, directory, [f"--{name}={value}" for name, value in chosen])
    else:
        # A schema that can be read gives the types of the site of this clone.
        types = DOCUMENTED_TYPES
        with suppress(RepositoryError, ConfigError), console.open_workspace(globals_) as workspace:
            types = workspace.settings.types
        serve_here(globals_, directory, types=types, **settings)


def directory_of(globals_: options.Globals, data: Path | None) -> Path:
    """Find the folder of the site's data: `data`, or this clone's own; without a repository a folder here."""
    from pressync.repo.repository import Repository

    if data is not None:
        return data.absolute()
    try:
        with Repository(globals_.directory) as repository:
            own, common = repository.git_directory, repository.common_directory
            return embedded_server.data_directory(embedded_server.home(repository.root, own, common))
    except RepositoryError:
        return globals_.directory.absolute() / "pressync-site"


def serve_here(
    globals_: options.Globals,
    directory: Path,
    *,
    host: str,
    port: int | None,
    address: str | None,
    permalinks: str | None,
    seed_posts: int,
    types: SiteTypes,
    **more: Any,  # noqa: ANN401 - the title and the dialect
) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    from pressync.stage import embedded
    from pressync.stage.server import server
    from pressync.stage.server.database import UnusableDatabase

    structure = _checked(address, permalinks)
    if running := embedded_server.find(directory):
        problem = f"process {running.pid} serves this site already, at {running.site}/"
        todo = f"open that address, or run `{_stopping(globals_, directory)}` first"
        raise ConfigError(problem, todo=todo)
    _make(directory)
    try:
        service = server.running(
            embedded_server.database(directory),
            host=host,
            port=embedded.free_port(directory, host) if port is None else port,
            address=address,
            token=globals_.environ.get(environment.SERVE_TOKEN),
            structure=structure,
            moves=True,
            types=types,
            **more,
        )
        server.serve(service, ready=partial(_ready, globals_, directory, seed_posts))
    except UnusableDatabase as error:
        raise StorageError(str(error), todo="`pressync serve --data DIR` keeps the site elsewhere") from error
    except (OSError, UnicodeError) as error:
        todo = "see `pressync serve --host`; without `--port` it takes the next free port"
        raise PressyncError(getattr(error, "strerror", None) or str(error), todo=todo) from error
    finally:
        running = embedded_server.find(directory)
        if running is None or running.pid == os.getpid():
            embedded_server.remove_note(directory)


def _ready(globals_: options.Globals, directory: Path, seed_posts: int, service: RunningService) -> None:
    """Create the posts, note where the service runs, and tell its addresses."""
    for number in range(1, seed_posts + 1):
        service.store.create(BLOG_KIND, {"title": f"Post {number}", "content": f"<p>Post {number}.</p>\n"})
    running = embedded_server.RunningServer(os.getpid(), service.url, service.site)
    embedded_server.write_note(directory, running)
    click.echo(f"The site:    {service.site}/")
    click.echo(f"The service: {service.url}  (PRESSYNC_URL for other clones)")
    console.tell(globals_, "Ctrl-C stops it.")


def serve_detached(globals_: options.Globals, directory: Path, arguments: list[str]) -> None:
    """Serve in a process of its own, and return when it answers."""
    from pressync.state import atomic_files

    if running := embedded_server.find(directory):
        _require_pages(globals_, directory, running)
        click.echo(f"The server runs already: {running.site}/")
        return
    _make(directory)
    log = directory / _LOG
    # A server needs its own token and no other secret.
    token = globals_.environ.get(environment.SERVE_TOKEN)
    with atomic_files.open_private(log) as output:
        process = subprocess.Popen(
            [*options.ourselves(globals_), "serve", *arguments],
            env={**os.environ, **({environment.SERVE_TOKEN: token} if token else {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _wait(lambda: embedded_server.find(directory) is not None or process.poll() is not None)
    if running := embedded_server.find(directory):
        _require_pages(globals_, directory, running)
        click.echo(f"The site: {running.site}/ (`{_stopping(globals_, directory)}` ends it)")
        return
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    raise PressyncError(
        f"the server did not start: {lines[-1].removeprefix('Error: ') if lines else 'its log is empty'}",
        todo=f"see {log}",
    )


def _require_pages(globals_: options.Globals, directory: Path, running: RunningServer) -> None:
    """Refuse a server that does not show its site as this version does."""
    from pressync.stage import embedded

    if fault := embedded.fault(running):
        raise PressyncError(
            f"process {running.pid} serves this site at {running.site}/, but {fault}",
            todo=f"`{_stopping(globals_, directory)}`, and start it again",
        )


def _stop(directory: Path) -> None:
    """Stop the server of this directory."""
    running = embedded_server.find(directory)
    if running is None:
        click.echo("This site has no running server.")
        return
    os.kill(running.pid, signal.SIGTERM)
    if not _wait(lambda: embedded_server.find(directory) is None):
        raise PressyncError(f"process {running.pid} did not end", todo=f"`kill {running.pid}`")
    click.echo("Stopped.")


def _wait(is_done: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _STARTING_SECONDS
    while not (done := is_done()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return done


def _checked(address: str | None, permalinks: str | None) -> str | None:
    """Check two options, and give the structure of permalinks."""
    from pressync.stage.server.rows import permalink_structure
    from pressync.stage.server.store import site_address

    structure = "" if permalinks == "plain" else permalinks
    options = (("--address", site_address, address), ("--permalinks", permalink_structure, structure))
    for option, read, value in options:
        try:
            if value is not None:
                read(value)
        except ValueError as error:
            raise ConfigError(str(error), where=option) from None
    return structure


def _make(directory: Path) -> None:
    with storing(directory, "the folder cannot be created", "see `pressync serve --data`"):
        embedded_server.make_directory(directory)


def _stopping(globals_: options.Globals, folder: Path) -> str:
    """Give the command that stops the server of a folder, for a person who types it here."""
    current = directory_of(globals_._replace(directory=Path()), None)
    return f"pressync serve --stop{'' if folder == current else f' --data {quote(str(folder))}'}"

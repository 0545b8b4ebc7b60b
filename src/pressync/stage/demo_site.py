"""The site of a demo, in a process that also removes the demo's folder.

A demo that is killed cannot clean up. So the site belongs to a second process, which reads from a pipe that
the demo holds open. When the kernel closes the pipe, that process stops the site and removes the folder.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from os import getpid
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.app import embedded_server
from pressync.config import environment
from pressync.model.errors import PressyncError, StorageError
from pressync.stage import embedded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

EMBEDDED, WORDPRESS = "embedded", "wordpress"
_TITLE = "The bakery"
_USER = "admin"
# A sync that the demo started may write to its folder until it finds that the site is gone.
_CLEANING_SECONDS = 30.0
_CODE = "import sys; from pressync.stage import demo_site; demo_site.hold(*sys.argv[1:])"


@dataclass(frozen=True, slots=True)
class Options:
    """The site that a demo runs on, the values of `--mount` for it, and whether the folder stays."""

    on: str = EMBEDDED
    mounts: Sequence[str] = ()
    keep: bool = False


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A site that answers: its web address, that of its interface, its user, and where its editor is.

    `password` is empty for the embedded service, which needs none and which a command finds by itself.
    """

    home: str
    url: str
    user: str = ""
    password: str = ""
    editor: str = ""

    @property
    def auth(self) -> tuple[str, str] | None:
        """The credentials of a request."""
        return (self.user, self.password) if self.password else None

    @property
    def environ(self) -> dict[str, str]:
        """The variables by which a command finds the site."""
        if not self.password:
            return {}
        return {
            "PRESSYNC_URL": self.url,
            "PRESSYNC_DIALECT": "wordpress",
            "PRESSYNC_USER": self.user,
            "PRESSYNC_PASSWORD": self.password,
        }

    def address(self, route: str) -> str:
        """Give the address of a route of the interface."""
        return f"{self.url.rstrip('/')}{route}"


@contextmanager
def holding(folder: Path, chosen: Options, say: Callable[[str], None]) -> Iterator[Callable[[], DemoSite]]:
    """Have a second process hold a folder; the function that is given starts the site there.

    When the block ends, or when this process does, the site is stopped, and the folder removed unless it is
    to `keep`. The function raises StorageError if the site does not start.
    """
    process = subprocess.Popen(
        # `-P`: Python does not search modules in the current folder, which may have a `click.py`.
        [sys.executable, "-P", "-c", _CODE, str(folder), json.dumps(asdict(chosen))],
        env=environment.for_others("NPM_CONFIG_REGISTRY", "NPM_CONFIG_CACHE", "NPM_CONFIG_USERCONFIG"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Ctrl-C at the terminal is for the demo.
        start_new_session=True,
    )

    def started() -> DemoSite:
        for line in _asked(process):
            told = json.loads(line)
            if "home" in told:
                return DemoSite(**told)
            if "error" in told:
                raise StorageError(told["error"], todo=told["todo"])
            say(told["say"])
        raise StorageError("the site of the demo does not start", todo="`pressync doctor` may tell why")

    try:
        yield started
    finally:
        # It closes the pipe, and waits for the end of the process.
        process.communicate()


def _asked(process: subprocess.Popen[str]) -> Iterator[str]:
    """Ask the second process for the site, and give each line that it tells."""
    if process.stdin and process.stdout:
        process.stdin.write("start\n")
        process.stdin.flush()
        yield from process.stdout


def hold(folder: str, options: str) -> None:
    """Be the second process: start the site when asked, and clean up when the pipe closes."""
    chosen = Options(**json.loads(options))
    asked, stop = threading.Event(), threading.Event()
    threading.Thread(target=_listen, args=(asked, stop), daemon=True).start()
    asked.wait()
    with ExitStack() as block, suppress(KeyboardInterrupt):
        if not stop.is_set():
            try:
                opened = (
                    _wordpress(chosen.mounts, stop) if chosen.on == WORDPRESS else _embedded(Path(folder))
                )
                site = block.enter_context(opened)
                _tell(**asdict(site))
            except PressyncError as error:
                _tell(error=error.what, todo=error.todo)
            stop.wait()
    if chosen.keep:
        return
    until = time.monotonic() + _CLEANING_SECONDS
    while Path(folder).exists() and time.monotonic() < until:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.05)


def _listen(asked: threading.Event, stop: threading.Event) -> None:
    """Read the pipe: a line asks for the site, and its end stops all, also a site that still starts."""
    if sys.stdin.readline():
        asked.set()
        sys.stdin.read()
    stop.set()
    asked.set()


def _tell(**facts: object) -> None:
    with suppress(BrokenPipeError):
        sys.stdout.write(f"{json.dumps(facts)}\n")
        sys.stdout.flush()


@contextmanager
def _embedded(folder: Path) -> Iterator[DemoSite]:
    from pressync.stage.server.server import running  # noqa: PLC0415 - WordPress needs no Flask

    directory = embedded_server.data_directory(folder / ".git")
    embedded_server.make_directory(directory)
    port = embedded.free_port(directory)
    try:
        with running(
            embedded_server.database(directory), port=port, title=_TITLE, dialect="both", moves=True
        ) as service:
            note = embedded_server.RunningServer(getpid(), service.url, service.site)
            embedded_server.write_note(directory, note)
            yield DemoSite(service.site, service.url)
    finally:
        embedded_server.remove_note(directory)


@contextmanager
def _wordpress(mounts: Sequence[str], stop: threading.Event) -> Iterator[DemoSite]:
    """Run real WordPress, with a user whose password only this demo has."""
    # Only this site needs Node.
    from pressync.stage.rehearse import playground, wordpress_stage  # noqa: PLC0415
    from pressync.stage.rehearse.given_site import GivenSite  # noqa: PLC0415
    from pressync.stage.rehearse.live_site import LiveSite  # noqa: PLC0415
    from pressync.stage.server.database import SiteSettings  # noqa: PLC0415
    from pressync.stage.server.wordpress.terms import TermRow  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="pressync-demo-") as name:
        directory = Path(name)
        options, mounted = wordpress_stage.mounted(directory, playground.Mounts.of(mounts), "")
        with playground.running(
            directory, options, mounted, stop=stop, say=lambda each: _tell(say=each)
        ) as home:
            settings = SiteSettings(title=_TITLE, permalinks="/%postname%/")
            # WordPress gives this category to a post without one.
            terms = (TermRow(1, "category", "Uncategorized", "uncategorized"),)
            given = GivenSite(settings=settings, terms=terms)
            told = wordpress_stage.state_of(given, LiveSite(), (), user=1, mounts=playground.Mounts())
            password = wordpress_stage.filled(directory, home, told)
            # Playground installs WordPress with this user and password.
            editor = f"{home}/wp-admin/edit.php?post_type=page (user {_USER}, password “password”)"
            yield DemoSite(home, f"{home}/wp-json", _USER, password, editor)

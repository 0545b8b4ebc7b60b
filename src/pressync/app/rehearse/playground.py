"""Runs WordPress without PHP and without a database: WordPress Playground, by Node, on this machine alone.

Node cannot be told to end with its parent, and a killed rehearsal cannot end anything. So Node reads a pipe
that pressync holds open: the kernel closes the pipe with the process, however it ends, and Node ends then.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.client.address import parse
from pressync.client.get_only import GetOnly
from pressync.client.port import Limits
from pressync.client.responses import clean
from pressync.model.errors import ConfigError, ServiceError, StorageError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence

# The version of the program with which pressync is tested. npm keeps it after the first rehearsal.
PACKAGE = "@wp-playground/cli@3.1.56"

# The oldest Node with which that version is tested.
_OLDEST_NODE = 20

FILES = Path(__file__).with_name("wordpress_files")

# npm downloads 580 MB at the first rehearsal, and a slow machine takes a minute to start WordPress.
_LONGEST_START = 900.0
_PAUSE = 0.25

# Node needs a tenth of a second to end by itself.
_GRACE = 3.0
_LOG = "playground.log"
_CHATTER = ("npm warn", "npm notice")
_LINES = 8


@dataclass(frozen=True, slots=True)
class Mounted:
    """A folder of this machine that WordPress sees as `place`; `before` it is installed, or after."""

    folder: Path
    place: str
    before: bool = False

    @property
    def arguments(self) -> tuple[str, str]:
        """The option of the program, and its value."""
        return "--mount-before-install" if self.before else "--mount", f"{self.folder}:{self.place}"


@contextmanager
def running(
    directory: Path,
    options: Sequence[str],
    mounts: Sequence[Mounted],
    *,
    stop: threading.Event,
    say: Callable[[str], None],
) -> Iterator[str]:
    """Run WordPress with its temporary files in a directory; give the address of its site.

    :raises ConfigError: Node is missing or too old.
    :raises StorageError: WordPress does not start.
    """
    npx = _npx()
    port = _free_port()
    command = [npx, "--yes", "--prefer-offline", PACKAGE, "server", "--port", str(port), *options]
    command += [part for mount in mounts for part in mount.arguments]
    say("Starting WordPress. The first time, npm downloads 580 MB.")
    log = directory / _LOG
    with log.open("wb") as output:
        # A group of its own: npx starts Node, and Ctrl-C at the terminal is for pressync.
        process = subprocess.Popen(
            [*command, "--verbosity", "quiet"],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(directory),
            cwd=directory,
            start_new_session=True,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(process, address, log, stop)
        yield address
    finally:
        _end(process)


def _npx() -> str:
    """Find npx, and check the version of its Node."""
    todo = f"install Node.js {_OLDEST_NODE} or later with npm (https://nodejs.org), or use `--on embedded`"
    node, npx = shutil.which("node"), shutil.which("npx")
    if node is None or npx is None:
        missing = "Node.js" if node is None else "npx, which comes with npm,"
        raise ConfigError(f"WordPress runs by Node.js here, and {missing} is not installed", todo=todo)
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise ConfigError("`node --version` fails", todo=todo) from None
    version = re.match(r"v(\d+)\.", said)
    if version is None or int(version[1]) < _OLDEST_NODE:
        what = f"Node.js {clean(said, 20).removeprefix('v')} is too old for WordPress Playground"
        raise ConfigError(what, todo=todo)
    return npx


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _environment(directory: Path) -> dict[str, str]:
    """Give the environment without our secrets; temporary files go into the directory."""
    temporary = directory / "tmp"
    temporary.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PRESSYNC_")}
    options = f'{kept.get("NODE_OPTIONS", "")} --require "{FILES / "end_with_parent.cjs"}"'.strip()
    return {**kept, "NODE_OPTIONS": options, "TMPDIR": str(temporary), "NPM_CONFIG_UPDATE_NOTIFIER": "false"}


def _wait(process: subprocess.Popen[bytes], address: str, log: Path, stop: threading.Event) -> None:
    """Wait until WordPress answers; StorageError if it does not."""
    until = time.monotonic() + _LONGEST_START
    while time.monotonic() < until:
        if process.poll() is not None:
            raise _failure("ended while it started", log)
        if stop.wait(_PAUSE):
            raise KeyboardInterrupt
        if _answers(address):
            return
    raise _failure(f"does not answer after {_LONGEST_START:.0f} s", log)


def _answers(address: str) -> bool:
    reader = GetOnly(parse(address), authorization=None, allow_http=True, limits=Limits(total=60.0))
    with suppress(ServiceError):
        try:
            # Its first response may be a redirect.
            return reader.get("/index.php?rest_route=/&_fields=name").status == 200  # noqa: PLR2004 - OK
        finally:
            reader.close()
    return False


def _failure(what: str, log: Path) -> StorageError:
    words = log.read_text(encoding="utf-8", errors="replace").split("\n")
    lines = [clean(line, 200) for line in words if line.strip()]
    # npm warns in dozens of lines, and the cause comes after them.
    telling = [line for line in lines if not line.lower().startswith(_CHATTER)] or lines
    last = "; ".join(telling[-_LINES:])[-800:]
    return StorageError(
        f"WordPress Playground {what}: {last or 'it printed nothing'}",
        todo="check the network; without it, name unpacked files: `--mount wordpress=DIR`",
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program by its pipe; then kill what it may have left of its group."""
    if process.stdin:
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

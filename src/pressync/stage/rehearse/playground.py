"""Runs WordPress without PHP and without a database: WordPress Playground, by Node, on this machine alone.

The stage is in the Git directory. npx and npm obey the programs and settings of every folder above, which
are those of the work tree. So npm installs Playground once, in the user's cache, and Node starts it there.
`package-lock.json` has the integrity of each package, and npm takes no other bytes. A killed rehearsal
cannot end anything, so Node ends when the kernel closes a pipe that pressync holds open.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.client.address import parse
from pressync.client.http import ReadingTransport
from pressync.client.port import Limits
from pressync.client.responses import clean
from pressync.config import environment
from pressync.model.errors import ConfigError, ServiceError, StorageError
from pressync.model.fingerprint import small_digest
from pressync.stage.rehearse.stage import locked, on_disk
from pressync.state import atomic_files

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Sequence

_PLUGIN = re.compile(rb"^[ \t/*#@]*Plugin Name:", re.MULTILINE | re.IGNORECASE)
# WordPress reads the headers of a file from its first bytes.
_HEAD = 8192

# Folders of developers, which may be large and are not needed.
_LEFT_OUT = shutil.ignore_patterns(".git", "node_modules", ".svn")


@dataclass(frozen=True, slots=True)
class Mounts:
    """The folders by what they are; `plugins` have the path of the main file below the plugins' folder."""

    theme: Path | None = None
    plugins: tuple[tuple[Path, str], ...] = ()
    wordpress: Path | None = None

    @classmethod
    def of(cls, given: Iterable[str]) -> Mounts:
        """Read the values of `--mount`, such as `theme=DIR`.

        :raises ConfigError: a value names no such folder, or a second theme.
        """
        themes, plugins, sources = [], [], []
        for text in given:
            kind, _, name = text.partition("=")
            folder = Path(name).expanduser().absolute()
            if kind not in {"theme", "plugin", "wordpress"} or not name:
                raise _wrong(text, "does not name what the folder is", "write theme=DIR or plugin=DIR")
            if not folder.is_dir():
                raise _wrong(text, "names no folder", "check the path")
            if kind == "theme":
                themes.append(_with(folder, "style.css", text, "the folder of a theme has a `style.css`"))
            elif kind == "plugin":
                plugins.append((folder, f"{folder.name}/{_main_file(folder, text)}"))
            else:
                todo = "name the folder into which WordPress was unpacked"
                sources.append(_with(folder, "wp-includes/version.php", text, todo))
        for several in (themes, sources):
            if len(several) > 1:
                raise _wrong(str(several[1]), "is the second of its kind", "name one theme and one WordPress")
        return cls(next(iter(themes), None), tuple(plugins), next(iter(sources), None))

    @property
    def named(self) -> tuple[str, ...]:
        """The names of theme and plugins."""
        return tuple(path.name for path in (self.theme, *(folder for folder, _ in self.plugins)) if path)


def copy_folder(source: Path, target: Path) -> Path:
    """Copy a folder for a stage, with the files behind its links; give the copy.

    :raises StorageError: it cannot be copied.
    """
    with on_disk("the folder cannot be copied for the stage", source):
        shutil.copytree(source, target, ignore=_LEFT_OUT, ignore_dangling_symlinks=True)
    return target


def _with(folder: Path, file: str, text: str, todo: str) -> Path:
    if not (folder / file).is_file():
        raise _wrong(text, f"has no `{file}`", todo)
    return folder


def _main_file(folder: Path, text: str) -> str:
    """Find the file that WordPress loads, by its header."""
    for file in sorted(folder.glob("*.php")):
        with file.open("rb") as opened:
            if _PLUGIN.search(opened.read(_HEAD)):
                return file.name
    raise _wrong(text, "has no file with the header `Plugin Name:`", "name the plugin's own folder")


def _wrong(text: str, what: str, todo: str) -> ConfigError:
    return ConfigError(f"--mount {text} {what}", todo=todo)


# The oldest Node with which WordPress Playground is tested.
_OLDEST = 20

FILES = Path(__file__).with_name("wordpress_files")

# The settings of npm that its user may have in the environment. npm itself writes the settings of a project
# into variables with small letters, for what it starts.
_NPM = ("NPM_CONFIG_CACHE", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG", "NODE_EXTRA_CA_CERTS")

# Node needs a tenth of a second to end by itself.
_GRACE = 3.0
_CHATTER = ("npm warn", "npm notice")
_LINES = 8


def found_node() -> tuple[str, str]:
    """Find the programs Node and npm, and check the version of Node.

    :raises ConfigError: Node or npm is missing, or Node is too old.
    """
    todo = f"install Node.js {_OLDEST} or later with npm (https://nodejs.org), or use `--on embedded`"
    environ = environment.for_others()
    node, npm = (shutil.which(name, path=environ["PATH"]) for name in ("node", "npm"))
    if node is None or npm is None:
        missing = "Node.js" if node is None else "npm"
        raise ConfigError(f"WordPress runs by Node.js here, and {missing} is not installed", todo=todo)
    try:
        said = subprocess.run(
            [node, "--version"], env=environ, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        raise ConfigError("`node --version` fails", todo=todo) from None
    version = re.match(r"v(\d+)\.", said)
    if version is None or int(version[1]) < _OLDEST:
        what = f"Node.js {clean(said, 20).removeprefix('v')} is too old for WordPress Playground"
        raise ConfigError(what, todo=todo)
    return node, npm


@contextmanager
def running_node(
    command: Sequence[str], folder: Path, *, temporary: Path, log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program of Node in a folder until the block ends; its output goes to the log."""
    temporary.mkdir(exist_ok=True)
    environ = {
        **environment.for_others(*_NPM),
        "NODE_OPTIONS": f'--require "{FILES / "end_with_parent.cjs"}"',
        "TMPDIR": str(temporary),
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    }
    with log.open("wb") as output:
        # A group of its own: npm starts others, and Ctrl-C at the terminal is for pressync.
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environ,
            cwd=folder,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        _end(process)


def last_words(log: Path) -> str:
    """Give the end of a log, as a message shows it."""
    words = log.read_text(encoding="utf-8", errors="replace").split("\n")
    lines = [clean(line, 200) for line in words if line.strip()]
    # npm warns in dozens of lines, and the cause comes after them.
    telling = [line for line in lines if not line.lower().startswith(_CHATTER)] or lines
    return "; ".join(telling[-_LINES:])[-800:] or "it printed nothing"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program by its pipe; then kill what it may have left of its group."""
    if process.stdin:
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


# The first has the version with which pressync is tested, and the second has all packages that it needs.
_PACKAGES = ("package.json", "package-lock.json")
PACKAGE = "@wp-playground/cli"
PROGRAM = Path("node_modules", PACKAGE, "wp-playground.js")

# A folder above may call itself a workspace with this folder in it. No script of a package runs: one package
# has a script, which builds what it also brings, for each system and each Node.
_INSTALL = ("ci", "--workspaces=false", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")

# npm downloads 580 MB at the first rehearsal, and a slow machine takes a minute to start WordPress.
_LONGEST_START = 900.0
_PAUSE = 0.25


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
    :raises StorageError: WordPress Playground cannot be installed, or does not start.
    """
    node, npm = found_node()
    place = _installed(npm, directory, stop=stop, say=say)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = int(server.getsockname()[1])
    command = [node, str(place / PROGRAM), "server", "--port", str(port), *options]
    command += [part for mount in mounts for part in mount.arguments]
    say("Starting WordPress.")
    log, temporary = directory / "playground.log", directory / "tmp"
    with running_node([*command, "--verbosity", "quiet"], directory, temporary=temporary, log=log) as process:
        address = f"http://127.0.0.1:{port}"
        _wait(process, address, log, stop)
        yield address


def _installed(npm: str, directory: Path, *, stop: threading.Event, say: Callable[[str], None]) -> Path:
    """Give the folder with WordPress Playground; npm installs it there if it is not there yet."""
    lock = (FILES / _PACKAGES[1]).read_bytes()
    cache = environment.cache_folder(os.environ) or Path.home() / ".cache" / "pressync"
    place = cache / f"playground-{small_digest(lock)}"
    if place.is_dir():
        return place
    with on_disk("WordPress Playground cannot be installed", place), _alone(place.parent, stop):
        if not place.is_dir():
            say(f"npm downloads WordPress Playground (580 MB) into {place}, once.")
            _install(npm, place, directory, stop)
    return place


def _install(npm: str, place: Path, directory: Path, stop: threading.Event) -> None:
    """Have npm install the packages beside their place; the complete folder gets its name in one step."""
    part = place.with_name(f"{place.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(atomic_files.PRIVATE_FOLDER)
    for name in _PACKAGES:
        shutil.copyfile(FILES / name, part / name)
    log, temporary = directory / "npm.log", directory / "tmp"
    with running_node([npm, *_INSTALL], part, temporary=temporary, log=log) as process:
        until = time.monotonic() + _LONGEST_START
        while process.poll() is None and time.monotonic() < until:
            if stop.wait(_PAUSE):
                raise KeyboardInterrupt
        if process.poll() != 0:
            raise StorageError(
                f"npm does not install WordPress Playground: {last_words(log)}",
                todo="check the network and the settings of npm (`npm config list`), or use `--on embedded`",
            )
    part.rename(place)


@contextmanager
def _alone(folder: Path, stop: threading.Event) -> Iterator[None]:
    """Hold the lock of a folder, so that two rehearsals do not install at the same time."""
    atomic_files.make_folder(folder, mode=atomic_files.PRIVATE_FOLDER)
    with ExitStack() as block:
        while True:
            with suppress(BlockingIOError):
                block.enter_context(locked(folder))
                break
            if stop.wait(_PAUSE):
                raise KeyboardInterrupt
        yield


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
    reader = ReadingTransport(parse(address), limits=Limits(total=60.0))
    with suppress(ServiceError), closing(reader):
        # Its first response may be a redirect.
        return reader.get("/index.php?rest_route=/&_fields=name").status == 200  # noqa: PLR2004 - OK
    return False


def _failure(what: str, log: Path) -> StorageError:
    return StorageError(
        f"WordPress Playground {what}: {last_words(log)}",
        todo="check the network; without it, name unpacked files: `--mount wordpress=DIR`",
    )

"""Runs the `git` program: one place that finds it, starts it, and decides which variables it inherits.

Git hands its hooks variables that name a repository and an index, relative to where Git stood. Everywhere in
this project the folder decides instead, so these variables never reach Git. A run with nothing to do comes
through here, so nothing but `subprocess` is loaded.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The one list of what Git tells its hooks about the repository in which it runs them.
INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
# People read Git's complaints within our own sentences.
PLAIN = {"LANGUAGE": "C", "LC_ALL": "C"}
# No question of ours needs a watcher of files, and the setting is the name of a program that Git runs.
NO_WATCHER = ("-c", "core.fsmonitor=false")


class GitResult(NamedTuple):
    """The exit code of one command of Git, and the bytes that it wrote to its two outputs."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """The standard output without its last line break; bytes that are not UTF-8 are kept."""
        return self.out.decode(errors="surrogateescape").removesuffix("\n")


def run(
    *arguments: str | os.PathLike[str],
    directory: str | os.PathLike[str] | None = None,
    given: bytes = b"",
    environ: Mapping[str, str] | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = 0.0,
) -> GitResult:
    """Run one command of Git in a folder; `env` is laid over `environ`, which is this process's own.

    :raises RepositoryError: there is no Git.
    :raises subprocess.TimeoutExpired: it took longer than `seconds`; 0 is any time.
    """
    try:
        return _ended(_command(directory, arguments), given, environment(environ, env), seconds)
    except OSError as error:
        raise _no_git() from error


def text(directory: str | os.PathLike[str], *arguments: str) -> str | None:
    """Ask Git; its answer without the last line break, None if it fails or if there is no Git."""
    try:
        said = _ended(_command(directory, arguments), b"", environment())
    except (OSError, ValueError):  # a NUL in an argument is the second
        return None
    return None if said.status else said.text


def start(
    *arguments: str, directory: str | os.PathLike[str], env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a command of Git that answers one question after the other.

    :raises RepositoryError: there is no Git.
    """
    try:
        return subprocess.Popen(
            _command(directory, arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(None, env),
            # Ctrl-C at a terminal goes to the whole session, and a run that ends in good order still reads.
            start_new_session=True,
        )
    except OSError as error:
        raise _no_git() from error


def environment(
    environ: Mapping[str, str] | None = None, env: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Give the environment in which Git is run."""
    return {**outside(os.environ if environ is None else environ), **PLAIN, **(env or {})}


def outside(environ: Mapping[str, str]) -> dict[str, str]:
    """Give the environment without what Git tells its hooks about where they run."""
    return {name: value for name, value in environ.items() if name not in INHERITED}


def _ended(
    command: Sequence[str | os.PathLike[str]],
    given: bytes,
    environ: Mapping[str, str],
    seconds: float = 0.0,
) -> GitResult:
    done = subprocess.run(
        command, input=given, env=environ, capture_output=True, check=False, timeout=seconds or None
    )
    return GitResult(done.returncode, done.stdout, done.stderr)


def _command(
    directory: str | os.PathLike[str] | None, arguments: Sequence[str | os.PathLike[str]]
) -> list[str | os.PathLike[str]]:
    return ["git", *NO_WATCHER, *(() if directory is None else ("-C", directory)), *arguments]


def _no_git() -> Exception:
    from pressync.model.errors import RepositoryError  # noqa: PLC0415 - a run with nothing to do needs no errors

    return RepositoryError("there is no Git on this machine", todo="install it, or check PATH")

"""Starts the `git` program in a folder. This is the only module that does so and chooses Git's environment.

Git gives its hooks variables that name a repository and an index, with paths from the folder where Git ran.
In this project the folder alone names the repository, so these variables never reach Git. A run with nothing
to do uses this module, so it loads nothing but `subprocess`. `port` adds the state of an open repository.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# The variables in which Git tells its hooks about the repository that they run in.
INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
_ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
# Our messages are in English and quote Git's errors, so Git speaks English too.
PLAIN = {"LANGUAGE": "C", "LC_ALL": "C"}
# None of our commands needs a file watcher, and this setting can name a program that Git would run.
NO_WATCHER = ("-c", "core.fsmonitor=false")


class GitResult(NamedTuple):
    """The exit code of one Git command, and the bytes of its output and its error output."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """The output without its last line break; bytes that are not UTF-8 are kept."""
        return self.out.decode(errors="surrogateescape").removesuffix("\n")


def run(
    *arguments: str | os.PathLike[str],
    directory: str | os.PathLike[str] | None = None,
    given: bytes = b"",
    env: Mapping[str, str] | None = None,
    seconds: float = 0.0,
) -> GitResult:
    """Run one Git command in a folder; `env` is added to this process's own environment.

    :raises RepositoryError: Git is not installed.
    :raises subprocess.TimeoutExpired: it took longer than `seconds`; 0 means no limit.
    """
    try:
        return _ended(_command(directory, arguments), given, environment(env), seconds)
    except OSError as error:
        raise no_git() from error


def text(directory: str | os.PathLike[str], *arguments: str) -> str | None:
    """Run Git and give its output without the last line break; None if it fails or is not installed."""
    try:
        result = _ended(_command(directory, arguments), b"", environment())
    except (OSError, ValueError):  # a ValueError means a NUL in an argument
        return None
    return None if result.status else result.text


def rows(output: str) -> list[str]:
    """Give the rows of Git's output; `str.splitlines` would also split names and subjects, as at U+2028."""
    return output.split("\n") if output else []


class Reader(subprocess.Popen[bytes]):
    """A Git command that answers questions; it ends with its last user, also if nobody has closed it."""

    def __del__(self) -> None:
        """End the process; the garbage collector may reach it before the object that holds it."""
        if getattr(self, "returncode", 0) is None:
            self.communicate()
        super().__del__()


def start(
    *arguments: str, directory: str | os.PathLike[str], env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a Git command that reads questions and answers one after the other.

    :raises RepositoryError: Git is not installed.
    """
    try:
        return Reader(
            _command(directory, arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(env),
            # Ctrl-C at a terminal goes to the whole session, but a run that ends in good order still reads.
            start_new_session=True,
        )
    except OSError as error:
        raise no_git() from error


def environment(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Give the environment for Git, with `env` over it."""
    return {**outside(os.environ), **PLAIN, **(env or {})}


def outside(environ: Mapping[str, str]) -> dict[str, str]:
    """Give the environment without the variables in which Git tells a hook about its repository."""
    return {name: value for name, value in environ.items() if name not in INHERITED}


def with_objects_of(folder: Path) -> dict[str, str]:
    """Give the environment in which Git reads the objects of a folder as well."""
    # The name is quoted because a colon would end it. While Git receives a push, alternates are set already.
    name = str(folder).replace("\\", "\\\\").replace('"', '\\"')
    return {_ALTERNATES: f'"{name}":{os.environ.get(_ALTERNATES, "")}'}


def without_scratch_objects() -> dict[str, str]:
    """Give the environment without scratch objects: Git does not write an object again that it sees."""
    return {_ALTERNATES: os.environ.get(_ALTERNATES, "")}


def _ended(
    command: Sequence[str | os.PathLike[str]], given: bytes, environ: Mapping[str, str], seconds: float = 0.0
) -> GitResult:
    done = subprocess.run(
        command, input=given, env=environ, capture_output=True, check=False, timeout=seconds or None
    )
    return GitResult(done.returncode, done.stdout, done.stderr)


def _command(
    directory: str | os.PathLike[str] | None, arguments: Sequence[str | os.PathLike[str]]
) -> list[str | os.PathLike[str]]:
    return ["git", *NO_WATCHER, *(() if directory is None else ("-C", directory)), *arguments]


def no_git() -> Exception:
    """Say that Git is missing."""
    from pressync.model.errors import RepositoryError  # noqa: PLC0415 - a run with nothing to do needs no errors

    return RepositoryError("Git is not installed on this machine", todo="install it, or check PATH")

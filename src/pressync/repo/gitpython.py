"""The port on GitPython: its command object starts the reader of blobs, and runs the rest.

GitPython copies the environment of this process for its children, so `config.environment` takes all secrets
out of `os.environ` first. GitPython runs `git version` when it is imported, and fails there without Git.
"""

from __future__ import annotations

from subprocess import PIPE
from typing import TYPE_CHECKING, Any

from pressync.model.bounds import PAGE
from pressync.model.errors import RepositoryError
from pressync.repo.port import GitPort
from pressync.repo.process import READ_BLOBS, Blobs
from pressync.repo.run_git import NO_WATCHER, PLAIN

try:
    from git import Git
except ImportError as error:
    raise RepositoryError("Git is not installed on this machine", todo="install it, or check PATH") from error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from subprocess import Popen

    from pressync.model.bounds import FileBound


class LibraryGit(GitPort):
    """Runs Git in a folder; `environment` is added to this process's environment for every command."""

    def __init__(self, working: Path, environment: Mapping[str, str]) -> None:
        self._git = Git(working)
        self._git.update_environment(**PLAIN, **environment)
        self._blobs = Blobs(self._start_reading)

    def run(
        self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git with GitPython."""
        process = self._git.execute(
            [self._program, *NO_WATCHER, "--literal-pathspecs", *arguments],
            istream=PIPE,
            as_process=True,
            env=dict(env or {}),
        )
        out, err = process.communicate(
            given if isinstance(given, bytes) else given.encode(errors="surrogateescape")
        )
        output, complaint = (each.decode(errors="surrogateescape") for each in (out, err))
        return process.returncode, output.removesuffix("\n"), complaint.strip()

    def read(self, blob: str, bound: FileBound = PAGE) -> bytes | None:
        """Read from one process for all blobs."""
        # GitPython's own reader holds a whole blob before it tells its size.
        return self._blobs.read(blob, bound)

    def close(self) -> None:
        """End that process."""
        self._blobs.close()

    @property
    def _program(self) -> str:
        return str(self._git.GIT_PYTHON_GIT_EXECUTABLE)

    def _start_reading(self) -> Popen[bytes]:
        # The process gets a session of its own, because Ctrl-C at a terminal goes to all processes of the
        # session. A run that ends in good order after Ctrl-C still reads.
        process: Any = self._git.execute(
            [self._program, *NO_WATCHER, *READ_BLOBS], istream=PIPE, as_process=True, start_new_session=True
        )
        started: Popen[bytes] = process
        return started

    def __del__(self) -> None:
        self.close()

"""The port by GitPython: its persistent `cat-file` reads blobs, and its command object runs the rest.

GitPython copies the environment of this process for its children, so whatever is secret must have left
`os.environ` before. It runs `git version` when it is imported, and fails there on a machine without Git.
"""

from __future__ import annotations

from subprocess import PIPE
from typing import TYPE_CHECKING, Any

from pressync.model.errors import RepositoryError
from pressync.repo.commands import Commands
from pressync.repo.run_git import NO_WATCHER, PLAIN

try:
    from git import Git
except ImportError as error:
    raise RepositoryError("there is no Git on this machine", todo="install it, or check PATH") from error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class LibraryGit(Commands):
    """Asks Git in a folder; `environment` is laid over this process's own in every question."""

    def __init__(self, working: Path, environment: Mapping[str, str]) -> None:
        self._git = Git(working)
        self._git.update_environment(**PLAIN, **environment)
        self._reads = False

    def ask(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git by GitPython."""
        process = self._git.execute(
            [self._program, *NO_WATCHER, "--literal-pathspecs", *arguments],
            istream=PIPE,
            as_process=True,
            env=dict(env or {}),
        )
        out, err = process.communicate(given.encode(errors="surrogateescape"))
        said, complaint = (each.decode(errors="surrogateescape") for each in (out, err))
        return process.returncode, said.removesuffix("\n"), complaint.strip()

    def read(self, blob: str) -> bytes | None:
        """See the port."""
        if not self._reads:
            self._begin_to_read()
        try:
            # The library takes any name of an object, and we read blobs alone.
            found: Sequence[Any] = self._git.get_object_data(blob if blob.isalnum() else "none")
        except (ValueError, OSError):
            # Git has no such object; or it has ended, as it does in a partial clone that cannot fetch it.
            return None
        # The library says that it gives text, and gives bytes.
        return found[3] if found[1] in {b"blob", "blob"} else None

    def close(self) -> None:
        """See the port."""
        process, self._git.cat_file_all, self._reads = self._git.cat_file_all, None, False
        if process is not None:
            process.communicate()

    @property
    def _program(self) -> str:
        return str(self._git.GIT_PYTHON_GIT_EXECUTABLE)

    def _begin_to_read(self) -> None:
        # In a session of its own: Ctrl-C at a terminal goes to everything that runs there, and a run that
        # ends in good order still reads.
        self._git.cat_file_all = self._git.execute(
            [self._program, *NO_WATCHER, "cat-file", "--batch"],
            istream=PIPE,
            as_process=True,
            start_new_session=True,
        )
        self._reads = True

    def __del__(self) -> None:
        self.close()

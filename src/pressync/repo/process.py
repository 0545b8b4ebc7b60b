"""The two ports on Git: processes of its own, and GitPython.

A run with little to do asks Git a handful of questions, and loading GitPython costs more than all answers
(four times a `git status` of 10,000 files). So such a run uses plain processes. GitPython runs `git version`
when it is imported. It copies the environment of this process for its children, so `config.environment` takes
all secrets out of `os.environ` first.
"""

from __future__ import annotations

import subprocess
import threading
from typing import TYPE_CHECKING, Any

from pressync.model.bounds import PAGE, FileTooLarge
from pressync.model.errors import RepositoryError
from pressync.repo import run_git
from pressync.repo.port import GitPort, OutOfTime

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pressync.model.bounds import FileBound

# Git holds a blob in memory unless the blob is larger than this setting.
READ_BLOBS = ("-c", "core.bigFileThreshold=8m", "cat-file", "--batch")


class _ReadingGit(GitPort):
    """Reads from one process for all blobs. GitPython's own reader holds a blob before it tells its size."""

    _blobs: Blobs

    def read(self, blob: str, bound: FileBound = PAGE) -> bytes | None:
        """Read a blob as the port does."""
        return self._blobs.read(blob, bound)

    def close(self) -> None:
        """End that process."""
        self._blobs.close()


class PlainGit(_ReadingGit):
    """Runs Git in a folder; `environment` is added to this process's environment every time."""

    def __init__(self, working: Path) -> None:
        self.working = working
        self.environment: dict[str, str] = {}
        # A new reader reads the object folders that `environment` names then.
        self._blobs = Blobs(lambda: run_git.start(*READ_BLOBS, directory=working, env=self.environment))

    def run(
        self,
        *arguments: str,
        given: str | bytes = "",
        env: Mapping[str, str] | None = None,
        seconds: float = 0.0,
    ) -> tuple[int, str, str]:
        """Run Git as the port does.

        :raises RepositoryError: Git is not installed.
        :raises OutOfTime: Git took longer than `seconds`; 0 means no limit.
        """
        try:
            result = run_git.run(
                "--literal-pathspecs",
                *arguments,
                directory=self.working,
                given=given if isinstance(given, bytes) else given.encode(errors="surrogateescape"),
                env={**self.environment, **(env or {})},
                seconds=seconds,
            )
        except subprocess.TimeoutExpired as error:
            raise OutOfTime(f"git {arguments[0]} took longer than {seconds:.1f} s") from error
        return result.status, result.text, result.err.decode(errors="surrogateescape").strip()


class Blobs:
    """A running `git cat-file --batch`: one process for any number of blobs, with SHA-1 or SHA-256.

    Git prints the size of a blob before its bytes. If the blob is too large, the process is ended and the
    next read starts another one, because that is cheaper than to read the bytes.
    """

    def __init__(self, start: Callable[[], subprocess.Popen[bytes]]) -> None:
        self._start = start
        self._process: subprocess.Popen[bytes] | None = None
        # One process gives one blob at a time. The threads that upload files read beside the others.
        self._one_at_a_time = threading.Lock()

    def read(self, blob: str, bound: FileBound = PAGE) -> bytes | None:
        """Read the bytes of a blob; None if this clone does not have it.

        :raises FileTooLarge: it is above the bound.
        :raises RepositoryError: Git gives another answer, as after a read that an exception interrupted.
        """
        with self._one_at_a_time:
            return self._read(blob, bound)

    def _read(self, blob: str, bound: FileBound) -> bytes | None:
        self._process = self._process or self._start()
        questions, answers = self._process.stdin, self._process.stdout
        if questions is None or answers is None:
            raise ValueError("Git was started without pipes")
        try:
            questions.write(f"{blob if blob.isalnum() else 'none'}\n".encode())
            questions.flush()
        except OSError:
            # Git has ended, as it does in a partial clone where it cannot fetch a missing object.
            return None
        match answers.readline().split():
            case [] | [_, b"missing" | b"ambiguous"]:
                return None
            case [_, b"commit" | b"tree" | b"tag", size]:
                answers.read(int(size) + 1)
                return None
            case [found, b"blob", size] if found == blob.encode():
                data = self._taken(answers.read, int(size), bound)
                if len(data) == int(size) and answers.read(1):
                    return data
        what = f"Git was asked for the object {blob}, and gave another answer"
        raise RepositoryError(what, todo="run the command again")

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            # Git ends by itself when its input is closed.
            self._process.communicate()
        self._process = None

    def _taken(self, read: Callable[[int], bytes], size: int, bound: FileBound) -> bytes:
        try:
            return bound.take(read, size)
        except FileTooLarge:
            if self._process is not None:
                self._process.kill()
            self.close()
            raise


class LibraryGit(_ReadingGit):
    """Runs Git in a folder; `environment` is added to this process's environment for every command."""

    def __init__(self, working: Path, environment: Mapping[str, str]) -> None:
        try:
            from git import Git  # noqa: PLC0415 - 65 ms
        except ImportError as error:
            what, todo = "Git is not installed on this machine", "install it, or check PATH"
            raise RepositoryError(what, todo=todo) from error
        self._git = Git(working)
        self._git.update_environment(**run_git.PLAIN, **environment)
        self._blobs = Blobs(self._start_reading)

    def run(
        self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git with GitPython."""
        process = self._git.execute(
            [self._program, *run_git.NO_WATCHER, "--literal-pathspecs", *arguments],
            istream=subprocess.PIPE,
            as_process=True,
            env=dict(env or {}),
        )
        out, err = process.communicate(
            given if isinstance(given, bytes) else given.encode(errors="surrogateescape")
        )
        output, complaint = (each.decode(errors="surrogateescape") for each in (out, err))
        return process.returncode, output.removesuffix("\n"), complaint.strip()

    @property
    def _program(self) -> str:
        return str(self._git.GIT_PYTHON_GIT_EXECUTABLE)

    def _start_reading(self) -> subprocess.Popen[bytes]:
        # The process gets a session of its own, because Ctrl-C at a terminal goes to all processes of the
        # session. A run that ends in good order after Ctrl-C still reads.
        process: Any = self._git.execute(
            [self._program, *run_git.NO_WATCHER, *READ_BLOBS],
            istream=subprocess.PIPE,
            as_process=True,
            start_new_session=True,
        )
        started: subprocess.Popen[bytes] = process
        return started

    def __del__(self) -> None:
        self.close()

"""The questions of a repository to Git. Processes of our own ask them, and GitPython where there is work.

GitPython serves runs with work to do. Plain `git` exists for three reasons. Importing GitPython costs 65 ms
(four times a `git status` of 10,000 files), so a run does not load it before it knows that it has work.
GitPython cannot read SHA-256 repositories. And GitPython hands its whole environment to its children, with
the variables in which Git tells a hook about another folder; `config.environment` takes all secrets out of
`os.environ` first. `update-ref` moves a reference only from a given old value. GitPython's own references
cannot compare, and its settings writer drops the comments of the file, so both run the same commands.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from functools import cached_property, partial
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from pressync.model.bounds import PAGE, FileBound, FileTooLarge
from pressync.model.errors import RepositoryError
from pressync.repo import run_git

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import git

# Git writes through to the disk: without a remote, no other copy exists.
_DURABLE = ("-c", "core.fsync=all")
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
# Git holds a blob in memory unless the blob is larger than this setting.
_READ_BLOBS = ("-c", "core.bigFileThreshold=8m", "cat-file", "--batch")
FIND_OBJECTS = ("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
# So many names and their answers always fit into the two pipes, so neither side waits for the other.
_AT_ONCE = 8
# The length of an id in a repository of the format that GitPython reads.
_SHA1 = 40


class OutOfTime(RepositoryError):  # noqa: N818 - an expected event: callers go on
    """Git took longer than its time limit and was stopped."""


class FoundObject(NamedTuple):
    """What a name leads to: the id of an object, its type and its size."""

    id: str
    kind: str
    size: int


class Git:
    """The operations on objects, references and this clone's settings, for the repository of a folder.

    One process reads all blobs, and one finds the objects of all names. GitPython's own reader holds a blob
    before it tells its size. `environment` is added to this process's environment every time.
    """

    def __init__(self, working: Path) -> None:
        self.working = working
        self.environment: dict[str, str] = {}
        # A new reader reads the object folders that `environment` names then: it is the same dictionary.
        start = partial(run_git.start, directory=working, env=self.environment)
        self._blobs, self.names = Blobs(start), ObjectNames(start)
        self.uses_library: bool | None = None

    def begin_work(self, blob: str) -> None:
        """Note that this run reads documents, so that loading GitPython pays; `blob` is the id of one.

        The length of an id shows the hash function.
        """
        if blob and self.uses_library is None:
            is_hook = any(name in os.environ for name in run_git.INHERITED)
            self.uses_library = len(blob) == _SHA1 and not is_hook

    def run(
        self,
        *arguments: str,
        given: str | bytes = "",
        env: Mapping[str, str] | None = None,
        seconds: float = 0.0,
    ) -> tuple[int, str, str]:
        """Run Git and give its exit code, its output without the last line break, its error output.

        :raises RepositoryError: Git is not installed.
        :raises OutOfTime: Git took longer than `seconds`; 0 means no limit.
        """
        command = ("--literal-pathspecs", *arguments)
        data = given if isinstance(given, bytes) else given.encode(errors="surrogateescape")
        environment = {**self.environment, **(env or {})}
        if self.uses_library and not seconds:
            result = self._run_by_library(command, data, environment)
        else:
            try:
                result = run_git.run(
                    *command, directory=self.working, given=data, env=environment, seconds=seconds
                )
            except subprocess.TimeoutExpired as error:
                raise OutOfTime(f"git {arguments[0]} took longer than {seconds:.1f} s") from error
        return result.status, result.text, result.err.decode(errors="surrogateescape").strip()

    def _run_by_library(
        self, command: Sequence[str], given: bytes, environment: Mapping[str, str]
    ) -> run_git.GitResult:
        process: Any = self._library.execute(
            [str(self._library.GIT_PYTHON_GIT_EXECUTABLE), *run_git.NO_WATCHER, *command],
            istream=subprocess.PIPE,
            as_process=True,
            env={**run_git.PLAIN, **environment},
        )
        out, err = process.communicate(given)
        return run_git.GitResult(process.returncode, out, err)

    @cached_property
    def _library(self) -> git.Git:
        try:
            import git  # noqa: PLC0415 - 65 ms
        except ImportError as error:
            raise run_git.no_git() from error
        return git.Git(self.working)

    def read(self, blob: str, bound: FileBound = PAGE) -> bytes | None:
        """Read the bytes of a blob; None if this clone does not have it.

        :raises FileTooLarge: it is above the bound.
        """
        return self._blobs.read(blob, bound)

    def close(self) -> None:
        """End the two processes; the next question starts another one."""
        self._blobs.close()
        self.names.close()

    def resolve(self, name: str) -> str | None:
        """Give the id of a reference, a commit or `COMMIT:path`; None if it does not exist."""
        objects = [] if "\n" in name else self.names.find([name])
        if objects and objects[0]:
            return objects[0].id
        # A reference exists also if this clone lacks its object.
        if objects and not name.startswith("refs/"):
            return None
        status, said, _ = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return None if status else said

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` is `older` or descends from it; false if this clone lacks one of them."""
        return not self.run("merge-base", "--is-ancestor", older, newer)[0]

    def write_commit(
        self, files: Mapping[str, bytes], parent: str | None, message: str, env: Mapping[str, str]
    ) -> str:
        """Make a durable commit with these files alone, and give its id; no reference moves.

        :raises RepositoryError: Git cannot write.
        """
        listed = [
            f"100644 blob {self._write('hash-object', '-w', '--stdin', given=text, env=env)}\t{name}\n"
            for name, text in sorted(files.items())
        ]
        tree = self._write("mktree", given="".join(listed), env=env)
        parents = ("-p", parent) if parent else ()
        return self._write("commit-tree", tree, *parents, "-m", message, env=env)

    def move(self, name: str, new: str, old: str | None) -> str:
        """Move a reference, with `old` ("": there is none) only from there; give the error output, or ""."""
        expected = () if old is None else (old,)
        status, _, said = self.run(*_DURABLE, "update-ref", "-m", "pressync", name, new, *expected)
        return (said or f"git update-ref ended with {status}") if status else ""

    def remotes(self) -> frozenset[str]:
        """Give the names of the remotes that this clone knows."""
        return frozenset(run_git.rows(self._do("remote")))

    def setting(self, name: str, url: str = "") -> str | None:
        """Give the effective value of one Git setting, maybe that for an address; None if it is not set."""
        status, value, _ = self.run("config", *(("--get-urlmatch", name, url) if url else ("--get", name)))
        return None if status else value

    def configure(self, name: str, value: str) -> None:
        """Set one of this clone's own settings.

        :raises RepositoryError: Git refused.
        """
        self._do("config", "--local", name, value)

    def _write(self, *arguments: str, given: str | bytes = "", env: Mapping[str, str]) -> str:
        return self._do(*_DURABLE, *arguments, given=given, env=env)

    def _do(self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None) -> str:
        return output_of(arguments, self.run(*arguments, given=given, env=env))


class _Answering:
    """A running Git command that answers questions of one line, one after the other."""

    command: tuple[str, ...]

    def __init__(self, start: Callable[..., subprocess.Popen[bytes]]) -> None:
        self._start = start
        self._process: subprocess.Popen[bytes] | None = None
        # One process gives one answer at a time. The threads that upload files read beside the others.
        self._one_at_a_time = threading.Lock()

    def close(self) -> None:
        """End the process; the next question starts another one."""
        if self._process is not None:
            # Git ends by itself when its input is closed.
            self._process.communicate()
        self._process = None

    def _ask(self, *questions: str) -> IO[bytes] | None:
        """Ask, and give the stream of the answers; None if Git has ended."""
        self._process = self._process or self._start(*self.command)
        asked, answers = self._process.stdin, self._process.stdout
        if asked is None or answers is None:
            raise ValueError("Git was started without pipes")
        try:
            asked.write("".join(f"{question}\n" for question in questions).encode(errors="surrogateescape"))
            asked.flush()
        except OSError:
            # Git has ended, as it does in a partial clone where it cannot fetch a missing object.
            return None
        return answers


class ObjectNames(_Answering):
    """A running `git cat-file --batch-check`: one process finds the objects of any number of names."""

    command = FIND_OBJECTS

    def find(self, names: Sequence[str]) -> list[FoundObject | None]:
        """Find the object of each name, which has one line; None if this clone does not have it.

        The list ends early where Git does, as in a partial clone that cannot fetch a missing object.
        """
        objects: list[FoundObject | None] = []
        with self._one_at_a_time:
            try:
                for start in range(0, len(names), _AT_ONCE):
                    some = names[start : start + _AT_ONCE]
                    answers = self._ask(*some)
                    lines = [answers.readline() for _ in some] if answers else [b""]
                    objects += [found_object(line.decode(errors="surrogateescape")) for line in lines if line]
                    if not lines[-1]:
                        self.close()
                        break
            except BaseException:
                # The next name must not get an answer that nobody has read.
                self.close()
                raise
        return objects


class Blobs(_Answering):
    """A running `git cat-file --batch`: one process for any number of blobs, with SHA-1 or SHA-256.

    Git prints the size of a blob before its bytes. If the blob is too large, the process is ended and the
    next read starts another one, because that is cheaper than to read the bytes.
    """

    command = _READ_BLOBS

    def read(self, blob: str, bound: FileBound = PAGE) -> bytes | None:
        """Read the bytes of a blob; None if this clone does not have it.

        :raises FileTooLarge: it is above the bound.
        :raises RepositoryError: Git gives another answer, as after a read that an exception interrupted.
        """
        with self._one_at_a_time:
            answers = self._ask(blob if blob.isalnum() else "none")
            if answers is None:
                return None
            match answers.readline().split():
                case [] | [_, b"missing" | b"ambiguous"]:
                    return None
                case [_, b"commit" | b"tree" | b"tag", size]:
                    answers.read(int(size) + 1)
                    return None
                case [name, b"blob", size] if name == blob.encode():
                    try:
                        data = bound.take(answers.read, int(size))
                    except FileTooLarge:
                        if self._process:
                            self._process.kill()
                        self.close()
                        raise
                    if len(data) == int(size) and answers.read(1):
                        return data
        problem = f"Git was asked for the object {blob}, and gave another answer"
        raise RepositoryError(problem, todo="run the command again")


def found_object(line: str) -> FoundObject | None:
    """Parse a line of `FIND_OBJECTS`; Git repeats a name that it lacks, and a name may have a blank."""
    match line.rstrip("\n").rsplit(" ", 2):
        case [name, kind, size] if size.isdigit():
            return FoundObject(name, kind, int(size))
    return None


def output_of(arguments: Sequence[str], result: tuple[int, str, str], where: str = "") -> str:
    """Give the output of a Git command that must not fail; `result` has its exit code and both outputs.

    :raises RepositoryError: it failed.
    """
    status, output, said = result
    if status:
        command = next(word for word in arguments if not word.startswith("-") and "=" not in word)
        raise RepositoryError(f"git {command} failed: {complaint(said) or status}", where=where)
    return output


def complaint(output: str) -> str:
    """Tidy an error output of Git, and remove credentials from the addresses in it."""
    # A remote ends its lines with blanks, and ssh with a carriage return.
    return "\n".join(line.rstrip() for line in _CREDENTIALS.sub("", output.strip()).split("\n"))

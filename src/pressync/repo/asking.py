"""Git asked as a process: where a repository is, what a command says, and the bytes of blobs.

It must not know what is asked for. What decided its shape: a run with little to do asks Git a handful of
questions, and loading GitPython costs more than all of their answers (four times a `git status` of 10,000
files). So GitPython is loaded only where the simple question has no answer.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING

from pressync.errors import RepositoryError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A hook inherits these; they may be relative to the folder in which Git stood when it called the hook.
INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
# People read what Git complains about in our own sentences.
_PLAIN = {"LANGUAGE": "C", "LC_ALL": "C"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a repository is: its working tree (None if bare), its Git directory, what its trees share."""

    root: Path | None
    git: Path
    common: Path

    @property
    def working(self) -> Path:
        """The folder in which Git is asked."""
        return self.root or self.git


def find(directory: Path) -> Place:
    """Find the repository that holds a folder.

    :raises RepositoryError: there is none, or no Git.
    """
    question = ("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
    outside = {name: value for name, value in os.environ.items() if name not in INHERITED}
    try:
        done = subprocess.run(
            ["git", "-C", directory.absolute(), *question],
            env={**outside, **_PLAIN},
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise _no_git() from error
    if b"not a git repository" in done.stderr:
        # GitPython would look on, above what GIT_CEILING_DIRECTORIES names.
        raise _none_here(directory)
    # In a bare repository, and within a Git directory, there is no working tree to be named.
    rows = os.fsdecode(done.stdout).split("\n")
    if done.returncode or len(rows) != 4:  # noqa: PLR2004 - the three, and nothing behind the last
        return _find_otherwise(directory)
    root, git, common = map(Path, rows[:3])
    return Place(root, git, common.resolve())


def _find_otherwise(directory: Path) -> Place:
    import git  # noqa: PLC0415 - 50 ms

    try:
        # Expansion is off: a folder may have a dollar sign in its name.
        found = git.Repo(directory.absolute(), search_parent_directories=True, expand_vars=False)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
        raise _none_here(directory) from error
    top = found.working_tree_dir
    root = Path(top) if top is not None else None
    return Place(root, Path(found.git_dir), Path(found.common_dir).resolve())


class Asking:
    """Asks Git about one repository; `environment` is laid over this process's own in every question."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.environment: dict[str, str] = {}
        if any(name in os.environ for name in INHERITED):
            self.environment = {"GIT_DIR": str(place.git), "GIT_INDEX_FILE": str(place.git / "index")}
            if place.root:
                self.environment["GIT_WORK_TREE"] = str(place.root)

    def ask(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git: its exit code, what it says (without its last line break), what it complains about.

        :raises RepositoryError: there is no Git.
        """
        try:
            done = subprocess.run(
                self._command(arguments),
                input=given.encode(errors="surrogateescape"),
                env=self._environment(env),
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise _no_git() from error
        said, complaint = (each.decode(errors="surrogateescape") for each in (done.stdout, done.stderr))
        return done.returncode, said.removesuffix("\n"), complaint.strip()

    def blobs(self) -> Blobs:
        """Start to read blobs, of the object folders that Git is told of now."""
        try:
            process = subprocess.Popen(
                self._command(("cat-file", "--batch")),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                env=self._environment({}),
                # Of its own, because Ctrl-C at a terminal goes to everything that runs there, and the run
                # that is to end in good order still reads.
                start_new_session=True,
            )
        except OSError as error:
            raise _no_git() from error
        return Blobs(process)

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return ["git", "-C", str(self._place.working), "--literal-pathspecs", *arguments]

    def _environment(self, env: Mapping[str, str] | None) -> dict[str, str]:
        return {**os.environ, **_PLAIN, **self.environment, **(env or {})}


class Blobs:
    """A running `git cat-file --batch`: one process for any number of blobs, of SHA-1 and SHA-256 alike."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def read(self, blob: str) -> bytes | None:
        """Read the bytes of a blob; None if this clone does not have it."""
        asked, answers = self._process.stdin, self._process.stdout
        if asked is None or answers is None:
            raise ValueError("Git was started without pipes")
        try:
            asked.write(f"{blob if blob.isalnum() else 'none'}\n".encode())
            asked.flush()
        except OSError:
            # Git has ended, as it does in a partial clone where it cannot fetch what is missing.
            return None
        about = answers.readline().split()
        if len(about) != 3:  # noqa: PLR2004 - id, type and size; else the word "missing", or nothing
            return None
        return answers.read(int(about[2]) + 1)[:-1]

    def close(self) -> None:
        """End the process."""
        # It ends by itself when nobody can ask any more.
        self._process.communicate()

    def __del__(self) -> None:
        if self._process.poll() is None:
            self.close()


def _none_here(directory: Path) -> RepositoryError:
    return RepositoryError(
        "no Git repository here",
        where=str(directory.absolute()),
        todo="go to your repository, or name it with `-C`; a new one begins with `git init`",
    )


def _no_git() -> RepositoryError:
    return RepositoryError("there is no Git on this machine", todo="install it, or check PATH")

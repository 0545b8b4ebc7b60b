"""The repository of a folder, and the questions that need no open repository.

Every command and every hook begins here. A run with nothing to do can afford two calls of Git. So one call
asks Git for everything that finds a repository, and this module loads only the module that runs Git.

Git treats any folder with `HEAD`, `objects` and `refs` as a bare repository, and such a folder can be
committed. Git then runs the programs in its `config`. Git's own protection, `safe.bareRepository=explicit`,
would also refuse a server's bare repositories. Those are not in the index of another repository.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.model.bounds import FileBound

SETTINGS = "pressync.toml"
# Without the first option, `git status` would write to the index what it learns about the files.
STATUS = ("--no-optional-locks", "status", "--porcelain", "-z", "--untracked-files=all")

LS_TREE = ("ls-tree", "-r", "-z", "--full-tree")
# The id of a file without a byte, where Git names objects by SHA-1.
EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

_ABSOLUTE = ("rev-parse", "--path-format=absolute")
_SHARED = ("--git-dir", "--git-common-dir")
_VERIFY = ("rev-parse", "--verify", "--quiet")
_REGULAR = frozenset({"100644", "100755", "100664"})
_SYMLINK = "120000"
_PIECE = 1 << 16


class RepositoryPaths(NamedTuple):
    """The folders of a repository: working tree (None if bare), Git directory, directory that trees share.

    `commit` and `branch` are those of HEAD, where they were asked for. `branch` has its full name, and is
    "HEAD" if HEAD is detached.
    """

    root: Path | None
    git: Path
    common: Path
    commit: str = ""
    branch: str = ""

    @property
    def working(self) -> Path:
        """The folder in which Git runs."""
        return self.root or self.git


class ReadBlob(Protocol):
    """Reads a blob, unless it is above the bound."""

    def __call__(self, blob: str, bound: FileBound = ..., /) -> bytes:
        """Give its bytes.

        :raises FileTooLarge: it is above the bound.
        """


class ReadAtPath(Protocol):
    """Reads a blob that a tree has at a path, unless it is above the bound."""

    def __call__(self, path: str, blob: str, bound: FileBound = ..., /) -> bytes:
        """Give its bytes.

        :raises FileTooLarge: it is above the bound.
        """


def find(directory: Path) -> RepositoryPaths:
    """Find the repository of a folder.

    :raises RepositoryError: the folder is not in a repository, Git cannot answer, Git is not installed, or
        the repository was committed into another one.
    """
    return _found(directory.absolute())


@cache  # A folder stays in its repository while a process runs, and a command opens it up to three times.
def _found(directory: Path) -> RepositoryPaths:
    paths = _in_working_tree(directory)
    if paths is not None:
        return paths
    # In a bare repository, and within a Git directory, Git cannot name a working tree.
    git, common = (Path(_ask(directory, word)) for word in _SHARED)
    _refuse_committed(git, directory)
    root = _text(directory, *_ABSOLUTE, "--show-toplevel")
    # For a folder `.git`, the working tree is the one around it if both belong to one repository.
    around = _in_working_tree(git.parent) if not root and git.name == ".git" else None
    if around and around.git == git:
        return RepositoryPaths(around.root, git, common.resolve())
    return RepositoryPaths(Path(root) if root else None, git, common.resolve())


def at_head(directory: Path) -> RepositoryPaths | None:
    """Find the working tree of a folder and its HEAD with one call; None if there is no tree or no commit."""
    return _in_working_tree(directory, "HEAD", "--symbolic-full-name", "HEAD")


def _in_working_tree(directory: Path, *head: str) -> RepositoryPaths | None:
    output = _text(directory.absolute(), *_ABSOLUTE, "--show-toplevel", *_SHARED, *head)
    if not output:
        return None
    root, git, common, *answers = [*output.split("\n"), "", ""]
    # The name of a folder may contain a line break: then `find` asks each question by itself. If the Git
    # directory contains the folder, somebody may have committed it with a working tree in its settings.
    is_within = Path(os.path.realpath(directory)).is_relative_to(os.path.realpath(git))
    if is_within or not (git.startswith("/") and common.startswith("/")):
        return None
    commit, branch, *_ = answers
    return RepositoryPaths(Path(root), Path(git), Path(os.path.realpath(common)), commit, branch)


def _refuse_committed(git: Path, directory: Path) -> None:
    git, directory = git.resolve(), directory.resolve()
    # A folder of a work tree is not inside the Git directory, so nearly every run ends here.
    if not directory.is_relative_to(git):
        return
    outer = next((folder for folder in git.parents if (folder / ".git").exists()), None)
    if outer is not None and is_tracked(outer, git.relative_to(outer).as_posix()):
        from pressync.model.errors import RepositoryError  # noqa: PLC0415 - few runs fail

        raise RepositoryError(
            f"this repository was committed into the one at {outer}, and its settings can run programs",
            where=str(git),
            todo="go to a folder outside of it, or name one with `-C`",
        )


def settings_file(root: Path | None, named: Path | None = None) -> Path | None:
    """Name the file with the settings, whether it exists or not; None in a bare repository."""
    return named or (root / SETTINGS if root else None)


def is_inside_git_directory(directory: Path) -> bool:
    """Whether a folder is inside the Git directory of a repository with a working tree.

    :raises RepositoryError: it is not in a repository.
    """
    return _ask(directory, "--is-bare-repository", "--is-inside-git-dir").split() == ["false", "true"]


def prefix(directory: Path) -> str:
    """Give the path from the root to a folder, with a slash at its end; "" for the root itself.

    :raises RepositoryError: it is not in a repository.
    """
    return _ask(directory, "--show-prefix")


def commit(directory: Path, revision: str) -> str:
    """Give the commit of a revision; "" if there is none."""
    return _text(directory, *_VERIFY, "--end-of-options", f"{revision}^{{commit}}") or ""


def branch(directory: Path) -> str:
    """Give the full name of the reference that HEAD is on; "" if it is detached."""
    return _text(directory, "symbolic-ref", "-q", "HEAD") or ""


def setting(directory: Path, name: str) -> str:
    """Give the value of one Git setting; "" if it is not set."""
    return _text(directory, "config", name) or ""


def hooks_folder(directory: Path) -> Path:
    """Give the folder in which Git looks for hooks."""
    return Path(_text(directory, *_ABSOLUTE, "--git-path", "hooks") or directory / "hooks")


def trees(directory: Path, revision: str, names: Sequence[str]) -> list[str] | None:
    """Give one row for each of the files and folders in a commit, with its id; None without the commit."""
    listed = _text(directory, "ls-tree", "--full-tree", revision, "--", *names)
    return None if listed is None else [row for row in listed.split("\n") if row]


# `Repository.tree` holds a whole list in memory, which takes 200 MB for a million files. A caller that
# compares two sorted lists needs only the place where it is. So `pieces` gives the list in pieces, sorted by
# the bytes of the paths.


def pieces(directory: Path, commit: str) -> Iterator[str]:
    r"""Give the text of `git ls-tree` in pieces of whole rows, each row as `mode type id\tpath\0`.

    :raises RepositoryError: Git cannot list the commit.
    """
    from pressync.model.errors import RepositoryError  # noqa: PLC0415 - few runs fail
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    with run_git.start(*LS_TREE, commit, directory=directory) as git:
        held = b""
        while git.stdout and (piece := git.stdout.read(_PIECE)):
            held += piece
            end = held.rfind(b"\0") + 1
            if end:
                yield held[:end].decode(errors="surrogateescape")
                held = held[end:]
    if git.returncode or held:
        raise RepositoryError(f"git ls-tree of {commit} failed")


@contextmanager
def blobs(location: RepositoryPaths) -> Iterator[ReadBlob]:
    """Give a function that reads blobs with one process; it raises `RepositoryError` for a missing one."""
    from pressync.model.bounds import PAGE  # noqa: PLC0415 - a run with nothing to do reads no blob
    from pressync.model.errors import RepositoryError  # noqa: PLC0415 - the same
    from pressync.repo.port import Git  # noqa: PLC0415 - the same

    running = Git(location.working)

    def read(blob: str, bound: FileBound = PAGE) -> bytes:
        data = running.read(blob, bound)
        if data is None:
            raise RepositoryError(f"Git has no object {blob}")
        return data

    try:
        yield read
    finally:
        running.close()


def regular_file(row: str) -> tuple[str, str] | None:
    """Give path and blob of a row; None for a symbolic link or a submodule."""
    about, _, path = row.partition("\t")
    mode, _, blob = about.split(" ")
    return (path, blob) if mode in _REGULAR else None


def listed_files(output: str) -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    """Parse the output of `LS_TREE`: regular files and symbolic links as path -> blob, and submodules."""
    regular: dict[str, str] = {}
    symlinks: dict[str, str] = {}
    submodules: set[str] = set()
    for row in output.split("\0"):
        if row:
            # The mode has six digits, and a regular file is a `blob`.
            about, _, path = row.partition("\t")
            if about[:6] in _REGULAR:
                regular[path] = about[12:]
            elif about[:6] == _SYMLINK:
                symlinks[path] = about[12:]
            else:
                submodules.add(path)
    return regular, symlinks, frozenset(submodules)


def is_tracked(directory: Path, name: str) -> bool:
    """Whether the index has a file, or files below a folder."""
    return bool(_text(directory, "--literal-pathspecs", "ls-files", "-z", "--", name))


def files(root: Path) -> list[str]:
    """List the files of a working tree that Git has, and what somebody has just written."""
    listed = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    return [name for name in (_text(root, *listed) or "").split("\0") if name]


def committed(directory: Path, name: str, bound: FileBound) -> bytes | None:
    """Read a regular file of HEAD; None if HEAD does not have it.

    :raises FileTooLarge: it is above the bound.
    """
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    listed = run_git.run("ls-tree", "--long", "--full-tree", "HEAD", "--", name, directory=directory)
    about, _, _ = listed.text.partition("\t")
    # Modes of regular files begin with 100. A symbolic link has no target in a bare repository.
    if not about.startswith("100"):
        return None
    _, _, blob, size = about.split()
    bound.check(int(size))
    return run_git.run("cat-file", "blob", blob, directory=directory).out


def stages(file: Path, bound: FileBound) -> tuple[str, str, str] | None:
    """Read the three stages of a file that Git is merging; None if it is not among the unmerged.

    :raises FileTooLarge: one of them is above the bound.
    """
    names = [f":{stage}:./{file.name}" for stage in (1, 2, 3)]
    for name in names:
        bound.check(int(_text(file.parent, "cat-file", "-s", name) or 0), file.name)
    base, ours, theirs = (_text(file.parent, "show", name) for name in names)
    if ours is None or theirs is None:
        return None
    return base or "", ours, theirs


def descends_from_all(directory: Path, head: str, commits: Collection[str]) -> bool:
    """Whether a commit descends from all these commits; false if this clone lacks one of them."""
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    walk = "".join(f"{revision}\n" for revision in (*sorted(commits), f"^{head}"))
    walked = run_git.run("rev-list", "--max-count=1", "--stdin", directory=directory, given=walk.encode())
    return not (walked.status or walked.out)


def moves_of_head(directory: Path, most: int) -> list[tuple[str, str]]:
    """Give the last values of HEAD, the newest first, each with what Git did: `commit (amend): …`."""
    listed = _text(directory, "reflog", f"-{most}", "--format=%H %gs", "HEAD") or ""
    return [(commit, action) for commit, _, action in (row.partition(" ") for row in listed.split("\n"))]


def uncommitted(directory: Path, folders: Iterable[str]) -> tuple[list[str], list[str]]:
    """Give the files of folders that have uncommitted changes, and the untracked ones; "" is the root."""
    paths = (f":(top,literal){folder}" if folder else ":/" for folder in folders)
    return parted(_text(directory, *STATUS, "--", *paths) or "")


def parted(output: str) -> tuple[list[str], list[str]]:
    """Give the files with uncommitted changes and the untracked files in the output of `STATUS`."""
    changed, untracked = [], []
    rows = iter(output.split("\0"))
    for row in rows:
        if row.startswith("??"):
            untracked.append(row[3:])
        elif row:
            changed.append(row[3:])
            if "R" in row[:2] or "C" in row[:2]:
                next(rows)  # its old name
    return changed, untracked


def file_status(directory: Path, name: str) -> str:
    """Give Git's status of a file, `!! NAME` if it is ignored; "" if it is committed as it is."""
    asked = ("--no-optional-locks", "status", "--porcelain", "--ignored", "--untracked-files=all")
    return _text(directory, *asked, "--", f":(top,literal){name}") or ""


def outside(environ: Mapping[str, str]) -> dict[str, str]:
    """Give the environment without Git's variables for hooks: its repository, and the date of a commit."""
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    return {name: value for name, value in run_git.outside(environ).items() if name != "GIT_AUTHOR_DATE"}


def _text(directory: Path, *arguments: str) -> str | None:
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    return run_git.text(directory, *arguments)


def _ask(directory: Path, *question: str) -> str:
    from pressync.model.errors import RepositoryError  # noqa: PLC0415 - few runs fail
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    where = directory.absolute()
    result = run_git.run(*_ABSOLUTE, *question, directory=where)
    if result.status == 0:
        return result.text
    complaint = result.err.decode(errors="replace").strip()
    if "not a git repository" not in complaint and "cannot change to" not in complaint:
        raise RepositoryError(f"git rev-parse failed: {complaint}", where=str(where))
    raise RepositoryError(
        "this folder is not in a Git repository",
        where=str(where),
        todo="go to your repository, or name it with `-C`; `git init` makes a new one",
    )

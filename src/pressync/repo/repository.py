"""The Git repository: trees, blobs, uncommitted work, and the questions about its history.

Only this package runs Git, and it answers with values. Content is that of Git objects and never that of the
working tree, so that a bare repository, a hook and a sparse checkout all read the same bytes. A file is read
in the place of an object only if its digest proves that it has the same bytes.
Uncommitted work becomes a tree object too, only to be read once, so that `--worktree` is not a special case.
Reading a repository must not leave a trace in it. So a temporary folder has a copy of the index, and the new
objects.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Self

import msgspec

from pressync.model.bounds import PAGE, FileBound, FileTooLarge
from pressync.model.errors import RepositoryError
from pressync.repo import discover, run_git, work_tree
from pressync.repo.port import Git, output_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from tempfile import TemporaryDirectory

    from pressync.repo.history import History


# The references of a clone that keep texts of its sites, by the name of the site (`kept_takes`).
KEPT = "refs/pressync-kept"
_INDEX = "GIT_INDEX_FILE"
_OBJECTS = "GIT_OBJECT_DIRECTORY"
# A copied index must not share its rows with the original, and must not start a file watcher.
_COPIED_INDEX = ("-c", "core.splitIndex=false", "-c", "core.fsmonitor=false")


class Tree(msgspec.Struct, frozen=True):
    """One state of the repository: the commit it belongs to, its tree, its regular files and blobs.

    `id` names the tree for Git: an id, or a name that begins with the commit. `files` maps the path of every
    regular file to its blob id, and `symlinks` every symbolic link to its own. `committed` is false for
    uncommitted work. Where it was listed without a tree, `id` is "" and no filter of Git has any file. Then
    `edited` has the files that differ from the commit, `index` is the digest of Git's index, and `saved` has
    the files that may differ from that.
    """

    commit: str
    id: str
    files: dict[str, str]
    symlinks: Mapping[str, str] = {}
    submodules: frozenset[str] = frozenset()
    committed: bool = True
    edited: frozenset[str] | None = None
    index: str = ""
    saved: frozenset[str] = frozenset()

    def is_other(self, path: str) -> bool:
        """Whether a path is a symbolic link or a submodule."""
        return path in self.symlinks or path in self.submodules


class Repository:
    """A Git repository, with or without a working tree. Use it as a context manager: it holds processes."""

    def __init__(self, directory: Path) -> None:
        """Open the repository that holds `directory`.

        :raises RepositoryError: there is none.
        """
        paths = discover.find(directory)
        self.root = paths.root  # the top of the working tree; None in a bare repository
        # All work trees of this clone share this folder. Journal, lock and cache are below it.
        self.common_directory = paths.common
        # The folder that this work tree has for itself; in the main work tree, the common directory.
        self.git_directory = paths.git
        self.port = Git(paths.working)  # reads and writes objects, references and settings
        self.environment = self.port.environment  # added to this process's environment for Git
        self.names = self.port.names
        self._scratch: TemporaryDirectory[str] | None = None
        self._listed: Tree | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.port.close()
        if self._scratch:
            self._scratch.cleanup()

    @cached_property
    def shallow(self) -> bool:
        """Whether history was cut off when this clone was made."""
        # Git itself looks for this file, which all work trees share. A process costs each plan 3 ms.
        return (self.common_directory / "shallow").is_file()

    @cached_property
    def branch(self) -> str | None:
        """The branch that HEAD is on; None when HEAD is detached."""
        # Not `--short`: if a tag has the same name, Git then prints `heads/main`.
        status, name, _ = self.run_git("symbolic-ref", "-q", "HEAD")
        return None if status else name.removeprefix("refs/heads/")

    @property
    def rebasing(self) -> bool:
        """Whether a rebase was stopped in this work tree, as at a conflict."""
        return any((self.git_directory / name).is_dir() for name in ("rebase-merge", "rebase-apply"))

    def commit(self, revision: str = "HEAD") -> str:
        """Give the commit id of a revision.

        :raises RepositoryError: there is no such commit.
        """
        name = f"{revision}^{{commit}}"
        resolved = self.port.resolve(name)
        if resolved is not None:
            return resolved
        complaint = self.run_git("rev-parse", "--verify", "--quiet", "--end-of-options", name)[2]
        if complaint:
            raise RepositoryError(f"git rev-parse failed: {complaint}")
        if revision == "HEAD":
            raise self._without_a_commit()
        raise RepositoryError(f"there is no commit '{revision}'", todo="name a branch, a tag or a commit")

    def _without_a_commit(self) -> RepositoryError:
        """Say that HEAD does not name a commit, and name a branch that does."""
        # A clone checks nothing out if HEAD of the remote names a branch that is not there, often `master`.
        branch = self.output("for-each-ref", "--count=1", "--format=%(refname)", "refs/heads", "refs/remotes")
        if not branch:
            todo = "commit your content first; `pressync init` writes a first page"
            return RepositoryError("there is no commit yet", todo=todo)
        name = branch.split("/", 3 if branch.startswith("refs/remotes/") else 2)[-1]
        todo = f"commit your content first, or `git switch {quote(name)}`, which has commits"
        return RepositoryError(f"there is no commit on branch '{self.branch}'", todo=todo)

    def is_on_branch(self, revision: str, branch: str) -> bool:
        """Whether a revision is the tip of a local branch, or an ancestor of the tip.

        :raises RepositoryError: there is no such revision.
        """
        commit, tip = self.commit(revision), self.port.resolve(f"refs/heads/{branch}")
        return tip is not None and commit in self.history.ancestors([commit], tip)

    def is_tip_of(self, branch: str) -> bool:
        """Whether HEAD is the commit of a branch, as it is here or as the remote `origin` last had it."""
        head = self.port.resolve("HEAD")
        names = (f"refs/heads/{branch}", f"refs/remotes/origin/{branch}")
        return head is not None and head in map(self.port.resolve, names)

    def tree(self, commit: str) -> Tree:
        """List a commit's whole tree: links may lead to files outside of the content folder."""
        # A command asks for that of HEAD up to three times, and a large one takes a second each time.
        if self._listed is None or self._listed.commit != commit:
            self._listed = self._list(f"{commit}^{{tree}}", commit)
        return self._listed

    def require_root(self, todo: str, where: str = "") -> Path:
        """Give the root of the working tree; the error of a bare repository says what `todo`, and `where`.

        :raises RepositoryError: the repository is bare.
        """
        if self.root is None:
            raise RepositoryError("a bare repository does not have a working tree", todo=todo, where=where)
        return self.root

    def worktree(self, folders: Collection[str], *, merging: bool = False) -> Tree:
        """List the tree that a commit of everything below `folders` would have, untracked files included.

        The objects go to a scratch folder and the index is a copy, so the repository is not written to. With
        `merging`, a file in conflict counts as it is saved, with its marks.

        :raises RepositoryError: the repository is bare, or a merge in it is not finished.
        """
        root = self.require_root("leave `--worktree` out")
        env = self._scratch_environment()
        unmerged = self.output("ls-files", "-z", "--unmerged", env=env)
        if unmerged and not merging:
            raise RepositoryError("a merge is not finished", todo="resolve its conflicts and commit first")
        listed = ("ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard", "--")
        # The root is a dot.
        paths = (folder or "." for folder in sorted(folders))
        edited = self.output(*_COPIED_INDEX, *listed, *paths, env=env).split("\0")
        edited += [row.partition("\t")[2] for row in unmerged.split("\0")]
        files = "".join(f"{path}\0" for path in edited if path and not Path(root, path).is_dir())
        update = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
        self.output(*_COPIED_INDEX, *update, given=files, env=env)
        return self._list(self.output(*_COPIED_INDEX, "write-tree", env=env))

    def staged(self) -> Tree:
        """List the tree of the next commit: the staged files, or the index that Git names to a hook.

        :raises RepositoryError: the repository is bare, or a merge in it is not finished.
        """
        env = self._scratch_environment()
        # In a hook of `git commit FILE`, Git names an index for this commit alone, by a path from where it
        # runs.
        if _INDEX in os.environ:
            env[_INDEX] = str(Path(os.environ[_INDEX]).absolute())
        return self._list(self.output("write-tree", env=env))

    def read(self, blob: str, bound: FileBound = PAGE, where: str = "") -> bytes:
        """Read the bytes of a blob; `where` names it in messages.

        :raises FileTooLarge: it is above the bound; its bytes were not read.
        :raises RepositoryError: this clone does not have it.
        """
        if blob == discover.EMPTY_BLOB:
            # A tree may name it although no commit has it: pressync gives such pages to folders.
            return b""
        try:
            data = self.port.read(blob, bound)
        except FileTooLarge as error:
            raise FileTooLarge(error.what, where=where, todo=error.todo) from error
        if data is None:
            raise RepositoryError(f"Git has no object {blob}", todo="fetch the repository anew")
        return data

    def read_file(self, path: str, blob: str, bound: FileBound = PAGE) -> bytes:
        """Read a blob that a tree has at a path: from the work tree, if its file has the same bytes.

        The id of the blob is the digest of its bytes, so no filter, link or edit of the file is believed.

        :raises FileTooLarge: it is above the bound; its bytes were not read.
        :raises RepositoryError: this clone does not have it.
        """
        saved = work_tree.read_blob(self.root, path, blob, bound) if self.root else None
        return self.read(blob, bound) if saved is None else saved

    def text(self, blob: str, bound: FileBound = PAGE) -> str | None:
        """Read a blob as text; None if this clone does not have it, it is too large, or the id is empty."""
        data = self.data(blob, bound)
        return None if data is None else data.decode(errors="replace")

    def data(self, blob: str, bound: FileBound = PAGE) -> bytes | None:
        """Read a blob as `read` does, but give None where `text` does."""
        try:
            return self.read(blob, bound) if blob else None
        except RepositoryError:
            return None

    def blob_at(self, tree: Tree, path: str, bound: FileBound = PAGE) -> bytes | None:
        """Read the bytes of one file of a tree, as `read` does; None if the tree does not have it."""
        blob = tree.files.get(path)
        return None if blob is None else self.read(blob, bound, path)

    @cached_property
    def history(self) -> History:
        """The questions about the past: paths, blobs, patches and commits."""
        from pressync.repo.history import History  # noqa: PLC0415 - a run that only compares does not need it

        return History(self)

    def offline(self, seconds: float) -> History:
        """Give the same questions, which then do not use the network and together take so long at most."""
        from pressync.repo.history import History  # noqa: PLC0415 - the same

        return History(self, seconds)

    def uncommitted(self, folders: Collection[str]) -> tuple[list[str], list[str]]:
        """Give the files below `folders` that have uncommitted changes, and the untracked ones."""
        return discover.uncommitted(self.root, folders) if self.root else ([], [])

    def changed_files(self, older: str, newer: str) -> list[str]:
        """Give the paths that differ between two trees, or commits."""
        listed = self.output("diff-tree", "-r", "-z", "--name-only", "--no-renames", older, newer)
        return [path for path in listed.split("\0") if path]

    def filtered(self, paths: Iterable[str]) -> dict[str, str]:
        """Give the attribute that makes Git store another text than each of these paths has, if any does."""
        asked = "".join(f"{path}\0" for path in paths)
        words = self.output("check-attr", "-z", "--stdin", "filter", "ident", given=asked).split("\0")
        rows = zip(words[::3], words[1::3], words[2::3], strict=False)
        # A filter has a name, and `ident` has none.
        said = {"filter": "filter '{}'", "ident": "attribute 'ident'"}
        nothing = {"filter": {"unspecified", "unset", "set"}, "ident": {"unspecified", "unset"}}
        return {path: said[name].format(value) for path, name, value in rows if value not in nothing[name]}

    def edited(self, paths: Collection[str]) -> frozenset[str]:
        """Give the files at or below these paths that have uncommitted changes, and the untracked ones."""
        rows = self.run_git(*discover.STATUS, "--no-renames", "--", *paths)[1]
        return frozenset(row[3:] for row in rows.split("\0"))

    def store(self, data: bytes) -> str:
        """Write a blob as `git add` would, and give its id. Without a tree, Git drops it after two weeks."""
        text, env = data.decode(errors="surrogateescape"), run_git.without_scratch_objects()
        return self.output("hash-object", "-w", "--stdin", "--no-filters", given=text, env=env)

    def fetch(self, remote: str, seconds: float) -> None:
        """Fetch from a remote, and ask nobody for a password; whether it succeeded is not told.

        :raises OutOfTime: it took longer than `seconds`.
        """
        self.run_git("fetch", "--quiet", remote, env={"GIT_TERMINAL_PROMPT": "0"}, seconds=seconds)

    def was_fetched_after(self, commit: str) -> bool:
        """Whether this clone has fetched since a commit was made."""
        file = Path(self.run_git("rev-parse", "--path-format=absolute", "--git-path", "FETCH_HEAD")[1])
        try:
            return file.stat().st_mtime > self.history.seconds(commit)
        except (OSError, RepositoryError):
            return False

    def run_git(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None, seconds: float = 0.0
    ) -> tuple[int, str, str]:
        """Run Git and give its exit code, its output and its error output; only this package may call it.

        :raises RepositoryError: Git is not installed, or took longer than `seconds` (0: no limit).
        """
        return self.port.run(*arguments, given=given, env=env, seconds=seconds)

    def output(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None, where: str = ""
    ) -> str:
        """Run Git as `run_git` does, and give its output; `where` is the place in messages.

        :raises RepositoryError: Git failed.
        """
        return output_of(arguments, self.run_git(*arguments, given=given, env=env), where)

    def _scratch_environment(self) -> dict[str, str]:
        """Make an environment in which Git writes to a scratch folder; all readers see the new objects."""
        import shutil  # noqa: PLC0415 - the same
        import tempfile  # noqa: PLC0415 - 4 ms, and a run that reads commits does not need it

        self._scratch = self._scratch or tempfile.TemporaryDirectory(prefix="pressync-")
        copied, made = (Path(self._scratch.name, name) for name in ("index", "objects"))
        made.mkdir(exist_ok=True)
        index = self.git_directory / "index"
        # While Git receives a push, this variable names a folder for the new objects alone.
        objects = self.port.working / os.environ.get(_OBJECTS, self.common_directory / "objects")
        if index.exists():
            # `copy2` keeps the time of the index: Git reads files again that are not older than the index.
            shutil.copy2(index, copied)
        self.environment |= run_git.with_objects_of(made)
        # A running reader knows only the object folders that it was started with.
        self.port.close()
        return {_INDEX: str(copied), _OBJECTS: str(made), **run_git.with_objects_of(objects)}

    def _list(self, tree: str, commit: str = "") -> Tree:
        regular, symlinks, submodules = discover.listed_files(self.output(*discover.LS_TREE, tree))
        # Before the first commit, uncommitted work is based on none.
        base = commit or self.port.resolve("HEAD") or ""
        return Tree(base, tree, regular, symlinks, submodules, committed=bool(commit))

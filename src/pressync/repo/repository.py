"""The Git repository: trees, blobs, renames, removals, uncommitted work. Git is asked in this house alone.

It must not know Markdown, sites or manifests. What decided its shape: content is read from Git's
objects, never from the working tree, so that a bare repository, a hook and a sparse checkout all read
the same bytes; `--worktree` makes a tree object of the working tree, in an object folder of its own,
and is then the same case.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pressync.model.errors import RepositoryError
from pressync.repo import discover, parse, scratch_objects
from pressync.repo.process import GitProcess
from pressync.repo.scratch_objects import ScratchObjects

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.repo.parse import Departures
    from pressync.repo.port import GitPort

# Up to this many paths Git finds the few commits that touch them; for more it is quicker to look at all.
_FEW = 100
_COMMITTED = "GIT_INDEX_FILE"


@dataclass(frozen=True, slots=True)
class Tree:
    """One state of the repository: the commit it belongs to, its tree, its regular files and blobs.

    `id` is what Git takes for its tree: an id, or for a commit's the name by that commit.
    `files` maps every regular file's path to its blob id; symbolic links and submodules are in `others`.
    `committed` is false for a working tree.
    """

    commit: str
    id: str
    files: dict[str, str]
    others: frozenset[str]
    committed: bool = True


class Repository:
    """A Git repository, with or without a working tree. Use as a context manager: it holds processes."""

    def __init__(self, directory: Path) -> None:
        """Open the repository that holds `directory`.

        :raises RepositoryError: there is none.
        """
        self._place = discover.find(directory)
        self._git = GitProcess(self._place)
        self.environment = self._git.environment  # what Git gets beside that of this process
        self._aside: ScratchObjects | None = None
        self._port: GitPort | None = None
        self._work = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_reading()
        if self._aside:
            self._aside.remove()

    @property
    def root(self) -> Path | None:
        """The top of the working tree; None in a bare repository."""
        return self._place.root

    @property
    def common_directory(self) -> Path:
        """The folder that all work trees of this clone share: journal, lock and cache live below it."""
        return self._place.common

    @property
    def port(self) -> GitPort:
        """The implementation that reads and writes objects, references and settings now."""
        from pressync.repo import port  # noqa: PLC0415 - what only compares reads nothing

        self._port = self._port or port.choose(self._git, self._work, has_work=bool(self._work))
        return self._port

    def begin_work(self, blob: str) -> None:
        """Note that this run reads documents, so that GitPython pays; `blob` is the id of one of them."""
        if not self._work and blob:
            self._stop_reading()
            self._work = blob

    @cached_property
    def shallow(self) -> bool:
        """Whether history was cut off when this clone was made."""
        return self._run("rev-parse", "--is-shallow-repository") == "true"

    @cached_property
    def branch(self) -> str | None:
        """The branch that HEAD is on; None when HEAD is detached."""
        # Not `--short`: beside a tag of the same name it says `heads/main`.
        status, said, _ = self.ask("symbolic-ref", "-q", "HEAD")
        return None if status else said.removeprefix("refs/heads/")

    def commit(self, revision: str = "HEAD") -> str:
        """Give the commit id of a revision.

        :raises RepositoryError: there is no such commit.
        """
        status, said, complaint = self.ask(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )
        if not status:
            return said
        if complaint:
            raise RepositoryError(f"git rev-parse failed: {complaint}")
        if revision == "HEAD":
            todo = "commit your content first; `pressync init` writes a first page"
            raise RepositoryError("there is no commit yet", todo=todo)
        raise RepositoryError(f"there is no commit '{revision}'", todo="name a branch, a tag or a commit")

    def is_on_branch(self, revision: str, branch: str) -> bool:
        """Tell whether a revision is the tip of a local branch, or one that it descends from.

        :raises RepositoryError: there is no such revision.
        """
        commit = self.commit(revision)
        status, tip, _ = self.ask("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
        return not status and commit in self.ancestors([commit], tip)

    def tree(self, commit: str) -> Tree:
        """List a commit's tree, whole: links may lead to files outside of the content folder."""
        return self._list(commit, f"{commit}^{{tree}}", committed=True)

    def worktree(self, folders: Collection[str]) -> Tree:
        """List the tree that a commit of all below `folders` would have, untracked files included.

        Its objects go to a temporary folder and its index is a copy: the repository is not written to.

        :raises RepositoryError: the repository is bare, or a merge in it is not finished.
        """
        if self.root is None:
            raise RepositoryError("a bare repository has no working tree", todo="leave `--worktree` out")
        beside = self._writing_aside()
        if self._run("ls-files", "-z", "--unmerged", env=beside):
            raise RepositoryError("a merge is not finished", todo="resolve its conflicts and commit first")
        edited = self._run(
            *scratch_objects.OPTIONS, "ls-files", "-z", "--modified", "--deleted", "--others",
            "--exclude-standard", "--", *_below(folders), env=beside,
        ).split("\0")  # fmt: skip
        files = "".join(f"{path}\0" for path in edited if path and not Path(self.root, path).is_dir())
        update = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
        self._run(*scratch_objects.OPTIONS, *update, given=files, env=beside)
        return self._list(
            self.commit(), self._run(*scratch_objects.OPTIONS, "write-tree", env=beside), committed=False
        )

    def staged(self) -> Tree:
        """List the tree that the next commit has: what is staged, or what Git tells a hook that it commits.

        :raises RepositoryError: the repository is bare, or a merge in it is not finished.
        """
        beside = self._writing_aside()
        # In a hook of `git commit FILE` it is an index for this commit alone, named from where Git stands.
        if _COMMITTED in os.environ:
            beside = {**beside, _COMMITTED: str(Path(os.environ[_COMMITTED]).absolute())}
        head = self.ask("rev-parse", "--verify", "--quiet", "HEAD")[1]
        return self._list(head, self._run("write-tree", env=beside), committed=False)

    def read(self, blob: str) -> bytes:
        """Read the bytes of a blob.

        :raises RepositoryError: this clone does not have it.
        """
        data = self.port.read(blob)
        if data is None:
            raise RepositoryError(f"Git has no object {blob}", todo="fetch the repository anew")
        return data

    def text(self, blob: str) -> str | None:
        """Read a blob as text; None when this clone does not have it, or the id is empty."""
        try:
            return self.read(blob).decode(errors="replace") if blob else None
        except RepositoryError:
            return None

    def blob_at(self, tree: Tree, path: str) -> bytes | None:
        """Read the bytes of one file of a tree; None when it is not there."""
        blob = tree.files.get(path)
        return None if blob is None else self.read(blob)

    def known(self, commits: Iterable[str]) -> frozenset[str]:
        """Name those of the commits that this clone has."""
        wanted = frozenset(commits)
        if not wanted:
            return wanted
        said = self._run("cat-file", "--batch-check=%(objectname) %(objecttype)", given=_lines(wanted))
        return wanted & {line.split()[0] for line in said.splitlines() if line.endswith(" commit")}

    def ancestors(self, commits: Iterable[str], head: str) -> frozenset[str]:
        """Name those of the (known) commits that `head` is shown to descend from, or to be."""
        wanted = frozenset(commits)
        if not wanted:
            return frozenset()
        others = self._run("rev-list", "--stdin", given=_lines([*wanted, f"^{head}"]))
        return wanted - frozenset(others.splitlines())

    def non_ancestors(self, commits: Iterable[str], head: str) -> frozenset[str]:
        """Name those of the (known) commits that `head` does not descend from; in a shallow clone, none.

        Where history is cut off, a commit beside it looks like one below the cut.
        """
        if self.shallow:
            return frozenset()
        commits = frozenset(commits)
        return commits - self.ancestors(commits, head)

    def departures_between(self, older: str, newer: Tree) -> Departures:
        """Compare a known commit with a tree: what was renamed and removed between the two."""
        return parse.departures(self._run(*parse.DIFF_TREE, older, newer.id))

    def last_departures(self, paths: Collection[str], head: str) -> Departures:
        """Tell how each of the paths was last renamed or removed in the history of `head`, if it was."""
        limits = ["--", *sorted(paths)] if len(paths) <= _FEW else []
        # Whole history: simplified, a merge with a branch that never had the file hides its removal.
        walk = ("rev-list", "--topo-order", "--full-history", "--stdin")
        listed = self._run(*walk, given=_lines([head, *limits]))
        # Combined, a merge shows only what it did itself; against one parent it shows the other side's work.
        said = self._run(*parse.DIFF_TREE, "--stdin", "-c", given=f"{listed}\n")
        found = parse.departures(said)
        return replace(found, renamed=_only(paths, found.renamed), removed=_only(paths, found.removed))

    def uncommitted(self, folders: Collection[str]) -> tuple[int, int]:
        """Count the files below `folders` that have uncommitted changes, and the untracked ones."""
        if self.root is None:
            return 0, 0
        return parse.uncommitted(self._run(*parse.STATUS, "--", *_below(folders)))

    def commit_file(self, path: Path, message: str) -> str | None:
        """Commit one file of the working tree, and nothing else; None when it has no change.

        :raises RepositoryError: Git refused, for instance because no author is configured.
        """
        from pressync.repo import single_commit  # noqa: PLC0415 - few runs commit

        return (
            self.commit()
            if path.exists() and single_commit.commit(self.ask, self._run, path, message)
            else None
        )

    def store(self, data: bytes) -> str:
        """Write a blob that no tree has yet, as `git add` would; its id. Git lets it go after two weeks."""
        text = data.decode(errors="surrogateescape")
        return self._run(
            "hash-object",
            "-w",
            "--stdin",
            "--no-filters",
            given=text,
            env=scratch_objects.without_scratch_objects(),
        )

    def ask(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None, seconds: float = 0.0
    ) -> tuple[int, str, str]:
        """Run Git: its exit code, what it says and what it complains about.

        :raises RepositoryError: there is no Git, or it took longer than `seconds` (0: any time).
        """
        if seconds or not self._work:
            return self._git.run(*arguments, given=given, env=env, seconds=seconds)
        return self.port.ask(*arguments, given=given, env=env)

    def _writing_aside(self) -> dict[str, str]:
        """Make an environment in which Git writes beside the repository; every reader sees what it wrote."""
        self._aside = self._aside or ScratchObjects()
        index = self._run("rev-parse", "--path-format=absolute", "--git-path", "index")
        objects = self._run("rev-parse", "--path-format=absolute", "--git-path", "objects")
        self._git.environment |= self._aside.reading()
        # The one that runs knows only the object folders that it was started with.
        self._stop_reading()
        return self._aside.writing(Path(index), Path(objects))

    def _list(self, commit: str, tree: str, *, committed: bool) -> Tree:
        regular, others = parse.files(self._run(*parse.LS_TREE, tree))
        return Tree(commit, tree, regular, others, committed)

    def _run(self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None) -> str:
        status, said, complaint = self.ask(*arguments, given=given, env=env)
        if status:
            command = next(word for word in arguments if not word.startswith("-") and "=" not in word)
            raise RepositoryError(f"git {command} failed: {complaint or status}")
        return said

    def _stop_reading(self) -> None:
        if self._port:
            self._port.close()
        self._port = None


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def _below(folders: Collection[str]) -> list[str]:
    return [folder or "." for folder in sorted(folders)]


def _only(paths: Collection[str], found: Mapping[str, str]) -> dict[str, str]:
    return {path: found[path] for path in paths if path in found}

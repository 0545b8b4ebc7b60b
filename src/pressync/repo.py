"""The Git repository: trees, blobs, renames, removals, uncommitted work. GitPython lives here alone.

It must not know Markdown, sites or manifests. What decided its shape: content is read from Git's
objects, never from the working tree, so that a bare repository, a hook and a sparse checkout all read
the same bytes; `--worktree` makes a tree object of the working tree, in an object folder of its own,
and is then the same case.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import git

from pressync.errors import RepositoryError

if TYPE_CHECKING:
    from types import TracebackType

_REGULAR = frozenset({"100644", "100755", "100664"})
# Git gives up on inexact renames above this many candidates on a side; the default of 1,000 is low for a
# site whose folders were reorganised, and the whole matrix of 4,000 still takes seconds only.
_DEPARTURES = ("-r", "-z", "--raw", "--no-abbrev", "-M", "-l4000", "--diff-filter=DR")
# Up to this many paths Git finds the few commits that touch them; for more it is quicker to look at all.
_FEW = 100
# A hook inherits these; they may be relative to the folder in which Git stood when it called the hook.
_INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
_ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
# A copied index must write nothing into the repository and start no daemon there.
_ASIDE = ("-c", "core.splitIndex=false", "-c", "core.fsmonitor=false")


@dataclass(frozen=True, slots=True)
class Tree:
    """One state of the repository: the commit it belongs to, its tree, its regular files and blobs.

    `files` maps every regular file's path to its blob id; symbolic links and submodules are in `others`.
    `committed` is false for a working tree.
    """

    commit: str
    id: str
    files: dict[str, str]
    others: frozenset[str]
    committed: bool = True


@dataclass(frozen=True, slots=True)
class Passage:
    """How files left their paths: old path -> new path, and removed path -> the blob that was removed."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, str] = field(default_factory=dict)


class Repository:
    """A Git repository, with or without a working tree. Use as a context manager: it holds processes."""

    def __init__(self, directory: Path) -> None:
        """Open the repository that holds `directory`.

        :raises RepositoryError: there is none.
        """
        try:
            # Expansion is off: a folder may have a dollar sign in its name.
            self._git = git.Repo(directory.absolute(), search_parent_directories=True, expand_vars=False)
        except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
            raise RepositoryError(
                "no Git repository here",
                where=str(directory),
                todo="run `git init` and commit your content first",
            ) from error
        if any(name in os.environ for name in _INHERITED):
            self._git.git.update_environment(**self._place())
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._git.close()
        if self._scratch:
            self._scratch.cleanup()

    @property
    def root(self) -> Path | None:
        """The top of the working tree; None in a bare repository."""
        top = self._git.working_tree_dir
        return Path(top) if top is not None else None

    @cached_property
    def common_directory(self) -> Path:
        """The folder that all work trees of this clone share: journal, lock and cache live below it."""
        return Path(self._git.common_dir).resolve()

    @cached_property
    def shallow(self) -> bool:
        """Whether history was cut off when this clone was made."""
        return self._run("rev-parse", "--is-shallow-repository") == "true"

    @cached_property
    def branch(self) -> str | None:
        """The branch that HEAD is on; None when HEAD is detached."""
        # Not `--short`: beside a tag of the same name it says `heads/main`.
        status, said, _ = self._ask("symbolic-ref", "-q", "HEAD")
        return None if status else said.removeprefix("refs/heads/")

    def commit(self, revision: str = "HEAD") -> str:
        """The commit id of a revision.

        :raises RepositoryError: there is no such commit.
        """
        status, said, complaint = self._ask(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )
        if not status:
            return said
        if complaint:
            raise RepositoryError(f"git rev-parse failed: {complaint}")
        todo = "commit your content first" if revision == "HEAD" else "name a branch, a tag or a commit"
        raise RepositoryError(f"there is no commit '{revision}'", todo=todo)

    def tree(self, commit: str) -> Tree:
        """The committed tree, whole: paths outside the content folder tell links to files from broken ones."""
        return self._list(commit, self._run("rev-parse", f"{commit}^{{tree}}"), committed=True)

    def worktree(self, folders: Collection[str]) -> Tree:
        """The tree that a commit of everything below `folders` would have, untracked files included.

        Its objects go to a temporary folder and its index is a copy: the repository is not written to.

        :raises RepositoryError: the repository is bare, or a merge in it is not finished.
        """
        if self.root is None:
            raise RepositoryError("a bare repository has no working tree", todo="leave `--worktree` out")
        aside = self._aside()
        if self._run("ls-files", "-z", "--unmerged", env=aside):
            raise RepositoryError(
                "a merge is not finished", todo="resolve its conflicts, or leave `--worktree` out"
            )
        edited = self._run(
            *_ASIDE, "ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard",
            "--", *_below(folders), env=aside,
        ).split("\0")  # fmt: skip
        # What ends with a slash is another repository inside this one: its files are not ours.
        files = "".join(f"{path}\0" for path in edited if path and not path.endswith("/"))
        self._run(
            *_ASIDE, "update-index", "-z", "--add", "--remove", "--replace", "--stdin", given=files, env=aside
        )
        tree = self._run(*_ASIDE, "write-tree", env=aside)
        return self._list(self.commit(), tree, committed=False)

    def read(self, blob: str) -> bytes:
        """The bytes of a blob.

        :raises RepositoryError: this clone does not have it.
        """
        try:
            data: bytes = self._git.git.get_object_data(blob)[3]
        except ValueError as error:
            raise RepositoryError(f"Git has no object {blob}", todo="fetch the repository anew") from error
        return data

    def text(self, blob: str) -> str | None:
        """A blob as text, the empty blob id being no text; None when this clone does not have it."""
        try:
            return self.read(blob).decode(errors="replace") if blob else None
        except RepositoryError:
            return None

    def blob_at(self, tree: Tree, path: str) -> bytes | None:
        """The bytes of one file of a tree; None when it is not there."""
        blob = tree.files.get(path)
        return None if blob is None else self.read(blob)

    def known(self, commits: Iterable[str]) -> frozenset[str]:
        """Those of the commits that this clone has."""
        wanted = sorted(set(commits))
        if not wanted:
            return frozenset()
        said = self._run("cat-file", "--batch-check=%(objectname) %(objecttype)", given=_lines(wanted))
        found = {line.split()[0] for line in said.splitlines() if line.endswith(" commit")}
        return found & frozenset(wanted)

    def behind(self, commits: Iterable[str], head: str) -> frozenset[str]:
        """Those of the (known) commits that `head` is shown to descend from, or to be."""
        wanted = frozenset(commits)
        if not wanted:
            return wanted
        return wanted - set(self._run("rev-list", "--stdin", given=_lines([*wanted, f"^{head}"])).splitlines())

    def strays(self, commits: Iterable[str], head: str) -> frozenset[str]:
        """Those of the (known) commits that `head` does not descend from; where history is cut off, none.

        A shallow clone cannot tell a commit beside the history of `head` from one below the cut.
        """
        commits = frozenset(commits)
        return frozenset() if self.shallow else commits - self.behind(commits, head)

    def passage(self, older: str, newer: Tree) -> Passage:
        """What was renamed and removed between a known commit and a tree, by comparing the two."""
        return _departures(self._run("diff-tree", *_DEPARTURES, older, newer.id))

    def departures(self, paths: Collection[str], head: str) -> Passage:
        """How each of the paths was last renamed or removed in the history of `head`, where it was."""
        limits = ["--", *sorted(paths)] if len(paths) <= _FEW else []
        # Whole history: simplified, a merge with a branch that never had the file hides its removal.
        listed = self._run(
            "rev-list", "--topo-order", "--full-history", "--stdin", given=_lines([head, *limits])
        )
        # Combined, a merge shows only what it did itself; against one parent it shows the other side's work.
        said = self._run("diff-tree", "--stdin", "-c", *_DEPARTURES, given=f"{listed}\n")
        found = _departures(said)
        return Passage(
            {path: target for path, target in found.renamed.items() if path in paths},
            {path: blob for path, blob in found.removed.items() if path in paths},
        )

    def uncommitted(self, folders: Collection[str]) -> tuple[int, int]:
        """How many files below `folders` have uncommitted changes, and how many are untracked."""
        if self.root is None:
            return 0, 0
        status = self._run(
            "--no-optional-locks", "status", "--porcelain", "-z", "--untracked-files=all", "--", *_below(folders)
        )
        changed = untracked = 0
        lines = iter(status.split("\0"))
        for line in lines:
            if line.startswith("??"):
                untracked += 1
            elif line:
                changed += 1
                if "R" in line[:2] or "C" in line[:2]:
                    next(lines)  # the name that it had before
        return changed, untracked

    def commit_file(self, path: Path, message: str) -> str | None:
        """Commit one file of the working tree, and nothing else; None when it has no change.

        :raises RepositoryError: Git refused, for instance because no author is configured.
        """
        if not path.exists():
            return None
        # Never with `worktree`'s temporary objects in sight: Git would not write again what it finds there.
        own = {_ALTERNATES: os.environ.get(_ALTERNATES, "")}
        name = str(path)
        self._run("add", "--force", "--", name, env=own)
        if not self._run("status", "--porcelain", "--", name, env=own):
            return None
        self._run("commit", "--quiet", "--only", "--no-verify", "-m", message, "--", name, env=own)
        return self.commit()

    def _place(self) -> dict[str, str]:
        place = {"GIT_DIR": str(self._git.git_dir), "GIT_INDEX_FILE": str(Path(self._git.git_dir, "index"))}
        return {**place, "GIT_WORK_TREE": str(self.root)} if self.root else place

    def _aside(self) -> dict[str, str]:
        """An environment for Git in which index and new objects are temporary; all may read the objects."""
        self._scratch = self._scratch or tempfile.TemporaryDirectory(prefix="pressync-")
        copy, objects = Path(self._scratch.name, "index"), Path(self._scratch.name, "objects")
        objects.mkdir(exist_ok=True)
        index = Path(self._run("rev-parse", "--path-format=absolute", "--git-path", "index"))
        if index.exists():
            # With its time: Git looks again at files that are no older than their index.
            shutil.copy2(index, copy)
        theirs = self._run("rev-parse", "--path-format=absolute", "--git-path", "objects")
        others = os.environ.get(_ALTERNATES, "")
        self._git.git.update_environment(**{_ALTERNATES: f"{_quoted(objects)}:{others}"})
        # A running `cat-file` knows only the object folders that it was started with.
        self._git.git.clear_cache()
        return {
            "GIT_INDEX_FILE": str(copy),
            "GIT_OBJECT_DIRECTORY": str(objects),
            _ALTERNATES: f"{_quoted(Path(theirs))}:{others}",
        }

    def _list(self, commit: str, tree: str, *, committed: bool) -> Tree:
        files: dict[str, str] = {}
        others: set[str] = set()
        for row in self._run("ls-tree", "-r", "-z", "--full-tree", tree).split("\0"):
            if row:
                about, _, path = row.partition("\t")
                mode, _, blob = about.split(" ")
                if mode in _REGULAR:
                    files[path] = blob
                else:
                    others.add(path)
        return Tree(commit, tree, files, frozenset(others), committed)

    def _run(self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None) -> str:
        status, said, complaint = self._ask(*arguments, given=given, env=env)
        if status:
            command = next(word for word in arguments if not word.startswith("-") and "=" not in word)
            raise RepositoryError(f"git {command} failed: {complaint or f'it ended with {status}'}")
        return said

    def _ask(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git: its exit code, what it says and what it complains about. Names are never patterns."""
        try:
            with tempfile.TemporaryFile() as file:
                file.write(given.encode(errors="surrogateescape"))
                file.seek(0)
                status, said, complaint = self._git.git.execute(
                    ["git", "--literal-pathspecs", *arguments],
                    istream=file,
                    env=env,
                    with_extended_output=True,
                    with_exceptions=False,
                )
        except git.GitCommandNotFound as error:
            raise RepositoryError("there is no Git on this machine", todo="install it, or check PATH") from error
        return int(status), str(said), str(complaint).strip()


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def _below(folders: Collection[str]) -> list[str]:
    return [folder or "." for folder in sorted(folders)]


def _quoted(folder: Path) -> str:
    """A folder as Git's list of object folders takes it, where a colon would end a bare name."""
    escaped = str(folder).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _departures(said: str) -> Passage:
    """Read what `diff-tree` says, newest first: of several departures of one path, the first counts."""
    passage = Passage({}, {})
    renamed: dict[str, str] = {}
    removed: dict[str, str] = {}
    words = iter(said.split("\0"))
    for word in words:
        if not word.startswith(":"):
            continue  # the id of the commit whose changes follow
        *about, status = word.split(" ")
        path = next(words)
        # As many colons as parents; a removal in a merge counts only if all of them had the file.
        parents = word.count(":", 0, word.index(about[0].lstrip(":")))
        target = next(words) if status.startswith("R") and parents == 1 else None
        if path in renamed or path in removed:
            continue
        if target is not None:
            renamed[path] = target
        elif set(status) == {"D"}:
            removed[path] = about[parents + 1]
    return Passage(renamed, removed)

"""A commit of one file and nothing else, whatever is staged and whatever Git is in the middle of.

It must not push. What decided its shape: `git commit --only` is right nearly always, with its signatures
and hooks; but Git calls hooks of ours at the end of a merge or a pick that it still takes for unfinished,
and refuses it there.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pressync.model.errors import RepositoryError
from pressync.repo import scratch_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Its exit code, what it says and what it complains about.
    AskGit = Callable[..., tuple[int, str, str]]

_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD")


class RunGit(Protocol):
    """Runs Git and gives what it says, or raises."""

    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """Run Git with these arguments."""


def commit(ask: AskGit, run: RunGit, path: Path, message: str) -> bool:
    """Commit one file of the working tree; false when it has no change.

    :raises RepositoryError: Git refused, or is at several commits and would stop at the next.
    """
    # Never with `worktree`'s temporary objects in sight: Git would not write again what it finds there.
    own, name = scratch_objects.without_scratch_objects(), str(path)
    if Path(run("rev-parse", "--path-format=absolute", "--git-path", "sequencer")).exists():
        # Git goes by the HEAD and the index that it left, and ends at the next one if either is another.
        raise RepositoryError(
            "Git is picking or reverting several commits", where=name, todo="commit this file afterwards"
        )
    run("add", "--force", "--", name, env=own)
    if not run("status", "--porcelain", "--", name, env=own):
        return False
    if _is_all_that_is_left(ask, run, name):
        file = run("ls-files", "-z", "--full-name", "--", name).rstrip("\0")
        head = run("rev-parse", "HEAD")
        made = commit_upon(run, head, file, run("rev-parse", "--verify", f":{file}"), message)
        run("update-ref", "-m", f"commit: {message}", "HEAD", made, head)
    else:
        run("commit", "--quiet", "--only", "--no-verify", "-m", message, "--", name, env=own)
    return True


def commit_upon(run: RunGit, tip: str, file: str, blob: str, message: str) -> str:
    """Make a commit whose parent is `tip` and in which one file is `blob`, and return its id."""
    with tempfile.TemporaryDirectory(prefix="pressync-") as folder:
        beside = {**scratch_objects.without_scratch_objects(), "GIT_INDEX_FILE": str(Path(folder, "index"))}
        run("read-tree", tip, env=beside)
        run("update-index", "--add", "--cacheinfo", f"100644,{blob},{file}", env=beside)
        tree = run("write-tree", env=beside)
    return run("commit-tree", tree, "-p", tip, "-m", message, env=scratch_objects.without_scratch_objects())


def _is_all_that_is_left(ask: AskGit, run: RunGit, name: str) -> bool:
    """Whether Git notes a merge or a pick of which HEAD has everything by now but this file."""
    if all(ask("rev-parse", "--verify", "--quiet", head)[0] for head in _UNFINISHED):
        return False
    staged = ("diff", "--cached", "--name-only")
    return run(*staged) == run(*staged, "--", name)

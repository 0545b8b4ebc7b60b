"""Commits one file and nothing else, whatever is staged and whatever Git is in the middle of.

`git commit --only` is nearly always right, with its signatures and hooks. But Git calls our hooks at the end
of a merge or a cherry-pick that it still treats as unfinished, and then refuses this command. In that case
the commit is made by hand.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pressync.model.errors import RepositoryError
from pressync.repo import scratch_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Gives the exit code, the output and the error output.
    AskGit = Callable[..., tuple[int, str, str]]

_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD")


class RunGit(Protocol):
    """Runs Git and gives its output, or raises."""

    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """Run Git with these arguments."""


def commit(ask: AskGit, run: RunGit, path: Path, message: str) -> bool:
    """Commit one file of the working tree; false if it has no change.

    :raises RepositoryError: Git refused, or is picking several commits and would stop at the next.
    """
    # Without the scratch objects of `worktree`: Git does not write an object again that it finds there.
    own, name = scratch_objects.without_scratch_objects(), str(path)
    if Path(run("rev-parse", "--path-format=absolute", "--git-path", "sequencer")).exists():
        # Git expects its own HEAD and index, and stops at the next commit if either has changed.
        raise RepositoryError(
            "Git is picking or reverting several commits", where=name, todo="commit this file afterwards"
        )
    run("add", "--force", "--", name, env=own)
    if not run("status", "--porcelain", "--", name, env=own):
        return False
    if _is_last_change(ask, run, name):
        file = run("ls-files", "-z", "--full-name", "--", name).rstrip("\0")
        head = run("rev-parse", "HEAD")
        new = commit_upon(run, head, file, run("rev-parse", "--verify", f":{file}"), message)
        run("update-ref", "-m", f"commit: {message}", "HEAD", new, head)
    else:
        run("commit", "--quiet", "--only", "--no-verify", "-m", message, "--", name, env=own)
    return True


def commit_upon(run: RunGit, tip: str, file: str, blob: str, message: str) -> str:
    """Make a commit whose parent is `tip` and that sets one file to `blob`, and give its id."""
    with tempfile.TemporaryDirectory(prefix="pressync-") as folder:
        env = {**scratch_objects.without_scratch_objects(), "GIT_INDEX_FILE": str(Path(folder, "index"))}
        run("read-tree", tip, env=env)
        run("update-index", "--add", "--cacheinfo", f"100644,{blob},{file}", env=env)
        tree = run("write-tree", env=env)
    return run("commit-tree", tree, "-p", tip, "-m", message, env=scratch_objects.without_scratch_objects())


def _is_last_change(ask: AskGit, run: RunGit, name: str) -> bool:
    """Whether Git is in a merge or a cherry-pick, and HEAD has all of it except this file."""
    if all(ask("rev-parse", "--verify", "--quiet", head)[0] for head in _UNFINISHED):
        return False
    staged = ("diff", "--cached", "--name-only")
    return run(*staged) == run(*staged, "--", name)

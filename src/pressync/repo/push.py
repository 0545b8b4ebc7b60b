"""Commits one file and nothing else, and pushes that commit even if others pushed in the meantime.

`git commit --only` is nearly always right, with its signatures and hooks. But Git calls our hooks at the end
of a merge or a cherry-pick that it still treats as unfinished, and then refuses this command. In that case
the commit is made by hand. A push that lost a race commits the file again on top of the new tip. The working
tree stays as it is, because the commands that still run in it read the files that were synced.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.bounds import MANIFEST
from pressync.model.errors import RepositoryError
from pressync.repo import scratch_objects
from pressync.repo.port import complaint

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.repo.repository import Repository

    # Merges the base, our and their version of the file; None where a side does not have it.
    MergeFile = Callable[[bytes | None, bytes, bytes | None], bytes]

# With a handful of writers, losing the race even twice is rare. After this many tries a person should look.
TRIES = 5
_REMOTE = "origin"
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD")
_TODO = "let this job push to the branch (`permissions: contents: write`, and the branch's rules)"


def commit_file(repository: Repository, path: Path, message: str) -> str | None:
    """Commit one file of the working tree, and nothing else; None if it has no change.

    :raises RepositoryError: Git refused, as where no author is configured, or is picking several commits and
        would stop at the next.
    """
    if not path.exists():
        return None
    # Without the scratch objects of `worktree`: Git does not write an object again that it finds there.
    run, own, name = repository.output, scratch_objects.without_scratch_objects(), str(path)
    if Path(run("rev-parse", "--path-format=absolute", "--git-path", "sequencer")).exists():
        # Git expects its own HEAD and index, and stops at the next commit if either has changed.
        raise RepositoryError(
            "Git is picking or reverting several commits", where=name, todo="commit this file afterwards"
        )
    run("add", "--force", "--", name, env=own)
    if not run("status", "--porcelain", "--", name, env=own):
        return None
    if _is_last_change(repository, name):
        file = run("ls-files", "-z", "--full-name", "--", name).rstrip("\0")
        head = run("rev-parse", "HEAD")
        new = _commit_upon(repository, head, file, run("rev-parse", "--verify", f":{file}"), message)
        run("update-ref", "-m", f"commit: {message}", "HEAD", new, head)
    else:
        run("commit", "--quiet", "--only", "--no-verify", "-m", message, "--", name, env=own)
    return repository.commit()


def _commit_upon(repository: Repository, tip: str, file: str, blob: str, message: str) -> str:
    """Make a commit whose parent is `tip` and that sets one file to `blob`, and give its id."""
    run, own = repository.output, scratch_objects.without_scratch_objects()
    with tempfile.TemporaryDirectory(prefix="pressync-") as folder:
        env = {**own, "GIT_INDEX_FILE": str(Path(folder, "index"))}
        run("read-tree", tip, env=env)
        run("update-index", "--add", "--cacheinfo", f"100644,{blob},{file}", env=env)
        tree = run("write-tree", env=env)
    return run("commit-tree", tree, "-p", tip, "-m", message, env=own)


def _is_last_change(repository: Repository, name: str) -> bool:
    """Whether Git is in a merge or a cherry-pick, and HEAD has all of it except this file."""
    if not any(map(repository.port.resolve, _UNFINISHED)):
        return False
    staged = ("diff", "--cached", "--name-only")
    return repository.output(*staged) == repository.output(*staged, "--", name)


@dataclass(frozen=True, slots=True)
class RemoteBranch:
    """A branch on the remote of this clone."""

    repository: Repository
    name: str

    def require_push(self) -> None:
        """Ask the remote whether this clone may push, without a push.

        The remote checks the rules of a branch only in a real push, so these are not covered.

        :raises RepositoryError: the remote does not exist, or refuses.
        """
        # The question names another branch: a branch that has moved on is not a reason to refuse.
        probe = ("push", "--dry-run", "--quiet", "--no-verify", _REMOTE, "HEAD:refs/heads/pressync-may-push")
        status, _, said = self.repository.run_git(*probe)
        if status:
            raise self._refused(said)

    def publish(self, commit: str, file: str, merge: MergeFile) -> str:
        """Push a commit that changed one file, on top of the current tip, and give the commit that is there.

        :raises RepositoryError: the remote refuses for another reason, or every try lost the race.
        """
        candidate, said = commit, ""
        for _ in range(TRIES):
            refspec = f"{candidate}:refs/heads/{self.name}"
            status, _, said = self.repository.run_git("push", "--quiet", "--no-verify", _REMOTE, refspec)
            if not status:
                return candidate
            fetch = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules")
            self.repository.output(*fetch, _REMOTE, f"refs/heads/{self.name}", where=self.name)
            tip = self.repository.commit("FETCH_HEAD")
            if self.repository.port.is_ancestor(tip, candidate):
                raise self._refused(said)
            candidate = self._rebased(tip, commit, file, merge)
        raise self._refused(said)

    def _rebased(self, tip: str, commit: str, file: str, merge: MergeFile) -> str:
        """Make the commit again with `tip` as its parent, the same message, and the merged file."""
        ours = self._file(commit, file)
        text = merge(self._file(f"{commit}^", file), ours or b"", self._file(tip, file))
        message = self.repository.output("show", "--no-patch", "--format=%B", commit)
        return _commit_upon(self.repository, tip, file, self.repository.store(text), message)

    def _file(self, commit: str, file: str) -> bytes | None:
        blob = self.repository.port.resolve(f"{commit}:{file}")
        return None if blob is None else self.repository.read(blob, MANIFEST)

    def _refused(self, said: str) -> RepositoryError:
        what = f"{_REMOTE} refuses the push to {self.name}: {complaint(said)}"
        return RepositoryError(what, todo=_TODO)

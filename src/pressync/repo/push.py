"""Pushes a commit of one file to its branch on the remote, even if others pushed in the meantime.

A push that lost a race is not a failure: the change of the one file is committed again on top of the new tip
and pushed again, a few times at most. The caller merges the file's contents. The working tree stays as it is,
because the commands that still run in it read the files that were synced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError
from pressync.repo import parse, scratch_objects
from pressync.repo.single_commit import commit_upon

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.repo.repository import Repository

    # Merges the base, our and their version of the file; None where a side does not have it.
    MergeFile = Callable[[bytes | None, bytes, bytes | None], bytes]

# With a handful of writers, losing the race even twice is rare. After this many tries a person should look.
TRIES = 5
_REMOTE = "origin"
_TODO = "let this job push to the branch (`permissions: contents: write`, and the branch's rules)"


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
        status, _, complaint = self.repository.ask(*probe)
        if status:
            raise self._refused(complaint)

    def publish(self, commit: str, file: str, merge: MergeFile) -> str:
        """Push a commit that changed one file, on top of the current tip, and give the commit that is there.

        :raises RepositoryError: the remote refuses for another reason, or every try lost the race.
        """
        candidate, complaint = commit, ""
        for _ in range(TRIES):
            refspec = f"{candidate}:refs/heads/{self.name}"
            status, _, complaint = self.repository.ask("push", "--quiet", "--no-verify", _REMOTE, refspec)
            if not status:
                return candidate
            tip = self._fetched()
            if self.repository.port.is_ancestor(tip, candidate):
                raise self._refused(complaint)
            candidate = self._rebased(tip, commit, file, merge)
        raise self._refused(complaint)

    def _fetched(self) -> str:
        """Fetch the branch and give its tip."""
        self._do(
            "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", _REMOTE, f"refs/heads/{self.name}"
        )
        return self.repository.commit("FETCH_HEAD")

    def _rebased(self, tip: str, commit: str, file: str, merge: MergeFile) -> str:
        """Make the commit again with `tip` as its parent, the same message, and the merged file."""
        ours = self._file(commit, file)
        text = merge(self._file(f"{commit}^", file), ours or b"", self._file(tip, file))
        message = self._do("show", "--no-patch", "--format=%B", commit)
        blob = self._do(
            "hash-object", "-w", "--stdin", given=text.decode(), env=scratch_objects.without_scratch_objects()
        )
        return commit_upon(self._do, tip, file, blob, message)

    def _file(self, commit: str, file: str) -> bytes | None:
        blob = self.repository.port.resolve(f"{commit}:{file}")
        return None if blob is None else self.repository.read(blob)

    def _do(self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None) -> str:
        answer = self.repository.ask(*arguments, given=given, env=env)
        return parse.output_of(arguments, answer, self.name)

    def _refused(self, complaint: str) -> RepositoryError:
        what = f"{_REMOTE} refuses the push to {self.name}: {parse.complaint(complaint)}"
        return RepositoryError(what, todo=_TODO)

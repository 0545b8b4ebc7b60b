"""A file that was just committed here goes to its branch on the remote, though others pushed meanwhile.

It must not know what the file says: whoever calls merges. What decided its shape: a push that somebody
else came before is no failure, so the one file is put upon what they pushed, as a commit of its own, and
pushed again, a few times at most. The working tree stays as it is: what is still to run in it reads the
files that were synced.
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

    # Base, ours and theirs of the file; None where a side does not have it.
    MergeFile = Callable[[bytes | None, bytes, bytes | None], bytes]

# With a handful of writers even twice being second is rare; after this many a person should look.
TRIES = 5
_REMOTE = "origin"
_TODO = "let this job push to the branch (`permissions: contents: write`, and the branch's rules)"


@dataclass(frozen=True, slots=True)
class RemoteBranch:
    """A branch on the remote of this clone."""

    repository: Repository
    name: str

    def require_push(self) -> None:
        """Ask the remote whether this clone may push, without pushing anything.

        A branch's own rules are looked at by the remote only when something really comes.

        :raises RepositoryError: there is no such remote, or it says no.
        """
        # Not to the branch itself: that it moved on meanwhile is no reason to refuse.
        probe = ("push", "--dry-run", "--quiet", "--no-verify", _REMOTE, "HEAD:refs/heads/pressync-may-push")
        status, _, complaint = self.repository.ask(*probe)
        if status:
            raise self._refused(complaint)

    def publish(self, commit: str, file: str, merge: MergeFile) -> str:
        """Push a commit that changed one file, upon whatever the branch has by now; the commit that is there.

        :raises RepositoryError: the remote refuses it for another reason, or somebody is always first.
        """
        made, complaint = commit, ""
        for _ in range(TRIES):
            refspec = f"{made}:refs/heads/{self.name}"
            status, _said, complaint = self.repository.ask("push", "--quiet", "--no-verify", _REMOTE, refspec)
            if not status:
                return made
            tip = self._fetched()
            if self._is_below(tip, made):
                raise self._refused(complaint)
            made = self._upon(tip, commit, file, merge)
        raise self._refused(complaint)

    def _fetched(self) -> str:
        """Bring in where the branch is on the remote now."""
        self._do(
            "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", _REMOTE, f"refs/heads/{self.name}"
        )
        return self.repository.commit("FETCH_HEAD")

    def _is_below(self, tip: str, made: str) -> bool:
        return self.repository.port.is_ancestor(tip, made)

    def _upon(self, tip: str, commit: str, file: str, merge: MergeFile) -> str:
        """Make the commit once more with `tip` as its parent: the same message, and the file merged."""
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
        status, said, complaint = self.repository.ask(*arguments, given=given, env=env)
        if status:
            raise RepositoryError(f"git {arguments[0]} failed: {parse.complaint(complaint)}", where=self.name)
        return said

    def _refused(self, complaint: str) -> RepositoryError:
        what = f"{_REMOTE} refuses the push to {self.name}: {parse.complaint(complaint)}"
        return RepositoryError(what, todo=_TODO)

"""Pushes a commit of one file to its branch on the remote, even if others pushed in the meantime.

A push that lost a race is not a failure: the change of the one file is committed again on top of the new tip
and pushed again, a few times at most. The caller merges the file's contents. The working tree stays as it is,
because the commands that still run in it read the files that were synced.

A trial asks whether a remote would take a push (`refusal`). Git asks for credentials at the terminal, and
programs of the desktop ask in a window. A trial must do neither, and a host that does not answer must not
hold it up.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.bounds import MANIFEST
from pressync.model.errors import RepositoryError
from pressync.repo import parse, scratch_objects
from pressync.repo.process import OutOfTime
from pressync.repo.single_commit import commit_upon

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.repo.repository import Repository

    # Merges the base, our and their version of the file; None where a side does not have it.
    MergeFile = Callable[[bytes | None, bytes, bytes | None], bytes]

# With a handful of writers, losing the race even twice is rare. After this many tries a person should look.
TRIES = 5
# Seconds until a silent remote counts as one that refuses.
LIMIT = 10.0
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
        return None if blob is None else self.repository.read(blob, MANIFEST)

    def _do(self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None) -> str:
        answer = self.repository.ask(*arguments, given=given, env=env)
        return parse.output_of(arguments, answer, self.name)

    def _refused(self, complaint: str) -> RepositoryError:
        what = f"{_REMOTE} refuses the push to {self.name}: {parse.complaint(complaint)}"
        return RepositoryError(what, todo=_TODO)


def refusal(repository: Repository, remote: str, reference: str, *, seconds: float = LIMIT) -> str:
    """Say why the remote would refuse a push to the reference; "" if it would take it.

    Hooks of the remote are not asked: a trial does not start them.
    """
    # A repository may have no commit yet. Every repository has the empty tree.
    tree = repository.ask("hash-object", "-t", "tree", "-w", "--stdin")[1]
    push = ("push", "--quiet", "--dry-run", "--no-verify", remote, f"+{tree}:{reference}")
    try:
        status, _, complaint = repository.ask(*push, env=_silent(repository), seconds=seconds)
    except OutOfTime:
        return f"it did not answer within {seconds:g} s"
    return parse.complaint(complaint) or "git push failed" if status else ""


def _silent(repository: Repository) -> dict[str, str]:
    """Give the environment in which Git and SSH ask nobody."""
    ssh = os.environ.get("GIT_SSH_COMMAND") or repository.ask("config", "core.sshCommand")[1] or "ssh"
    return {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GCM_INTERACTIVE": "never",  # the credential manager of Git for many desktops
        "GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes",
    }

"""Makes commits for a branch that pressync alone writes, and puts them there or takes the branch away.

The commits are made in a work tree of their own, so the files of the clone stay as they are. No hook runs in
it: a hook of ours would sync. A branch is ours if each of its commits has our line. Equal edits make equal
commits, so a run without news pushes nothing.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError, SafetyRefusal
from pressync.repo.port import complaint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pressync.repo.repository import Repository

REMOTE = "origin"
# The line that each of our commits ends with.
OURS = "Pressync-Edit"
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", REMOTE)
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false")


@contextmanager
def work_tree(repository: Repository, folder: Path, commit: str) -> Iterator[Path]:
    """Check a commit out into a folder until the block ends; one that a killed run left is replaced.

    :raises RepositoryError: Git refuses.
    """
    _remove(repository, folder)
    try:
        repository.output(*_QUIET, "worktree", "add", "--quiet", "--detach", str(folder), commit)
        yield folder
    finally:
        _remove(repository, folder)


def _remove(repository: Repository, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    repository.run_git("worktree", "prune")


def commit(repository: Repository, path: str, message: str, about: str, who: Mapping[str, str]) -> bool:
    """Commit one file of a work tree; give False if it has no change.

    `about` stands in our line. `who` are variables of Git with the author and the time.
    """
    repository.output("add", "--force", "--", path)
    if not repository.output("status", "--porcelain", "--", path):
        return False
    text = f"{message}\n\n{OURS}: {about}\n"
    arguments = ("commit", "--quiet", "--only", "--no-verify", "--cleanup=verbatim", "-m", text, "--", path)
    repository.output(*_QUIET, *arguments, env=who)
    return True


@dataclass(frozen=True, slots=True)
class SideBranch:
    """A branch of the remote that pressync alone writes."""

    repository: Repository
    name: str

    @property
    def reference(self) -> str:
        """The full name of the branch."""
        return f"refs/heads/{self.name}"

    def tip(self) -> str:
        """Give the commit of the branch on the remote; "" if there is no such branch.

        :raises RepositoryError: the remote does not answer.
        """
        return self._remote_commit(self.reference)

    def require_pushed(self, commit: str, into: str) -> None:
        """Refuse a commit that another branch of the remote lacks: a pull request would show it as an edit.

        Without a commit, "", the branch alone is looked for.

        :raises SafetyRefusal: it is not on that branch, or there is no such branch.
        """
        there = self._remote_commit(f"refs/heads/{into}")
        port = self.repository.port
        if there and (commit in {"", there} or port.is_ancestor(commit, there)):
            return
        if there:
            self.repository.output(*_FETCH, f"refs/heads/{into}")
        if not there or not port.is_ancestor(commit, there):
            wrong = f"HEAD has commits that are not on {into} of {REMOTE}"
            raise SafetyRefusal(
                wrong if there else f"{REMOTE} has no branch {into} that the edits could be merged into",
                todo=f"push it first (`git push {REMOTE} {quote(into)}`)",
                code="not_pushed",
            )

    def require_ours(self, tip: str, base: str) -> None:
        """Refuse a branch with a commit of somebody else.

        :raises SafetyRefusal: somebody else has a commit on it.
        """
        self.repository.output(*_FETCH, self.reference)
        form = f"--format=%H%x00%(trailers:key={OURS},valueonly,separator=%x2C)"
        for row in self.repository.output("log", form, tip, f"^{base}").split("\n"):
            made, _, about = row.partition("\0")
            if made and not about:
                raise SafetyRefusal(
                    f"the branch {self.name} has a commit of somebody else ({made[:10]}), and pressync would "
                    "overwrite it",
                    todo="merge the branch, or move that commit to another one",
                    code="branch_in_use",
                )

    def put(self, new: str, tip: str) -> None:
        """Push a commit to the branch, in place of `tip` and of nothing else.

        :raises RepositoryError: the remote refuses, as where somebody pushed meanwhile.
        """
        self._push(tip, f"+{new}:{self.reference}")

    def remove(self, tip: str) -> None:
        """Remove the branch, if it is still at `tip`."""
        self._push(tip, f":{self.reference}")

    def keep(self, new: str) -> None:
        """Let the branch of this clone name a commit."""
        self.repository.output("update-ref", "-m", "pressync propose", self.reference, new)

    def _push(self, tip: str, refspec: str) -> None:
        lease = f"--force-with-lease={self.reference}:{tip}"
        status, _, said = self.repository.run_git("push", "--quiet", "--no-verify", lease, REMOTE, refspec)
        if status:
            raise RepositoryError(
                f"{REMOTE} refuses the push to {self.name}: {complaint(said)}",
                todo="let this job push (`permissions: contents: write`), or run it again",
            )

    def _remote_commit(self, reference: str) -> str:
        return self.repository.output("ls-remote", REMOTE, reference).partition("\t")[0]

"""One Git reference that holds a few small files. It only moves forward, here and on a remote.

Every move names the old value, and Git moves the reference only from there (`update-ref` with the old value,
`push` with a lease). So one of several machines wins, and each of the others learns that it lost. The code
does not interpret Git's error texts: after a failed push it asks the remote for the reference.
"""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

from pressync.model.bounds import MANIFEST
from pressync.model.errors import RepositoryError
from pressync.repo import run_git
from pressync.repo.port import OutOfTime, complaint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.repo.repository import Repository

# A commit needs an author and a committer, also where nobody is configured, as on a runner.
_OURSELVES = ("pressync", "pressync@localhost")
# The remote may refuse two simultaneous pushes, and move the reference for neither.
_TRIES = 4
_PAUSE = 0.2
_NOT_THERE = 2
# Seconds until a silent remote counts as one that refuses.
LIMIT = 10.0


class Moved(Exception):  # noqa: N818 - an expected event: callers go on from there
    """The reference has moved: another machine was first."""


class Reference:
    """A reference like `refs/pressync/production`; `remote` names the remote that all clones share."""

    def __init__(self, repository: Repository, name: str, remote: str | None = None) -> None:
        self.name = name
        self.remote = remote
        self._repository = repository
        # The remote's tip, which is the old value of the next push.
        self._remote_tip: str | None = None

    @property
    def tip(self) -> str | None:
        """The commit of the reference in this clone; None if the reference does not exist."""
        return self._repository.port.resolve(self.name)

    def fetch(self) -> str | None:
        """Set the reference to the remote's value, and give that commit; without a remote, give `tip`.

        A reference that the remote does not have yet stays, and the next move pushes it.

        :raises RepositoryError: the remote cannot be reached.
        """
        if self.remote is None:
            return self.tip
        self._remote_tip = self._on_remote()
        if self._remote_tip is not None and self._remote_tip != self.tip:
            # Only in a shallow clone: in a full clone this option would make it shallow.
            depth = ("--depth=1",) if self._repository.shallow else ()
            options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", *depth)
            refspec = f"+{self.name}:{self.name}"
            self._repository.output("fetch", *options, self.remote, refspec, where=self.name)
            self._remote_tip = self.tip
        return self.tip

    def file(self, commit: str, name: str) -> bytes | None:
        """Read one file of a commit; None if the commit does not have it.

        :raises FileTooLarge: it is larger than a manifest may be.
        :raises RepositoryError: this clone does not have the commit.
        """
        blob = self._repository.port.resolve(f"{commit}:{name}")
        where = f"{name} of {self.name} ({commit[:10]})"
        return None if blob is None else self._repository.read(blob, MANIFEST, where)

    def age(self, commit: str) -> float:
        """Give the seconds since a commit was made; the clocks of two machines take part."""
        return time.time() - self._repository.history.seconds(commit)

    def commit(self, files: Mapping[str, bytes], parent: str | None, message: str) -> str:
        """Make a commit with these files alone, and give its id; the reference does not move.

        :raises RepositoryError: Git cannot write.
        """
        # Without the scratch objects: Git does not write an object again that it finds there.
        environment = run_git.without_scratch_objects()
        # The author is pressync. The committer is the person that Git knows, or pressync.
        status, *_ = self._repository.run_git("var", "GIT_COMMITTER_IDENT")
        for role in ("AUTHOR", "COMMITTER") if status else ("AUTHOR",):
            environment[f"GIT_{role}_NAME"], environment[f"GIT_{role}_EMAIL"] = _OURSELVES
        return self._repository.port.write_commit(files, parent, message, environment)

    def move(self, new: str, old: str | None) -> None:
        """Move the reference from `old` (None: it does not exist) to `new`, here and on the remote.

        :raises Moved: the reference is no longer at `old`.
        :raises RepositoryError: it is at `old` and cannot be moved, or the remote cannot be reached and the
            result is unknown.
        """
        if self.remote is not None:
            self._push(new)
        said = self._repository.port.move(self.name, new, None if self.remote else (old or ""))
        if said and self.remote is None and self.tip != old:
            raise Moved
        if said:
            raise RepositoryError(f"git update-ref failed: {said}", where=self.name)

    def refusal(self, *, seconds: float = LIMIT) -> str:
        """Say why the remote would refuse a push, without one; "" if it would take it.

        Git asks for credentials at the terminal, and programs of the desktop ask in a window. A trial must do
        neither, and a host that does not answer must not hold it up. It does not start hooks of the remote.
        """
        if self.remote is None:
            return ""
        git, port = self._repository.run_git, self._repository.port
        # A repository may have no commit yet. Every repository has the empty tree.
        tree = git("hash-object", "-t", "tree", "-w", "--stdin")[1]
        ssh = os.environ.get("GIT_SSH_COMMAND") or port.setting("core.sshCommand") or "ssh"
        silent = {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "SSH_ASKPASS": "true",
            "GCM_INTERACTIVE": "never",  # the credential manager of Git for many desktops
            "GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes",
        }
        push = ("push", "--quiet", "--dry-run", "--no-verify", self.remote, f"+{tree}:{self.name}")
        try:
            status, _, said = git(*push, env=silent, seconds=seconds)
        except OutOfTime:
            return f"it did not answer within {seconds:g} s"
        return complaint(said) or "git push failed" if status else ""

    def _push(self, new: str) -> None:
        """Push with a lease. The response may get lost, so the remote's value afterwards decides."""
        lease = f"--force-with-lease={self.name}:{self._remote_tip or ''}"
        push = ("push", "--quiet", "--no-verify", lease, str(self.remote), f"{new}:{self.name}")
        said = ""
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(_PAUSE * attempt * random.uniform(0.5, 1.5))  # noqa: S311 - jitter is not a secret
            status, _, said = self._repository.run_git(*push)
            now = new if not status else self._on_remote()
            if now == new:
                self._remote_tip = new
                return
            if now != self._remote_tip:
                raise Moved
        raise RepositoryError(
            f"{self.remote} refuses to move {self.name}: {complaint(said)}",
            todo=f"allow pushes to {self.name} there (in a workflow: `permissions: contents: write`)",
        )

    def _on_remote(self) -> str | None:
        status, output, said = self._repository.run_git(
            "ls-remote", "--quiet", "--exit-code", str(self.remote), self.name
        )
        if status not in (0, _NOT_THERE):
            raise RepositoryError(
                f"the remote '{self.remote}' cannot be reached: {complaint(said)}",
                todo="`git fetch` shows whether this clone can reach it",
            )
        rows = (line.split("\t") for line in run_git.rows(output))
        return next((commit for commit, name in rows if name == self.name), None)

"""One Git reference that holds a few small files and moves forward only, here and on a remote.

It must not know what the files say. What decided its shape: whoever moves the reference says from where, and
Git moves it only if it is still there (`update-ref` with the old value, `push` with a lease). So of several
machines one is first, and every other knows that it was not. What Git complains about is read by nobody:
after a push that failed, the remote is asked where the reference is.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError
from pressync.repo import parse, scratch_objects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.repo.repository import Repository

# With nobody configured, as on a runner, a commit has to be somebody's.
_OURSELVES = ("pressync", "pressync@localhost")
# Two pushes at the same instant: the remote may refuse both before it has moved for either.
_TRIES = 4
_PAUSE = 0.2
_NOT_THERE = 2


class Moved(Exception):  # noqa: N818 - it says what happened, and callers go on from there
    """The reference is no longer where it was: somebody else was first."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of a history: its id, its time in ISO 8601, whose it is, and what it says."""

    id: str
    time: str
    who: str
    subject: str


class Reference:
    """A reference like `refs/pressync/production`; `remote` names the remote that all clones share."""

    def __init__(self, repository: Repository, name: str, remote: str | None = None) -> None:
        self.name = name
        self.remote = remote
        self._repository = repository
        # Where the next move starts: the tip that this clone has, and the one that the remote has.
        self._there: str | None = None

    @property
    def tip(self) -> str | None:
        """The commit that the reference is at in this clone; None if it does not exist."""
        return self._repository.port.resolve(self.name)

    def fetch(self) -> str | None:
        """Bring the reference to where the remote has it, and return that commit; without one, as `tip`.

        A reference that the remote does not have yet stays, and goes there with the next move.

        :raises RepositoryError: the remote cannot be reached.
        """
        if self.remote is None:
            return self.tip
        self._there = self._on_remote()
        if self._there is not None and self._there != self.tip:
            # In a clone that is shallow anyway; elsewhere this would make it one.
            depth = ("--depth=1",) if self._repository.shallow else ()
            options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", *depth)
            self._do("fetch", *options, self.remote, f"+{self.name}:{self.name}")
            self._there = self.tip
        return self.tip

    def file(self, commit: str, name: str) -> bytes | None:
        """Read one file of a commit; None when it is not there.

        :raises RepositoryError: this clone does not have the commit.
        """
        blob = self._repository.port.resolve(f"{commit}:{name}")
        return None if blob is None else self._repository.read(blob)

    def age(self, commit: str) -> float:
        """Count the seconds since a commit was made, by the clocks of two machines."""
        return time.time() - float(self._do("show", "--no-patch", "--format=%ct", commit))

    def commit(self, files: Mapping[str, str], parent: str | None, message: str) -> str:
        """Make a commit of these files alone, and return its id; the reference stays where it is.

        :raises RepositoryError: Git cannot write.
        """
        # Not with a working tree's temporary objects in sight: Git would not write again what it finds there.
        environment = {**scratch_objects.without_scratch_objects(), **self._identity()}
        return self._repository.port.write_commit(files, parent, message, environment)

    def move(self, new: str, old: str | None) -> None:
        """Move the reference from `old` (None: it does not exist) to `new`, here and on the remote.

        :raises Moved: it is no longer at `old`.
        :raises RepositoryError: it is, and cannot be moved; or the remote is not reached, and nobody knows.
        """
        if self.remote is not None:
            self._push(new)
        complaint = self._repository.port.move(self.name, new, None if self.remote else (old or ""))
        if complaint and self.remote is None and self.tip != old:
            raise Moved
        if complaint:
            raise RepositoryError(f"git update-ref failed: {complaint}", where=self.name)

    def refusal(self) -> str:
        """Ask the remote, without a push, why it would take none; "" if nothing speaks against one."""
        if self.remote is None:
            return ""
        rehearsal = ("push", "--quiet", "--dry-run", "--no-verify", self.remote)
        status, _, complaint = self._repository.ask(*rehearsal, f"+{self.tip or 'HEAD'}:{self.name}")
        return parse.complaint(complaint) if status else ""

    def _push(self, new: str) -> None:
        """Push with a lease; the answer may be lost on its way, so where the remote is by then decides."""
        lease = f"--force-with-lease={self.name}:{self._there or ''}"
        push = ("push", "--quiet", "--no-verify", lease, str(self.remote), f"{new}:{self.name}")
        complaint = ""
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(_PAUSE * attempt * random.uniform(0.5, 1.5))  # noqa: S311 - spreads, no secret
            status, _, complaint = self._repository.ask(*push)
            now = new if not status else self._on_remote()
            if now == new:
                self._there = new
                return
            if now != self._there:
                raise Moved
        raise RepositoryError(
            f"{self.remote} refuses to move {self.name}: {parse.complaint(complaint)}",
            todo=f"allow pushes to {self.name} there (in a workflow: `permissions: contents: write`)",
        )

    def _on_remote(self) -> str | None:
        status, said, complaint = self._repository.ask(
            "ls-remote", "--quiet", "--exit-code", str(self.remote), self.name
        )
        if status not in (0, _NOT_THERE):
            raise RepositoryError(
                f"the remote '{self.remote}' cannot be reached: {parse.complaint(complaint)}",
                todo="`git fetch` shows whether this clone can reach it",
            )
        rows = (line.split("\t") for line in said.splitlines())
        return next((commit for commit, name in rows if name == self.name), None)

    def _identity(self) -> dict[str, str]:
        """Commit as pressync, on behalf of whoever Git says is at work here, if it says."""
        name, email = _OURSELVES
        status, *_ = self._repository.ask("var", "GIT_COMMITTER_IDENT")
        roles = ("AUTHOR", "COMMITTER") if status else ("AUTHOR",)
        return {
            f"GIT_{role}_{what}": value
            for role in roles
            for what, value in (("NAME", name), ("EMAIL", email))
        }

    def _do(self, *arguments: str) -> str:
        status, said, complaint = self._repository.ask(*arguments)
        if status:
            command = next(word for word in arguments if not word.startswith("-") and "=" not in word)
            raise RepositoryError(f"git {command} failed: {parse.complaint(complaint)}", where=self.name)
        return said


def history(
    repository: Repository, revision: str, *, limit: int, path: str | None = None, but: str = ""
) -> Sequence[Commit]:
    """List the last commits that lead to a revision, newest first.

    With a path, only those that changed that file; those whose subject begins with the word `but`, not.

    :raises RepositoryError: there is no such revision.
    """
    unwanted = ("--invert-grep", f"--grep=^{but}") if but else ()
    form = "--format=%H%x00%cI%x00%cn%x00%s"
    paths = ("--", path) if path else ("--",)
    status, said, complaint = repository.ask(
        "log", f"--max-count={limit}", form, *unwanted, "--end-of-options", revision, *paths
    )
    if status:
        raise RepositoryError(f"git log failed: {parse.complaint(complaint)}")
    return [Commit(*line.split("\0")) for line in said.splitlines()]

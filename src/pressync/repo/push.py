"""Commits single files, and pushes them to a branch of the remote.

`git commit --only` is nearly always right, with its signatures and hooks. But Git calls our hooks at the end
of a merge or a cherry-pick that it still treats as unfinished, and then refuses this command. In that case
the commit is made by hand. A push that lost a race commits the file again on top of the new tip. The working
tree stays as it is, because the commands that still run in it read the files that were synced.

Edits of the site are committed in a work tree of their own, for a branch that pressync alone writes. No hook
runs in it: a hook of ours would sync. A branch is ours if each of its commits has our subject and sets one
file to the blob that our line names. So a reviewer who amends one of them makes it theirs. Equal edits make
equal commits, so a run without news pushes nothing.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.bounds import MANIFEST
from pressync.model.errors import RepositoryError, SafetyRefusal
from pressync.repo import run_git
from pressync.repo.port import complaint

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pressync.repo.repository import Repository

    # Merges the base, our and their version of the file; None where a side does not have it.
    MergeFile = Callable[[bytes | None, bytes, bytes | None], bytes]

# With a handful of writers, losing the race even twice is rare. After this many tries a person should look.
TRIES = 5
REMOTE = "origin"
# The branch with the edits of a site, which a person merges.
EDITS = "pressync/site-edits"
# The subjects of our commits: of an edit, with its file, and of the manifest, with its site.
OF_EDIT = "Take the edits of {} from the site"
OF_MANIFEST = "The manifest knows the edits of the site {}"
_SUBJECT = re.compile("|".join(subject.format(".+") for subject in (OF_EDIT, OF_MANIFEST)))
# The line that each commit of an edit ends with: the record and the blob that the commit set.
OURS = "Pressync-Edit"
_MESSAGE = re.compile(rf"\n*{OURS}: (?P<about>[^\n]*?)(?: (?P<blob>[0-9a-f]{{40,64}}))?\n*")
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false")
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", REMOTE)
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
    run, own, name = repository.output, run_git.without_scratch_objects(), str(path)
    if Path(run("rev-parse", "--path-format=absolute", "--git-path", "sequencer")).exists():
        # Git expects its own HEAD and index, and stops at the next commit if either has changed.
        raise RepositoryError(
            "Git is picking or reverting several commits", where=name, todo="commit this file afterwards"
        )
    run("add", "--force", "--", name, env=own)
    if not run("status", "--porcelain", "--", name, env=own):
        return None
    staged = ("diff", "--cached", "--name-only")
    is_unfinished = any(map(repository.port.resolve, _UNFINISHED))
    if is_unfinished and run(*staged) == run(*staged, "--", name):
        # Git is in a merge or a cherry-pick, and HEAD has all of it except this file.
        file = run("ls-files", "-z", "--full-name", "--", name).rstrip("\0")
        head = run("rev-parse", "HEAD")
        new = _commit_upon(repository, head, file, run("rev-parse", "--verify", f":{file}"), message)
        run("update-ref", "-m", f"commit: {message}", "HEAD", new, head)
    else:
        run("commit", "--quiet", "--only", "--no-verify", "-m", message, "--", name, env=own)
    return repository.commit()


def _commit_upon(repository: Repository, tip: str, file: str, blob: str, message: str) -> str:
    """Make a commit whose parent is `tip` and that sets one file to `blob`, and give its id."""
    import tempfile  # noqa: PLC0415 - 4 ms, and a run with nothing to do makes no commit

    run, own = repository.output, run_git.without_scratch_objects()
    with tempfile.TemporaryDirectory(prefix="pressync-") as folder:
        env = {**own, "GIT_INDEX_FILE": str(Path(folder, "index"))}
        run("read-tree", tip, env=env)
        run("update-index", "--add", "--replace", "--cacheinfo", f"100644,{blob},{file}", env=env)
        tree = run("write-tree", env=env)
    return run("commit-tree", tree, "-p", tip, "-m", message, env=own)


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


def remotes_from(repository: Repository) -> dict[str, str]:
    """Give the variables with which Git finds the remotes of a clone from any folder.

    Git takes a relative address from the top of the work tree that it runs in.
    """
    root = repository.root or repository.common_directory
    listed = repository.run_git("config", "--null", "--get-regexp", r"^remote\..*\.(push)?url$")[1]
    addresses = {row.partition("\n")[2] for row in listed.split("\0")}
    start = int(repository.environment.get("GIT_CONFIG_COUNT") or os.environ.get("GIT_CONFIG_COUNT") or 0)
    made: dict[str, str] = {}
    for number, address in enumerate(sorted(filter(_is_relative, addresses)), start):
        made["GIT_CONFIG_COUNT"] = str(number + 1)
        made[f"GIT_CONFIG_KEY_{number}"] = f"url.{root / address}.insteadOf"
        made[f"GIT_CONFIG_VALUE_{number}"] = address
    return made


def _is_relative(address: str) -> bool:
    """Whether an address is a path from a folder. A colon before the first slash names a host."""
    return bool(address) and not address.startswith("/") and ":" not in address.partition("/")[0]


def commit_edit(repository: Repository, path: str, message: str, about: str, who: Mapping[str, str]) -> bool:
    """Commit one file of a work tree; give False if it has no change.

    `about` stands in our line. `who` are variables of Git with the author and the time.
    """
    repository.output("add", "--force", "--", path)
    if not repository.output("status", "--porcelain", "--", path):
        return False
    blob = repository.output("rev-parse", "--verify", f":{path}")
    text = f"{message}\n\n{OURS}: {about} {blob}\n"
    arguments = ("commit", "--quiet", "--only", "--no-verify", "--cleanup=verbatim", "-m", text, "--", path)
    repository.output(*_QUIET, *arguments, env=who)
    return True


def restore(repository: Repository, path: str) -> None:
    """Give a file of a work tree back the text that its commit has."""
    repository.run_git("reset", "--quiet", "HEAD", "--", path)
    if repository.run_git("checkout", "--quiet", "HEAD", "--", path)[0] and repository.root:
        Path(repository.root, path).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class RemoteBranch:
    """A branch on the remote of this clone."""

    repository: Repository
    name: str

    @property
    def reference(self) -> str:
        """The full name of the branch."""
        return f"refs/heads/{self.name}"

    def require_push(self) -> None:
        """Ask the remote whether this clone may push, without a push.

        The remote checks the rules of a branch only in a real push, so these are not covered.

        :raises RepositoryError: the remote does not exist, or refuses.
        """
        # The question names another branch: a branch that has moved on is not a reason to refuse.
        probe = ("push", "--dry-run", "--quiet", "--no-verify", REMOTE, "HEAD:refs/heads/pressync-may-push")
        status, _, said = self.repository.run_git(*probe)
        if status:
            raise self._refused(said)

    def publish(self, commit: str, file: str, merge: MergeFile) -> str:
        """Push a commit that changed one file, on top of the current tip, and give the commit that is there.

        :raises RepositoryError: the remote refuses for another reason, or every try lost the race.
        """
        candidate, said = commit, ""
        for _ in range(TRIES):
            refspec = f"{candidate}:{self.reference}"
            status, _, said = self.repository.run_git("push", "--quiet", "--no-verify", REMOTE, refspec)
            if not status:
                return candidate
            self.repository.output(*_FETCH, self.reference, where=self.name)
            tip = self.repository.commit("FETCH_HEAD")
            if self.repository.port.is_ancestor(tip, candidate):
                raise self._refused(said)
            candidate = self._rebased(tip, commit, file, merge)
        raise self._refused(said)

    def tip(self) -> str:
        """Give the commit of the branch on the remote; "" if there is no such branch.

        :raises RepositoryError: the remote does not answer.
        """
        return self.repository.output("ls-remote", REMOTE, self.reference).partition("\t")[0]

    def require_pushed(self, commit: str, into: str) -> None:
        """Refuse a commit that another branch of the remote lacks: a pull request would show it as an edit.

        Without a commit, "", the branch alone is looked for.

        :raises SafetyRefusal: it is not on that branch, or there is no such branch.
        """
        other, port = RemoteBranch(self.repository, into), self.repository.port
        there = other.tip()
        if there and (commit in {"", there} or port.is_ancestor(commit, there)):
            return
        if there:
            self.repository.output(*_FETCH, other.reference)
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
        self._refuse_others(tip, base)

    def _refuse_others(self, tip: str, base: str) -> None:
        form = ("--format=%x00%H%x00%P%x00%s%x00%b%x00", "--raw", "--no-abbrev", "--no-renames", "-m")
        log = self.repository.output("log", "--no-show-signature", *form, tip, f"^{base}")
        rows = log.split("\0")[1:]
        for made, parents, subject, body, raw in zip(*(rows[first::5] for first in range(5)), strict=True):
            ours = _MESSAGE.fullmatch(body)
            files = [row.split(" ") for row in raw.split("\n") if row.startswith(":")]
            # A new manifest had no mode before.
            set_to = [blob for old, mode, _, blob, *_ in files if old in {f":{mode}", ":000000"}]
            is_single = len(files) == 1 and " " not in parents
            if ours and is_single and set_to == [ours["blob"]] and _SUBJECT.fullmatch(subject):
                continue
            problem = f"has a commit of somebody else ({made[:10]}), and pressync would overwrite it"
            todo = "merge the branch, or move that commit to another one"
            raise SafetyRefusal(f"the branch {self.name} {problem}", todo=todo, code="branch_in_use")

    def put(self, new: str, tip: str, options: Collection[str] = ()) -> str:
        """Push a commit to the branch, in place of `tip` and of nothing else; give what the remote said.

        :raises RepositoryError: the remote refuses, as where somebody pushed meanwhile.
        """
        return self._push(tip, f"+{new}:{self.reference}", options)

    def remove(self, tip: str) -> None:
        """Remove the branch, if it is still at `tip`."""
        self._push(tip, f":{self.reference}")

    def keep(self, new: str, base: str) -> None:
        """Let the branch of this clone name a commit on `base`; a person may push it over that of the remote.

        :raises SafetyRefusal: somebody else has a commit on the branch, here or on the remote.
        """
        if tip := self.tip():
            self.require_ours(tip, base)
        status, own, _ = self.repository.run_git("rev-parse", "--verify", "--quiet", self.reference)
        if not status:
            self._refuse_others(own, base)
        self.repository.output("update-ref", "-m", "pressync propose", self.reference, new)

    def _rebased(self, tip: str, commit: str, file: str, merge: MergeFile) -> str:
        """Make the commit again with `tip` as its parent, the same message, and the merged file."""
        ours = self._file(commit, file)
        text = merge(self._file(f"{commit}^", file), ours or b"", self._file(tip, file))
        message = self.repository.output("show", "--no-patch", "--format=%B", commit)
        return _commit_upon(self.repository, tip, file, self.repository.store(text), message)

    def _file(self, commit: str, file: str) -> bytes | None:
        blob = self.repository.port.resolve(f"{commit}:{file}")
        return None if blob is None else self.repository.read(blob, MANIFEST)

    def _refused(self, said: str, todo: str = _TODO) -> RepositoryError:
        problem = f"{REMOTE} refuses the push to {self.name}: {complaint(said)}"
        return RepositoryError(problem, todo=todo)

    def _push(self, tip: str, refspec: str, options: Collection[str] = ()) -> str:
        flags = (
            f"--force-with-lease={self.reference}:{tip}",
            *(f"--push-option={option}" for option in options),
        )
        status, _, said = self.repository.run_git("push", "--quiet", "--no-verify", *flags, REMOTE, refspec)
        if status:
            todo = "let this job push (`permissions: contents: write`), or run it again"
            raise self._refused(said, todo)
        return said

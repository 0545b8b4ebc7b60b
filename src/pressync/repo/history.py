"""Asks Git about the past: paths, blobs, patches and commits. Each question has a value for an answer.

A delete of many files asks for many paths, so one process answers a question for all of them. A question of
`Repository.offline` uses no network, and all questions of one such object share its time limit.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pressync.model.bounds import PAGE, FileBound
from pressync.model.errors import RepositoryError
from pressync.repo.port import FIND_OBJECTS, OutOfTime, found_object, output_of
from pressync.repo.run_git import rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.repo.port import FoundObject, ObjectNames


# Up to this many paths are given to Git, which then finds the few commits that touch them. For more paths it
# is faster to read all commits.
FEW = 100
# Git does not look for inexact renames above this number of candidates on a side. The default of 1,000 is low
# for a site whose folders were reorganised, and the whole matrix of 4,000 still takes only seconds.
_DIFF_TREE = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "-M", "-l4000", "--diff-filter=DR")
_FORM = ("--no-show-signature", "--format=%H%x00%cI%x00%cn%x00%s%x00%ct%x00%ce")
# A partial clone would fetch missing objects.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1"}
# An open repository takes each path as it is. With this option it takes patterns, such as `:(exclude)a.json`.
_PATTERNS = "--no-literal-pathspecs"
# The files that each commit removed; a renamed file is one of them.
_REMOVED = ("log", "--diff-filter=D", "--no-renames", "--format=", "--name-only", "-z")

# The time limit of each comparison of patches, in seconds: between two distant commits lie many.
_LIMIT = 10.0
# The user's settings must not hide a change or its context. `git log` obeys more of them than this command.
# Git names a file above the threshold by its ids alone, as it names a binary file.
_PATCHES = (
    *("-c", "core.bigFileThreshold=8m", "-c", "diff.suppressBlankEmpty=false"),
    *("diff-tree", "--root", "--patch", "--full-index"),
)
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=3")
_SUBMODULES = ("--ignore-submodules=none", "--submodule=short")
# A number of context lines in this variable would win over the option.
_ENVIRONMENT = {"GIT_DIFF_OPTS": ""}
_TREES = ("log", "--no-show-signature")
# The lines of a patch begin with a space, "+", "-" or a word of Git.
_COMMIT = re.compile(r"^[0-9a-f]{40,64}$", re.MULTILINE)
# The places of the hunks, and the ids of whole files. These say more than the patch, except those of a binary
# file, which has nothing else.
_MORE = re.compile(r"^@@ .*$|^index .*\n(?!Binary files )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Departures:
    """The renames (old path -> new path) and the removals (path -> removed blob)."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, str] = field(default_factory=dict)


class Commit(NamedTuple):
    """One commit: id, ISO 8601 time, committer, subject, seconds since 1970, the committer's address."""

    id: str
    time: str
    who: str
    subject: str
    seconds: int
    address: str


class Head(NamedTuple):
    """A reference that leads to a commit: its full name, the name that people use, and the commit."""

    name: str
    short: str
    tip: str


class OpenRepository(Protocol):
    """What a history needs of a repository."""

    names: ObjectNames

    @property
    def shallow(self) -> bool:
        """Whether history was cut off."""

    def commit(self, revision: str = "HEAD") -> str:
        """Give the commit of a revision."""

    def text(self, blob: str, bound: FileBound = PAGE) -> str | None:
        """Read a blob."""

    def run_git(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None, seconds: float = 0.0
    ) -> tuple[int, str, str]:
        """Run Git."""


class History:
    """The past of a repository; with `seconds`, offline and within a time limit: `OutOfTime` ends it."""

    def __init__(self, repository: OpenRepository, seconds: float = 0.0) -> None:
        self._repository = repository
        self._deadline = time.monotonic() + seconds if seconds else 0.0

    # Commits

    def known(self, commits: Iterable[str]) -> frozenset[str]:
        """Give the commits that this clone has."""
        wanted = frozenset(commits)
        if not wanted:
            return wanted
        objects = self._found(list(wanted))
        if len(objects) < len(wanted):
            raise RepositoryError("git cat-file failed: it cannot fetch a commit that this clone lacks")
        return wanted & {one.id for one in objects if one and one.kind == "commit"}

    def ancestors(self, commits: Iterable[str], head: str) -> frozenset[str]:
        """Give the (known) commits that are certainly `head` or its ancestors; "" is not a commit yet."""
        wanted = frozenset(commits)
        if wanted <= {head}:
            return wanted
        tip = head or self._repository.commit()
        return wanted - frozenset(rows(self._do("rev-list", "--stdin", given=_lines([*wanted, f"^{tip}"]))))

    def non_ancestors(self, commits: Iterable[str], head: str) -> frozenset[str]:
        """Give the (known) commits that are not ancestors of `head`; in a shallow clone, none.

        Where history is cut off, a commit of another branch looks like one below the cut.
        """
        wanted = frozenset(commits)
        return frozenset() if self._repository.shallow else wanted - self.ancestors(wanted, head)

    def merge_base(self, one: str, other: str) -> str:
        """Give the last common commit of two revisions; "" if there is none."""
        return self._ask("merge-base", one, other) or ""

    def parted(self, commit: str, head: str) -> str:
        """Give the commit in which the two sides parted that the first merge after a commit joined, or ""."""
        walk = ("rev-list", "--merges", "--ancestry-path", "--reverse", "--topo-order", "--parents")
        merges = rows(self._ask(*walk, f"{commit}..{head}") or "")
        return self.merge_base(*merges[0].split(" ")[1:3]) if merges else ""

    def newest(self, commits: Iterable[str]) -> str:
        """Give the newest of some commits by their time; "" if this clone lacks one of them."""
        return (self._ask("rev-list", "--no-walk=sorted", *sorted(commits)) or "").partition("\n")[0]

    def first(self, revision: str) -> str:
        """Give the commit with which a history began; "" if there is none, or several."""
        roots = rows(self._ask("rev-list", "--max-parents=0", revision, "--") or "")
        return roots[0] if len(roots) == 1 else ""

    def last_with_subject(self, beginning: str, revision: str) -> str:
        """Give the last commit that leads to a revision and whose message has such a line; "" for none."""
        return self._ask("log", "--max-count=1", f"--grep=^{beginning}", "--format=%H", revision, "--") or ""

    def seconds(self, revision: str) -> float:
        """Give the time of a commit, in seconds since 1970.

        :raises RepositoryError: there is no such commit.
        """
        return float(self._do("show", "--no-patch", "--format=%ct", revision))

    def commits(self, revision: str, path: str = "", *, limit: int, but: str = "") -> list[Commit]:
        """List the last commits that lead to a revision, newest first.

        With a `path`, list only commits that changed it. Leave out those whose subject begins with `but`.

        :raises RepositoryError: the revision does not exist.
        """
        unwanted = ("--invert-grep", f"--grep=^{but}") if but else ()
        paths = ("--", path) if path else ("--",)
        return _commits(
            self._do("log", f"--max-count={limit}", *_FORM, *unwanted, "--end-of-options", revision, *paths)
        )

    def changing(self, revision: str, *paths: str, limit: int = 0, patterns: bool = False) -> list[str]:
        """Give the commits of a revision or range that changed paths, or `patterns` of Git, newest first."""
        options = [_PATTERNS] if patterns else []
        limits = [f"--max-count={limit}"] if limit else []
        return rows(self._ask(*options, "rev-list", *limits, revision, "--", *paths) or "")

    def single_change(self, since: str, last: str, *patterns: str) -> str:
        """Give the one commit that changed files of these patterns, if its parent is `since`, else ""."""
        listed = self._ask(_PATTERNS, "rev-list", "--parents", f"{since}..{last}", "--", *patterns) or ""
        match listed.split():
            case [only, parent] if parent == since:
                return only
        return ""

    def paths_of(self, commit: str) -> frozenset[str]:
        """Give the files that a commit changed; those of a merge differ from its first parent."""
        form = ("--format=", "--name-only", "--no-renames", "-z", "-m", "--first-parent", "--root")
        return frozenset((self._ask("log", "--max-count=1", *form, commit) or "").split("\0")) - {""}

    def before_and_after(self, heads: Collection[str], path: str, most: int) -> list[str]:
        """Give the last commits that changed a file, each before its parents, the newest first."""
        # The full history: in simplified history, a merge that dropped the file hides the side that had it.
        walk = ("log", "--full-history", f"--max-count={most}", "--format=%H %P", *heads)
        return list(dict.fromkeys((self._ask(*walk, "--", path) or "").split()))

    def heads(self, *names: str) -> list[Head]:
        """List the references below these names, those with the newest commits first."""
        form = "--format=%(refname) %(refname:short) %(objectname)"
        listed = self._ask("for-each-ref", "--sort=-committerdate", form, *names)
        return [Head(*row.split(" ")) for row in rows(listed or "")]

    def upstream(self) -> str:
        """Give the full name of the upstream of HEAD's branch; "" if it has none."""
        return self._ask("rev-parse", "--verify", "--quiet", "--symbolic-full-name", "@{upstream}") or ""

    def commit(self, revision: str) -> str:
        """Give the commit of a revision; "" if there is none."""
        objects = self._found([f"{revision}^{{commit}}"])
        return objects[0].id if objects and objects[0] else ""

    def upstream_has_newer(self, path: str) -> bool:
        """Whether the upstream has a file, and changed it since HEAD left its branch."""
        newer = self._run("diff", "--quiet", "HEAD...@{upstream}", "--", path)[0] == 1
        return newer and self._ask("cat-file", "-e", f"@{{upstream}}:{path}") is not None

    # Paths

    def departures_between(self, older: str, newer: str) -> Departures:
        """Compare a known commit with a tree of this name: give the renames and removals between the two."""
        return departures(self._do(*_DIFF_TREE, older, newer))

    def last_departures(self, paths: Collection[str], head: str) -> Departures:
        """Give the last rename or removal of each path in the history of `head`, if there is one."""
        limits = ["--", *sorted(paths)] if len(paths) <= FEW else []
        # In simplified history, a merge with a branch that never had the file would hide its removal.
        walk = ("rev-list", "--topo-order", "--full-history", "--stdin")
        listed = self._do(*walk, given=_lines([head, *limits]))
        # `-c` shows the changes that a merge made itself. Against one parent it shows the other side's work.
        away = departures(self._do(*_DIFF_TREE, "--stdin", "-c", given=f"{listed}\n"))
        return replace(away, renamed=_only(paths, away.renamed), removed=_only(paths, away.removed))

    def was_removed(self, path: str, after: str, until: str) -> bool:
        """Whether a commit between two others removed a path; false if this clone lacks one of the two."""
        if not (until.isalnum() and after.isalnum()):
            return False
        removals = ("--format=%H", "--diff-filter=D", "--no-renames", "--full-history", "-m", "--max-count=1")
        return bool(self._ask("log", *removals, "--end-of-options", f"^{after}", until, "--", path))

    def was_file_removed(self, path: str) -> bool:
        """Whether a commit that leads to HEAD removed a file, and not a folder, at a path."""
        return path in (self._ask(*_REMOVED, "--max-count=1", "HEAD", "--", path) or "").split("\0")

    def removed_below(self, folder: str, revision: str) -> frozenset[str]:
        """Give the files below a folder that a commit which leads to a revision removed or renamed."""
        return frozenset((self._ask(*_REMOVED, revision, "--", folder or ".") or "").split("\0")) - {""}

    def has(self, revision: str, path: str) -> bool:
        """Whether the tree of a revision has a path."""
        return bool(self._ask("ls-tree", revision, "--", path))

    def files_with(self, text: str, commit: str, folder: str) -> frozenset[str]:
        """Give the files of a commit below a folder whose content has a text."""
        listed = self._ask("grep", "-zlF", "--full-name", text, commit, "--", folder or ".") or ""
        return frozenset(name.removeprefix(f"{commit}:") for name in listed.split("\0") if name)

    def trailers(self, name: str, older: str, newer: str) -> list[tuple[str, list[str]]]:
        """Give the values of a trailer in the commits since another one that have it, the oldest first."""
        if older == newer:
            return []
        form = f"--format=%H%x00%(trailers:key={name},valueonly,separator=%x00)"
        logged = self._ask("log", "--reverse", f"--grep=^{name}:", form, f"{older}..{newer}") or ""
        rows = (row.split("\0") for row in logged.split("\n"))
        return [(commit, values) for commit, *values in rows if any(values)]

    # Blobs

    def blobs_at(self, wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """Give the blob of each (commit, path) that this clone has."""
        pairs = [pair for pair in wanted if pair[0].isalnum() and "\n" not in pair[1]]
        blobs = self.blobs_named([f"{commit}:{path}" for commit, path in pairs])
        return {pair: blob for pair, blob in zip(pairs, blobs, strict=False) if blob}

    def blobs_named(self, names: Collection[str], most: int = 0) -> list[str]:
        """Give the blob of each name, `REVISION:PATH`; "" if this clone lacks it, or it has more bytes."""
        objects = self._found(list(names))
        # In a partial clone, Git may have stopped at one of them.
        objects += [None] * (len(names) - len(objects))

        blobs = {one.id for one in objects if one and one.kind == "blob"}
        large = {one.id for one in objects if one and 0 < most < one.size}
        ids = [one.id if one else "" for one in objects]
        return [name if name in blobs - large else "" for name in ids]

    def blobs_below(self, blobs: Collection[str], limit: int) -> list[str]:
        """Give the blobs of fewer bytes than this that the clone has."""
        return [blob for blob in self.blobs_named(list(blobs), limit - 1) if blob]

    def blobs_ever(self, revision: str, paths: Collection[str]) -> dict[str, frozenset[str]]:
        """Give every blob that each of the paths has had in the history of a revision, or in a range."""
        limits = ("--", *sorted(paths)) if len(paths) <= FEW else ()
        options = ("--format=", "--raw", "-z", "--no-abbrev", "--no-renames", "--full-history", "-m")
        output = self._run("log", *options, "--end-of-options", revision, *limits)[1]
        had: dict[str, set[str]] = defaultdict(set)
        words = iter(output.split("\0"))
        for word in words:
            if word.lstrip("\n").startswith(":"):
                about = word.split(" ")
                path = next(words, "")
                if path in paths:
                    had[path].update(blob for blob in about[2:4] if blob.strip("0"))
        return {path: frozenset(blobs) for path, blobs in had.items()}

    def lines_ever(self, path: str, pattern: str) -> list[str]:
        """Give the lines that match an extended pattern in the last hundred versions of a page."""
        commits = (self._ask("log", "--max-count=100", "--format=%H", "--", path) or "").split()
        names = [f"{commit}:{path}" for commit in commits if "\n" not in path]
        # `git grep` would hold a version of any size in memory.
        blobs = dict.fromkeys(filter(None, self.blobs_named(names, PAGE.most)))
        return rows(self._ask("grep", "-hE", pattern, *blobs) or "") if blobs else []

    def holder(self, blobs: Iterable[str], head: str, but: str) -> str:
        """Name a reference or a commit that has one of these blobs and that `head` lacks; "" if none has.

        References below the name `but` do not count.
        """
        for blob in blobs:
            walk = ("log", "--max-count=1", "--format=%H", f"--find-object={blob}")
            commit = self._ask(*walk, f"--exclude={but}/*", "--all", f"^{head}")
            if commit:
                form = ("for-each-ref", "--format=%(refname) %(refname:short)", f"--contains={commit}")
                names = (row.split(" ") for row in rows(self._ask(*form) or ""))
                return next((short for name, short in names if not name.startswith(but)), commit[:10])
        return ""

    def has_had(self, blob: str, head: str) -> bool:
        """Whether a commit that leads to `head` has a blob which this clone has."""
        return bool(self._ask("log", "--max-count=1", "--format=%H", f"--find-object={blob}", head))

    def bringing(self, text: str, revision: str, path: str) -> Commit | None:
        """Give the last commit that leads to a revision and changed how often a file has a text."""
        log = ("log", "--max-count=1", *_FORM, f"-S{text}", "--no-ext-diff", "--no-textconv")
        commits = _commits(self._ask(*log, "--end-of-options", revision, "--", path) or "")
        return commits[0] if commits else None

    def authors(self, revision: str, paths: Collection[str]) -> Iterator[tuple[int, frozenset[str]]]:
        """Give the commits of a range that changed one of the paths: their seconds, and whom they name."""
        log = ("log", "--full-history", "--format=%ct%x00%cn%x00%ce%x00%an%x00%ae")
        for row in rows(self._ask(*log, "--end-of-options", revision, "--", *paths) or ""):
            seconds, *people = row.split("\0")
            yield int(seconds), frozenset(people)

    def patches_with(self, pattern: str, revision: str, path: str) -> str:
        """Give the patches of a file in which an extended pattern matches an added or a removed line."""
        plain = ("-p", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
        return self._ask("log", "--format=", *plain, "-E", f"-G{pattern}", revision, "--", path) or ""

    def text(self, blob: str, bound: FileBound) -> str | None:
        """Read a blob as `Repository.text` does."""
        self._left()
        return self._repository.text(blob, bound)

    # Patches

    def has_changes(self, commits: Collection[str], head: str) -> bool:
        """Tell whether all these commits are in HEAD again, as after a rebase.

        A squash or an amended message makes a commit with the same files. A rebase makes new commits of the
        same patches, which must be there in the same order. `git cherry` compares patches without their white
        space and without their order. A Markdown text may differ in nothing else, so here both count. `git
        patch-id --verbatim` leaves out what follows a zero byte in a line. So it would take two pictures for
        one where an attribute makes them texts. A merge has no patch, so only its files prove something.
        """
        lost = [f"^{commit}" for commit in commits]
        try:
            same = self._with_same_files(commits, [head, *lost])
            # Their own ancestors are in HEAD with them.
            kept = [f"^{commit}" for commit in (head, *same)]
            if self._of(("rev-list", "--merges", "--max-count=1"), [*commits, *kept]) != "":
                return False
            theirs = self._patches([*commits, *kept])
            if theirs is None or not self._are_empty([commit for commit in theirs if not theirs[commit]]):
                return False
            wanted = [patch for patch in theirs.values() if patch]
            ours = self._patches([head, *lost]) if wanted else {}
        except OutOfTime:
            return False
        rest = iter((ours or {}).values())
        # `in` reads on, so the order counts, and a patch that was made twice is needed twice.
        return all(patch in rest for patch in wanted)

    def _with_same_files(self, commits: Collection[str], revisions: Collection[str]) -> list[str]:
        """Select the commits of which HEAD's own history has all the files, in one commit."""
        trees = set(rows(self._of((*_TREES, "--format=%T"), revisions) or ""))
        own = rows(self._of((*_TREES, "--no-walk", "--format=%T %H"), commits) or "")
        return [commit for tree, _, commit in (row.partition(" ") for row in own) if tree in trees]

    def _patches(self, revisions: Collection[str]) -> dict[str, str] | None:
        """Give the digest of each commit's patch, the oldest first, "" without a patch; None if Git fails."""
        listed = self._of(("rev-list", "--reverse", "--topo-order"), revisions)
        if not listed:
            return None if listed is None else {}
        digests = dict.fromkeys(rows(listed), "")
        said = self._of((*_PATCHES, *_PLAIN, *_SUBMODULES), digests)
        if said is None:
            return None
        for start, following in pairwise([*_COMMIT.finditer(said), None]):
            if start:
                patch = said[start.end() : following.start() if following else None].strip("\n")
                text = _MORE.sub("", f"{patch}\n")
                digests[start[0]] = sha256(text.encode(errors="surrogateescape")).hexdigest()
        return digests

    def _are_empty(self, commits: Collection[str]) -> bool:
        """Tell whether these commits have the files of their parents; a first commit must have none."""
        trees = _lines(f"{commit}^{{tree}}\n{commit}^^{{tree}}" for commit in commits)
        ask = ("cat-file", "--batch-check=%(objectname) %(objectsize)")
        status, said, _ = self._repository.run_git(*ask, given=trees, seconds=_LIMIT)
        if status:
            return False
        both = rows(said)
        pairs = zip(both[::2], both[1::2], strict=True)
        # A first commit does not have a parent, whose tree is missing then. An empty tree has zero bytes.
        changed = (pair for pair in pairs if pair[0] != pair[1])
        return all(before.endswith(" missing") and own.endswith(" 0") for own, before in changed)

    def _of(self, command: tuple[str, ...], revisions: Iterable[str]) -> str | None:
        given = _lines(revisions)
        status, said, _ = self._repository.run_git(
            *command, "--stdin", given=given, env=_ENVIRONMENT, seconds=_LIMIT
        )
        return None if status else said

    def _found(self, names: Sequence[str]) -> list[FoundObject | None]:
        """Find the objects of names. The process that runs on has the network and no time limit."""
        if not self._deadline:
            return self._repository.names.find(names)
        return [found_object(row) for row in rows(self._run(*FIND_OBJECTS, given=_lines(names))[1])]

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if self._deadline and left <= 0:
            raise OutOfTime("the time for the questions is over")
        return left if self._deadline else 0.0

    def _run(self, *arguments: str, given: str = "") -> tuple[int, str, str]:
        env = _OFFLINE if self._deadline else None
        return self._repository.run_git(*arguments, given=given, env=env, seconds=self._left())

    def _ask(self, *arguments: str, given: str = "") -> str | None:
        status, output, _ = self._run(*arguments, given=given)
        return None if status else output

    def _do(self, *arguments: str, given: str = "") -> str:
        return output_of(arguments, self._run(*arguments, given=given))


def _commits(output: str) -> list[Commit]:
    split = (row.split("\0") for row in rows(output))
    return [Commit(name, at, who, text, int(seconds), mail) for name, at, who, text, seconds, mail in split]


def departures(output: str) -> Departures:
    """Parse the raw differences of Git, newest commit first, into the last fate of each path.

    A merge (shown by `-c`) counts only where it removed a file that all of its parents had.
    """
    renamed: dict[str, str] = {}
    removed: dict[str, str] = {}
    words = iter(output.split("\0"))
    for word in words:
        if not word.startswith(":"):
            continue  # the id of the commit whose changes follow
        path = next(words)
        # For each parent a row has a colon, a mode, a blob id and a letter; then its own mode and blob id.
        parents = len(word) - len(word.lstrip(":"))
        *about, status = word.split(" ")
        # For a rename that a merge made, Git prints only the new path.
        target = next(words) if parents == 1 and status.startswith("R") else None
        if path in renamed or path in removed:
            continue
        if target is not None:
            renamed[path] = target
        elif status == "D" * parents:
            removed[path] = about[parents + 1]
    return Departures(renamed, removed)


def _lines(given: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in given)


def _only(paths: Collection[str], departed: Mapping[str, str]) -> dict[str, str]:
    return {path: departed[path] for path in paths if path in departed}

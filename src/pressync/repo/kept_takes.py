"""The texts that this clone took from the site, in one reference of its own, until they are settled.

An edit that was taken has two texts. `taken` is the text of the last sync with the edit: the base of the next
merge. `written` is that text merged with HEAD: it went into a file or on a branch. Neither need be in a
commit, and Git drops an object that nothing holds. So one commit of this reference has both, for each path.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

import msgspec

from pressync.model.changes import Result
from pressync.model.errors import RepositoryError
from pressync.model.fingerprint import small_digest
from pressync.repo.ref import Moved, Reference
from pressync.repo.repository import KEPT
from pressync.repo.run_git import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.model.outcomes import RunResult
    from pressync.model.records import Entry
    from pressync.repo.repository import Repository


_LIST = "takes.json"
# A pull and a proposal may write at the same time.
_TRIES = 5
# The former version kept the merged text alone, in a commit with this at the end of its subject.
_FORMER = " as on the site"
# So many digits of an object are shown.
_SHORT = 10


class KeptTake(msgspec.Struct, frozen=True):
    """Both blobs of a take, and the commit with whose file the edit was merged.

    `root` names the work tree whose file has the text; it is "" if the text is `proposed` on a branch. The
    former version did not note `taken`, which is "" then.
    """

    taken: str
    written: str
    commit: str
    root: str = ""

    @property
    def proposed(self) -> bool:
        """Whether the text is on a branch, and in the file of nobody."""
        return not self.root


_takes = msgspec.json.Decoder(dict[str, KeptTake])


def root_of(repository: Repository) -> str:
    """Name the work tree of a repository by a digest; a repository without one has none."""
    return small_digest(os.fsencode(repository.root.resolve())) if repository.root else ""


@dataclass(frozen=True, slots=True)
class KeptTakes:
    """The takes of one site in this clone, by path."""

    repository: Repository
    site: str

    @property
    def _reference(self) -> Reference:
        return Reference(self.repository, f"{KEPT}/{self.site}")

    def read(self) -> dict[str, KeptTake]:
        """Read all takes that are not settled."""
        reference = self._reference
        return self._read(reference, reference.tip)

    def keep(self, path: str, take: KeptTake) -> None:
        """Keep both texts of a take, in place of an earlier take of this path, until it is let go.

        :raises RepositoryError: Git cannot write.
        """
        self._change({path: take})

    def let_go(self, paths: Collection[str]) -> dict[str, KeptTake]:
        """Let the texts of some paths go, and give those that were kept."""
        return self._change(dict.fromkeys(paths)) if paths else {}

    def settle(
        self,
        run: RunResult,
        entries: Callable[[], Mapping[str, Entry]],
        say: Callable[[str], object],
        *,
        by_reference: bool,
    ) -> None:
        """Let go what a run has settled, and say so; `entries` reads the manifest after it.

        A record that the run has sent has another base for the next merge. A text that HEAD has is in Git
        anyway. A manifest in a reference is one for all branches: an entry without the text has gone on. In a
        file, the branch with the text may be waiting for its merge. A run that is killed before keeps a text
        for longer than it needs to.
        """
        takes = self.read()
        if not takes:
            return
        held, head = entries(), self.repository.tree(run.plan.commit).files
        done = {outcome.change.path for outcome in run.outcomes if outcome.result is Result.DONE}
        settled = {}
        for path, take in takes.items():
            entry = held.get(path)
            has_gone_on = by_reference and (entry is None or entry.blob != take.taken != "")
            if path in done or has_gone_on or head.get(path) == take.taken:
                settled[path] = take
        self.let_go(settled)
        for path, take in settled.items():
            say(f"{path}: {self._sentence(take, run.plan.commit)}")

    def _sentence(self, take: KeptTake, head: str) -> str:
        history = self.repository.history
        if any(history.has_had(blob, head) for blob in {take.taken, take.written} - {""}):
            return (
                "the text that was taken from the site is in HEAD, and pressync does not keep it any longer"
            )
        show = f"git show {(take.taken or take.written)[:_SHORT]}"
        return (
            "the text that was taken from the site is not in HEAD, and pressync does not keep it any longer: "
            f"`{show}` shows it until Git removes it, in about two weeks"
        )

    def _change(self, changes: Mapping[str, KeptTake | None]) -> dict[str, KeptTake]:
        reference = self._reference
        for _ in range(_TRIES):
            tip = reference.tip
            before = self._read(reference, tip)
            after = {path: take for path, take in {**before, **changes}.items() if take}
            if after == before:
                return {}
            new = reference.commit(self._files(after), None, "The texts of the site that are kept")
            try:
                reference.move(new, tip)
            except Moved:
                continue
            return {path: before[path] for path in changes if path in before}
        raise RepositoryError(f"another program moves {reference.name}", todo="run it again")

    def _files(self, takes: Mapping[str, KeptTake]) -> dict[str, bytes]:
        blobs = {blob for take in takes.values() for blob in (take.taken, take.written)}
        texts = {blob: self.repository.data(blob) for blob in blobs}
        listed = msgspec.json.format(msgspec.json.encode(dict(sorted(takes.items()))), indent=1)
        return {_LIST: listed, **{blob: text for blob, text in texts.items() if text is not None}}

    def _read(self, reference: Reference, tip: str | None) -> dict[str, KeptTake]:
        if tip is None:
            return {}
        listed = reference.file(tip, _LIST)
        if listed is None:
            return self._of_former_version(tip)
        try:
            return _takes.decode(listed)
        except msgspec.MsgspecError as error:
            todo = f"`git update-ref -d {quote(reference.name)}` lets the texts in it go"
            raise RepositoryError(f"{reference.name} cannot be read: {error}", todo=todo) from error

    def _of_former_version(self, tip: str) -> dict[str, KeptTake]:
        """Read the commits of the former version, the newest first: they lie upon a commit of a person."""
        log = ("log", "--first-parent", "--no-show-signature", "--format=%H%x00%P%x00%s", tip)
        names: dict[str, str] = {}
        below = ""
        for row in rows(self.repository.output(*log)):
            commit, parents, subject = row.split("\0", 2)
            if not subject.endswith(_FORMER):
                break
            path, below = subject.removesuffix(_FORMER), parents.partition(" ")[0]
            names.setdefault(path, f"{commit}:{path}")
        blobs = self.repository.history.blobs_named([*names.values()])
        pairs = zip(names, blobs, strict=True)
        return {path: KeptTake("", blob, below) for path, blob in pairs if blob}

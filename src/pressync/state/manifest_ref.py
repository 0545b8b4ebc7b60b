"""The manifest in a Git reference that machines share: one commit claims a run, and a later one ends it.

The commit that claims is pushed with a compare-and-swap, so it is both lock and journal. The first machine
runs, and every other machine reads again. If a machine dies, the next one knows which creates it was about to
send. The clock of another machine may be hours wrong, so no claim is considered dead for its date alone. This
machine must have seen it unchanged for a long time. If its date is old, longer than a pulse is enough.
"""

from __future__ import annotations

import os
import random
import time
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.model import bounds, errors
from pressync.model.changes import Refusal
from pressync.model.records import Entry, Manifest
from pressync.repo import work_tree
from pressync.repo.ref import Moved, Reference
from pressync.state import claims
from pressync.state.claims import TIMES, Claim, ClaimNotes, ClaimTimes
from pressync.state.clone_log import CloneLog
from pressync.state.manifest import codec
from pressync.state.manifest.codec import HeldText
from pressync.state.manifest_file import read_for

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pressync.config.settings import Settings
    from pressync.model.interface import Kind
    from pressync.repo.repository import Repository
    from pressync.state.clone_files import CloneFiles
    from pressync.state.manifest_file import Creates

MANIFEST, CLAIM = "manifest.json", "claim.json"
# A manifest that moved to a file is kept under this name: other clones must not write to it any more.
MOVED = "moved.json"
# The subject of a commit that moves the manifest begins with this word.
MOVE = "Move"
# The subject of a commit that does not end a run begins with this word.
CLAIMED = "Claim"

_MOVED = "the manifest of this site has moved from here to a file"
_PULL = "pull first: `git pull`; if you moved it, `pressync manifest move --to file` ends the move"
# GitHub refuses files over 100 MB, and warns from 50 MB on. A record takes about 655 bytes.
LARGE = 50_000_000
# The advice where a host refuses a large manifest.
_SPLIT = "raise the limit of that host, or give a part of the content a repository and a site name of its own"


class ManifestRef:
    """Keeps the manifest of one site in a reference."""

    # The reference only moves forward, so nobody puts an older manifest back.
    goes_back = False

    def __init__(
        self,
        reference: Reference,
        target: str,
        *,
        log: CloneLog,
        wait: float,
        say: Callable[[str], None],
        fallback: Callable[[], bytes | None] = lambda: None,
        times: ClaimTimes = TIMES,
        takes_back: bool = False,
    ) -> None:
        """Use the reference; `log` is that of this clone, which has the id of its own claim.

        `fallback` returns the manifest's file, if there is one: it counts until the reference exists.
        `takes_back` is true for a move: it may also write where a manifest has moved to a file.
        """
        self.reference = reference
        self.where = f"{reference.name} on {reference.remote}" if reference.remote else reference.name
        self._target, self._types = target, log.types
        self._notes = ClaimNotes(log)
        self._wait = wait
        self._say = say
        self._fallback = fallback
        self._times = times
        self.pulse = times.pulse
        self._takes_back = takes_back
        self.refusal: Refusal | None = None
        # Whether the reference exists, or the manifest's file that counts before it does.
        self.is_there = False
        self._fetched = self._told_large = False
        self._tip: str | None = None
        # The manifest at the tip. A file that counts before the reference exists is not held.
        self._held = HeldText(Manifest(target), types=log.types)
        self._claim: Claim | None = None

    def read(self, *, writable: bool) -> Manifest:
        """Read the manifest at the tip; to write, wait until no other run claims it.

        The creates that another run has claimed are unconfirmed here, whether that run is alive or dead.

        :raises ManifestError: the tip has no manifest, or one for another target.
        :raises LockHeld: a run on another machine still claims the manifest.
        :raises SafetyRefusal: it is read to be written, and it has moved to a file.
        :raises RepositoryError: the manifest is read to be written, and the remote cannot be reached.
        """
        self._tip, self.refusal = self._unclaimed_tip() if writable else self._known_tip(), None
        self._held, self._claim = self._holding(Manifest(self._target)), None
        if self._tip is None:
            data = self._fallback()
            self.is_there = data is not None
            return self._read(data, "the manifest's file") if data else Manifest(self._target)
        self.is_there = True
        place = f"{self.reference.name} ({self._tip[:10]})"
        data = self.reference.file(self._tip, MANIFEST)
        moved = self.reference.file(self._tip, MOVED) if data is None else None
        if moved is not None:
            refusal = errors.SafetyRefusal(_MOVED, where=place, todo=_PULL, code="manifest_moved")
            if writable and not self._takes_back:
                raise refusal
            self.refusal = None if self._takes_back else Refusal(refusal.code, str(refusal))
            # The text stays empty, so that the next save commits the manifest under its own name again.
            return self._read(moved, place)
        if data is None:
            todo = "give the site's manifest a name that nothing else has"
            raise errors.ManifestError(f"it has no {MANIFEST}", where=place, todo=todo)
        manifest = self._read(data, place)
        self._held, self._claim = self._holding(manifest, data), self._claim_at(self._tip)
        theirs = self.holder.creates if self.holder else ()
        return replace(manifest, unconfirmed=(*manifest.unconfirmed, *theirs))

    @property
    def holder(self) -> Claim | None:
        """The claim of another run at the tip that was read; None if there is none."""
        return None if self._claim is None or self._notes.is_own(self._claim) else self._claim

    def claim(
        self, manifest: Manifest, creates: Creates, about: str, changed: Collection[str] | None = None
    ) -> None:
        """Commit a claim beside the manifest, before anything is sent.

        :raises Overtaken: another run was first.
        :raises RepositoryError: the remote refuses the push, or cannot be reached.
        :raises StorageError: the disk refused a write.
        """
        own = None if self.holder else self._claim
        since = own.since if own else datetime.now(UTC).isoformat(timespec="seconds")
        run = own.run if own else uuid.uuid4().hex
        # The id is noted first. Otherwise a later run of this clone would wait for its own claim.
        self._notes.hold(run)
        claim = Claim(run, os.uname().nodename, os.getpid(), since, creates)
        subject = f"{CLAIMED}: {about}, {len(creates)} to create"
        self._move(self._held.rewritten(manifest, changed), subject, claim)

    def renew(self, manifest: Manifest, changed: Collection[str] | None = None) -> None:
        """Commit what is known now, with a claim of the creates that are still to be sent.

        :raises Overtaken: another run has taken over; RepositoryError as `claim`.
        """
        if self._claim is None:
            return
        done = manifest.entries.keys() | {create.path for create in manifest.unconfirmed}
        left = tuple(create for create in self._claim.creates if create.path not in done)
        subject = f"{CLAIMED}: still running, {len(left)} to create"
        self._move(
            self._held.rewritten(manifest, changed), subject, structs.replace(self._claim, creates=left)
        )

    def save(self, manifest: Manifest, about: str, changed: Collection[str] | None = None) -> None:
        """Commit the manifest without a claim, unless the tip has exactly that.

        :raises Overtaken: the tip has moved since it was read; RepositoryError as `claim`.
        """
        before, new = self._held, self._held.rewritten(manifest, changed)
        if self._claim is None and new is before:
            return
        count = counts(before.manifest, manifest, changed if before.text else None)
        self._move(new, ": ".join(filter(None, (about or "Save", count))), None)

    def leave(self, manifest: Manifest, file: str) -> None:
        """Commit that the manifest moves to a file; its content stays here, under another name.

        :raises Overtaken: as `save`; RepositoryError as `claim`.
        """
        self._move(self._holding(manifest), f"{MOVE} to {file}", None, name=MOVED)
        self._held = self._holding(Manifest(self._target))

    def arrive(self, manifest: Manifest, file: str) -> None:
        """Commit a manifest that was in a file, unless the tip that was read has exactly that.

        :raises Overtaken: as `save`; RepositoryError as `claim`.
        """
        new = self._held.rewritten(manifest, None)
        if self._claim or not self._held.text or new is not self._held:
            self._move(new, f"{MOVE} from {file}", None)

    def records(self) -> Iterator[bytes]:
        """Give the text of the records in pieces, with the end of the manifest.

        :raises ManifestError: it is written in another way.
        """
        return self._held.rows().pieces()

    def _read(self, data: bytes, place: str) -> Manifest:
        return read_for(self._target, data, place, self._types)

    def _holding(self, manifest: Manifest, text: bytes = b"") -> HeldText:
        return HeldText(manifest, text, self._types)

    def _move(self, held: HeldText, message: str, claim: Claim | None, *, name: str = MANIFEST) -> None:
        text = held.text or codec.encode(held.manifest).encode()
        claimed = {CLAIM: claims.encode(claim).encode()} if claim else {}
        made = self.reference.commit({name: text, **claimed}, self._tip, message)
        large = too_large(len(text), self.where) if self.reference.remote else ""
        if large and not self._told_large:
            self._say(large)
            self._told_large = True
        try:
            self.reference.move(made, self._tip)
        except Moved:
            self._notes.end()
            problem = f"another run has written {self.where} first"
            raise errors.Overtaken(problem, todo="run it again") from None
        except errors.RepositoryError as error:
            if large:
                raise errors.RepositoryError(f"{error.what}; {large}", todo=_SPLIT) from error
            raise
        self._tip, self._held, self._claim = made, self._holding(held.manifest, text), claim
        self.is_there = True
        if claim is None:
            self._notes.end()

    def _known_tip(self) -> str | None:
        """Return the tip; if the remote cannot be reached, the one that this clone knew last."""
        if not self._fetched:
            try:
                self.reference.fetch()
            except errors.RepositoryError as error:
                self._say(f"{error.what.splitlines()[0]}; using the manifest that this clone fetched last")
            self._fetched = True
        return self.reference.tip

    def _unclaimed_tip(self) -> str | None:
        """Return the tip as soon as no other run claims it."""
        deadline = time.monotonic() + self._wait
        seen: str | None = None
        # A claim that moves is that of a live run, whose clock is wrong if its date looks old.
        moves = False
        while True:
            tip = self.reference.fetch()
            self._fetched = True
            claim = self._claim_at(tip) if tip else None
            now = time.monotonic()
            if tip != seen:
                moves, seen, since = seen is not None, tip, now
            if claim is None or self._notes.is_own(claim):
                return tip
            if self._notes.has_died(claim):
                self._say(f"the run of {claim}, has died on this machine: its claim is taken over")
                return tip
            is_old = tip is not None and not moves and self.reference.age(tip) >= self._times.old
            if now - since >= (self._times.glance if is_old else self._times.dead):
                self._say(f"the run of {claim} has not moved for {now - since:.0f} s: it is considered dead")
                return tip
            if now >= deadline and not is_old:
                takes_over = f"`pressync sync --wait {self._times.dead:.0f}`"
                todo = f"try again when it is done; if it died, {takes_over} takes over"
                raise errors.LockHeld(f"{claim}, is syncing this site and holds {self.where}", todo=todo)
            if since == now:
                old = f"whose claim is old: it is watched for {self._times.glance:.0f} s"
                self._say(f"waiting for {claim}, {old if is_old else 'which is syncing this site'}")
            time.sleep(self._times.poll * random.uniform(0.5, 1.5))  # noqa: S311 - spreads, no secret

    def _claim_at(self, commit: str) -> Claim | None:
        data = self.reference.file(commit, CLAIM)
        return (
            None
            if data is None
            else claims.decode(data, f"{self.reference.name} ({commit[:10]})", self._types)
        )


def of_site(
    name: str,
    repository: Repository,
    settings: Settings,
    files: CloneFiles,
    *,
    wait: float,
    say: Callable[[str], None],
    takes_back: bool,
) -> ManifestRef:
    """Open the reference of this name, which has a site's manifest.

    :raises ConfigError: this clone does not have the remote.
    """
    site = settings.site
    remotes = repository.port.remotes()
    remote = "origin" if site.remote is None and "origin" in remotes else site.remote
    if remote and remote not in remotes:
        others = ", ".join(sorted(remotes)) or "none"
        problem = f"this clone has no remote '{remote}' (it has: {others})"
        raise errors.ConfigError(problem, where=settings.origins["remote"], todo="`git remote add` it")
    return ManifestRef(
        Reference(repository, name, remote or None),
        site.target,
        log=CloneLog(files, site.target, settings.types),
        wait=wait,
        say=say,
        fallback=lambda: _file(repository, site.file, files),
        takes_back=takes_back,
    )


def _file(repository: Repository, name: str, files: CloneFiles) -> bytes | None:
    """Read the manifest's file: as it is committed, or in a bare repository the clone's own."""
    committed = repository.blob_at(repository.tree(repository.commit()), name, bounds.MANIFEST)
    if committed is None and repository.root is None and files.manifest.is_file():
        return work_tree.read(files.manifest, bounds.MANIFEST)
    return committed


def counts(before: Manifest, after: Manifest, changed: Collection[str] | None = None) -> str:
    """Count the records that are new, changed and gone, for the subject of a commit.

    A renamed file keeps its record, so records are compared by their ids. Without `changed`, which has all
    paths at which the two may differ, all records are compared.
    """
    old, new = _records(before, changed), _records(after, changed)
    numbers = {
        "created": len(new.keys() - old.keys()),
        "updated": sum(old[key] != new[key] for key in new.keys() & old.keys()),
        "deleted": len(old.keys() - new.keys()),
        "unconfirmed": len(after.unconfirmed),
    }
    return ", ".join(f"{count} {name}" for name, count in numbers.items() if count)


def _records(manifest: Manifest, paths: Collection[str] | None) -> dict[tuple[Kind, int], Entry]:
    entries = manifest.entries
    chosen = entries.values() if paths is None else [entries[path] for path in paths if path in entries]
    return {(entry.kind, entry.id): entry for entry in chosen}


def too_large(size: int, where: str) -> str:
    """Say that a manifest of this many bytes is nearly too large for many hosts, or nothing."""
    if size < LARGE:
        return ""
    return f"the manifest in {where} has {size / 1e6:.0f} MB, and many hosts refuse files over 100 MB"

"""The manifest in a Git reference that machines share: one commit claims a run, and a later one ends it.

The commit that claims is pushed with a compare-and-swap, so it is both lock and journal. The first machine
runs, and every other machine reads again. If a machine dies, the next one knows which creates it was about to
send. The clocks of two machines are not compared: a claim is considered dead when this machine has seen it
unchanged for a long time, or when it is so old that no clock can be that wrong.
"""

from __future__ import annotations

import os
import random
import time
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.model.errors import (
    ConfigError,
    LockHeld,
    ManifestError,
    Overtaken,
    RepositoryError,
    StorageError,
)
from pressync.model.records import Manifest
from pressync.repo.ref import Moved, Reference
from pressync.state import private_files
from pressync.state.manifest import claims, codec
from pressync.state.manifest.claims import Claim
from pressync.state.manifest_file import read_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pressync.config.settings import Settings
    from pressync.model.records import Doubt
    from pressync.repo.repository import Repository
    from pressync.state.clone_files import CloneFiles

MANIFEST, CLAIM = "manifest.json", "claim.json"
# The subject of a commit that does not end a run begins with this word.
CLAIMED = "Claim"


@dataclass(frozen=True, slots=True)
class ClaimTimes:
    """How long things take, in seconds.

    A run renews its claim every `pulse`. A claim is considered dead if this machine has watched it for `dead`
    without a change, or if it is `old` by its date. `poll` is the time between two looks at a claim.
    """

    pulse: float = 60.0
    dead: float = 300.0
    old: float = 1800.0
    poll: float = 2.0


TIMES = ClaimTimes()


class ManifestRef:
    """Keeps the manifest of one site in a reference."""

    def __init__(
        self,
        reference: Reference,
        target: str,
        *,
        token: Path,
        wait: float,
        say: Callable[[str], None],
        fallback: Callable[[], bytes | None] = lambda: None,
        times: ClaimTimes = TIMES,
    ) -> None:
        """Use the reference; `token` is the file in which this clone notes the id of its own claim.

        `fallback` returns the manifest's file, if there is one: it counts until the reference exists.
        """
        self.reference = reference
        self._target = target
        self._token = token
        self._wait = wait
        self._say = say
        self._fallback = fallback
        self._times = times
        self._fetched = False
        self._tip: str | None = None
        self._has_fallback = False
        self._text = b""
        self._claim: Claim | None = None

    @property
    def where(self) -> str:
        """The name of the reference, and of the remote if there is one."""
        remote = self.reference.remote
        return f"{self.reference.name} on {remote}" if remote else self.reference.name

    @property
    def goes_back(self) -> bool:
        """False: the reference only moves forward, so nobody puts an older manifest back."""
        return False

    @property
    def pulse(self) -> float:
        """How often a claim has to be renewed, in seconds."""
        return self._times.pulse

    @property
    def is_there(self) -> bool:
        """Whether the last read found the reference, or the manifest's file that counts before it exists."""
        return self._tip is not None or self._has_fallback

    def read(self, *, writable: bool) -> Manifest:
        """Read the manifest at the tip; to write, wait until no other run claims it.

        The creates that another run has claimed are unconfirmed here, whether that run is alive or dead.

        :raises ManifestError: the tip has no manifest, or one for another target.
        :raises LockHeld: a run on another machine still claims the manifest.
        :raises RepositoryError: the manifest is read to be written, and the remote cannot be reached.
        """
        self._tip = self._unclaimed_tip() if writable else self._known_tip()
        if self._tip is None:
            self._text, self._claim = b"", None
            data = self._fallback()
            self._has_fallback = data is not None
            return read_for(self._target, data, "the manifest's file") if data else Manifest(self._target)
        place = f"{self.reference.name} ({self._tip[:10]})"
        data = self.reference.file(self._tip, MANIFEST)
        if data is None:
            todo = "give the site's manifest a name that nothing else has"
            raise ManifestError(f"it has no {MANIFEST}", where=place, todo=todo)
        known = read_for(self._target, data, place)
        self._text, self._claim = data, self._claim_at(self._tip)
        return replace(known, doubts=(*known.doubts, *self.holder.creates)) if self.holder else known

    @property
    def holder(self) -> Claim | None:
        """The claim of another run at the tip that was read; None if there is none."""
        return None if self._claim is None or self._is_own(self._claim) else self._claim

    def claim(self, known: Manifest, creates: tuple[Doubt, ...], about: str) -> None:
        """Commit a claim beside the manifest, before anything is sent.

        :raises Overtaken: another run was first.
        :raises RepositoryError: the remote refuses the push, or cannot be reached; nothing was sent.
        :raises StorageError: the disk refused a write; nothing was sent.
        """
        own = None if self.holder else self._claim
        since = own.since if own else datetime.now(UTC).isoformat(timespec="seconds")
        run = own.run if own else uuid.uuid4().hex
        # The id is noted first. Otherwise a later run of this clone would wait for its own claim.
        try:
            private_files.write(self._token, run.encode())
        except OSError as error:
            what = f"the claim cannot be noted ({error.strerror}), so nothing was sent"
            raise StorageError(what, where=str(self._token), todo="free some space, and run again") from error
        claim = Claim(run, os.uname().nodename, os.getpid(), since, creates)
        self._move(known, f"{CLAIMED}: {about}, {len(creates)} to create", claim)

    def renew(self, known: Manifest) -> None:
        """Commit what is known now, with a claim of the creates that are still to be sent.

        :raises Overtaken: another run has taken over.
        :raises RepositoryError: the remote cannot be reached.
        """
        if self._claim is None:
            return
        done = known.entries.keys() | {doubt.path for doubt in known.doubts}
        left = tuple(doubt for doubt in self._claim.creates if doubt.path not in done)
        subject = f"{CLAIMED}: still running, {len(left)} to create"
        self._move(known, subject, structs.replace(self._claim, creates=left))

    def save(self, known: Manifest, about: str) -> None:
        """Commit the manifest without a claim, unless the tip has exactly that.

        :raises Overtaken: the tip has moved since it was read.
        :raises RepositoryError: the remote refuses the push, or cannot be reached.
        """
        before = read_for(self._target, self._text, self.where) if self._text else Manifest(self._target)
        if self._claim is None and codec.encode(known) == codec.encode(before):
            return
        subject = ": ".join(filter(None, (about or "Save", _counts(before, known))))
        self._move(known, subject, None)

    def _move(self, known: Manifest, message: str, claim: Claim | None) -> None:
        texts = {MANIFEST: codec.encode(known)}
        if claim:
            texts[CLAIM] = claims.encode(claim)
        made = self.reference.commit(texts, self._tip, message)
        try:
            self.reference.move(made, self._tip)
        except Moved:
            what = f"another run has written {self.where} first"
            raise Overtaken(what, todo="run it again") from None
        self._tip, self._text, self._claim = made, texts[MANIFEST].encode(), claim

    def _known_tip(self) -> str | None:
        """Return the tip; if the remote cannot be reached, the one that this clone knew last."""
        if not self._fetched:
            try:
                self.reference.fetch()
            except RepositoryError as error:
                self._say(f"{error.what}; using the manifest that this clone fetched last")
            self._fetched = True
        return self.reference.tip

    def _unclaimed_tip(self) -> str | None:
        """Return the tip as soon as no other run claims it."""
        deadline = time.monotonic() + self._wait
        seen: str | None = None
        while True:
            tip = self.reference.fetch()
            self._fetched = True
            claim = self._claim_at(tip) if tip else None
            now = time.monotonic()
            if tip != seen:
                seen, since = tip, now
            if claim is None or self._is_own(claim) or self._is_old(tip):
                return tip
            if now - since >= self._times.dead:
                self._say(f"the run of {claim} has not moved for {now - since:.0f} s: it is considered dead")
                return tip
            if now >= deadline:
                todo = f"try again when it is done; if it died, `--wait {self._times.dead:.0f}` takes over"
                raise LockHeld(f"{claim}, is syncing this site and holds {self.where}", todo=todo)
            if since == now:
                self._say(f"waiting for {claim}, which is syncing this site")
            time.sleep(self._times.poll * random.uniform(0.5, 1.5))  # noqa: S311 - spreads, no secret

    def _claim_at(self, commit: str) -> Claim | None:
        data = self.reference.file(commit, CLAIM)
        return None if data is None else claims.decode(data, f"{self.reference.name} ({commit[:10]})")

    def _is_own(self, claim: Claim) -> bool:
        try:
            return self._token.read_text(encoding="utf-8") == claim.run
        except OSError:
            return False

    def _is_old(self, tip: str | None) -> bool:
        """Whether the claim was last renewed so long ago that no clock can be that wrong."""
        age = self.reference.age(tip) if tip else 0.0
        if age < self._times.old:
            return False
        self._say(
            f"the claim on {self.where} was last renewed {age / 60:.0f} minutes ago: it is considered dead"
        )
        return True


def of_site(
    repository: Repository,
    settings: Settings,
    files: CloneFiles,
    *,
    wait: float,
    say: Callable[[str], None],
) -> ManifestRef | None:
    """Open the reference that has a site's manifest; None if the manifest is a file.

    :raises ConfigError: this clone does not have the remote.
    """
    site = settings.site
    if site.reference is None:
        return None
    remotes = repository.port.remotes()
    remote = "origin" if site.remote is None and "origin" in remotes else site.remote
    if remote and remote not in remotes:
        known = ", ".join(sorted(remotes)) or "none"
        what = f"this clone has no remote '{remote}' (it has: {known})"
        raise ConfigError(what, where=settings.origins["remote"], todo="`git remote add` it")
    return ManifestRef(
        Reference(repository, site.reference, remote or None),
        site.target,
        token=files.claim,
        wait=wait,
        say=say,
        # A site that moves from a file to a reference must not create its pages again.
        fallback=lambda: repository.blob_at(repository.tree(repository.commit()), site.file),
    )


def _counts(before: Manifest, after: Manifest) -> str:
    """Count the records that are new, changed and gone; a record is known by its kind and id."""
    old = {(entry.kind, entry.id): entry for entry in before.entries.values()}
    new = {(entry.kind, entry.id): entry for entry in after.entries.values()}
    counts: Mapping[str, int] = {
        "created": len(new.keys() - old.keys()),
        "updated": sum(old[key] != new[key] for key in new.keys() & old.keys()),
        "deleted": len(old.keys() - new.keys()),
        "unconfirmed": len(after.doubts),
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)

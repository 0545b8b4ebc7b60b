"""The claim of a run on a manifest that machines share, and this machine's notes on who has claimed.

A machine may die between its first call and its last, and its journal may be lost with it. The claim tells
which process runs, and which creates it is about to send. So the next run knows which records may have been
created.

A run that was killed leaves its claim in the manifest's reference, and its clone knows the claim by its log.
Another clone on the same machine cannot go by the host and the process of the claim: containers share host
names, and numbers of processes come again. So each run also holds a locked note in a folder of its user. The
system gives the lock back when the process ends, however it ends. So a run of this host has died for certain
if its note is here and nobody locks it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pressync.model.errors import ManifestError, storing
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.model.records import UnconfirmedCreate  # noqa: TC001 - it is a member's type
from pressync.state import atomic_files
from pressync.state.manifest.rows import as_json, one_line

if TYPE_CHECKING:
    from pressync.state.clone_log import CloneLog

VERSION = 1
# The claim of another machine is read, too, so its id must not lead out of the folder.
_RUN = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class ClaimTimes:
    """How long things take, in seconds.

    A run renews its claim every `pulse`. A claim is considered dead if this machine has watched it for `dead`
    without a change, or for a `glance` if it is `old` by its date. `poll` is the time between two looks.
    """

    pulse: float = 60.0
    dead: float = 300.0
    old: float = 1800.0
    glance: float = 90.0
    poll: float = 2.0


TIMES = ClaimTimes()


class Claim(msgspec.Struct, frozen=True):
    """The claim of one run: `run` is a random id, `since` is in ISO 8601 and UTC."""

    run: str
    host: str
    process: int
    since: str
    creates: tuple[UnconfirmedCreate, ...]

    def __str__(self) -> str:
        return f"process {self.process} on host {self.host}, since {self.since}"


class _Version(msgspec.Struct):
    version: int


def encode(claim: Claim) -> str:
    """Write a claim; each create has a line of its own."""
    head = {"version": VERSION, "run": claim.run, "host": claim.host, "process": claim.process}
    rows = ",".join(one_line(create) for create in claim.creates)
    return f'{as_json({**head, "since": claim.since})[:-1]},\n "creates": [{rows}]}}\n'


def decode(data: bytes, where: str, types: SiteTypes = DOCUMENTED_TYPES) -> Claim:
    """Read a claim; `where` names its place in messages.

    :raises ManifestError: the text is not a claim, or a newer version wrote it.
    """
    try:
        written = msgspec.json.decode(data, type=_Version).version
        claim = msgspec.json.decode(data, type=Claim, dec_hook=types.decoded)
    except (ValueError, RecursionError) as error:
        raise ManifestError(
            f"it is not a claim of a run: {error}", where=where, todo="upgrade pressync"
        ) from error
    if written != VERSION:
        raise ManifestError("it was written by a newer pressync", where=where, todo="upgrade pressync")
    return claim


class ClaimNotes:
    """The notes of one clone; its log has the id of its own claim."""

    def __init__(self, log: CloneLog) -> None:
        self._log = log
        self._held: tuple[Path, int] | None = None
        self._dead: Path | None = None

    def hold(self, run: str) -> None:
        """Note that this process claims the site, before it does.

        :raises StorageError: the clone's own note cannot be written.
        """
        with storing(self._log.path, "the claim cannot be noted", "free some space, and run again"):
            self._log.append([("claim", msgspec.json.encode(run))])
        if self._held is None:
            # Without this note the other clones of this machine wait, as those of other machines do.
            with contextlib.suppress(OSError):
                self._held = _locked(run)

    def end(self) -> None:
        """Remove the locked note, and that of a dead run: neither claims the site any more."""
        if self._dead is not None:
            with contextlib.suppress(OSError):
                self._dead.unlink()
            self._dead = None
        if self._held is not None:
            note, descriptor = self._held
            with contextlib.suppress(OSError):
                note.unlink()
            os.close(descriptor)
            self._held = None

    def is_own(self, claim: Claim) -> bool:
        """Tell whether a run of this clone made the claim."""
        return self._log.claim() == claim.run

    def has_died(self, claim: Claim) -> bool:
        """Tell whether the run of a claim has certainly died on this machine."""
        note = _note(claim.run) if claim.host == os.uname().nodename else None
        if note is None:
            return False
        try:
            descriptor = os.open(note, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        finally:
            os.close(descriptor)
        self._dead = note
        return True


def _locked(run: str) -> tuple[Path, int] | None:
    """Make and lock a note; None if its folder could be somebody else's."""
    note = _note(run, make=True)
    if note is None:
        return None
    descriptor = os.open(note, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, atomic_files.PRIVATE_FILE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return note, descriptor


def _note(run: str, *, make: bool = False) -> Path | None:
    """Give the place of a run's note; None if its folder could be somebody else's."""
    folder = _folder()
    if not _RUN.fullmatch(run):
        return None
    try:
        if make:
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=atomic_files.PRIVATE_FOLDER)
        status = folder.lstat()
    except OSError:
        return None
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return folder / run if is_ours else None


def _folder() -> Path:
    """Name the folder of this user's notes: the clones of one machine share it, and a new boot empties it."""
    import tempfile  # noqa: PLC0415 - a run with nothing to do claims nothing

    return Path(tempfile.gettempdir()) / f"pressync-{os.getuid()}"

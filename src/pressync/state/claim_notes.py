"""Notes of this machine on the runs that claim a site: which claim is a clone's own, and which run has died.

A run that was killed leaves its claim in the manifest's reference, and its clone knows the claim by a note.
Another clone on the same machine cannot go by the host and the process of the claim: containers share host
names, and numbers of processes come again. So each run also holds a locked note in a folder of its user. A
run has died for certain only if its note is here, nobody locks it, and its process is not here any more.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.errors import StorageError
from pressync.state import private_files

if TYPE_CHECKING:
    from pressync.state.manifest.claims import Claim

# The claim of another machine is read, too, so its id must not lead out of the folder.
_RUN = re.compile(r"[0-9a-f]{32}")
_BOOT, _PROCESSES = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
_MOST_READ = 4096
# The states of a process that has ended and whose parent has not asked for its end.
_ENDED = ("Z", "X")
# The field of the start, counted from the state.
_START = 19


class ClaimNotes:
    """The notes of one clone; `token` is the file in which it notes the id of its own claim."""

    def __init__(self, token: Path) -> None:
        self.token = token
        self._held: tuple[Path, int] | None = None
        self._dead: Path | None = None

    def hold(self, run: str) -> None:
        """Note that this process claims the site, before it does.

        :raises StorageError: the clone's own note cannot be written.
        """
        try:
            private_files.write(self.token, run.encode())
        except OSError as error:
            what = f"the claim cannot be noted ({error.strerror})"
            raise StorageError(what, where=str(self.token), todo="free some space, and run again") from error
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
        try:
            return self.token.read_text(encoding="utf-8") == claim.run
        except OSError:
            return False

    def has_died(self, claim: Claim) -> bool:
        """Tell whether the run of a claim has certainly died on this machine."""
        note = _note(claim.run)
        if note is None:
            return False
        try:
            descriptor = os.open(note, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            said = os.read(descriptor, _MOST_READ).decode(errors="replace").split("\n")
            place, process, started = said
            died = place == _place() and not _is_alive(int(process), started)
        except (OSError, ValueError):
            return False
        finally:
            os.close(descriptor)
        self._dead = note if died else self._dead
        return died


def _locked(run: str) -> tuple[Path, int] | None:
    """Write and lock a note; None if this system does not tell one process from another."""
    place, started, note = _place(), _started(os.getpid()), _note(run, make=True)
    if not (place and started and note):
        return None
    descriptor = os.open(note, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, private_files.FILE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{place}\n{os.getpid()}\n{started}".encode(), 0)
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
                folder.mkdir(mode=private_files.FOLDER)
        found = folder.lstat()
    except OSError:
        return None
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return folder / run if is_ours else None


def _folder() -> Path:
    """Name the folder of this user's notes: the clones of one machine share it, and a new boot empties it."""
    import tempfile  # noqa: PLC0415 - a run with nothing to do claims nothing

    return Path(tempfile.gettempdir()) / f"pressync-{os.getuid()}"


def _place() -> str:
    """Name this boot of this machine and the processes that this one sees; "" if the system does not say."""
    try:
        return f"{_BOOT.read_text(encoding='ascii').strip()} {_PROCESSES.readlink()}"
    except (OSError, ValueError):
        return ""


def _is_alive(process: int, started: str) -> bool:
    """Tell whether the process may still run; another one may have its number now."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    now = _started(process)
    return now in {started, ""}


def _started(process: int) -> str:
    """Give the time when a process started, in ticks since the boot; "-" if it has ended, "" if unknown."""
    try:
        said = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    # The name of the program is in parentheses, and may have any character.
    fields = said.rpartition(")")[2].split()
    return "-" if fields[0] in _ENDED else fields[_START]

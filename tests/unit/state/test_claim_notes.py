"""A run that was killed on this machine is dead for certain; any other may be alive."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from pressync.model.errors import StorageError
from pressync.state import atomic_files, claim_notes
from pressync.state.claim_notes import ClaimNotes
from pressync.state.manifest.claims import Claim

if TYPE_CHECKING:
    from collections.abc import Iterator

CLAIM = Claim("0123456789abcdef" * 2, os.uname().nodename, 1, "2024-01-31T12:00:00+00:00", ())
FOLDER = claim_notes._folder  # noqa: SLF001
# A process that holds a claim until somebody kills it.
HOLDER = """
import sys
from pathlib import Path
from pressync.state.claim_notes import ClaimNotes
ClaimNotes(Path(sys.argv[1])).hold(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""

if not Path("/proc/self/ns/pid").exists():
    pytest.skip("this system does not tell one process from another", allow_module_level=True)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give this test a temporary folder of its own; the notes are below it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(claim_notes, "_folder", FOLDER)
    return FOLDER()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Hold the claim in another process."""
    words = [sys.executable, "-c", HOLDER, str(tmp_path / "theirs"), CLAIM.run]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.fixture
def notes(tmp_path: Path) -> ClaimNotes:
    """Give the notes of a clone that did not make the claim."""
    return ClaimNotes(tmp_path / "ours")


def test_a_run_is_dead_once_its_process_was_killed(other: subprocess.Popen[str], notes: ClaimNotes) -> None:
    assert not notes.is_own(CLAIM)
    assert not notes.has_died(CLAIM)
    other.kill()
    other.wait()
    # A run that finds it may end before it claims the site itself.
    assert notes.has_died(CLAIM)
    assert notes.has_died(CLAIM)
    notes.end()
    assert not notes.has_died(CLAIM)


def test_a_killed_process_that_nobody_has_waited_for_is_dead(
    other: subprocess.Popen[str], notes: ClaimNotes
) -> None:
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert notes.has_died(CLAIM)


@pytest.mark.parametrize("line", [0, 1], ids=["another machine", "a process that is here"])
def test_a_note_of_another_boot_or_of_a_living_process_proves_nothing(
    other: subprocess.Popen[str], notes: ClaimNotes, folder: Path, line: int
) -> None:
    other.kill()
    other.wait()
    lines = (folder / CLAIM.run).read_text().split("\n")
    here = ["another boot", str(os.getpid()), ""]
    if line:
        stat = Path("/proc/self/stat").read_text()
        lines[2] = stat.rpartition(")")[2].split()[19]
    lines[line] = here[line]
    (folder / CLAIM.run).write_text("\n".join(lines))
    assert not notes.has_died(CLAIM)


def test_a_process_that_came_later_and_got_the_number_is_another_one(
    other: subprocess.Popen[str], notes: ClaimNotes, folder: Path
) -> None:
    other.kill()
    other.wait()
    place, _, started = (folder / CLAIM.run).read_text().split("\n")
    (folder / CLAIM.run).write_text(f"{place}\n{os.getpid()}\n{int(started) - 1}")
    assert notes.has_died(CLAIM)


def test_a_note_that_is_not_here_or_cannot_be_read_proves_nothing(notes: ClaimNotes, folder: Path) -> None:
    assert not notes.has_died(CLAIM)
    notes.hold("f" * 32)
    (folder / CLAIM.run).write_text("?")
    assert not notes.has_died(CLAIM)
    (folder.parent / "outside").write_text("")
    assert not notes.has_died(structs.replace(CLAIM, run="../outside"))
    notes.end()


def test_an_ended_claim_leaves_no_note(notes: ClaimNotes, folder: Path) -> None:
    notes.hold(CLAIM.run)
    notes.hold(CLAIM.run)
    assert notes.is_own(CLAIM)
    assert [each.name for each in folder.iterdir()] == [CLAIM.run]
    notes.end()
    notes.end()
    assert list(folder.iterdir()) == []


def test_a_folder_that_others_can_write_to_is_not_used(notes: ClaimNotes, folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    notes.hold(CLAIM.run)
    assert list(folder.iterdir()) == []
    assert notes.is_own(CLAIM)


def test_a_claim_that_cannot_be_noted_in_the_clone_is_not_made(
    notes: ClaimNotes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_files, "replace", full)
    with pytest.raises(StorageError, match=r"the claim cannot be noted \(No space left on device\)"):
        notes.hold(CLAIM.run)

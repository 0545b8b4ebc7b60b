"""The claim of a run as text, and who has died: a run that was killed on this machine, and no other."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.states import log_in

from pressync.model.errors import ManifestError, StorageError
from pressync.model.interface import Kind
from pressync.model.records import UnconfirmedCreate
from pressync.state import atomic_files, claims
from pressync.state.claims import Claim, ClaimNotes, decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


CLAIM = Claim("0123456789abcdef" * 2, os.uname().nodename, 1, "2024-01-31T12:00:00+00:00", ())
FOLDER = claims._folder  # noqa: SLF001
# A process that holds a claim until somebody kills it.
HOLDER = """
import sys
from pathlib import Path
from pressync.state.claims import ClaimNotes
from tests.support.states import log_in
ClaimNotes(log_in(Path(sys.argv[1]))).hold(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give this test a temporary folder of its own; the notes are below it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(claims, "_folder", FOLDER)
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
    return ClaimNotes(log_in(tmp_path / "ours"))


def test_a_run_is_dead_once_its_process_was_killed(other: subprocess.Popen[str], notes: ClaimNotes) -> None:
    assert not notes.is_own(CLAIM)
    assert not notes.has_died(CLAIM)
    other.kill()
    # Nobody has waited for the process yet, and then somebody has.
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert notes.has_died(CLAIM)
    other.wait()
    assert notes.has_died(CLAIM)
    # Machines may share the folder, on a disk that keeps its locks to each of them.
    assert not notes.has_died(structs.replace(CLAIM, host="elsewhere"))
    # A run that finds it may end before it claims the site itself.
    assert notes.has_died(CLAIM)
    notes.end()
    assert not notes.has_died(CLAIM)


def test_a_killed_process_is_dead_although_a_child_of_it_goes_on(tmp_path: Path, notes: ClaimNotes) -> None:
    """Git may outlive the run that called it, and must not hold its claim."""
    child = "child = subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL)\n"
    child += "print(child.pid, flush=True)\nos.kill(os.getpid(), 9)\n"
    code = f"import os, subprocess{HOLDER.replace('sys.stdin.read()', child)}"
    words = [sys.executable, "-c", code, str(tmp_path / "theirs"), CLAIM.run]
    said = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False).stdout
    try:
        assert notes.has_died(CLAIM)
    finally:
        os.kill(int(said.split()[-1]), 9)


def test_a_note_that_is_not_here_proves_nothing(notes: ClaimNotes, folder: Path) -> None:
    assert not notes.has_died(CLAIM)
    notes.hold(CLAIM.run)
    assert not notes.has_died(CLAIM), "this very process holds it"
    (folder.parent / "outside").write_text("")
    assert not notes.has_died(structs.replace(CLAIM, run="../outside"))
    (folder / ("e" * 32)).symlink_to(folder.parent / "outside")
    assert not notes.has_died(structs.replace(CLAIM, run="e" * 32))
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


def test_a_claim_that_cannot_be_noted_is_not_made(notes: ClaimNotes, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_files, "append", full)
    with pytest.raises(StorageError, match=r"the claim cannot be noted \(No space left on device\)"):
        notes.hold(CLAIM.run)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, r"c\.json: it is not a claim of a run") for text in ("", "[]", '{"version": 1}', "\udcff")),
        (
            encode(Claim("run", "host", 7, "now", ())).replace('"version": 1', '"version": 2'),
            "newer pressync",
        ),
    ],
)
def test_anything_else_is_refused(text: str, said: str) -> None:
    with pytest.raises(ManifestError, match=said):
        decode(text.encode(errors="surrogateescape"), "c.json")


def test_a_claim_is_written_as_the_earlier_version_wrote_it() -> None:
    create = UnconfirmedCreate("a.md", Kind.PAGE, "a", "2024", "c", {"title": "t"})
    line = (
        '{"path": "a.md", "kind": "page", "slug": "a", "time": "2024", "commit": "c", '
        '"fingerprints": {"title": "t"}}'
    )
    assert encode(Claim("run", "host", 7, "2024", (create, create))) == (
        '{"version": 1, "run": "run", "host": "host", "process": 7, "since": "2024",\n'
        f' "creates": [\n{line},\n{line}]}}\n'
    )

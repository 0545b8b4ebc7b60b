"""The manifest in a reference: claimed, renewed, settled, taken over; and State on top of it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import entry, manifest
from tests.support.shared_manifest import HASTY, REF, SITE, Clones, kept

from pressync.app.workspace import Workspace
from pressync.model.changes import Refusal
from pressync.model.errors import (
    ConfigError,
    LockHeld,
    ManifestError,
    Overtaken,
    RepositoryError,
    SafetyRefusal,
    StorageError,
)
from pressync.model.interface import Kind
from pressync.model.records import Manifest, UnconfirmedCreate
from pressync.state import atomic_files, manifest_ref
from pressync.state.claims import ClaimTimes
from pressync.state.clone_files import CloneFiles
from pressync.state.manifest.codec import encode
from pressync.state.manifest_ref import LARGE, counts, too_large
from pressync.state.state import open_state

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.model.records import Entry
    from pressync.state.manifest_ref import ManifestRef
    from pressync.state.state import State


DEAD = ClaimTimes(pulse=0, dead=0, old=1e9, poll=0)
A, B = entry("a.md", 1), entry("b.md", 2)
SENT_CREATE = UnconfirmedCreate("c.md", Kind.PAGE, "c", "2024-01-31T12:00:00+00:00", "c", {"title": "t"})


def holding(*entries: Entry) -> Manifest:
    return Manifest("target", {each.path: each for each in entries})


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    """Share one page's repository."""
    return Clones.create(tmp_path, "http://127.0.0.1:9/wp-json", {"content/pages/a.md": "# A\n"})


@pytest.fixture
def here(clones: Clones) -> ManifestRef:
    """Open it on one machine."""
    return kept(clones.clone().root)


@pytest.fixture
def there(clones: Clones) -> ManifestRef:
    """Open it on another."""
    return kept(clones.clone().root)


def saved(keeper: ManifestRef, known: Manifest, about: str = "Sync") -> None:
    keeper.read(writable=True)
    keeper.save(known, about)


def test_what_one_machine_saved_another_reads(here: ManifestRef, there: ManifestRef, clones: Clones) -> None:
    saved(here, holding())
    assert here.reference.tip is None, "an empty manifest is not written"
    for _ in range(2):
        saved(here, replace(holding(A, B), unconfirmed=(SENT_CREATE,)), "Sync of 1")
    assert there.read(writable=False) == replace(holding(A, B), unconfirmed=(SENT_CREATE,))
    saved(there, holding(structs.replace(A, slug="x")), "Sync of 2")
    assert clones.subjects() == ["Sync of 1: 2 created, 1 unconfirmed", "Sync of 2: 1 updated, 1 deleted"]
    assert here.read(writable=True) == holding(structs.replace(A, slug="x"))


def test_one_of_two_that_claim_at_once_is_first(here: ManifestRef, there: ManifestRef) -> None:
    here.read(writable=True)
    there.read(writable=True)
    here.claim(holding(), (SENT_CREATE,), "Sync of 1")
    with pytest.raises(Overtaken, match=f"another run has written {REF} on origin first"):
        there.claim(holding(), (SENT_CREATE,), "Sync of 1")
    with pytest.raises(LockHeld, match=r"process \d+ on host .* is syncing this site"):
        there.read(writable=True)
    here.save(holding(A), "Sync of 1")
    assert there.read(writable=True) == holding(A)


def test_what_another_run_claims_is_unconfirmed_to_others(here: ManifestRef, there: ManifestRef) -> None:
    saved(here, holding(A))
    here.claim(holding(A), (SENT_CREATE,), "Sync of 1")
    assert there.read(writable=False) == replace(holding(A), unconfirmed=(SENT_CREATE,))
    assert there.holder is not None


def test_a_disk_that_cannot_note_a_claim_keeps_it_from_being_made(
    here: ManifestRef, there: ManifestRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **_named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    here.read(writable=True)
    monkeypatch.setattr(atomic_files, "append", full)
    with pytest.raises(StorageError, match=r"the claim cannot be noted \(No space left on device\)"):
        here.claim(holding(), (SENT_CREATE,), "Sync of 1")
    assert there.read(writable=True) == holding()


def test_a_claim_that_stands_still_is_taken_over_and_its_run_is_told(clones: Clones) -> None:
    doomed, heir = kept(clones.clone().root), kept(clones.clone().root, times=DEAD)
    doomed.read(writable=True)
    doomed.claim(holding(), (SENT_CREATE,), "Sync of 1")
    known = heir.read(writable=True)
    assert known.unconfirmed == (SENT_CREATE,)
    heir.claim(known, (), "Sync of 2")
    with pytest.raises(Overtaken):
        doomed.renew(holding(A))
    with pytest.raises(Overtaken):
        doomed.save(holding(A), "Sync of 1")
    heir.save(known, "Sync of 2")
    assert doomed.read(writable=True).unconfirmed == (SENT_CREATE,)


class Clock:
    """A clock that only a pause moves."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self._looks = 0

    def monotonic(self) -> float:
        self._looks += 1
        assert self._looks < 50, "it looks again and again without a pause"
        return sum(self.pauses)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


def test_a_run_that_waits_says_so_once_and_looks_now_and_then_until_the_claim_is_considered_dead(
    here: ManifestRef, clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.read(writable=True)
    here.claim(holding(), (SENT_CREATE,), "Sync of 1")
    clock, heard, clone = Clock(), list[str](), clones.clone().root
    monkeypatch.setattr(manifest_ref, "time", clock)
    times = ClaimTimes(dead=20, poll=2)
    with pytest.raises(LockHeld, match="`pressync sync --wait 20` takes over"):
        kept(clone, times=times, say=heard.append).read(writable=True)
    assert (clock.pauses, heard) == ([], []), "nobody asked it to wait"

    assert kept(clone, times=times, wait=60, say=heard.append).read(writable=True) == replace(
        holding(), unconfirmed=(SENT_CREATE,)
    )
    assert all(1 <= pause <= 3 for pause in clock.pauses)
    assert 20 <= sum(clock.pauses) < 23
    waits, takes_over = heard
    assert waits.endswith(", which is syncing this site")
    assert takes_over.endswith(f" has not moved for {sum(clock.pauses):.0f} s: it is considered dead")


def test_a_claim_of_a_process_that_died_on_this_machine_is_taken_over_at_once(
    here: ManifestRef, clones: Clones, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    here.read(writable=True)
    here.claim(holding(), (SENT_CREATE,), "Sync of 1")
    run = here._notes._log.claim()  # noqa: SLF001
    here._notes.end()  # noqa: SLF001
    hold = f"ClaimNotes(log_in(Path({str(tmp_path)!r}))).hold({run!r})"
    names = {"pathlib": "Path", "pressync.state.claims": "ClaimNotes", "tests.support.states": "log_in"}
    imported = "; ".join(f"from {module} import {name}" for module, name in names.items())
    code = f"import os; {imported}; {hold}"
    env = {**os.environ, "TMPDIR": str(tmp_path_factory.getbasetemp())}
    subprocess.run([sys.executable, "-c", f"{code}; os.kill(os.getpid(), 9)"], env=env, check=False)
    heard: list[str] = []
    heir = kept(clones.clone().root, say=heard.append)
    assert heir.read(writable=True).unconfirmed == (SENT_CREATE,)
    assert [said.partition(", ")[2].partition(", ")[2] for said in heard] == [
        "has died on this machine: its claim is taken over"
    ]
    heir.save(holding(A), "Sync of 2")
    assert kept(clones.clone().root).read(writable=True) == holding(A)


def test_a_claim_that_is_old_is_taken_over_after_a_glance(here: ManifestRef, clones: Clones) -> None:
    here.read(writable=True)
    here.claim(holding(), (SENT_CREATE,), "Sync of 1")
    heir = kept(clones.clone().root, times=replace(HASTY, old=-1, glance=0))
    assert heir.read(writable=True).unconfirmed == (SENT_CREATE,)


def test_a_claim_that_looks_old_because_a_clock_is_wrong_is_not_taken_over_while_it_moves(
    here: ManifestRef, clones: Clones
) -> None:
    here.read(writable=True)
    here.claim(holding(), (SENT_CREATE,), "Sync of 1")
    heard: list[str] = []

    def ends(said: str) -> None:
        heard.append(said)
        here.save(holding(A), "Sync of 1")

    heir = kept(clones.clone().root, times=replace(HASTY, old=-1, glance=1e9), say=ends)
    assert heir.read(writable=True) == holding(A)
    assert [said.partition(", whose ")[2] for said in heard] == [
        "claim is old: it is watched for 1000000000 s"
    ]


def test_a_claim_that_looks_old_and_moves_is_waited_for(here: ManifestRef, clones: Clones) -> None:
    here.read(writable=True)
    here.claim(holding(), (SENT_CREATE,), "Sync of 1")
    heard: list[str] = []

    def goes_on(said: str) -> None:
        heard.append(said)
        assert len(heard) < 3, "nobody asked to wait"
        here.renew(holding(A))

    heir = kept(clones.clone().root, times=replace(HASTY, old=-1), say=goes_on)
    with pytest.raises(LockHeld, match="is syncing this site"):
        heir.read(writable=True)
    assert len(heard) == 1


def test_without_the_remote_a_look_is_possible_and_a_run_is_not(clones: Clones, there: ManifestRef) -> None:
    machine = clones.clone()
    here = kept(machine.root)
    saved(here, holding(A))
    machine.git("remote", "set-url", "origin", str(clones.origin / "nowhere"))
    again = kept(machine.root)
    assert again.read(writable=False) == holding(A)
    with pytest.raises(RepositoryError, match="cannot be reached"):
        again.read(writable=True)
    assert there.read(writable=False) == holding(A)


def test_a_reference_of_something_else_is_refused(clones: Clones, here: ManifestRef) -> None:
    clones.git("update-ref", REF, "HEAD")
    with pytest.raises(ManifestError, match=r"it has no manifest\.json"):
        here.read(writable=True)


class TestState:
    """Manifest and journal together, with the manifest in a reference."""

    def open(self, keeper: ManifestRef, *, writable: bool = True) -> State:
        notes = CloneFiles(keeper._notes._log.path.parent, SITE)  # noqa: SLF001
        return open_state(keeper, notes, "target", writable=writable)

    def test_two_machines_that_save_at_once_lose_nothing(self, here: ManifestRef, there: ManifestRef) -> None:
        with self.open(here) as state, self.open(there) as other:
            other.put(B)
            other.save("Adopt b.md")
            state.put(A)
            state.save("Adopt a.md")
            assert dict(state.manifest.entries) == {"a.md": A, "b.md": B}
        assert there.read(writable=True) == holding(A, B)

    def test_what_cannot_be_pushed_is_in_the_journal_and_pushed_by_the_next_run(self, clones: Clones) -> None:
        machine = clones.clone()
        with self.open(kept(machine.root)) as state:
            state.put(A)
            machine.git("remote", "set-url", "origin", str(clones.origin / "nowhere"))
            with pytest.raises(
                StorageError, match=r"the journal .*; remove the cause and run `pressync sync`"
            ):
                state.save("Adopt a.md")
        machine.git("remote", "set-url", "origin", f"file://{clones.origin}")
        with self.open(kept(machine.root)) as state:
            assert dict(state.manifest.entries) == {"a.md": A}
            state.save("Sync")
        assert kept(clones.clone().root).read(writable=True) == holding(A)

    def test_a_run_that_was_overtaken_puts_both_together(self, clones: Clones) -> None:
        doomed, heir = kept(clones.clone().root), kept(clones.clone().root, times=DEAD)
        with self.open(doomed) as state:
            state.claim([], "Sync of 1")
            state.put(A)
            with self.open(heir) as other:
                other.claim([], "Sync of 2")
                other.put(B)
                other.save("Sync of 2")
            state.save("Sync of 1")
        assert heir.read(writable=True) == holding(A, B)
        assert clones.is_linear


def test_a_manifest_that_was_left_is_taken_back_by_a_move(here: ManifestRef, clones: Clones) -> None:
    root = clones.clone().root
    there, moving = kept(root), kept(root, takes_back=True)
    saved(here, holding(A, B))
    here.read(writable=True)
    here.leave(holding(A, B), ".pressync/live.json")
    with pytest.raises(SafetyRefusal, match="has moved from here to a file; pull first: `git pull`") as told:
        there.read(writable=True)
    assert there.read(writable=False) == holding(A, B)
    assert there.refusal == Refusal("manifest_moved", str(told.value))
    assert moving.read(writable=True) == holding(A, B)
    moving.arrive(holding(A, B), ".pressync/live.json")
    assert here.read(writable=True) == holding(A, B)
    assert moving.refusal is here.refusal is None


def test_a_manifest_that_has_not_changed_does_not_arrive_twice(here: ManifestRef) -> None:
    saved(here, holding(A))
    here.arrive(holding(A), "a.json")
    tip = here.reference.tip
    here.read(writable=True)
    here.arrive(holding(A), "a.json")
    assert here.reference.tip == tip
    here.arrive(holding(A, B), "a.json")
    assert here.reference.tip != tip


def test_a_remote_that_the_clone_does_not_have_is_told(repository: SampleRepository) -> None:
    settings = '[sites.live]\nurl = "http://127.0.0.1:9/wp-json"\nmanifest = "ref"\nremote = "upstream"\n'
    repository.commit({"pressync.toml": settings})
    with Workspace.open(repository.root, environ={}) as workspace, pytest.raises(ConfigError) as refused:
        _ = workspace.manifest_reference
    assert str(refused.value) == (
        "pressync.toml [sites.live]: this clone has no remote 'upstream' (it has: none); `git remote add` it"
    )


@pytest.mark.parametrize("remote", ["", 'remote = ""\n'])
def test_without_a_remote_the_reference_is_this_clones_own(repository: SampleRepository, remote: str) -> None:
    settings = f'[sites.live]\nurl = "http://127.0.0.1:9/wp-json"\nmanifest = "ref"\n{remote}'
    repository.commit({"pressync.toml": settings})
    with Workspace.open(repository.root, environ={}) as workspace:
        assert workspace.manifest_reference is not None
        assert workspace.manifest_reference.reference.remote is None
        assert workspace.manifest_reference.where == REF


def test_the_server_s_file_counts_in_a_bare_repository(repository: SampleRepository, tmp_path: Path) -> None:
    """A push that changes the setting must not make the server forget its records."""
    url = "http://127.0.0.1:9/wp-json"
    repository.commit({"pressync.toml": f'[sites.live]\nurl = "{url}"\nmanifest = "ref"\nremote = ""\n'})
    repository.git("clone", "--quiet", "--bare", ".", f"{tmp_path}/server.git")
    own = tmp_path / "server.git/pressync/live.json"
    own.parent.mkdir()
    own.write_text(encode(manifest(entry("a.md", 1))).replace(manifest().target, url))
    with Workspace.open(tmp_path / "server.git", environ={}) as workspace, workspace.reading() as state:
        assert state.manifest.entries.keys() == {"a.md"}


A, B, C = entry("a.md", 1), entry("b.md", 2), entry("c.md", 3)
UNCONFIRMED = UnconfirmedCreate("d.md", Kind.PAGE, "d", "2024-01-31T12:00:00Z", "c", {})


def test_what_is_new_changed_gone_and_unconfirmed_is_counted() -> None:
    moved = entry("renamed.md", 1)
    after = replace(manifest(moved, C), unconfirmed=(UNCONFIRMED,))
    assert counts(manifest(A, B), after) == "1 created, 1 updated, 1 deleted, 1 unconfirmed"


def test_a_size_is_told_from_half_of_what_hosts_take() -> None:
    assert too_large(LARGE - 1, "x") == ""
    assert (
        too_large(65_500_000, "x") == "the manifest in x has 66 MB, and many hosts refuse files over 100 MB"
    )

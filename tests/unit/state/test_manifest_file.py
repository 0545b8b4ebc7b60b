"""The manifest's file: where it may be, and what is never overwritten."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import TARGET, entry, manifest
from tests.support.shared_manifest import Clones, kept

from pressync.model.errors import ManifestError, Overtaken, SafetyRefusal
from pressync.model.interface import Kind
from pressync.model.records import Manifest, Name, UnconfirmedCreate
from pressync.repo.repository import Repository
from pressync.state import atomic_files, manifest_file
from pressync.state.manifest.codec import encode
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pressync.state.manifest_ref import ManifestRef

    # Opens the store of the same manifest once more, as another run would.
    Opener = Callable[[], ManifestFile | ManifestRef]
    from tests.support.repository import SampleRepository

KNOWN = manifest(entry("a.md", 1))
MANY = manifest(*(entry(f"p{number}.md", number) for number in range(1, 41)))


def refusal(path: Path, target: str = TARGET) -> str:
    with pytest.raises((ManifestError, SafetyRefusal)) as caught:
        ManifestFile(path, target).read()
    return str(caught.value)


def test_a_file_is_made_for_something_to_save_and_then_says_what_was_saved_last(tmp_path: Path) -> None:
    path = tmp_path / ".pressync/production.json"
    file = ManifestFile(path, TARGET)
    assert file.read() == manifest()
    file.save(manifest())
    assert list(tmp_path.iterdir()) == []
    for known in (KNOWN, MANY, manifest()):
        file.save(known)
        assert path.read_text() == encode(known)
        assert ManifestFile(path, TARGET).read() == known


def test_what_has_not_changed_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(encode(KNOWN))
    before = path.stat()
    file = ManifestFile(path, TARGET)
    file.read()
    file.save(KNOWN)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Write a manifest of forty records, and let a minute pass."""
    path = tmp_path / "m.json"
    path.write_text(encode(MANY))
    os.utime(path, ns=(0, path.stat().st_mtime_ns - 60 * 10**9))
    return path


@pytest.mark.parametrize("claims", [False, True])
def test_an_edit_of_the_same_length_is_seen(old: Path, *, claims: bool) -> None:
    file = ManifestFile(old, TARGET)
    known = file.read()
    if claims:
        file.claim(known, (), "Sync")
    edited = old.read_text().replace('"slug": "p7"', '"slug": "x7"')
    old.write_text(edited)
    with pytest.raises(ManifestError, match="somebody else has changed it"):
        file.save(KNOWN)
    if not claims:
        with pytest.raises(SafetyRefusal, match="somebody else has changed it"):
            file.claim(known, (), "Sync")
    assert old.read_text() == edited


def test_an_edit_amid_the_copy_is_not_overwritten(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ManifestFile(old, TARGET)
    known = file.read()
    real = atomic_files._write_at  # noqa: SLF001 - a moment between the first byte and the last

    def edited(descriptor: int, data: bytes, offset: int) -> None:
        real(descriptor, data, offset)
        (old.parent / "pulled").write_text(encode(KNOWN))
        (old.parent / "pulled").replace(old)

    monkeypatch.setattr(atomic_files, "_write_at", edited)
    with pytest.raises(ManifestError, match="somebody else has changed it"):
        file.save(replace(known, names={Name("tags", "blue"): 4}), "Sync")
    assert old.read_text() == encode(KNOWN)
    assert [*old.parent.iterdir()] == [old]


def test_a_claim_leaves_the_time_of_the_content(old: Path) -> None:
    before = old.stat().st_mtime_ns
    file = ManifestFile(old, TARGET)
    file.claim(file.read(), (), "Sync")
    assert old.stat().st_mtime_ns == before


def test_its_records_are_given_as_they_are_in_the_file(old: Path) -> None:
    file = ManifestFile(old, TARGET)
    file.read()
    assert encode(MANY).endswith(b"".join(file.records()).decode())
    old.write_text(encode(KNOWN))
    with pytest.raises(ManifestError, match="somebody else has changed it"):
        b"".join(file.records())


def test_a_file_that_is_not_such_a_manifest_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(encode(KNOWN))
    said = refusal(path, "https://other.test")
    assert f"it is for {TARGET}, and this run is for https://other.test" in said
    assert "a site name of its own" in said
    path.write_bytes(b'{"version": 1,\n "target": "\xff"')
    assert refusal(path).endswith("m.json:2: it is not UTF-8; restore it from Git")
    assert f"{path} must be a folder, but it is a file" in refusal(path / "production.json")
    assert refusal(path / "production.json").endswith("; move that file away")
    assert "cannot be read" in refusal(tmp_path)


def test_a_claim_saves_the_file_as_it_is_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / ".pressync/m.json"
    file = ManifestFile(path, TARGET)
    file.read()
    file.claim(manifest(), (), "Sync")
    assert list(path.parent.iterdir()) == []
    file.save(KNOWN)
    before, inode = path.read_bytes(), path.stat().st_ino
    again = ManifestFile(path, TARGET)
    again.read()
    again.claim(KNOWN, (), "Sync")
    assert path.read_bytes() == before
    assert path.stat().st_ino != inode
    assert list(path.parent.iterdir()) == [path]


def test_a_claim_refuses_a_file_that_cannot_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    path = tmp_path / "m.json"
    path.write_text(encode(KNOWN))
    file = ManifestFile(path, TARGET)
    file.read()
    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(SafetyRefusal, match=r"cannot be saved \(Permission denied\), so nothing was sent"):
        file.claim(KNOWN, (), "Sync")
    assert path.read_text() == encode(KNOWN)
    monkeypatch.setattr("os.fdatasync", refuse)
    new = ManifestFile(tmp_path / "new.json", TARGET)
    with pytest.raises(SafetyRefusal, match=r"cannot be saved \(Permission denied\), so nothing was sent"):
        new.claim(new.read(), (), "Sync")
    assert list(tmp_path.iterdir()) == [path]


# A contract: a file and a reference do the same for a state.


STORED = Manifest("target", {"a.md": entry("a.md", 1)})
OTHER = Manifest("target", {"b.md": entry("b.md", 2)})
CREATE = UnconfirmedCreate("c.md", Kind.PAGE, "c", "2024-01-31T12:00:00+00:00", "c", {"title": "t"})


@pytest.fixture(params=["file", "reference"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Open a store of each kind; each call is another run, on another machine if they can share it."""
    if request.param == "file":
        return lambda: ManifestFile(tmp_path / ".pressync/m.json", "target")
    clones = Clones.create(tmp_path, "http://127.0.0.1:9/wp-json", {"content/pages/a.md": "# A\n"})
    return lambda: kept(clones.clone().root)


def test_another_run_reads_the_manifest_that_one_has_claimed_and_saved(opener: Opener) -> None:
    store = opener()
    known = store.read(writable=True)
    store.claim(known, (CREATE,), "Sync of 1")
    store.renew(known)
    store.save(STORED, "Sync of 1")
    other = opener()
    assert other.read(writable=True) == STORED
    assert other.is_there


def test_a_manifest_that_has_changed_since_it_was_read_is_not_overwritten(opener: Opener) -> None:
    store = opener()
    store.read(writable=True)
    first = opener()
    first.read(writable=True)
    first.save(STORED, "Sync of 1")
    with pytest.raises((ManifestError, Overtaken)):
        store.save(OTHER, "Sync of 1")
    assert opener().read(writable=False) == STORED


def test_a_run_that_read_an_older_manifest_cannot_claim_the_site(opener: Opener) -> None:
    store = opener()
    known = store.read(writable=True)
    first = opener()
    first.read(writable=True)
    first.save(STORED, "Sync of 1")
    with pytest.raises(SafetyRefusal):
        store.claim(known, (CREATE,), "Sync of 1")


NAME = ".pressync/default.json"


def check(folder: Path) -> None:
    with Repository(folder) as opened:
        manifest_file.check(opened, NAME)


def test_a_committed_one_must_be_there_until_its_removal_is_too(repository: SampleRepository) -> None:
    repository.commit({NAME: "{}"})
    check(repository.root)
    repository.remove(NAME)
    with pytest.raises(
        ManifestError, match=r"it is committed, but it is not in this work tree; `git sparse-checkout add"
    ):
        check(repository.root)
    repository.commit()
    check(repository.root)


@pytest.mark.parametrize("target", ["../../outside.json", "../.git/config", "/dev/null"])
def test_a_link_that_leads_out_of_the_work_tree_is_refused(repository: SampleRepository, target: str) -> None:
    (repository.root / ".pressync").mkdir()
    (repository.root / NAME).symlink_to(target)
    with pytest.raises(ManifestError, match="which is outside the work tree; make it a file"):
        check(repository.root)

"""The manifest's file: where it may be, and what is never overwritten."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

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


def unused(*_: object, **__: object) -> NoReturn:
    raise AssertionError


def refusal(path: Path, target: str = TARGET) -> str:
    with pytest.raises((ManifestError, SafetyRefusal)) as caught:
        ManifestFile(path, target).read()
    return str(caught.value)


def test_a_file_that_is_not_there_is_an_empty_manifest_and_stays_away_while_empty(tmp_path: Path) -> None:
    file = ManifestFile(tmp_path / ".pressync/production.json", TARGET)
    assert file.read() == manifest()
    file.save(manifest())
    assert list(tmp_path.iterdir()) == []


def test_its_folder_is_made_when_there_is_something_to_save(tmp_path: Path) -> None:
    path = tmp_path / ".pressync/production.json"
    file = ManifestFile(path, TARGET)
    file.read()
    file.save(KNOWN)
    assert ManifestFile(path, TARGET).read() == KNOWN
    assert path.read_text() == encode(KNOWN)


def test_an_emptied_manifest_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(encode(KNOWN))
    file = ManifestFile(path, TARGET)
    file.read()
    file.save(manifest())
    assert ManifestFile(path, TARGET).read() == manifest()


def test_what_has_not_changed_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(encode(KNOWN))
    before = path.stat()
    file = ManifestFile(path, TARGET)
    file.read()
    file.save(KNOWN)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text(encode(manifest()))
    path = tmp_path / "m.json"
    path.symlink_to("real.json")
    file = ManifestFile(path, TARGET)
    file.read()
    file.save(KNOWN)
    assert path.is_symlink()
    assert (tmp_path / "real.json").read_text() == encode(KNOWN)


def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    file = ManifestFile(path, TARGET)
    file.read()
    pulled = encode(manifest(entry("b.md", 2)))
    path.write_text(pulled)
    with pytest.raises(ManifestError, match="somebody else has changed it"):
        file.save(KNOWN)
    assert path.read_text() == pulled


def test_it_can_be_saved_again_after_it_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    file = ManifestFile(path, TARGET)
    file.read()
    file.save(KNOWN)
    more = manifest(entry("a.md", 1), entry("b.md", 2))
    file.save(more)
    assert ManifestFile(path, TARGET).read() == more


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Write a manifest of forty records, and let a minute pass."""
    path = tmp_path / "m.json"
    path.write_text(encode(MANY))
    os.utime(path, ns=(0, path.stat().st_mtime_ns - 60 * 10**9))
    return path


def test_a_second_save_writes_over_the_first_one(old: Path) -> None:
    file = ManifestFile(old, TARGET)
    entries = dict(file.read().entries)
    for slug in ("one", "two"):
        entries["p7.md"] = entry("p7.md", 7, slug=slug)
        file.save(manifest(*entries.values()), "Sync")
        assert old.read_text() == encode(manifest(*entries.values()))


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


@pytest.mark.parametrize("age", [0, 60])
def test_a_file_that_was_only_touched_is_saved(tmp_path: Path, age: int) -> None:
    path = tmp_path / "m.json"
    path.write_text(encode(MANY))
    os.utime(path, ns=(0, path.stat().st_mtime_ns - age * 10**9))
    file = ManifestFile(path, TARGET)
    known = file.read()
    copy = tmp_path / "copy"
    copy.write_bytes(path.read_bytes())
    copy.replace(path)
    file.claim(known, (), "Sync")
    path.touch()
    file.save(KNOWN, "Sync")
    assert path.read_text() == encode(KNOWN)


def test_an_edit_while_the_file_is_written_is_not_overwritten(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_its_records_are_given_as_they_are_in_the_file(old: Path) -> None:
    file = ManifestFile(old, TARGET)
    file.read()
    assert encode(MANY).endswith(b"".join(file.records()).decode())


def test_a_manifest_for_another_target_is_refused_with_both_named(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(encode(KNOWN))
    said = refusal(tmp_path / "m.json", "https://other.test")
    assert f"it is for {TARGET}, and this run is for https://other.test" in said
    assert "a site name of its own" in said


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ".pressync").write_text("")
    said = refusal(tmp_path / ".pressync/production.json")
    assert f"{tmp_path}/.pressync must be a folder, but it is a file" in said
    assert said.endswith("; move that file away")


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


def test_a_claim_does_not_write_over_somebody_s_edit(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    file = ManifestFile(path, TARGET)
    file.read()
    path.write_text(encode(KNOWN))
    with pytest.raises(SafetyRefusal, match="somebody else has changed it"):
        file.claim(manifest(), (), "Sync")
    assert path.read_text() == encode(KNOWN)


def test_what_cannot_be_read_as_text_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(b'{"version": 1,\n "target": "\xff"')
    assert refusal(tmp_path / "m.json").endswith("m.json:2: it is not UTF-8; restore it from Git")
    (tmp_path / "folder").mkdir()
    assert "cannot be read" in refusal(tmp_path / "folder")


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


def test_a_store_without_a_manifest_is_empty_and_says_so(opener: Opener) -> None:
    store = opener()
    assert store.read(writable=True) == Manifest("target")
    assert not store.is_there


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


def test_before_the_first_commit_and_before_the_first_sync_it_need_not_be_there(
    repository: SampleRepository,
) -> None:
    check(repository.root)
    repository.commit({"content/pages/a.md": "# A"})
    check(repository.root)


def test_one_that_is_committed_must_be_there_until_its_removal_is_committed(
    repository: SampleRepository,
) -> None:
    repository.commit({NAME: "{}"})
    check(repository.root)
    repository.remove(NAME)
    with pytest.raises(
        ManifestError, match=r"it is committed, but it is not in this work tree; `git sparse-checkout add"
    ):
        check(repository.root)
    repository.commit()
    check(repository.root)


def test_a_link_to_another_file_of_the_work_tree_is_followed(repository: SampleRepository) -> None:
    repository.commit({"elsewhere.json": "{}"})
    (repository.root / ".pressync").mkdir()
    (repository.root / NAME).symlink_to("../elsewhere.json")
    check(repository.root)


@pytest.mark.parametrize("target", ["../../outside.json", "../.git/config", "/dev/null"])
def test_a_link_that_leads_out_of_the_work_tree_is_refused(repository: SampleRepository, target: str) -> None:
    (repository.root / ".pressync").mkdir()
    (repository.root / NAME).symlink_to(target)
    with pytest.raises(ManifestError, match="which is outside the work tree; make it a file"):
        check(repository.root)

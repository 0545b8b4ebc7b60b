"""Manifest and journal together: who may open them, nothing is made twice, nothing is lost."""

from __future__ import annotations

import errno
import os
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.support import builders
from tests.support.builders import TARGET, manifest
from tests.support.builders import entry as made

from pressync.model.errors import JournalError, LockHeld, ManifestError, StorageError
from pressync.model.interface import Kind
from pressync.model.records import Manifest, Medium, Name
from pressync.state import atomic_files
from pressync.state.clone_files import CloneFiles
from pressync.state.manifest.codec import decode, encode
from pressync.state.state import PlanMemory, open_state

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.records import Entry
    from pressync.state.journal_lines import Action
    from pressync.state.state import State


# Two fields are enough here, and short digests can be read.
entry = partial(builders.entry, fingerprints={"title": "t1", "content": "c1"}, commit="c" * 40)


class Site(NamedTuple):
    """The two places where a site's state is."""

    manifest: Path
    directory: Path

    def open(self, *, writable: bool = True, target: str = TARGET) -> State:
        return open_state(self.manifest, self.notes, target, writable=writable)

    @property
    def notes(self) -> CloneFiles:
        return CloneFiles(self.directory, "production")

    @property
    def journal(self) -> Path:
        return self.notes.journal

    def saved(self) -> dict[str, Entry]:
        return dict(decode(self.manifest.read_text(), where="saved").entries)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "work/.pressync/production.json", tmp_path / "git/pressync")


def intend(state: State, path: str, *, action: Action = "create", id_: int | None = None) -> int:
    return state.intend(
        action=action,
        path=path,
        kind=Kind.PAGE,
        id=id_,
        slug=path.removesuffix(".md"),
        fingerprints={"title": "t2"},
        commit="c",
        blob="b",
    )


def known(site: Site, *entries: Entry) -> None:
    site.manifest.parent.mkdir(parents=True)
    site.manifest.write_text(encode(manifest(*entries)))


def fail(*_: object, **__: object) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_an_unconfirmed_create_outlives_runs_until_it_is_resolved(site: Site) -> None:
    with site.open() as state:
        intend(state, "a.md")
        state.save()
    for _ in range(2):
        with site.open() as state:
            assert state.unconfirmed["a.md"].slug == "a"
            state.settle(intend(state, "b.md"), "b.md", entry("b.md", 2))
            state.save()
    with site.open() as state:
        state.resolve("a.md", entry("a.md", 1))
        assert state.unconfirmed == {}
        state.save()
    assert site.saved() == {"a.md": entry("a.md", 1), "b.md": entry("b.md", 2)}
    assert not site.journal.exists()


def test_an_unconfirmed_create_is_known_to_a_clone_with_the_manifest(site: Site, tmp_path: Path) -> None:
    with site.open() as state:
        intend(state, "a.md")
        unconfirmed = state.unconfirmed
        state.save()
    elsewhere = Site(site.manifest, tmp_path / "elsewhere")
    with elsewhere.open() as state:
        assert state.unconfirmed == unconfirmed
        state.resolve("a.md", entry("a.md", 1))
        state.save()
    with site.open() as state:
        assert state.unconfirmed == {}
        state.save()
    assert not site.journal.exists()


def test_an_unconfirmed_create_outlives_a_manifest_that_git_put_back(site: Site) -> None:
    known(site, entry("b.md", 2))
    before = site.manifest.read_bytes()
    with site.open() as state:
        intend(state, "a.md")
        state.save()
    site.manifest.write_bytes(before)
    with site.open() as state:
        assert list(state.unconfirmed) == ["a.md"]
        state.resolve("a.md", None)
        state.save()
    with site.open(writable=False) as state:
        assert state.unconfirmed == {}


def test_what_was_withdrawn_resolved_or_dropped_is_so_once_and_in_the_next_run(site: Site) -> None:
    known(site, entry("b.md", 2))
    with site.open() as state:
        intend(state, "a.md")
        state.resolve("a.md", None)
        with pytest.raises(KeyError):
            state.resolve("a.md", None)
        state.withdraw(intend(state, "a.md"), "refused")
        state.drop("b.md")
        with pytest.raises(KeyError):
            state.drop("b.md")
    with site.open(writable=False) as state:
        assert (state.unconfirmed, dict(state.manifest.entries)) == ({}, {})


def test_an_unconfirmed_update_is_unsure_in_the_saved_manifest(site: Site) -> None:
    known(site, entry("a.md", 1))
    with site.open() as state:
        intend(state, "a.md", action="update", id_=1)
        state.save()
    assert site.saved()["a.md"].fingerprints == {"title": "?t1,t2", "content": "c1"}
    assert not site.journal.exists()


def test_what_names_stand_for_outlives_a_run_that_dies_and_is_saved_with_the_next(site: Site) -> None:
    local, picture = (
        Name("categories", "news/local"),
        Medium("b1", "img/x.jpg", 31, "https://site.test/x.jpg"),
    )
    with site.open() as state:
        state.learn(names={local: 12, Name("tags", "old"): 3}, media=[picture])
    with site.open() as state:
        assert state.manifest.names == {local: 12, Name("tags", "old"): 3}
        state.unlearn(names=[Name("tags", "old")])
        state.save()
    with site.open() as state:
        assert (state.manifest.names, state.manifest.media) == ({local: 12}, {"b1": picture})
        state.unlearn(media=["b1"])
        assert state.manifest.media == {}


def test_a_state_for_reading_cannot_be_written(site: Site) -> None:
    with site.open(writable=False) as state:
        for write in (
            lambda: intend(state, "a.md"),
            lambda: state.put(entry("a.md", 1)),
            lambda: state.withdraw(1, ""),
            state.save,
        ):
            with pytest.raises(ValueError, match="opened for reading only"):
                write()


@pytest.mark.parametrize("path", ["../a.md", "a\n.md", "\udcff.md"])
def test_what_no_manifest_can_hold_is_refused_before_it_is_sent(site: Site, path: str) -> None:
    with site.open() as state:
        with pytest.raises(ManifestError, match="the manifest cannot hold the path"):
            intend(state, path)
        with pytest.raises(ManifestError, match="the manifest cannot hold the path"):
            state.put(entry(path, 1))
        with pytest.raises(ManifestError, match="0 is not a record id"):
            state.put(entry("a.md", 0))
        state.save()
    assert not site.journal.exists()


@pytest.mark.parametrize("step", ["_fill", "_sync", "sync_folder", "make_folder"])
def test_an_unsaved_manifest_is_in_the_journal(
    site: Site, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with site.open() as state:
        state.settle(intend(state, "a.md"), "a.md", entry("a.md", 1))
        with monkeypatch.context() as patch:
            patch.setattr(atomic_files, step, fail)
            with pytest.raises(
                StorageError, match=r"cannot be saved \(Input/output error\); what was done is in"
            ):
                state.save()
    assert site.journal.exists()
    with site.open() as state:
        assert state.manifest.entries == {"a.md": entry("a.md", 1)}
        state.save()
    assert site.saved() == {"a.md": entry("a.md", 1)}


def test_a_manifest_that_changed_under_the_run_is_joined_with_the_journal_by_the_next(site: Site) -> None:
    with site.open() as state:
        state.settle(intend(state, "a.md"), "a.md", entry("a.md", 1))
        known(site, entry("pulled.md", 7))
        with pytest.raises(StorageError, match="somebody else has changed it"):
            state.save()
    with site.open() as state:
        state.save()
    assert list(site.saved()) == ["a.md", "pulled.md"]


def test_an_intent_that_could_not_be_synced_leaves_no_doubt_if_the_manifest_can_be_saved(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with site.open() as state:
        with monkeypatch.context() as patch:
            patch.setattr(atomic_files, "_sync", fail)
            with pytest.raises(StorageError, match="so this was not sent"):
                intend(state, "a.md")
        state.save()
    with site.open() as state:
        assert state.unconfirmed == {}


@pytest.mark.parametrize("step", ["_sync", "_write_at"])
def test_an_outcome_that_the_journal_could_not_take_is_in_the_error_and_may_still_be_saved(
    site: Site, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with site.open() as state:
        number = intend(state, "a.md")
        with monkeypatch.context() as patch:
            patch.setattr(atomic_files, step, fail)
            with pytest.raises(StorageError, match=r"it lacks this: a\.md is page 1; keep this"):
                state.settle(number, "a.md", entry("a.md", 1))
        with pytest.raises(StorageError, match=r"so this was not sent: create of b\.md"):
            intend(state, "b.md")
        state.save()
    assert site.saved() == {"a.md": entry("a.md", 1)}


def test_what_is_removed_without_a_call_under_way_is_removed_once(site: Site) -> None:
    with site.open() as state:
        state.put(entry("a.md", 7))
        state.put(entry("b.md", 8))
        state.settle(99, "a.md", None)
        state.settle(99, "a.md", None)
        state.save()
    assert site.saved().keys() == {"b.md"}


def test_a_run_in_which_nothing_happens_encodes_nothing_and_remembers_what_came_with_the_manifest(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(site, entry("a.md", 7))
    for first in (True, False):
        with site.open() as state:
            if not first:
                monkeypatch.setattr("pressync.state.manifest.codec.encode", pytest.fail)
            state.save()
    site.manifest.unlink()
    with site.open() as state:
        assert state.forgotten_by_manifest.keys() == {"a.md"}


def test_two_runs_at_once_exclude_each_other_but_not_a_reader(site: Site) -> None:
    with site.open() as state:
        state.settle(intend(state, "a.md"), "a.md", made("a.md", 1))
        with pytest.raises(LockHeld, match="`pressync`"):
            site.open()
        with site.open(writable=False) as reader:
            assert list(reader.manifest.entries) == ["a.md"]
    site.open().close()


def test_a_state_of_another_target_is_not_opened_and_lets_the_lock_go(site: Site) -> None:
    known(site, made("a.md", 1))
    with pytest.raises(ManifestError, match="the ids differ"):
        site.open(target="https://other.test")
    with site.open() as state:
        intend(state, "b.md")
    site.manifest.unlink()
    with pytest.raises(JournalError, match=f"calls to {TARGET}, not to https://other.test"):
        site.open(target="https://other.test")
    site.open().close()


def test_what_a_killed_run_left_and_the_disk_will_not_sync_stops_the_next_before_it_sends(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with site.open() as state:
        intend(state, "new.md")
    monkeypatch.setattr(atomic_files, "make_durable", fail)
    with pytest.raises(StorageError, match="the files of the last run cannot be synced"):
        site.open()


TAG = Name("tags", "news")


def test_what_is_learned_is_known_beside_what_was_and_nothing_is_written_down() -> None:
    known = Manifest("target", names={Name("tags", "old"): 1})
    look = PlanMemory.beside(known)
    look.learn(names={TAG: 2}, media=[Medium("blob", "a.png", 3, "https://site.test/a.png")])
    assert look.manifest.names == {Name("tags", "old"): 1, TAG: 2}
    assert look.manifest.media["blob"].id == 3
    assert TAG not in known.names
    assert not known.media

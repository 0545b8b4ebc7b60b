"""Opening the state of one site: who may, in which order, and what reading leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import TARGET, entry, manifest
from tests.unit.state.test_state import Site, fail, intend, known

from pressync.model.errors import JournalError, LockHeld, ManifestError, StorageError
from pressync.model.records import Manifest, Medium, Name
from pressync.state import atomic_files
from pressync.state.state import OneLook

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "work/.pressync/production.json", tmp_path / "git/pressync")


def test_reading_leaves_nothing_at_all(site: Site, tmp_path: Path) -> None:
    with site.open(writable=False) as state:
        assert state.manifest == manifest()
        assert state.unconfirmed == {}
    assert list(tmp_path.iterdir()) == []


def test_two_runs_at_once_exclude_each_other_but_not_a_reader(site: Site) -> None:
    with site.open() as state:
        state.settle(intend(state, "a.md"), "a.md", entry("a.md", 1))
        with pytest.raises(LockHeld, match="`pressync`"):
            site.open()
        with site.open(writable=False) as reader:
            assert list(reader.manifest.entries) == ["a.md"]
    site.open().close()


def test_a_state_that_cannot_be_opened_lets_the_lock_go(site: Site) -> None:
    known(site, entry("a.md", 1))
    with pytest.raises(ManifestError, match="the ids differ"):
        site.open(target="https://other.test")
    site.open().close()


def test_a_journal_of_another_target_stops_everything(site: Site) -> None:
    with site.open() as state:
        intend(state, "a.md")
    with pytest.raises(JournalError, match=f"calls to {TARGET}, not to https://other.test"):
        site.open(target="https://other.test")


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
    look = OneLook.beside(known)
    look.learn(names={TAG: 2}, media=[Medium("blob", "a.png", 3, "https://site.test/a.png")])
    assert look.manifest.names == {Name("tags", "old"): 1, TAG: 2}
    assert look.manifest.media["blob"].id == 3
    assert TAG not in known.names
    assert not known.media

"""A contract: the stores of a manifest, in a file and in a reference, do the same for a state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry
from tests.support.shared_manifest import Clones, kept

from pressync.model.errors import ManifestError, Overtaken, SafetyRefusal
from pressync.model.interface import Kind
from pressync.model.records import Manifest, UnconfirmedCreate
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pressync.state.manifest_store import ManifestStore

    # Opens the store of the same manifest once more, as another run would.
    Opener = Callable[[], ManifestStore]

KNOWN = Manifest("target", {"a.md": entry("a.md", 1)})
OTHER = Manifest("target", {"b.md": entry("b.md", 2)})
CREATE = UnconfirmedCreate("c.md", Kind.PAGE, "c", "2024-01-31T12:00:00+00:00", "c", {"title": "t"})


@pytest.fixture(params=["file", "reference"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Open a store of each kind; each call is another run, on another machine if they can share it."""
    if request.param == "file":
        return lambda: ManifestFile(tmp_path / ".pressync/m.json", "target")
    clones = Clones.create(tmp_path, "http://127.0.0.1:9/wp-json", {"content/pages/a.md": "# A\n"})
    return lambda: kept(clones.clone().root)


def test_a_store_without_a_manifest_is_empty_and_says_so(opened: Opener) -> None:
    store = opened()
    assert store.read(writable=True) == Manifest("target")
    assert not store.is_there


def test_another_run_reads_the_manifest_that_one_has_claimed_and_saved(opened: Opener) -> None:
    store = opened()
    known = store.read(writable=True)
    store.claim(known, (CREATE,), "Sync of 1")
    store.renew(known)
    store.save(KNOWN, "Sync of 1")
    other = opened()
    assert other.read(writable=True) == KNOWN
    assert other.is_there


def test_a_manifest_that_has_changed_since_it_was_read_is_not_overwritten(opened: Opener) -> None:
    store = opened()
    store.read(writable=True)
    first = opened()
    first.read(writable=True)
    first.save(KNOWN, "Sync of 1")
    with pytest.raises((ManifestError, Overtaken)):
        store.save(OTHER, "Sync of 1")
    assert opened().read(writable=False) == KNOWN


def test_a_run_that_read_an_older_manifest_cannot_claim_the_site(opened: Opener) -> None:
    store = opened()
    known = store.read(writable=True)
    first = opened()
    first.read(writable=True)
    first.save(KNOWN, "Sync of 1")
    with pytest.raises(SafetyRefusal):
        store.claim(known, (CREATE,), "Sync of 1")

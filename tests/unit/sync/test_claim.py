"""A claim is made before the first call, renewed during the run, settled at the end; a lost one stops it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest
from tests.support.builders import HEAD, create, delete, entry, keep, manifest, plan, update
from tests.support.controls import run_control

from pressync.model.errors import ManifestError, Overtaken, RepositoryError, SafetyRefusal, StorageError
from pressync.model.fingerprint import UNSURE
from pressync.model.records import Medium, Name
from pressync.state.clone_files import CloneFiles
from pressync.state.state import open_state
from pressync.sync.claim import announced_creates, holding_claim

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from pressync.model.changes import Refusal
    from pressync.model.errors import PressyncError
    from pressync.model.records import Manifest, UnconfirmedCreate
    from pressync.state.manifest_ref import ManifestRef
    from pressync.state.state import State

A = entry("a.md", 1)
PLAN = plan(update("a.md"))
ABOUT = f"Sync of {PLAN.commit[:8]}"


@dataclass
class Told:
    """A keeper that writes down what it is told; `fails` is how each renewal ends, None for well."""

    where: str = "somewhere"
    goes_back: bool = False
    is_there: bool = True
    pulse: float = 0.001
    fails: Callable[[], Exception | None] = lambda: None
    first: PressyncError | None = None
    done: list[str] = field(default_factory=list)
    refusal: Refusal | None = None
    renewed: threading.Event = field(default_factory=threading.Event)

    def read(self, *, writable: bool) -> Manifest:
        assert writable
        return manifest()

    def claim(
        self,
        known: Manifest,
        creates: tuple[UnconfirmedCreate, ...],
        about: str,
        changed: Collection[str] | None = None,
    ) -> None:
        assert not changed
        assert (dict(known.entries), creates) == ({}, ())
        if self.first:
            raise self.first
        self.done.append(f"claim {about}")

    def renew(self, known: Manifest, changed: Collection[str] | None = None) -> None:
        assert changed is not None
        assert known.entries.keys() <= set(changed)
        error = self.fails()
        if error:
            raise error
        if known.entries:
            self.renewed.set()

    def save(self, known: Manifest, about: str, changed: Collection[str] | None = None) -> None:
        assert changed == set(known.entries)
        self.done.append(f"save {about}, {len(known.entries)}")

    def records(self) -> Iterator[bytes]:
        raise ManifestError("this store has no text")


def opened(keeper: Told, folder: Path) -> State:
    # It has all that the state asks of a store.
    store = cast("ManifestRef", keeper)
    return open_state(store, CloneFiles(folder, "site"), manifest().target, writable=True)


def test_a_turn_is_claimed_renewed_with_what_is_known_and_saved(tmp_path: Path) -> None:
    keeper, stop = Told(), threading.Event()
    with opened(keeper, tmp_path) as state:
        with holding_claim(state, PLAN, run_control(pytest.fail, stop), prove=None):
            state.put(A)
            assert keeper.renewed.wait(60)
        assert keeper.done == [f"claim {ABOUT}", f"save {ABOUT}, 1"]
    assert not stop.is_set()


def test_a_renewal_has_the_manifest_of_one_moment(tmp_path: Path) -> None:
    name = Name("tags", "News")
    told: list[Manifest] = []

    class Deaf(Told):
        def renew(self, known: Manifest, _changed: Collection[str] | None = None) -> None:
            # The deciding thread finds right now that the site has lost these.
            state.drop(A.path)
            state.unlearn(names=[name], media=["b" * 40])
            told.append(known)

    with opened(Deaf(), tmp_path) as state:
        state.put(A)
        state.learn(names={name: 7}, media=[Medium("b" * 40, "a.png", 8, "https://site.test/a.png")])
        state.renew()
    assert [(*known.entries, *known.names, *known.media) for known in told] == [(A.path, name, "b" * 40)]


@pytest.mark.parametrize("error", [RepositoryError("the remote says no"), StorageError("the disk is full")])
def test_a_claim_that_cannot_be_saved_is_refused_before_anything_is_sent(
    tmp_path: Path, error: PressyncError
) -> None:
    keeper = Told(first=error)
    with (
        opened(keeper, tmp_path) as state,
        pytest.raises(SafetyRefusal, match=r"the manifest cannot be saved: the .*; nothing was sent"),
        holding_claim(state, PLAN, run_control(pytest.fail), prove=None),
    ):
        pytest.fail("nothing must be sent")
    assert keeper.done == []


def test_no_renewal_is_under_way_any_more_when_it_is_saved(tmp_path: Path) -> None:
    under_way = threading.Event()

    class Slow(Told):
        def renew(self, _known: Manifest, _changed: Collection[str] | None = None) -> None:
            under_way.set()
            self.renewed.set()
            threading.Event().wait(0.1)
            under_way.clear()

        def save(self, known: Manifest, about: str, changed: Collection[str] | None = None) -> None:
            assert not under_way.is_set()
            super().save(known, about, changed)

    keeper = Slow()
    with opened(keeper, tmp_path) as state:
        with holding_claim(state, PLAN, run_control(pytest.fail), prove=None):
            assert keeper.renewed.wait(60)
        assert keeper.done[-1].startswith("save")


def test_a_renewal_that_fails_is_tried_again_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a slow machine a while can be long.
    monkeypatch.setattr("pressync.sync.claim._PATIENCE", 100_000)
    ends = iter([RepositoryError("no network"), RepositoryError("no network")])
    keeper, stop = Told(fails=lambda: next(ends, None)), threading.Event()
    with (
        opened(keeper, tmp_path) as state,
        holding_claim(state, PLAN, run_control(pytest.fail, stop), prove=None),
    ):
        state.put(A)
        assert keeper.renewed.wait(60)
        assert not stop.is_set()


def test_what_fails_within_it_is_saved_too(tmp_path: Path) -> None:
    keeper = Told(pulse=0)
    with opened(keeper, tmp_path) as state:
        with (
            pytest.raises(KeyError),
            holding_claim(state, PLAN, run_control(print), prove=None),
        ):
            state.drop("none.md")
        assert keeper.done == [f"claim {ABOUT}", f"save {ABOUT}, 0"]


def test_whoever_is_not_first_does_not_begin(tmp_path: Path) -> None:
    keeper = Told(first=Overtaken("another was first"))
    with opened(keeper, tmp_path) as state:
        with (
            pytest.raises(Overtaken),
            holding_claim(state, PLAN, run_control(print), prove=None),
        ):
            pytest.fail("it began")
        assert keeper.done == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Overtaken("another run was first"), "another run was first, and considers this run dead: stopping"),
        (RepositoryError("no network"), "the claim cannot be renewed (no network): stopping"),
        (OSError("no room in /tmp"), "the claim cannot be renewed (no room in /tmp): stopping"),
    ],
)
def test_a_run_that_has_lost_its_claim_or_cannot_renew_it_stops(
    tmp_path: Path, error: Exception, said: str
) -> None:
    heard: list[str] = []
    stop = threading.Event()
    with (
        opened(Told(fails=lambda: error), tmp_path) as state,
        holding_claim(state, PLAN, run_control(heard.append, stop), prove=None),
    ):
        assert stop.wait(60)
    assert heard[0].startswith(said)


def test_a_plan_of_which_nothing_can_come_claims_nothing_and_saves(tmp_path: Path) -> None:
    keeper = Told()
    with opened(keeper, tmp_path) as state:
        with holding_claim(state, plan(keep("a.md")), run_control(), prove=lambda: None):
            state.put(A)
        assert keeper.done == [f"save {ABOUT}, 1"]


def test_creates_are_claimed_and_nothing_else() -> None:
    drawn = plan(create("a.md"), update("b.md"), delete("c.md"), keep("d.md"))
    (sent,) = announced_creates(drawn, "now")
    assert (sent.path, sent.slug, sent.time, sent.commit) == ("a.md", "a", "now", HEAD)
    wanted = create("a.md").desired
    assert sent.fingerprints == {**wanted.fingerprints, **wanted.create_only}


def test_the_id_of_a_parent_that_is_made_first_is_not_known_yet() -> None:
    above, below = create("a.md"), create("a/b.md", parent_path="a.md")
    assert [create.fingerprints.get("parent") for create in announced_creates(plan(above, below), "now")] == [
        None,
        UNSURE,
    ]


def test_a_body_that_refers_to_anything_that_may_move_is_not_known_yet() -> None:
    drawn = plan(create("a.md", links=("kept.md",)), create("b.md", links=("a.md",)), keep("kept.md"))
    first, second = announced_creates(drawn, "now")
    assert first.fingerprints["content"] != UNSURE
    assert second.fingerprints["content"] == UNSURE

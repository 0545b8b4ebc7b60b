"""The power fails at any step of a run: what is found on the disk then is a moment of that run.

No later than the last call that had returned and no earlier than the one under way, whatever the disk did
with the bytes and names that were not synced; and the same if the power fails again while the next run
recovers, or if the first process was killed and the power failed under the second.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.durability.forgetful_disk import BLOCK, Care, Recorder, after_a_cut, lay_out, on_disk
from tests.support import builders
from tests.support.builders import TARGET, manifest
from tests.support.share import share

from pressync.model.errors import PressyncError
from pressync.model.fingerprint import is_unsure
from pressync.model.interface import Kind
from pressync.model.records import Name
from pressync.state import atomic_files, journal, journal_lines
from pressync.state.clone_files import CloneFiles
from pressync.state.journal_lines import Intent
from pressync.state.manifest.codec import encode
from pressync.state.state import State, open_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.durability.forgetful_disk import Image

    from pressync.model.records import Entry
    from pressync.state.journal_lines import Action

# What is known of each path, in words: "3 as of 1", "3 as of 1, title unsure", "unconfirmed".
View = dict[str, str]

# Two fields are enough here, and short digests can be read.
entry = partial(builders.entry, fingerprints={"title": "t1", "content": "c1"}, commit="c" * 40)
MANIFEST = "/work/.pressync/site.json"
FIRST: Image = {"": None, "/git": None, "/work": None}
LATER: Image = {
    **FIRST,
    "/work/.pressync": None,
    MANIFEST: encode(manifest(entry("about", 1, modified="1"), entry("old", 2, modified="1"))).encode(),
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a run: what it does, what is known once it has returned, and whether that is for good."""

    does: Callable[[State], object]
    then: View
    durable: bool = True


def intend(path: str, action: Action = "create", id_: int | None = None) -> Callable[[State], object]:
    return lambda state: state.intend(
        action=action,
        path=path,
        kind=Kind.PAGE,
        id=id_,
        slug=path,
        fingerprints={"title": "t2"},
        commit="c",
        blob="b",
    )


def settle(number: int, path: str, made: Entry | None) -> Callable[[State], object]:
    return lambda state: state.settle(number, path, made)


def page(path: str, id_: int, modified: int) -> Entry:
    return entry(path, id_, modified=str(modified))


A_FIRST_RUN = (
    Call(intend("a"), {"a": "unconfirmed"}),
    Call(settle(1, "a", page("a", 10, 1)), {"a": "10 as of 1"}),
    Call(intend("b"), {"a": "10 as of 1", "b": "unconfirmed"}),
    Call(State.save, {"a": "10 as of 1", "b": "unconfirmed"}),
    Call(lambda state: state.resolve("b", page("b", 11, 2)), {"a": "10 as of 1", "b": "11 as of 2"}),
    Call(State.save, {"a": "10 as of 1", "b": "11 as of 2"}),
)

_KNOWN = {"about": "1 as of 1", "old": "2 as of 1"}
_EDITED = {"about": "1 as of 2", "new": "2 as of 1"}

A_LATER_RUN = (
    Call(intend("about", "update", 1), {**_KNOWN, "about": "1 as of 1, title unsure"}),
    Call(settle(1, "about", page("about", 1, 2)), {**_KNOWN, "about": "1 as of 2"}),
    Call(lambda state: state.put(page("new", 2, 1)), _EDITED, durable=False),
    Call(intend("a"), {**_EDITED, "a": "unconfirmed"}),
    Call(intend("b"), {**_EDITED, "a": "unconfirmed", "b": "unconfirmed"}),
    Call(lambda state: state.withdraw(2, "refused"), {**_EDITED, "b": "unconfirmed"}),
    Call(settle(3, "b", page("b", 11, 1)), {**_EDITED, "b": "11 as of 1"}),
    Call(
        intend("new", "delete", 2),
        {"about": "1 as of 2", "b": "11 as of 1", "new": "2 as of 1, content, title unsure"},
    ),
    Call(settle(4, "new", None), {"about": "1 as of 2", "b": "11 as of 1"}),
    Call(intend("c"), {"about": "1 as of 2", "b": "11 as of 1", "c": "unconfirmed"}),
    Call(State.save, {"about": "1 as of 2", "b": "11 as of 1", "c": "unconfirmed"}),
    Call(
        lambda state: state.learn(names={Name("tags", "x"): 7}),
        {"about": "1 as of 2", "b": "11 as of 1", "c": "unconfirmed", "x": "7"},
        durable=False,
    ),
    Call(lambda state: state.drop("b"), {"about": "1 as of 2", "c": "unconfirmed", "x": "7"}, durable=False),
    Call(lambda state: state.resolve("c", None), {"about": "1 as of 2", "x": "7"}),
    Call(State.save, {"about": "1 as of 2", "x": "7"}),
)


def only_saving(view: View) -> tuple[Call, ...]:
    """Give a run after that has nothing to do but to save what it found."""
    return (Call(State.save, view),)


def one_more(view: View) -> tuple[Call, ...]:
    """Give a run after: a page is made, a person says which one, and all is saved."""
    made = {**view, "z": "99 as of 1"}
    return (
        Call(intend("z"), {**view, "z": "unconfirmed"}),
        Call(lambda state: state.resolve("z", page("z", 99, 1)), made),
        Call(State.save, made),
    )


def view_of(state: State) -> View:
    view = {name.text: str(number) for name, number in state.manifest.names.items()}
    for path, each in state.manifest.entries.items():
        unsure = sorted(name for name, print_ in each.fingerprints.items() if is_unsure(print_))
        view[path] = f"{each.id} as of {each.modified}" + (f", {', '.join(unsure)} unsure" if unsure else "")
    for path in state.unconfirmed:
        assert path not in view
        view[path] = "unconfirmed"
    # Beside the manifest is written what this clone made; nothing in these runs was lost.
    assert not state.forgotten_by_manifest
    return view


@dataclass(frozen=True, slots=True)
class Run:
    """A run whose steps were noted: which of them each call took, and what was known before."""

    disk: Recorder
    calls: Sequence[Call]
    spans: Sequence[tuple[int, int]]
    before: Sequence[View]

    def may_be_found(self, count: int) -> list[View]:
        """Give what may be found if the power fails behind step `count`."""
        views = [*self.before]
        for call, (begin, end) in zip(self.calls, self.spans, strict=True):
            if call.durable and end <= count:
                views = [call.then]
            elif begin < count:
                views.append(call.then)
        return views


class PowerCuts:
    """Plays power cuts, and counts them: the moments, the images found on the disk, and what was lost."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, care: Care) -> None:
        self.moments = 0
        self.found: dict[frozenset[tuple[str, bytes | None]], View | str] = {}
        self.losses: list[str] = []
        self._folder = folder
        self._monkeypatch = monkeypatch
        self._care = care

    def run(self, image: Image, calls: Sequence[Call], known: View, *, without: str = "") -> Run:
        """Do the calls on a disk that holds an image; `without` a step that makes things durable."""
        return self._run(Recorder(self._folder, on_disk(image)), calls, [known], without=without)

    def cut(self, run: Run, first: int = 0) -> None:
        """Cut the power behind every step, in every way, and hold what is found against the calls."""
        steps = run.disk.steps
        for count in range(first, len(steps) + 1):
            right = run.may_be_found(count)
            for image in after_a_cut(run.disk.start, steps[:count], self._care):
                self.moments += 1
                view = self._look(image)
                if view not in right:
                    self.losses.append(f"behind step {count} of {len(steps)}: {view}, and not {right}")

    def cut_after_a_kill(self, run: Run) -> None:
        """Kill the process behind every step, and cut the power while the next run works."""
        for count in share(range(len(run.disk.steps) + 1), 54):
            view = self._look(run.disk.seen(count).image())
            assert isinstance(view, dict), view
            for calls in (only_saving(view), one_more(view)):
                disk = Recorder(self._folder, run.disk.start, run.disk.steps[:count])
                self.cut(self._run(disk, calls, run.may_be_found(count)), count)

    def cut_again(self, every: int) -> None:
        """Cut the power while the next run works, on every so many of the images that were found so far."""
        for image, view in list(self.found.items())[::every]:
            assert isinstance(view, dict), view
            for calls in (only_saving(view), one_more(view)):
                self.cut(self.run(dict(image), calls, view))

    def _run(self, disk: Recorder, calls: Sequence[Call], before: Sequence[View], without: str = "") -> Run:
        spans = []
        with disk.noting(self._monkeypatch), self._monkeypatch.context() as patch:
            if without:
                patch.setattr(atomic_files, without, lambda _: None)
            with opened(self._folder) as state:
                for call in calls:
                    begin = len(disk.steps)
                    call.does(state)
                    spans.append((begin, len(disk.steps)))
        return Run(disk, calls, spans, before)

    def _look(self, image: Image) -> View | str:
        key = frozenset(image.items())
        if key not in self.found:
            lay_out(image, self._folder)
            try:
                self.found[key] = self._recovered()
            except (PressyncError, AssertionError) as error:
                self.found[key] = f"{type(error).__name__}: {error}"
        return self.found[key]

    def _recovered(self) -> View:
        """Open what is there, save it, and see the same in what was saved."""
        with self._monkeypatch.context() as patch:
            patch.setattr(atomic_files, "_sync", lambda _: None)
            patch.setattr(atomic_files, "sync_folder", lambda _: None)
            with opened(self._folder) as state:
                view = view_of(state)
                state.save()
            with opened(self._folder, writable=False) as state:
                assert view_of(state) == view
        return view


def opened(folder: Path, *, writable: bool = True) -> State:
    return open_state(
        Path(f"{folder}{MANIFEST}"), CloneFiles(folder / "git/pressync", "site"), TARGET, writable=writable
    )


QUICK, FEW, EVERY = Care(16, 61), Care(2, 10_000), Care(256, 1)
RUNS = {"a first run": (FIRST, A_FIRST_RUN, View()), "a later run": (LATER, A_LATER_RUN, _KNOWN)}
each_run = pytest.mark.parametrize("name", RUNS)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reserve so little that space runs out within a run."""
    monkeypatch.setattr(atomic_files, "CHUNK", 1024)
    monkeypatch.setattr(journal, "_ROOM", 64)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Give a place for thousands of images: in memory where the system has such a place."""
    memory = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as name:
        yield Path(name, "disk").resolve()


@each_run
def test_a_power_cut_at_any_step_loses_nothing(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts = PowerCuts(folder, monkeypatch, QUICK)
    cuts.cut(cuts.run(*RUNS[name]))
    assert not cuts.losses
    assert len(cuts.found) > 300


@pytest.mark.sweep
def test_a_power_cut_while_recovering_from_another_loses_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts = PowerCuts(folder, monkeypatch, QUICK)
    cuts.cut(cuts.run(LATER, A_LATER_RUN, _KNOWN))
    cuts.cut_again(every=200)
    assert not cuts.losses


@pytest.mark.sweep
def test_the_rest_of_a_torn_line_never_comes_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Intent(1, "create", "lost", Kind.PAGE, None, "lost", {"title": "t" * 300}, "c", "b", "2024")
    whole = journal_lines.encode_header(TARGET) + journal_lines.encode(lost)
    torn = {**LATER, "/git/pressync": None, "/git/pressync/site.journal": bytes(BLOCK) + whole[BLOCK:]}
    cuts = PowerCuts(folder, monkeypatch, Care(2**14, 10_000))
    cuts.cut(cuts.run(torn, one_more(_KNOWN)[:1], _KNOWN))
    assert not cuts.losses


def test_a_power_cut_loses_nothing_of_what_an_earlier_version_noted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bonds = {"target": TARGET, "records": [["about", "page", 77, "c"], ["gone", "page", 3, "c"]]}
    removed = {"target": TARGET, "records": [["page", 4]]}
    own = {"/git/pressync/site.vouched": bonds, "/git/pressync/site.made.removed": removed}
    image = {
        **LATER,
        "/git/pressync": None,
        **{name: json.dumps(said).encode() for name, said in own.items()},
    }
    disk = Recorder(folder, on_disk(image))
    with disk.noting(monkeypatch), opened(folder) as state:
        state.vouched.add(page("about", 1, 1))
        state.vouched.save()
    for count in range(len(disk.steps) + 1):
        for found in after_a_cut(disk.start, disk.steps[:count], QUICK):
            lay_out(found, folder)
            for writable in (False, True):
                with opened(folder, writable=writable) as state:
                    kept = {path: bond.id for path, bond in state.vouched.bonds().items()}
                    assert state.log.removed() == {("page", 4)}
                assert kept in (
                    [{"about": 1, "gone": 3}] + [{"about": 77, "gone": 3}] * (count < len(disk.steps))
                )


@pytest.mark.parametrize("step", ["_sync", "sync_folder"])
def test_a_run_that_forgets_to_sync_is_found_out(
    step: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts = PowerCuts(folder, monkeypatch, FEW)
    cuts.cut(cuts.run(FIRST, A_FIRST_RUN, {}, without=step))
    assert cuts.losses


@pytest.mark.sweep
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", share(tuple(RUNS), 2))
def test_every_power_cut_loses_nothing(
    name: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, int], None],
) -> None:
    once, after_a_kill, twice = (PowerCuts(folder, monkeypatch, care) for care in (EVERY, QUICK, FEW))
    run = once.run(*RUNS[name])
    once.cut(run)
    after_a_kill.cut_after_a_kill(run)
    twice.cut(run)
    twice.cut_again(every=1)
    for cuts in (once, after_a_kill, twice):
        assert not cuts.losses
    record_property("power cuts", once.moments)
    record_property("power cuts after a kill", after_a_kill.moments)
    record_property("power cuts while recovering", twice.moments)
    record_property("different disks", sum(len(cuts.found) for cuts in (once, after_a_kill, twice)))

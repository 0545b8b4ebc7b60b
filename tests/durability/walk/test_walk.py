"""Random walks through everything that people, machines and networks do, with checks after each step.

Hypothesis chooses the steps and shortens a failing walk. `test_found.py` keeps each fault that it found as a
test with a name.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from tests.durability.walk import world
from tests.support import embedded_wordpress
from tests.support.pages import TOP
from tests.support.peers import PEERS, embedded, settle_at_once
from tests.support.share import share
from tests.support.strict_service import Fault, answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.durability.walk.world import Machine, World

_LATER = (("Retry-After", "0"),)
# The ways in which one request of a sync may go wrong; None: it goes well.
_FAULTS = (
    None,
    Fault(acts=True),
    Fault(acts=False),
    Fault(acts=True, end="reset"),
    Fault(acts=True, sends=answer(500)),
    Fault(acts=False, sends=answer(502)),
    Fault(acts=True, sends=answer(200, b"<html>")),
    Fault(acts=False, sends=answer(429, headers=_LATER), end="keep"),
    Fault(acts=False, sends=answer(503, headers=_LATER), end="keep"),
)
_PEERS = {
    **PEERS,
    "embedded": (embedded, {}),
    "face": (embedded_wordpress.serving, embedded_wordpress.ENVIRON),
}
_MACHINES = st.integers(0, 1)
_ANY = st.integers(0, 999)


class ContentWalk(RuleBasedStateMachine):
    """People edit the content of two machines; each edit is one commit."""

    peer = "documented"
    prepared: Path
    tally: Counter[str]

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        serving, environ = _PEERS[self.peer]
        self._peer = serving()
        service = self._peer.__enter__()
        service.clear()
        folder = world.copied(self.prepared, Path(self._folder.name, "world"))
        self.world: World = world.opened(folder, service, environ)

    def teardown(self) -> None:
        """Finish the walk, and count it."""
        try:
            self.finish()
            self.tally.update(self.world.tally, walks=1)
        finally:
            self._peer.__exit__(None, None, None)
            self._folder.cleanup()

    def finish(self) -> None:
        """Bring the walk to its end."""
        raise NotImplementedError

    def _machine(self, number: int) -> Machine:
        return self.world.machines[number]

    def _page(self, machine: Machine, choice: int) -> str:
        paths = sorted(machine.content.pages)
        return paths[choice % len(paths)]

    def _folder_for(self, machine: Machine, choice: int) -> str:
        folders = [TOP, *(path.removesuffix(".md") for path in sorted(machine.content.pages))]
        return folders[choice % len(folders)]

    def _record(self, choice: int) -> int | None:
        pages = [page["id"] for page in self.world.service.pages]
        return pages[choice % len(pages)] if pages else None

    @rule(number=_MACHINES, folder=_ANY, links=st.lists(_ANY, max_size=2))
    def add(self, number: int, folder: int, links: list[int]) -> None:
        machine = self._machine(number)
        targets = [self._page(machine, choice) for choice in links]
        self.world.add(machine, self._folder_for(machine, folder), targets)

    @rule(number=_MACHINES, page=_ANY, links=st.lists(_ANY, max_size=2), title=st.booleans())
    def edit(self, number: int, page: int, links: list[int], *, title: bool) -> None:
        machine = self._machine(number)
        targets = [self._page(machine, choice) for choice in links]
        self.world.edit(machine, self._page(machine, page), targets, title=title)

    @rule(number=_MACHINES, page=_ANY, folder=_ANY)
    def move(self, number: int, page: int, folder: int) -> None:
        machine = self._machine(number)
        path, target = self._page(machine, page), self._folder_for(machine, folder)
        if path != world.START and not f"{target}/".startswith(f"{path.removesuffix('.md')}/"):
            self.world.move(machine, path, target)

    @rule(number=_MACHINES, page=_ANY)
    def remove(self, number: int, page: int) -> None:
        machine = self._machine(number)
        path = self._page(machine, page)
        # A repository without any document is refused, and that is all there is to see of it.
        if path != world.START:
            self.world.remove(machine, path)

    @rule(number=_MACHINES)
    def redesign(self, number: int) -> None:
        self.world.redesign(self._machine(number))

    @rule(number=_MACHINES, order=st.none() | st.integers(1, 3))
    def reorder(self, number: int, order: int | None) -> None:
        self.world.reorder(self._machine(number), order)


class CommitWalk(ContentWalk):
    """One machine edits, and syncs every third step; after every sync the site equals the commit.

    The answers to calls that are under way come between any two looks into the manifest.
    """

    peer = "embedded"
    steps = 0

    def __init__(self) -> None:
        super().__init__()
        # WordPress gives such a file another slug than the one that was expected.
        self.world.ending, self.world.follows = ".5", True

    @initialize(seed=_ANY)
    def begin(self, seed: int) -> None:
        self.world.crowd(self._machine(0), random.Random(seed))  # noqa: S311 - a seeded walk, no secret

    def _machine(self, number: int) -> Machine:
        return super()._machine(0 * number)

    @rule(page=_ANY)
    def hide(self, page: int) -> None:
        self.world.hide(self._machine(0), self._page(self._machine(0), page))

    @rule(seed=_ANY)
    def upheave(self, seed: int) -> None:
        """Change so much at once that pages move, are made and link to each other in one sync."""
        chance, machine = random.Random(seed), self._machine(0)  # noqa: S311 - as in `begin`
        renamed = self._page(machine, chance.randrange(999))
        self.world.rename(machine, renamed)
        new = self.world.add(machine, renamed.removesuffix(".md"), [])
        for _ in range(3):
            path, other = (self._page(machine, chance.randrange(999)) for _ in range(2))
            self.world.edit(machine, path, [new, other], title=chance.random() < 1 / 2)

    @rule(page=_ANY)
    def rename(self, page: int) -> None:
        self.world.rename(self._machine(0), self._page(self._machine(0), page))

    @rule()
    def revert(self) -> None:
        self.world.revert(self._machine(0))

    @invariant()
    def equals_the_commit(self) -> None:
        self.steps += 1
        if self.steps % 3 == 0:
            self.finish()

    def finish(self) -> None:
        """Sync, and compare the site with the commit."""
        self.world.sync_and_compare(self._machine(0))


class CommitWalkOnWordPress(CommitWalk):
    """The same with a site where the address of a page has those of its parents in it."""

    peer = "face"


class Walk(ContentWalk):
    """Everything may happen to two machines and to a site that cannot be read."""

    def finish(self) -> None:
        """Let everybody finish; then nothing is left to do, and the site equals the commit."""
        self.world.converge()

    @rule(number=_MACHINES)
    def push(self, number: int) -> None:
        self.world.push(self._machine(number))

    @rule(number=_MACHINES)
    def sync(self, number: int) -> None:
        if self.world.may_sync(self._machine(number)):
            self.world.sync(self._machine(number))

    @rule(number=_MACHINES)
    def sync_on_a_branch(self, number: int) -> None:
        machine = self._machine(number)
        if self.world.may_sync_alone(machine):
            self.world.sync(machine, alone=True)

    @rule(number=_MACHINES, faults=st.lists(st.sampled_from(_FAULTS), min_size=1, max_size=6))
    def sync_over_a_bad_line(self, number: int, faults: list[Fault | None]) -> None:
        if self.world.may_sync(self._machine(number)):
            self.world.sync(self._machine(number), faults=tuple(faults))

    @rule(number=_MACHINES, steps=st.integers(0, 25))
    def sync_and_be_killed(self, number: int, steps: int) -> None:
        if self.world.may_sync(self._machine(number)):
            self.world.sync(self._machine(number), dies=steps)

    @rule(number=_MACHINES)
    def resolve(self, number: int) -> None:
        if not self.world.reads:
            self.world.resolve(self._machine(number))

    @rule(record=_ANY, name=st.sampled_from(["title", "content"]))
    def edit_remotely(self, record: int, name: str) -> None:
        number = self._record(record)
        if number is not None:
            self.world.edit_remotely(number, name)

    @rule(record=_ANY, for_good=st.booleans())
    def delete_remotely(self, record: int, *, for_good: bool) -> None:
        number = self._record(record)
        if number is not None:
            self.world.delete_remotely(number, for_good=for_good)

    @rule(number=_MACHINES, folder=_ANY)
    def adopt(self, number: int, folder: int) -> None:
        machine = self._machine(number)
        if self.world.may_sync(machine):
            self.world.pull(machine)
            self.world.adopt(machine, self.world.add(machine, self._folder_for(machine, folder), []))

    @rule(number=_MACHINES, page=_ANY)
    def forget(self, number: int, page: int) -> None:
        machine = self._machine(number)
        if self.world.may_sync(machine) and not machine.unfinished:
            self.world.pull(machine)
            self.world.forget(machine, self._page(machine, page))

    @invariant()
    def holds(self) -> None:
        self.world.check()


class WordPressWalk(Walk):
    """The same with a site that can be read."""

    peer = "wordpress"


_QUICK_KINDS = (CommitWalk, CommitWalkOnWordPress)
_KINDS = (*_QUICK_KINDS, Walk, WordPressWalk)


def _walk(kind: type[ContentWalk], folder: Path, *, examples: int, steps: int) -> Counter[str]:
    """Go some walks of some steps, always the same ones, and return the counts."""
    kind.prepared, kind.tally = folder / "prepared", Counter()
    world.prepare(kind.prepared)
    run_state_machine_as_test(
        kind,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    return kind.tally


@pytest.fixture(autouse=True)
def settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look unconfirmed creates up at once."""
    settle_at_once(monkeypatch)


@pytest.mark.parametrize("kind", _QUICK_KINDS)
def test_a_few_short_walks_converge(kind: type[ContentWalk], tmp_path: Path) -> None:
    assert _walk(kind, tmp_path, examples=2, steps=6)["walks"] >= 2


@pytest.mark.sweep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", _KINDS)
def test_many_walks_converge(
    kind: type[ContentWalk], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    for name, number in _walk(kind, tmp_path, examples=len(share(range(24), 6)), steps=18).items():
        record_property(f"{name} ({kind.peer})", number)

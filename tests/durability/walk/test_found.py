"""Faults that random walks found, or could have found, each as a short test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.durability.walk import world as worlds
from tests.durability.walk.world import START
from tests.support.pages import TOP
from tests.support.peers import PEERS, settle_at_once

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.durability.walk.world import World


@pytest.fixture(params=PEERS)
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Open a world with each of the two peers."""
    settle_at_once(monkeypatch)
    serving, environ = PEERS[request.param]
    with serving() as service:
        service.clear()
        worlds.prepare(tmp_path)
        yield worlds.opened(tmp_path, service, environ)


@pytest.mark.sweep
def test_an_adopted_record_in_the_trash_is_not_taken_for_published(world: World) -> None:
    machine = world.machines[0]
    path = world.add(machine, TOP, [])
    world.adopt(machine, path)
    number = machine.site.entries()[path].id
    world.delete_remotely(number, for_good=False)

    world.sync(machine)
    second = world.sync(machine)

    assert second is not None
    (blocked,) = [outcome for outcome in second.outcomes if outcome.change.path == path]
    assert "somebody put it into the trash on the site" in blocked.message
    world.sync(machine, overwrite=True)
    assert world.service.shown[number]["status"] == "publish"
    world.converge()


@pytest.mark.sweep
def test_pages_made_on_two_branches_are_each_there_once_when_the_branches_meet(world: World) -> None:
    one, two = world.machines
    world.sync(one)
    world.pull(two)
    world.add(one, TOP, [START])
    world.add(two, TOP, [START])
    world.edit(one, START, [], title=True)
    world.redesign(two)

    world.sync(one, alone=True)
    world.sync(two, alone=True)
    world.check()

    world.converge()
    assert len(world.service.pages) == 3


@pytest.mark.sweep
def test_a_create_whose_response_one_machine_lost_is_made_once_by_both(world: World) -> None:
    one, two = world.machines
    world.add(one, START.removesuffix(".md"), [])
    world.sync(one, dies=8)
    world.edit(two, START, [], title=True)
    world.push(two)
    world.check()

    world.converge()
    assert len(world.service.pages) == 2

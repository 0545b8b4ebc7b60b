"""Killed sixty times at its work, over a line that loses answers, a sync makes each page once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.live.live import Eyes, live, messages, results
from tests.live.proxy import Cut
from tests.support.pages import TOP, Content, Page
from tests.support.peers import PROGRAM, settle_at_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.live.live import Live
    from tests.live.proxy import Line, Passed
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

_KILLS = 60
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
# Not `AT_WORK`: of a request that nobody waits for, nobody could say when the site is done with it.
_CUTS = (Cut.BEFORE, Cut.ANSWERED, Cut.HALF)


@pytest.fixture(autouse=True)
def settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look unconfirmed creates up at once: the line tells when the site is done with what was sent."""
    settle_at_once(monkeypatch)


def commit_more(repository: SampleRepository, content: Content, chance: random.Random, turn: int) -> None:
    """Add a page and one below it, edit one, remove one now and then.

    Not `page1`: to WordPress that is the first page of a list, and no slug.
    """
    parent, pages = f"{TOP}/leaf{turn}", content.pages
    pages[f"{parent}.md"] = Page(
        f"Page {turn}", f"Birth {turn}", f"word-{turn}", [f"{parent}/below{turn}.md"]
    )
    pages[f"{parent}/below{turn}.md"] = Page(f"Below {turn}", f"Birth below {turn}", f"word-{turn}")
    edited = chance.choice(sorted(pages))
    pages[edited].marker = f"edited-{turn}"
    removed = f"{TOP}/leaf{turn - 9}/below{turn - 9}.md"
    if turn % 3 == 0 and removed in pages:
        del pages[removed]
        repository.remove(removed)
    content.write(repository)
    repository.commit()


def cut_at(number: int, cut: Cut) -> Callable[[Passed], Cut | None]:
    """Cut one of the writes to come."""
    return lambda passed: cut if passed.number == number else None


def kill_a_sync(site: Live, line: Line, chance: random.Random) -> bool:
    """Start a sync, kill it some milliseconds after one of its requests; whether it was still at work."""
    wanted = len(line.passed) + chance.randint(1, 9)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "-C", str(site.root), "sync", "--yes"],
        env={**os.environ, **site.environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    line.wait_for(wanted, process)
    with line.changed:
        # Any instant is right: this one is chosen, and nothing is waited for.
        line.changed.wait(chance.random() / 30)
    alive = process.poll() is None
    process.send_signal(chance.choice(_SIGNALS))
    process.wait(60)
    line.wait_until_idle()
    return alive


@pytest.mark.timeout(300)
@pytest.mark.parametrize("wordpress", ["mid"], indirect=True)
def test_killed_sixty_times_a_sync_makes_each_page_once(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    chance, content = random.Random(1), Content()  # noqa: S311 - a seeded walk, no secret
    site = live(repository, line, wordpress)
    killed = unconfirmed_in = 0
    for turn in range(_KILLS):
        commit_more(repository, content, chance, turn)
        if turn % 2:
            line.cut = cut_at(len(line.writes) + chance.randint(1, 3), chance.choice(_CUTS))
        killed += kill_a_sync(site, line, chance)
        line.cut = lambda _passed: None
        unconfirmed_in += len(site.unconfirmed())

    run = site.sync()

    rows = Eyes(wordpress).rows()
    twice, lost = content.census(rows)
    print(  # noqa: T201 - the figures of a live run are for a person
        f"\n{wordpress.version}: {killed} of {_KILLS} runs killed at work, {len(content.pages)} pages, "
        f"{unconfirmed_in} unconfirmed creates, {twice} made twice, {lost} lost"
    )
    told = messages(run)
    assert not [told[path] for path, ended in results(run).items() if ended not in {"done", "kept"}]
    content.assert_shown(site.entries(), rows)
    assert site.unconfirmed() == []
    assert site.sync().outcomes == ()

"""Answers get lost and servers die at work: after the next sync every page is there exactly once."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.live.live import Eyes, live, numbered, results, titles
from tests.live.proxy import Cut
from tests.live.sites import HOME

from pressync.sync.unconfirmed import settle_unconfirmed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.live.live import Live
    from tests.live.proxy import Line, Passed
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

# Sent as one call that goes alone, and three batches of 25 and less at a time.
PAGES = numbered(60)
TITLES = sorted(f"Number {number}" for number in range(1, 61))


# Our sites need a second or two for a batch; nobody has to wait half a minute for them.
SETTLING = 2.0


def settle_after(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take it for certain after this time that a create was not carried out."""
    assert settle_unconfirmed.__kwdefaults__ is not None
    monkeypatch.setitem(settle_unconfirmed.__kwdefaults__, "settling", seconds)


@pytest.fixture(autouse=True)
def settling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all syncs look up unconfirmed creates after the time of our sites."""
    settle_after(SETTLING, monkeypatch)


@dataclass
class Breaking:
    """Cuts the writes of these numbers; with `dead`, nothing passes after the first of them."""

    cuts: Mapping[int, Cut]
    dead: bool = False
    broken: bool = field(default=False, init=False)

    def __call__(self, passed: Passed) -> Cut | None:
        """Give the cut for this request, if it is its turn."""
        cut = self.cuts.get(passed.number)
        if cut is None and self.broken and self.dead:
            return Cut.BEFORE
        self.broken = self.broken or cut is not None
        return cut


def run_into(site: Live, line: Line, breaking: Breaking) -> Counter[str]:
    """Sync while the line breaks, mend the line, wait for the site, and count how the pages ended."""
    line.cut = breaking
    run = site.sync()
    line.cut = lambda _passed: None
    time.sleep(SETTLING)
    assert breaking.broken
    return Counter(results(run).values())


def assert_each_once(site: Live, wordpress: Site, expected: list[str]) -> None:
    """Hold the site, the manifest and the next sync to one record for each page, and no doubt."""
    rows = Eyes(wordpress).rows()
    assert titles(rows.values()) == expected
    assert sorted(site.ids().values()) == sorted(rows)
    assert site.unconfirmed() == []
    assert site.sync().outcomes == ()


@pytest.mark.one_site
@pytest.mark.parametrize("dead", [False, True], ids=["line mends", "line dead"])
@pytest.mark.parametrize("cut", Cut)
@pytest.mark.parametrize("writes", [(1,), (2,), (2, 4), (2, 3, 4)], ids=str)
def test_creates_whose_responses_are_lost_are_there_once_after_the_next_sync(
    wordpress: Site,
    line: Line,
    repository: SampleRepository,
    writes: tuple[int, ...],
    cut: Cut,
    *,
    dead: bool,
) -> None:
    repository.commit(PAGES)
    site = live(repository, line, wordpress)

    run_into(site, line, Breaking(dict.fromkeys(writes, cut), dead=dead))
    site.sync()

    assert_each_once(site, wordpress, TITLES)


@pytest.mark.one_site
@pytest.mark.parametrize("lost", [Cut.AT_WORK, Cut.ANSWERED])
def test_pages_of_one_slug_below_many_parents_are_told_apart(
    wordpress: Site, line: Line, repository: SampleRepository, lost: Cut
) -> None:
    parents = {f"content/pages/c{number:02}.md": f"# Command {number}\n" for number in range(30)}
    children = {f"content/pages/c{number:02}/list.md": f"# List {number}\n" for number in range(30)}
    repository.commit(parents)
    site = live(repository, line, wordpress)
    site.sync()
    repository.commit(children)
    first = len(line.writes) + 1

    # The call that goes alone is done; of the rest, one batch is made and one is not.
    breaking = Breaking({first + 1: Cut.BEFORE, first + 2: lost}, dead=True)
    run_into(site, line, breaking)
    site.sync()

    expected = [f"{name} {number}" for name in ("Command", "List") for number in range(30)]
    assert_each_once(site, wordpress, sorted(expected))


@pytest.mark.one_site
@pytest.mark.parametrize("cut", Cut)
@pytest.mark.parametrize("writes", [(1,), (2, 3)], ids=str)
def test_updates_and_deletes_whose_responses_are_lost_are_done_after_the_next_sync(
    wordpress: Site, line: Line, repository: SampleRepository, writes: tuple[int, ...], cut: Cut
) -> None:
    repository.commit(PAGES)
    site = live(repository, line, wordpress)
    site.sync()
    kept, removed = list(PAGES)[:50], list(PAGES)[50:]
    repository.remove(*removed)
    repository.commit({path: PAGES[path].replace("# Number", "# Nummer") for path in kept})
    before = len(line.writes)

    run_into(site, line, Breaking({before + write: cut for write in writes}))
    site.sync()

    rows = Eyes(wordpress).rows()
    there = [row for row in rows.values() if row["status"] == "publish"]
    assert titles(there) == sorted(f"Nummer {number}" for number in range(1, 51))
    assert Counter(row["status"] for row in rows.values()) == {"publish": 50, "trash": 10}
    assert site.unconfirmed() == []
    assert site.sync().outcomes == ()


def test_a_page_of_the_same_text_elsewhere_is_not_taken_for_the_unconfirmed_one(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    path = "content/pages/list.md"
    repository.commit({path: "# List\n\nAll of them.\n"})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    run_into(site, line, Breaking({1: Cut.BEFORE}))
    command = eyes.make(title="Command", status="publish")
    content = "<!-- wp:html -->\n<p>All of them.</p>\n<!-- /wp:html -->"
    eyes.make(title="List", content=content, parent=command, status="publish")

    run = site.sync()

    # Whether it was made and somebody moved it, a person has to say.
    assert results(run) == {path: "in_doubt"}
    assert site.ids() == {}


@pytest.mark.one_site
@pytest.mark.usefixtures("php_comes_back")
def test_php_killed_in_the_middle_of_a_run_costs_nothing_but_a_second_sync(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    texts = numbered(400)
    repository.commit(texts)
    site = live(repository, line, wordpress)
    # Dead a moment after the fifth write was passed on, when up to four batches are at work.
    death = threading.Timer(0.12, kill_php, [wordpress])
    line.cut = lambda passed: death.start() if passed.number == 5 else None

    start = time.monotonic()
    counts = [Counter(results(site.sync()).values())]
    death.join()
    line.cut = lambda _passed: None
    start_php(wordpress)
    time.sleep(SETTLING)
    counts.append(Counter(results(site.sync()).values()))
    seconds = time.monotonic() - start

    print(  # noqa: T201 - the figures of a live run are for a person
        f"\n{wordpress.version}: 400 pages, php killed at work: {dict(counts[0])}, "
        f"then {dict(counts[1])}, {seconds:.1f} s"
    )
    assert counts[0]["done"] < 400
    assert_each_once(site, wordpress, sorted(f"Number {number}" for number in range(1, 401)))


def kill_php(site: Site) -> None:
    """Kill the PHP of a site with all its workers, as a machine does that has no memory left."""
    note = HOME / f"run/fpm-{site.name}.pid"
    os.killpg(int(note.read_text(encoding="utf-8")), signal.SIGKILL)
    # The number may still be taken when it is asked for next: by the dead one, or by another.
    note.unlink()


@pytest.fixture
def php_comes_back(wordpress: Site) -> Iterator[None]:
    """Have the site's PHP run again after the test, whatever became of it."""
    yield
    start_php(wordpress)


def start_php(site: Site) -> None:
    """Start what does not run of the site."""
    stand = Path(__file__).parent / "stand/up"
    environ = {**os.environ, "PRESSYNC_WP_HOME": str(HOME)}
    subprocess.run([stand, site.name], check=True, stdout=subprocess.DEVNULL, env=environ)


def test_pages_that_are_not_unconfirmed_do_not_wait_for_one_that_is(
    wordpress: Site, line: Line, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost, child, linking = (f"content/pages/{name}.md" for name in ("lost", "lost/child", "linking"))
    repository.commit({lost: "# Lost\n\nText.\n"})
    site = live(repository, line, wordpress)
    assert run_into(site, line, Breaking({1: Cut.BEFORE}, dead=True)) == {"in_doubt": 1}
    rest = numbered(30)
    repository.commit({**rest, child: "# Child\n", linking: "# Linking\n\n[lost](lost.md)\n"})

    settle_after(300, monkeypatch)
    ended = results(site.sync())
    assert [ended[path] for path in (lost, child, linking)] == ["in_doubt", "blocked", "skipped"]
    assert {ended[path] for path in rest} == {"done"}
    settle_after(SETTLING, monkeypatch)

    assert results(site.sync()) == dict.fromkeys((lost, child, linking), "done")
    assert f"{lost} was unconfirmed: it was not created." in site.heard
    expected = ["Child", "Linking", "Lost", *(f"Number {number}" for number in range(1, 31))]
    assert_each_once(site, wordpress, sorted(expected))


def test_a_lost_page_whose_slug_somebody_changed_is_found_by_its_text(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit(numbered(1))
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    assert run_into(site, line, Breaking({1: Cut.ANSWERED}, dead=True)) == {"in_doubt": 1}
    (number,) = eyes.rows()
    eyes.edit(number, slug="renamed")

    site.sync()

    assert (site.unconfirmed(), list(site.ids().values())) == ([], [number])
    assert list(eyes.rows()) == [number]
    assert eyes.row(number)["slug"] == "renamed", "nobody said to overwrite it"


def test_an_edit_that_somebody_made_after_a_lost_update_is_not_overwritten(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit(numbered(1))
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    (path, number) = next(iter(site.ids().items()))
    repository.commit({path: "# Number 1\n\nAnother text.\n"})
    lost = run_into(site, line, Breaking({len(line.writes) + 1: Cut.ANSWERED}, dead=True))
    eyes.edit(number, content="<p>Theirs.</p>")

    ended = results(site.sync())

    assert (lost, ended) == ({"in_doubt": 1}, {path: "blocked"})
    assert eyes.row(number)["content"]["raw"] == "<p>Theirs.</p>"

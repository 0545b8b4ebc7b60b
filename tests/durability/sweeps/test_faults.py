"""Every fault of a service, at every request of a mixed run, in both dialects, one call at a time and eight.

Whatever goes wrong once, the run ends as it promises, and what follows (a look at the site where a create is
unconfirmed, one more sync) leaves each document with exactly one record that says what the commit says.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.durability.sweeps.scenario import Scenario, picture, remembered
from tests.support.hostile.faults import Means, all_of_them
from tests.support.hostile.port import AUTHORIZATION, PASSWORD
from tests.support.hostile.service import DIALECTS, serving
from tests.support.share import share
from tests.support.wire import End

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.durability.sweeps.scenario import Ended
    from tests.support.hostile.faults import Misdeed
    from tests.support.hostile.port import Asked
    from tests.support.wire import Json

_CONCURRENCIES = (1, 8)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
_ENDLESS = frozenset({End.HANG, End.DRIP, End.FLOOD})
_MISDEEDS = all_of_them()


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Scenario]]:
    """Prepare each dialect's scenario once; every case starts from a copy."""
    with contextlib.ExitStack() as stack:

        @cache
        def scenario(dialect: str) -> Scenario:
            service = stack.enter_context(serving(dialect))
            made = Scenario.prepared(dialect, service, tmp_path_factory.mktemp(dialect) / "repository")
            made.learn(tmp_path_factory.mktemp(dialect) / "honest")
            return made

        yield scenario


@dataclass
class Count:
    """What a sweep has tried and seen."""

    faults: int = 0
    runs: int = 0
    unconfirmed: int = 0
    duplicates: int = 0
    lost: int = 0


@dataclass(frozen=True)
class Case:
    """One fault at one place of one scenario."""

    scenario: Scenario
    misdeed: Misdeed
    asked: Asked
    concurrency: int

    def __str__(self) -> str:
        where = f"request {self.asked.point.request}, item {self.asked.point.item} ({self.asked.verb})"
        return f"{self.misdeed.name} at {where} of {self.scenario.dialect}, {self.concurrency} at a time"


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("dialect", "concurrency", "misdeed"),
    [
        pytest.param(dialect, number, misdeed, id=f"{dialect}-{number}-{misdeed.name}")
        for dialect in DIALECTS
        for place, misdeed in enumerate(_MISDEEDS)
        for number in (_CONCURRENCIES if not misdeed.variant else (_CONCURRENCIES[place % 2],))
    ],
)
def test_after_any_fault_each_document_is_one_record_that_says_what_the_commit_says(
    request: pytest.FixtureRequest, dialect: str, concurrency: int, misdeed: Misdeed, tmp_path: Path
) -> None:
    scenario, count = request.getfixturevalue("scenarios")(dialect), Count()
    for asked in _drawn(scenario, misdeed, concurrency):
        root = scenario.begin(tmp_path / f"{asked.point.request}-{asked.point.item}")
        _try(Case(scenario, misdeed, asked, concurrency), root, count)
        shutil.rmtree(root)
    for name, number in vars(count).items():
        request.node.user_properties.append((name.replace("_", " "), number))


def _drawn(scenario: Scenario, misdeed: Misdeed, concurrency: int) -> Sequence[Asked]:
    """Draw the places: all of them for one call at a time, and every second one for eight.

    Eight calls at a time come in another order in each run, so a place is not the same call there. Two
    misdeeds that follow each other strike between each other's places: half of the misdeeds strike at each.
    Until the first write both ask the same, one thing after the other.
    """
    number = _MISDEEDS.index(misdeed)
    found = _places(scenario, misdeed, thin=misdeed.variant)
    if misdeed.variant or concurrency == 1:
        return share(found, 18, number)
    writes = [asked for asked in found if asked.point.request >= scenario.first_write]
    return share(writes[number % 2 :: 2], 18, number // 2)


def _places(scenario: Scenario, misdeed: Misdeed, *, thin: bool) -> list[Asked]:
    """List where a misdeed makes sense; thinned, one place of each sort."""
    found = [
        asked
        for asked in scenario.asked
        if asked.verb in misdeed.verbs and not (misdeed.whole and asked.point.item is not None)
    ]
    sorts = {(asked.verb, asked.point.item is None): asked for asked in found}
    return list(sorts.values()) if thin else found


def _try(case: Case, root: Path, count: Count) -> None:
    """Sync with one fault, do what a person would, and sync until there is nothing to do."""
    scenario, misdeed, service = case.scenario, case.misdeed, case.scenario.service
    service.begin(misdeed.fault, case.asked.point)
    ended = scenario.sync(root, concurrency=case.concurrency, limited=misdeed.fault.end in _ENDLESS)
    verbs, has_struck = _struck(case), service.fired > 0
    service.begin()
    count.faults += 1
    count.runs += 1
    if verbs - {"read", "setting"} - misdeed.verbs or not (has_struck or case.concurrency == 1):
        # With eight calls at a time no call may come there, or one for which this misdeed makes no sense.
        _assert_nothing_twice(case, count)
        return
    assert ended.code in _codes(case, verbs), f"{case}: {ended}"
    _assert_speakable(case, ended)
    if misdeed.means is Means.LIE:
        # Nobody can know, until the record is written once more: then a service without it says so.
        _assert_nothing_twice(case, count)
        return
    count.unconfirmed += scenario.resolve(root)
    count.runs += 2
    second = scenario.sync(
        root, concurrency=case.concurrency, overwrite=misdeed.means in {Means.BENT, Means.STALE}
    )
    if misdeed.fault.name == "bent status" and "front page is not set" in ended.said:
        # The service keeps the page as a draft, and a draft is not a front page: each run says so.
        assert second.code == 1, f"{case}: {ended}, then {second}"
        _assert_nothing_twice(case, count)
        return
    assert second.code == 0, f"{case}: {ended}, then {second}"
    service.begin()
    third = scenario.sync(root)
    assert (third.code, service.asked) == (0, []), f"{case}: {third}"
    _assert_same(case, root, _assert_nothing_twice(case, count), count)


def _assert_nothing_twice(case: Case, count: Count) -> dict[int, Json]:
    """Look at the site, and give its records."""
    shown = case.scenario.service.site.shown
    titles = Counter(each["title"]["raw"] for each in shown.values() if each["status"] != "trash")
    count.duplicates += sum(titles.values()) - len(titles)
    assert set(titles.values()) == {1}, f"{case}: {titles}"
    return shown


def _assert_same(case: Case, root: Path, shown: dict[int, Json], count: Count) -> None:
    """Compare the site with the commit, but for what it bent, and the manifest with the site."""
    lost = set(case.scenario.titles.values()) - {each["title"]["raw"] for each in shown.values()}
    count.lost += len(lost)
    assert not lost, case
    found = [
        (is_["title"], name, is_[name], meant[name])
        for is_, meant in zip(picture(shown), case.scenario.honest, strict=True)
        for name in meant
        if is_[name] != meant[name]
    ]
    bent = case.misdeed.means in {Means.BENT, Means.STALE}
    assert len({title for title, *_ in found}) <= bent, f"{case}: {found}"
    entries, modified = case.scenario.entries(root), not case.misdeed.fault.late
    assert case.scenario.differences(entries, shown, modified=modified) == [], case
    if not bent:
        assert remembered(entries) == case.scenario.fingerprints, case


def _struck(case: Case) -> set[str]:
    """Name what was asked for where the fault struck: with eight calls at a time, orders differ."""
    point, heard = case.asked.point, case.scenario.service.asked
    whole = point.item is None
    found = {
        one.verb for one in heard if one.point == point or (whole and one.point.request == point.request)
    }
    return found - {"batch"}


def _codes(case: Case, verbs: set[str]) -> set[int]:
    """Say how a run may end in which this happened once."""
    means, fault = case.misdeed.means, case.misdeed.fault
    in_batch = case.asked.verb == "batch" or case.asked.point.item is not None
    if "read" in verbs:
        # A read is asked again as an update is; what it must know and cannot, ends the run before it writes.
        if means is Means.BAD and case.asked.point.request > case.scenario.first_write:
            # The record is written, and only its place at the front is not known: the next run sets it again.
            return {1, 5}
        return {Means.LOST: {0}, Means.LATER: {0}, Means.HONEST: _ENDS[Means.HONEST]}.get(means, {1})
    if means is Means.STALE and verbs == {"delete"}:
        # The record is not in the trash.
        return {1}
    if means in {Means.LOST, Means.BAD}:
        again = means is Means.LOST and not in_batch and verbs <= {"update", "delete", "setting"}
        looked_up = fault.acts and verbs == {"create"} and case.scenario.dialect == "wordpress"
        if fault.late and looked_up:
            return {0, 5}
        return {0} if again or looked_up else {5}
    # A batch that is refused as a whole, and items that are told to come later, go again one by one. A batch
    # that is told to come later goes again as a whole.
    alone = {Means.GIVEN_UP: case.asked.point.item is not None, Means.REFUSED: case.asked.verb == "batch"}
    return {0} if alone.get(means) else _ENDS[means]


_ENDS = {
    # A line that closes behind an answer can cost the next call its own.
    Means.HONEST: {0, 5},
    Means.LIE: {0, 1},
    Means.LATER: {0},
    Means.GIVEN_UP: {1},
    Means.REFUSED: {1},
    Means.BENT: {0, 1},
    Means.STALE: {0, 1},
}


def _assert_speakable(case: Case, ended: Ended) -> None:
    assert ended.said.strip(), case
    assert not _UNPRINTABLE.search(ended.said), f"{case}: {ended.said!r}"
    assert PASSWORD not in ended.said, f"{case}: {ended.said}"
    assert AUTHORIZATION.split()[1] not in ended.said, f"{case}: {ended.said}"

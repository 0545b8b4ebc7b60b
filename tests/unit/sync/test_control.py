"""The control of a run: every pause ends when the run is stopped."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from tests.support.builders import create, delete, keep, plan, update
from tests.support.controls import run_control
from tests.support.memory_service import MemoryService

from pressync.cli.report.documents import plan_document
from pressync.client.retry import Patience
from pressync.model.changes import CreateCall
from pressync.model.errors import Code, ConfigError, ContentError, NotSent, Problem, SafetyRefusal
from pressync.model.interface import Kind
from pressync.sync.apply import RunOptions
from pressync.sync.control import RECENT, Approval, RateLimiter, RecentReads, parse

FIELDS = {"title": "A", "slug": "a"}
A, B, C = "content/pages/a.md", "content/pages/b.md", "content/pages/c.md"


def test_a_stopped_run_starts_no_call_waits_for_nothing_and_repeats_nothing() -> None:
    stop = threading.Event()
    control = RunOptions(patience=Patience(first=60), rate=0.001).control(lambda _sentence: None, stop)
    assert control.may_start()
    assert not control.wait(0)
    stop.set()
    assert not control.may_start(), "its turn would have come in a quarter of an hour"
    assert control.wait(3600)
    assert control.stopped
    service = MemoryService()
    service.ends.append(NotSent("no way there"))
    with pytest.raises(NotSent):
        control.retrying(service).carry_out(CreateCall(Kind.PAGE, FIELDS))
    assert len(service.calls) == 1


def test_a_service_without_reads_or_library_says_so() -> None:
    service = MemoryService(reads=False)
    with pytest.raises(ConfigError, match="does not show how to read a record"):
        run_control().reads(service)
    assert run_control().library(service) is None


def test_what_a_plan_changes_is_known_for_a_few_seconds() -> None:
    now = 1000.0
    known = RecentReads(lambda: now)
    known.saw(plan(update(A, number=7), delete(B, 8), keep(C, 9), create("content/pages/d.md")), at=now)
    seen = {number for number in range(10) if known.is_recent((Kind.PAGE, number))}
    assert seen == {7, 8}, "the records that are kept are not written"
    now += RECENT
    assert known.is_recent((Kind.PAGE, 7))
    now += 0.1
    assert not known.is_recent((Kind.PAGE, 7))


def test_a_long_run_holds_no_more_than_it_has_just_seen() -> None:
    now = 1000.0
    known = RecentReads(lambda: now)
    for number in range(100):
        now += 1
        known.knows([(Kind.PAGE, number)], at=now)
        recent = range(max(0, number - int(RECENT)), number + 1)
        assert [n for n in range(100) if known.is_recent((Kind.PAGE, n))] == [*recent]
    assert len(known) < 3 * RECENT


def test_a_turn_beyond_all_clocks_is_waited_for_until_the_run_is_stopped() -> None:
    stop = threading.Event()
    limiter = RateLimiter(1e-300, stop)
    limiter.wait()
    stopping = threading.Timer(0.01, stop.set)
    stopping.start()
    limiter.wait()
    assert stop.is_set()
    stopping.join()


A, B = "content/pages/a.md", "content/pages/b.md"
PLAN = plan(update(A))
APPROVAL = Approval(lambda _plan: True)
REVIEWED = Approval(lambda _plan: True, parse(plan_document(PLAN)))


def test_a_plan_with_a_problem_of_the_content_or_another_one_than_the_reviewed_is_refused() -> None:
    broken = replace(PLAN, problems=(Problem(A, 1, "the date is not a date", code=Code.VALUE),))
    with pytest.raises(ContentError):
        APPROVAL.check(broken)
    replace(APPROVAL, keep_going=True).check(broken)
    REVIEWED.check(PLAN)
    with pytest.raises(SafetyRefusal, match="content, configuration or manifest changed since"):
        REVIEWED.check(plan(update(A), update(B)))


def test_a_plan_that_was_built_again_may_have_fewer_changes_than_the_reviewed_one_and_not_more() -> None:
    REVIEWED.check_again(plan(), PLAN)
    with pytest.raises(SafetyRefusal, match=f"{B} would change as well"):
        REVIEWED.check_again(plan(update(A), create(B)), PLAN)
    with pytest.raises(SafetyRefusal, match=f"{A} is not to be created: it is on the site already"):
        REVIEWED.check_occupied(PLAN, A)
    APPROVAL.check_again(plan(update(A), create(B)), PLAN)
    APPROVAL.check_occupied(PLAN, A)

"""The control of a run: every pause ends when the run is stopped."""

from __future__ import annotations

import threading

import pytest
from tests.support.controls import run_control
from tests.support.memory_service import MemoryService
from tests.support.syncing import IMPATIENT

from pressync.client.retry import Patience
from pressync.model.calls import CreateCall, UpdateCall
from pressync.model.errors import ConfigError, NoAnswer, NotSent
from pressync.model.interface import Kind
from pressync.sync.control import RunControl

FIELDS = {"title": "A", "slug": "a"}


def test_a_stopped_run_may_not_start_a_call_and_does_not_wait_for_its_turn() -> None:
    stop = threading.Event()
    control = RunControl.of(print, stop, IMPATIENT, rate=0.001)
    assert control.may_start()
    stop.set()
    assert not control.may_start(), "its turn would have come in a quarter of an hour"


def test_a_wait_tells_whether_the_run_was_stopped_meanwhile() -> None:
    control = run_control()
    assert not control.wait(0)
    control.stop.set()
    assert control.wait(3600)
    assert control.stopped


def test_a_call_is_repeated_where_that_is_harmless_and_each_pause_is_told() -> None:
    told: list[str] = []
    service = MemoryService()
    record = service.hold(7, **FIELDS)
    service.ends.extend([NoAnswer("the line broke"), None])
    update = UpdateCall(Kind.PAGE, 7, FIELDS)
    assert run_control(told.append).retrying(service).carry_out(update).id == record.id
    assert told[0].startswith("the line broke; ")
    service.ends.append(NoAnswer("the line broke"))
    with pytest.raises(NoAnswer):
        run_control().retrying(service).carry_out(CreateCall(Kind.PAGE, FIELDS))


def test_a_stopped_run_does_not_repeat_a_call() -> None:
    stop = threading.Event()
    stop.set()
    control = RunControl.of(lambda _sentence: None, stop, Patience(first=60))
    service = MemoryService()
    service.ends.append(NotSent("no way there"))
    with pytest.raises(NotSent):
        control.retrying(service).carry_out(CreateCall(Kind.PAGE, FIELDS))
    assert len(service.calls) == 1


def test_a_service_without_reads_or_library_says_so() -> None:
    service = MemoryService(reads=False)
    with pytest.raises(ConfigError, match="shows no way to read a record"):
        run_control().reads(service)
    assert run_control().library(service) is None

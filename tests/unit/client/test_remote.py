"""A service in the documented dialect makes one attempt for each call, over a real socket."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import Fault

from pressync.client.connect import open_service
from pressync.model.calls import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import NoAnswer
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from tests.support.strict_service import StrictService


def test_each_call_is_one_request_and_its_response_one_record(strict: StrictService) -> None:
    with closing(open_service(strict.url)) as service:
        made = service.carry_out(CreateCall(Kind.PAGE, {"slug": "about", "title": "About"}))
        changed = service.carry_out(UpdateCall(Kind.PAGE, made.id, {"title": "About us"}))
        service.carry_out(DeleteCall(Kind.PAGE, made.id))
    strict.wait_until_idle()
    assert (made.slug, changed.id, changed.fields["title"]) == ("about", made.id, "About us")
    assert [received.method for received in strict.received] == ["POST", "POST", "DELETE"]
    assert strict.violations == []


def test_one_attempt_is_made_and_what_it_showed_is_raised(strict: StrictService) -> None:
    strict.faults.append(Fault(acts=True, end="close"))
    with closing(open_service(strict.url)) as service, pytest.raises(NoAnswer):
        service.carry_out(CreateCall(Kind.PAGE, {"slug": "about"}))
    assert len(strict.received) == 1

"""One sync: what is learned on the site before the first write is in the plan that is carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.peers import settle_at_once
from tests.shelf import Shelf
from tests.states import in_doubt

from pressync.changes import Result
from pressync.model import CreateCall, UpdateCall

if TYPE_CHECKING:
    from tests.repository import SampleRepository

A = "content/pages/a.md"
SENT = {"title": "A", "slug": "a", "status": "publish"}


@pytest.fixture
def shelf(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """One page, whose create is in doubt."""
    settle_at_once(monkeypatch)
    repository.commit({A: "# A\n"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    with made.workspace() as workspace, workspace.state(writable=True) as state:
        in_doubt(state, A, SENT, commit=repository.head())
        state.save()
    return made


def test_a_create_that_turns_out_not_to_be_done_is_done_in_the_same_sync(shelf: Shelf) -> None:
    run = shelf.sync()
    assert [outcome.result for outcome in run.outcomes] == [Result.DONE]
    assert [type(call) for call in shelf.service.calls] == [CreateCall]
    assert shelf.entries()[A].id in shelf.service.held
    assert not shelf.plan().pending


def test_a_create_that_turns_out_to_be_done_is_brought_up_to_date_in_the_same_sync(shelf: Shelf) -> None:
    shelf.service.hold(41, **SENT)
    run = shelf.sync()
    assert [outcome.result for outcome in run.outcomes] == [Result.DONE]
    assert [type(call) for call in shelf.service.calls] == [UpdateCall], "and no page is made twice"
    assert shelf.entries()[A].id == 41
    assert not shelf.plan().pending

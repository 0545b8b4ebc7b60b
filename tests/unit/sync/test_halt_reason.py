"""After which errors a run sends nothing more: a table of errors and of the state of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.errors import BadAnswer, Gone, Later, NoAnswer, NotSent, Refused, WrongDialect
from pressync.sync.halt_reason import reason_to_halt

if TYPE_CHECKING:
    from pressync.model.errors import ServiceError


@pytest.mark.parametrize(
    ("error", "first", "lost", "words"),
    [
        (None, True, 0, ""),
        (WrongDialect("w"), False, 0, "another dialect"),
        (NotSent("no route"), False, 0, "cannot be reached: no route"),
        (Later("busy"), False, 0, "cannot be reached: busy"),
        (Refused("r", status=403), True, 0, "refused the first write"),
        (Refused("r", status=403), False, 0, ""),
        (Refused("r", status=400), True, 0, ""),
        (Gone("g", status=404), True, 0, ""),
        (NoAnswer("n"), True, 1, "no usable response"),
        (BadAnswer("b"), False, 2, ""),
        (BadAnswer("b"), False, 3, "3 responses in a row were lost"),
    ],
)
def test_a_run_ends_where_every_other_call_would_fail_or_be_lost(
    error: ServiceError | None, *, first: bool, lost: int, words: str
) -> None:
    reason = reason_to_halt(error, first=first, lost=lost)
    assert words in reason
    assert bool(reason) == bool(words)

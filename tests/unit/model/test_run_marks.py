"""The id of a run sorts by time, and nothing else is one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pressync.model import run_marks
from pressync.model.run_marks import is_id, new_id


def test_ids_are_short_and_differ() -> None:
    made = {new_id() for _ in range(50)}
    assert len(made) == 50
    assert all(is_id(each) and len(each) <= 21 for each in made)


def test_ids_sort_as_they_were_made_also_within_one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        at = 0

        @classmethod
        def now(cls, _zone: object) -> datetime:
            cls.at += 2000
            return datetime(2026, 1, 31, 10, 15, 0, cls.at, UTC)

    monkeypatch.setattr(run_marks, "datetime", Clock)
    made = [new_id() for _ in range(400)]
    assert made == sorted(made)
    assert made[0].startswith("20260131-101500-")


@pytest.mark.parametrize("text", ["", "..", "../etc", "20260131-101500", "20260131-101500-UPPER", "a/b"])
def test_other_text_is_not_an_id(text: str) -> None:
    assert not is_id(text)

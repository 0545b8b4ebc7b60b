"""A run that another machine overtakes is planned again."""

from __future__ import annotations

import pytest

from pressync.app.overtaking import planned_again
from pressync.model.errors import Overtaken


def overtaken_before(number: int) -> tuple[list[int], list[str]]:
    """Plan until the attempt of this number, and give the attempts and the sentences."""
    tries: list[int] = []
    said: list[str] = []

    def attempt() -> int:
        tries.append(len(tries) + 1)
        if tries[-1] < number:
            raise Overtaken("the manifest has moved")
        return tries[-1]

    if number > 5:
        with pytest.raises(Overtaken):
            planned_again(attempt, said.append)
    else:
        assert planned_again(attempt, said.append) == number
    return tries, said


def test_a_run_is_planned_again_until_no_other_machine_is_faster() -> None:
    assert overtaken_before(1) == ([1], [])
    assert overtaken_before(3) == (
        [1, 2, 3],
        ["the manifest has moved; reading it and planning again"] * 2,
    )


def test_after_five_attempts_a_person_should_look() -> None:
    tries, said = overtaken_before(6)
    assert (len(tries), len(said)) == (5, 4)

"""Plans and runs again when another machine was faster, a few times at most.

Two machines may want to save the manifest of one site at the same time. The slower one reads the manifest of
the other and begins again. If it loses several times, a person should look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pressync.model.errors import Overtaken

if TYPE_CHECKING:
    from collections.abc import Callable

_TRIES = 5
_Result = TypeVar("_Result")


def planned_again(attempt: Callable[[], _Result], say: Callable[[str], object]) -> _Result:
    """Give the result of the first attempt that no other machine overtakes.

    :raises Overtaken: other machines were faster each time.
    """
    for left in reversed(range(_TRIES)):
        try:
            return attempt()
        except Overtaken as error:
            if not left:
                raise
            say(f"{error.what}; reading it and planning again")
    raise AssertionError("the last attempt gives a result, or raises")

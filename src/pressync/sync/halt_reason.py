"""Decides after which errors a run sends nothing more. Pure.

A run must not go on where each further call would fail in the same way, or would leave one more create
unconfirmed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import BadAnswer, Gone, Later, NoAnswer, NotSent, Refused, WrongDialect

if TYPE_CHECKING:
    from pressync.model.errors import ServiceError

# The run stops after this many lost responses in a row: each of them can leave another create, or a whole
# batch of creates, unconfirmed.
_LOST_IN_A_ROW = 3
# After one of these responses to the first write, no later write can succeed: the credentials or the address
# are wrong. `Gone` (404 in the service's own words) is about one record only.
_IN_VAIN = frozenset({401, 403, 404, 405})


def reason_to_halt(error: ServiceError | None, *, first: bool, lost: int) -> str:
    """Say why a run ends after a response, or "".

    `first` tells that nothing was written before, and `lost` is the number of lost responses in a row.
    """
    match error:
        case WrongDialect():
            return "the first responses show another dialect, so nothing else was sent"
        case NotSent() | Later():
            return f"the service cannot be reached: {error.what}"
        case Refused(status=status) if first and status in _IN_VAIN and not isinstance(error, Gone):
            return "the service refused the first write, so nothing else was sent"
        case NoAnswer() | BadAnswer() if first:
            return "the first write got no usable response, so nothing else was sent"
        case NoAnswer() | BadAnswer() if lost >= _LOST_IN_A_ROW:
            return f"{lost} responses in a row were lost, so nothing else was sent"
        case _:
            return ""

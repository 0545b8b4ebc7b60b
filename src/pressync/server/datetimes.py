"""Date-times: ISO 8601 text on the wire, whole seconds since 1970 in the store.

Pure. Only the time in GMT is stored, and site time is computed from it with the site's offset. So `date` and
`date_gmt` cannot contradict each other.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_SHAPE = re.compile(
    r"(?P<clock>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]+)?"
    r"(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# With these years, any offset gives a date-time that Python can represent.
_YEARS = range(1000, 9999)


def parse(text: str) -> datetime:
    """Read an ISO 8601 date-time. It is aware if it has a zone; fractions of a second are dropped.

    Raises ValueError with a sentence for anything else.
    """
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise ValueError("is not an ISO 8601 date-time such as 2024-03-01T09:30:00")
    try:
        moment = datetime.fromisoformat(shape["clock"] + (shape["zone"] or ""))
    except ValueError:
        raise ValueError("names a day or a time that does not exist") from None
    if moment.year not in _YEARS:
        raise ValueError(f"is outside the years {_YEARS.start} to {_YEARS.stop - 1}")
    return moment


def seconds(moment: datetime, *, offset: int) -> int:
    """Turn a date-time into seconds since 1970; without a zone it is `offset` minutes ahead of GMT."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC) - timedelta(minutes=offset)
    return (moment - _EPOCH) // timedelta(seconds=1)


def moment_at(second: int, *, offset: int = 0) -> datetime:
    """Give the date-time, without a zone, that a clock `offset` minutes ahead of GMT shows."""
    return (_EPOCH + timedelta(seconds=second, minutes=offset)).replace(tzinfo=None)


# The records that a service writes in one second have the same times.
@lru_cache(maxsize=256)
def text(second: int, *, offset: int = 0) -> str:
    """Write a time as the interface does: ISO 8601 without a zone."""
    return moment_at(second, offset=offset).isoformat()

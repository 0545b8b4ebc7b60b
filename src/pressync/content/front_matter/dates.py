"""Converts dates as people write them to the interface's date-times.

A date with an offset is a moment, and is sent as `date_gmt`. A date without an offset is in the site's time
zone, which is not known here, and is sent as `date`.
"""

from __future__ import annotations

import datetime as dt
import re

# The form of a date, as Python and JavaScript read it.
FORM = (
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?[ \t]*"
    r"(?:([Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt])|([+-])(\d{1,2})(?::?(\d{2}))?)?)?"
)
_DATE = re.compile(FORM, re.ASCII)
_LENGTH = len("YYYY-MM-DDTHH:MM:SS")


def read_date(text: str) -> tuple[str, bool]:
    """Read an ISO 8601 date or date-time; a date alone is midnight, and fractions of a second are dropped.

    The result is `YYYY-MM-DDTHH:MM:SS`, and whether it is UTC. It is UTC if the text had an offset.

    :raises ValueError: the text is not a date, or the calendar does not have this date.
    """
    found = _DATE.fullmatch(text.strip())
    if not found:
        raise ValueError("not a date")
    year, month, day, hour, minute, second = (int(number or 0) for number in found.groups()[:6])
    utc, sign, hours, minutes = found.groups()[6:]
    moment = dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.UTC)
    if sign:
        ahead = dt.time(int(hours), int(minutes or 0))  # an offset of a day or more is refused
        moment = _shifted(moment, dt.timedelta(hours=ahead.hour, minutes=ahead.minute), back=sign == "+")
    return moment.isoformat()[:_LENGTH], bool(utc or sign)


def _shifted(moment: dt.datetime, time: dt.timedelta, *, back: bool) -> dt.datetime:
    try:
        return moment - time if back else moment + time
    except OverflowError as error:
        raise ValueError("outside of the calendar") from error

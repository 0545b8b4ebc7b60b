"""Reads the dates of front matter as the tool does that built the site. Pure.

A tool takes many spellings, and each takes others: Jekyll those of Ruby's `Time.parse`, Hugo those of a list
in Go, and the tools in JavaScript those of its `Date`. A date that a tool read in another way gave the page
another address. The tables of the tests are the answers of the tools themselves.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Moment = dt.date | dt.datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# The zones that both Ruby and JavaScript know by their names, in hours.
_ZONES = {"z": 0, "utc": 0, "gmt": 0, "ut": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7}
_ZONES |= {"mdt": -6, "pst": -8, "pdt": -7}
_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}\.?,?[ ]+)?"
_MONTH = r"(?P<name>[A-Za-z]{3,9})"
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:[ ]*(?P<zone>[A-Za-z]{0,5}(?:[+-]\d{1,2}(?::?\d{2})?)?))"
_TIME = rf"(?:(?:T|t|,?[ \t]+){_CLOCK}(?:[ ]*(?P<half>[AaPp][Mm])(?![A-Za-z]))?{_ZONE})?"
_DAYS = (
    r"(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})",
    rf"{_WEEKDAY}(?P<day>\d{{1,2}})[ -]+{_MONTH}\.?,?[ -]+(?P<year>\d{{4}})",
    rf"{_WEEKDAY}{_MONTH}\.?[ ]+(?P<day>\d{{1,2}}),?[ ]+(?P<year>\d{{4}})",
)


_OFFSET = re.compile(
    r"(?P<name>[A-Za-z]*)(?:(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d\d)?)?", re.ASCII
)
_LONGEST_MONTH, _NOON, _DAY, _LAST_MINUTE = 31, 12, 24, 59


def _compiled(days: Sequence[str], time: str = _TIME) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f"{day}{time}", re.ASCII) for day in days)


_OF_RUBY = _compiled(
    (
        *_DAYS,
        r"(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})",
        rf"{_WEEKDAY}{_MONTH}\.?[ ]+(?P<day>\d{{1,2}})(?:st|nd|rd|th),?[ ]+(?P<year>\d{{4}})",
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",
    )
)
_OF_SCRIPT = _compiled(
    (
        *_DAYS,
        r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})",
        r"(?P<year>\d{4})-(?P<month>\d\d)(?P<day>)",
        rf"{_MONTH}[ ]+(?P<year>\d{{4}})(?P<day>)",
    )
)
# The texts that the reader of YAML in JavaScript makes moments of; it leaves all others to the tool.
_YAML_MOMENT = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?", re.ASCII
)
_NAMED = r"(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_FULL = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,]\d{1,9})?"
_ISO = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
_WEEK = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_OF_GO = _compiled(
    (
        _ISO,
        rf"(?P<day>\d\d)[ ]{_NAMED}[ ](?P<year>\d{{4}})",
        rf"{_ISO}T{_FULL}(?P<zone>Z|[+-]\d\d:?\d\d|)",
        rf"{_ISO}[ ]{_FULL}(?P<zone>Z|[ ]?[+-]\d\d:?\d\d(?:[ ][A-Z]{{3,4}})?|)",
        rf"{_WEEK},[ ](?P<day>\d\d)[ ]{_NAMED}[ ](?P<year>\d{{4}})[ ]{_FULL}[ ](?P<zone>[+-]\d{{4}}|UTC|GMT)",
        rf"{_WEEK}[ ]{_NAMED}[ ][ ]?(?P<day>\d{{1,2}})[ ]{_FULL}[ ](?P<year>\d{{4}})",
    ),
    "",
)


def ruby(text: str) -> Moment | None:
    """Read a date as Ruby's `Time.parse` does; a zone that it does not know is that of the site."""
    return _read(_OF_RUBY, text, is_lenient=True)


def javascript(text: str, *, counts: bool = True) -> Moment | None:
    """Read a date as `new Date(text)` of JavaScript does; a number `counts` the milliseconds since 1970."""
    if counts and re.fullmatch(r"\d{1,14}", text.strip(), re.ASCII):
        return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(milliseconds=int(text))
    return _read(_OF_SCRIPT, text)


def hexo(text: str) -> Moment | None:
    """Read a date as Hexo does: it takes what YAML says in UTC for the time of its own place."""
    moment = javascript(text)
    if isinstance(moment, dt.datetime) and moment.tzinfo and _YAML_MOMENT.fullmatch(text.strip()):
        return moment.astimezone(dt.UTC).replace(tzinfo=None)
    return moment


def docusaurus(text: str) -> Moment | None:
    """Read a date as Docusaurus does: a text that YAML leaves to it is in UTC, also with another offset."""
    moment = javascript(text, counts=False)
    if isinstance(moment, dt.datetime) and not _YAML_MOMENT.fullmatch(text.strip()):
        return moment.replace(tzinfo=None)
    return moment


def go(text: str) -> Moment | None:
    """Read a date as Hugo does; a number counts the seconds since 1970."""
    if re.fullmatch(r"\d{1,11}", text.strip(), re.ASCII):
        return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=int(text))
    return _read(_OF_GO, text, overflows=False)


def text_of(reader: Callable[[str], Moment | None], text: str) -> str:
    """Give the date of a text as items have it, as a reader reads it; "" for no date."""
    return iso(reader(text))


def iso(moment: Moment | None, zone: str = "") -> str:
    """Give a date-time as items have it, "" for no date: in UTC if the offset is known.

    A time of day without an offset is in the `zone`.
    """
    if not isinstance(moment, dt.datetime):
        return f"{moment.isoformat()}T00:00:00" if moment else ""
    if moment.tzinfo is None and (place := zone_of(zone)):
        moment = moment.replace(tzinfo=place)
    moment = moment.replace(microsecond=0)
    return (moment.astimezone(dt.UTC) if moment.tzinfo else moment).isoformat()


def placed(moment: Moment, zone: str) -> str:
    """Give a date or a date-time with the offset that it was written with, else with that of the `zone`."""
    if isinstance(moment, dt.datetime) and moment.tzinfo is None and (place := zone_of(zone)):
        moment = moment.replace(tzinfo=place)
    return moment.isoformat()


def clock(moment: Moment, zone: str) -> dt.datetime:
    """Give the date and the time that a clock in the `zone` shows; in UTC, if nobody has this name."""
    if not isinstance(moment, dt.datetime):
        return dt.datetime.combine(moment, dt.time())
    return moment.astimezone(zone_of(zone) or dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment


def zone_of(name: str) -> ZoneInfo | None:
    """Give the time zone of a name; None if nobody has this name."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _read(
    forms: Sequence[re.Pattern[str]], text: str, *, is_lenient: bool = False, overflows: bool = True
) -> Moment | None:
    """Read a text in the first form that fits; one that `is_lenient` passes over marks that it cannot use."""
    found = next(filter(None, (form.fullmatch(text.strip()) for form in forms)), None)
    parts = found.groupdict() if found else {}
    year, day = int(parts.get("year") or 0), int(parts.get("day") or 1)
    # The offset of a moment in the first or the last year could lead out of the calendar.
    if not dt.MINYEAR < year < dt.MAXYEAR:
        return None
    try:
        first = dt.date(year, _month(parts), 1)
        # The calendar goes on: the 30th of February is the 2nd of March.
        is_day = overflows and 0 < day <= _LONGEST_MONTH
        date = first + dt.timedelta(days=day - 1) if is_day else first.replace(day=day)
        return _at_clock(date, parts, is_lenient=is_lenient) if parts.get("hour") else date
    except ValueError:
        return None


def _month(parts: Mapping[str, str | None]) -> int:
    """Give the number of the month; 0, which no calendar has, for a name of none."""
    name = (parts.get("name") or "")[:3].lower()
    return int(parts.get("month") or 0) or (_MONTHS.index(name) + 1 if name in _MONTHS else 0)


def _at_clock(date: dt.date, parts: Mapping[str, str | None], *, is_lenient: bool) -> dt.datetime:
    """Give the moment on a day.

    :raises ValueError: there is no such time of day, or nobody knows the zone.
    """
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    half, zone = (parts.get("half") or "").lower(), (parts.get("zone") or "").strip()
    is_half = bool(half) and hour <= _NOON
    offset = _offset(zone)
    is_odd = (half and not is_half) or (zone and offset is None)
    if (is_odd and not is_lenient) or hour > _DAY or minute > _LAST_MINUTE:
        raise ValueError("not a time of day")
    hour = hour % _NOON + _NOON * (half == "pm") if is_half else hour
    naive = dt.datetime.combine(date, dt.time()) + dt.timedelta(hours=hour, minutes=minute, seconds=second)
    return naive if offset is None else naive.replace(tzinfo=dt.timezone(offset))


def _offset(written: str) -> dt.timedelta | None:
    """Give the offset of a zone like `+0530`, `EST` or `GMT+8`; None for none, and for an unknown one."""
    found = _OFFSET.match(written)
    hours = _ZONES.get(found["name"].lower()) if found and found["name"] else 0
    if found is None or not written or hours is None:
        return None
    ahead = dt.timedelta(hours=int(found["hours"] or 0), minutes=int(found["minutes"] or 0))
    return dt.timedelta(hours=hours) + (-ahead if found["sign"] == "-" else ahead)

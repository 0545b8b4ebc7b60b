"""A value as it was written in front matter: plain data with its line and its source text; and dates.

`slug: 010` must stay "010" although YAML reads it as eight, and a problem must name its line. So line and
source text travel with each value.

A date with an offset is a moment, and is sent as `date_gmt`. A date without an offset is in the site's time
zone, which is not known here, and is sent as `date`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pressync.model.errors import Code

DEEPEST = 50
TOO_DEEP = f"front matter is nested deeper than {DEEPEST} levels"
FLATTEN = "make it flatter"


class UnreadableError(Exception):
    """Front matter cannot be read. Each reason is a line of the file, what is wrong, and what to do."""

    def __init__(self, *reasons: tuple[int, str, str], code: Code = Code.FRONT_MATTER) -> None:
        super().__init__(*reasons)
        self.code = code
        self.reasons = reasons


def named_twice(line: int, key: str) -> tuple[int, str, str]:
    """Give the reason why a mapping with a repeated key cannot be read."""
    return line, f"the key '{key}' is named twice", "keep one of them"


@dataclass(frozen=True, slots=True)
class RawFrontMatter:
    """The text between two fences, and the line of the file where it begins."""

    text: str
    line: int

    def line_at(self, offset: int) -> int:
        """Give the line of the file that contains the character at `offset`."""
        return self.line + self.text.count("\n", 0, offset)


@dataclass(frozen=True, slots=True)
class Given:
    """A value, its line from 1 (0 if it has none), and the source text of a scalar.

    `value` is str, int, float, bool, None, a tuple of Given, or a mapping of text to Given. A date is ISO
    text. `text` is empty for lists and mappings.
    """

    value: str | float | bool | tuple[Given, ...] | Mapping[str, Given] | None
    line: int = 0
    text: str = ""

    @property
    def scalar(self) -> bool:
        """Whether it is neither a list nor a mapping."""
        return not isinstance(self.value, tuple | Mapping)

    def plain(self) -> object:
        """Give the value as plain str, int, float, bool, None, list and dict."""
        if isinstance(self.value, tuple):
            return [item.plain() for item in self.value]
        if isinstance(self.value, Mapping):
            return {key: item.plain() for key, item in self.value.items()}
        return self.value


def given(value: object, lines: Mapping[str, int] | None = None, line: int = 0, depth: int = 0) -> Given:
    """Convert plain data that TOML or JSON gave; `lines` are the lines of the outermost mapping's keys.

    :raises RecursionError: it is nested too deeply.
    """
    if depth > DEEPEST:
        raise RecursionError(TOO_DEEP)
    if isinstance(value, Mapping):
        lines = lines or {}
        return Given({k: given(v, None, lines.get(k, line), depth + 1) for k, v in value.items()}, line)
    if isinstance(value, list | tuple):
        return Given(tuple([given(item, None, line, depth + 1) for item in value]), line)
    if isinstance(value, bool):
        return Given(value, line, str(value).lower())
    if isinstance(value, dt.date | dt.time):
        value = value.isoformat()
    if isinstance(value, str | int | float):
        return Given(value, line, str(value))
    return Given(None, line)


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
        offset = dt.timedelta(hours=ahead.hour, minutes=ahead.minute)
        try:
            moment = moment - offset if sign == "+" else moment + offset
        except OverflowError as error:
            raise ValueError("outside of the calendar") from error
    return moment.isoformat()[:_LENGTH], bool(utc or sign)

"""Tells the pace of long work in words: the rate, the time left, and the slowest call so far. Pure."""

from __future__ import annotations

_MINUTE, _HOUR = 60, 3600
# A rate below this is told with a digit behind the point.
_SLOW_RATE = 10
# A log line comes after this part of the time since the begin, within these seconds.
_PART, _SOONEST, _LATEST = 0.1, 5.0, 60.0


def span(seconds: float) -> str:
    """Write a time for people: `45 s`, `12 min`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 2 * _MINUTE:
        return f"{whole} s"
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def rate(done: int, seconds: float) -> str:
    """Write how much is done in a second."""
    each = done / max(seconds, 0.001)
    return f"{each:.0f}/s" if each >= _SLOW_RATE else f"{each:.1f}/s"


def log_line(title: str, done: int, total: int, seconds: float, slowest: str) -> str:
    """Write the line of a log: `seconds` is the time since the begin."""
    left = span((total - done) * seconds / max(done, 1))
    slow = f"; slowest: {slowest}" if slowest else ""
    return f"{title}: {done} of {total}, {rate(done, seconds)}, about {left} left{slow}"


def log_pause(seconds: float) -> float:
    """Give the seconds until the next line of a log: a run of hours must not fill it."""
    return min(max(seconds * _PART, _SOONEST), _LATEST)


def beside_bar(done: int, seconds: float, slowest: str, width: int) -> str:
    """Write the rate and the slowest call for the end of a progress bar's line, within a width.

    Less than a second does not show a rate. `done` counts only the work of these `seconds`.
    """
    if not done or seconds < 1:
        return ""
    pace = rate(done, seconds)
    room = width - len(pace) - len(", slowest ")
    if not slowest or room < len("1.0 s a.md"):
        return pace if len(pace) <= width else ""
    duration, _, path = slowest.partition(" s ")
    path_room = room - len(duration) - len(" s ")
    return f"{pace}, slowest {duration} s {path if len(path) <= path_room else '…' + path[1 - path_room :]}"

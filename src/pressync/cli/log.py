"""Writes to standard error: sentences for people, or one JSON object on each line for schedulers.

A scheduler parses every line or none, so every message goes through this module, usage errors and bugs
included. The sentence is the same in both forms; in JSON its place has members of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pressync.model.errors import Problem

TEXT, JSON = "text", "json"
FORMS = (TEXT, JSON)
INFO, WARNING, ERROR = "info", "warning", "error"

# `click.echo` takes the colour out where nobody wants it.
_MARKS = {
    INFO: "",
    WARNING: click.style("warning: ", fg="yellow"),
    ERROR: click.style("Error: ", fg="red"),
}


def write(form: str, message: str, level: str = INFO, **more: str | int) -> None:
    """Write one message. `more` are further members of its JSON object, not of the text for people.

    JSON: `{"time", "level", "message", …}`. The time is UTC with milliseconds (RFC 3339), and the level is
    `info`, `warning` or `error`.
    """
    if form == JSON:
        _write_json(message, level, more)
        return
    from pressync.model.printable import printable  # noqa: PLC0415 - a run with nothing to do writes no message

    click.echo(f"{_MARKS[level]}{printable(message)}", err=True)


def write_problem(form: str, problem: Problem) -> None:
    """Write a problem of a file. Its JSON object has `path`, and `line` if the line is known."""
    level = WARNING if problem.warning else ERROR
    if form == JSON:
        place: dict[str, str | int] = {"path": problem.path}
        if problem.line:
            place["line"] = problem.line
        _write_json(f"{problem.what}; {problem.todo}" if problem.todo else problem.what, level, place)
        return
    from pressync.model.printable import one_line  # noqa: PLC0415 - the same

    click.echo(f"{_MARKS[level] if problem.warning else ''}{one_line(str(problem))}", err=True)


def line(form: str, message: str) -> bytes:
    """Give the line that `write` writes, for a signal handler, which must not write to `sys.stderr`."""
    return f"{_json(message, INFO, {}) if form == JSON else message}\n".encode()


def _write_json(message: str, level: str, more: dict[str, str | int]) -> None:
    click.echo(_json(message, level, more), err=True)


def _json(message: str, level: str, more: dict[str, str | int]) -> str:
    import json  # noqa: PLC0415 - people read text
    from datetime import UTC, datetime  # noqa: PLC0415

    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    # Escaped to ASCII: for every reader one line is one object, and no character controls a terminal.
    return json.dumps({"time": time, "level": level, "message": message, **more})

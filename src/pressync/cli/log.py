"""Writes to standard error: sentences for people, or one JSON object on each line for schedulers.

A scheduler parses every line or none, so every message goes through this module, usage errors and bugs
included. The sentence is the same in both forms; in JSON its place has members of its own. The last lines of
`plan` and `sync` are here too, because a run with nothing to do prints them and loads no report module.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from pressync.app.up_to_date import Stamp
    from pressync.model.errors import Problem
    from pressync.model.reason import Reason

TEXT, JSON = "text", "json"
FORMS = (TEXT, JSON)
INFO, WARNING, ERROR = "info", "warning", "error"

_MARKS = {INFO: "", WARNING: "warning:", ERROR: "Error:"}
_COLOURS = {INFO: None, WARNING: "yellow", ERROR: "red"}
# The lines of a message after the first are indented by this many columns.
_INDENT = 4
_DEFAULT_COLUMNS = 80


def write(form: str, message: str, level: str = INFO, **more: str | int) -> None:
    """Write one message. `more` are further members of its JSON object, not of the text for people.

    JSON: `{"time", "level", "message", …}`. The time is UTC with milliseconds (RFC 3339), and the level is
    `info`, `warning` or `error`.
    """
    if form == JSON:
        _echo(_json(message, level, more))
        return
    from pressync.model.printable import printable  # noqa: PLC0415 - a run with nothing to do writes no message

    _write_text(printable(message), level)


def write_problem(form: str, problem: Problem) -> None:
    """Write a problem of a file. Its JSON object has `code`, `path`, and `line` if the line is known."""
    level = WARNING if problem.warning else ERROR
    if form == JSON:
        place: dict[str, str | int] = {"code": problem.code, "path": problem.path}
        place |= {"line": problem.line} if problem.line else {}
        _echo(_json(problem.message, level, place))
        return
    from pressync.model.printable import one_line  # noqa: PLC0415 - the same

    _write_text(one_line(str(problem)), WARNING if problem.warning else INFO)


def columns(stream: TextIO) -> int | None:
    """Give the width of the terminal behind a stream; None if the stream does not go to a terminal."""
    if not stream.isatty():
        return None
    chosen = os.environ.get("COLUMNS", "")
    with suppress(OSError, ValueError):
        return (int(chosen) if chosen else os.get_terminal_size(stream.fileno()).columns) or _DEFAULT_COLUMNS
    return _DEFAULT_COLUMNS


def line(form: str, message: str) -> bytes:
    """Give the line that `write` writes, for a signal handler, which must not write to `sys.stderr`."""
    return f"{_json(message, INFO, {}) if form == JSON else message}\n".encode()


def _write_text(text: str, level: str) -> None:
    mark, width = _MARKS[level], columns(sys.stderr)
    text = f"{mark} {text}" if mark else text
    if width is not None:
        from pressync.cli.report.layout import wrapped  # noqa: PLC0415 - only a terminal needs it

        text = "\n".join(wrapped(row, width, _INDENT) for row in text.split("\n"))
    if mark:
        import click  # noqa: PLC0415 - a plan with nothing to do is written without it

        text = click.style(mark, fg=_COLOURS[level]) + text.removeprefix(mark)
    _echo(text)


def _echo(text: str) -> None:
    """Write a line; a log on a full disk, or one that nobody reads any more, does not end a run."""
    import click  # noqa: PLC0415 - as above

    with suppress(OSError):
        # `click.echo` takes the colour out where nobody wants it.
        click.echo(text, err=True)


def _json(message: str, level: str, more: dict[str, str | int]) -> str:
    import json  # noqa: PLC0415 - people read text
    from datetime import UTC, datetime  # noqa: PLC0415

    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    # Escaped to ASCII: for every reader one line is one object, and no character controls a terminal.
    return json.dumps({"time": time, "level": level, "message": message, **more})


def is_of_a_job() -> bool:
    """Whether this is the log of a workflow, which everybody reads in a public repository."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


# An answer that read no record of the site says so.
AS_LAST_SYNCED = ", as of the last sync"


def plan_of_nothing(stamp: Stamp, form: str, uncommitted: Sequence[str] = ()) -> str:
    """Write what `plan` prints for a run with nothing to do; JSON names the `uncommitted` files."""
    if form == "text":
        return f"{nothing_to_do(stamp)}\n"
    from pressync.cli.report import documents  # noqa: PLC0415
    from pressync.model.changes import Plan  # noqa: PLC0415 - few runs ask for JSON

    plan = Plan(stamp.site, stamp.target, stamp.commit, (), remarks=remarks(stamp), unlisted=stamp.kept)
    return documents.plan(plan, uncommitted=uncommitted)


def nothing_to_do(stamp: Stamp) -> str:
    """Say that there is nothing to do."""
    records = "record is" if stamp.kept == 1 else "records are"
    said = f"Nothing to do: {stamp.kept} {records} up to date with {stamp.site}{AS_LAST_SYNCED}."
    return "\n".join((said, *map(str, remarks(stamp)))) if stamp.remarks else said


def remarks(stamp: Stamp) -> tuple[Reason, ...]:
    """Give what the last plan said, and holds until files change."""
    # A stamp of a development version may have a number here.
    if not stamp.remarks.startswith("["):
        return ()
    import json  # noqa: PLC0415 - few sites have such records

    from pressync.model.reason import Reason, ReasonCode  # noqa: PLC0415 - as above

    rows = json.loads(stamp.remarks)
    return tuple(Reason(ReasonCode(row["code"]), row["facts"], row["message"]) for row in rows)


def checked(documents: int, counts: tuple[str, str], uncommitted: tuple[int, int], about: str = "") -> str:
    """Say how many documents were read, with how many errors and warnings, and how many are not committed.

    `uncommitted` counts the documents that are not, and the other files.
    """
    from pressync.model.printable import counted  # noqa: PLC0415 - another command does not need it

    said = f"{counted(documents, 'document')}{about}: {', '.join(counts)}"
    some, others = uncommitted
    if some or others:
        parts = [f"{some} of these" if some else "", counted(others, "other file") if others else ""]
        are = "is" if some + others == 1 else "are"
        said += f"; {' and '.join(filter(None, parts))} {are} not committed"
    return f"{said}.\n"


def tell_uncommitted(form: str, look: Callable[[], tuple[list[str], list[str]]], *, quiet: bool) -> None:
    """Tell a person at a terminal what is left out; without one nobody looks: a hook would wait."""
    if quiet or not sys.stderr.isatty():
        return
    edited, untracked = look()
    if edited or untracked:
        from pressync.model.printable import listed, one_line  # noqa: PLC0415 - most files are committed

        words = {"uncommitted": edited, "untracked": untracked}
        which = " and ".join(f"{len(paths)} {word}" for word, paths in words.items() if paths)
        one = len(edited) + len(untracked) == 1
        files, them = ("file is", "it") if one else ("files are", "them")
        names = one_line(listed([*edited, *untracked]))
        write(form, f"{which} {files} not included ({names}): commit {them}, or add `--worktree`.")


def tell_manifest(form: str, name: str, status: Callable[[], str], *, quiet: bool) -> None:
    """Tell a person at a terminal, or a scheduler's log, that the manifest must still be committed."""
    if not name or quiet or not (sys.stderr.isatty() or form == JSON):
        return
    git_status = status()
    if git_status:
        from pressync.state.manifest_file import judged  # noqa: PLC0415 - most manifests are committed

        write(form, judged(name, git_status).next_step)

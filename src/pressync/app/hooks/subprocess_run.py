"""Runs a command of pressync for a hook, within the time that Git waits, and describes how it ended.

A request that is under way at the limit must get its response and be settled. So the process is only asked
to stop; if it still waits for a response then, Git goes on, and the process ends alone. A hook prints between
the lines of somebody's commit: nothing if nothing happened, and otherwise one thing to do.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pressync.app.hooks import installation
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Seconds that Git still waits for a process that was asked to stop.
_GRACE = 3.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The end of a command: exit code (None if it still runs), outputs, and whether it was asked to stop."""

    code: int | None
    printed: str
    errors: str
    stopped: bool = False

    @property
    def document(self) -> dict[str, Any] | None:
        """The JSON document on its standard output; None if there is none."""
        try:
            document = json.loads(self.printed)
        except ValueError:
            return None
        return document if isinstance(document, dict) else None


def run(words: Sequence[str], environ: Mapping[str, str], deadline: float) -> CommandResult:
    """Run `pressync WORDS…` until it ends, or until `deadline` by the monotonic clock, or Ctrl-C."""
    # The outputs are files, because a process that outlives us must still be able to write.
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*installation.python(), *words],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=errors,
            # Ctrl-C must not reach the process directly: we ask it to stop instead.
            start_new_session=True,
        )
        stopped = not _wait(process, deadline)
        if stopped:
            process.terminate()
            _wait(process, time.monotonic() + _GRACE)
        printed.seek(0)
        errors.seek(0)
        return CommandResult(
            process.returncode,
            printed.read().decode(errors="replace"),
            errors.read().decode(errors="replace"),
            stopped,
        )


def _wait(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(deadline - time.monotonic(), 0))
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        return False
    return True


_WRONG = 2
_ERROR = "Error: "
_WARNING = "warning: "
# A commit that is stopped prints this many lines of warnings.
_SHOWN_WARNINGS = 10
_COUNTED = {key: key for key in ("done", "failed", "skipped", "blocked")} | {"in_doubt": "unconfirmed"}
_NEXT = {
    "in_doubt": "next: look for it on the site, then `pressync resolve PATH --id N` or `… --not-created`",
    "failed": "next: fix the cause, then `pressync sync`; the next commit also tries again",
    "skipped": "next: `pressync sync`, or the next commit, continues from here",
    "blocked": "next: `pressync plan` shows what each one needs",
}


def lines(ended: CommandResult, site: str, limit: float, *, home: str = "", unsaved: str = "") -> list[str]:
    """Describe how a sync of one site ended; empty if there was nothing to do.

    `home` says how to open the site if its links do not work. `unsaved` is the next step if the manifest is
    not committed. `limit` is the number of seconds that Git waits.
    """
    document = ended.document
    if ended.code is None:
        return [
            f"{site}: not done after {limit:g} s; Git goes on, and the sync stops after its next response",
            "next: `pressync sync`, or the next commit, continues from here",
        ]
    if document is None:
        return _nothing_sent(ended, site, limit)
    counts: dict[str, int] = document["counts"]
    counted = [f"{counts[key]} {word}" for key, word in _COUNTED.items() if counts[key]]
    if not counted:
        return []
    summary = f"{site}: {', '.join(counted)}, {counts['kept']} up to date at {document['commit'][:10]}"
    if ended.stopped:
        summary += f"; stopped after {limit:g} s"
    todo = next((todo for key, todo in _NEXT.items() if counts[key]), unsaved)
    if not todo and ended.code:
        todo = "next: `pressync plan` shows the conflicts"
    return [summary, *_where(document["outcomes"], home), *([todo] if todo else [])]


def problems(ended: CommandResult) -> list[str]:
    """Give every error that a check printed, after its first warnings: many of them would hide the errors."""
    rows = [one_line(row) for row in ended.errors.split("\n") if row.strip()]
    warnings = [row for row in rows if row.startswith(_WARNING)]
    left = len(warnings) - _SHOWN_WARNINGS
    more = [f"… and {left} more lines of warnings; `pressync check` lists all of them."] if left > 0 else []
    return [*warnings[:_SHOWN_WARNINGS], *more, *(row for row in rows if not row.startswith(_WARNING))]


def content_is_wrong(ended: CommandResult) -> bool:
    """Tell whether wrong content was the cause: a missing password has the same exit code."""
    return ended.code == _WRONG and bool(_problems_and_error(ended)[0])


def _problems_and_error(ended: CommandResult) -> tuple[list[str], str]:
    """Separate the problems of a command from its error, which may have several lines of Git's."""
    rows = problems(ended)
    first = next((number for number, row in enumerate(rows) if row.startswith(_ERROR)), len(rows) - 1)
    wrong = [row for row in rows[: max(first, 0)] if not row.startswith(("warning: ", "… "))]
    return wrong, " ".join(row.strip() for row in rows[max(first, 0) :]).removeprefix(_ERROR)


def _nothing_sent(ended: CommandResult, site: str, limit: float) -> list[str]:
    if ended.stopped:
        return [
            f"{site}: nothing was sent within {limit:g} s; Git goes on",
            "next: `pressync sync`, or the next commit, tries again",
        ]
    wrong, error = _problems_and_error(ended)
    if content_is_wrong(ended):
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        return [f"{site}: nothing was sent, the content has problems", f"{wrong[0]}{more}",
                "next: `pressync check` lists them all; fix them and commit"]  # fmt: skip
    error = error or f"it ended with code {ended.code}"
    sentence, _, todo = error.rpartition("; ")
    return [f"{site}: nothing was sent", sentence or error, *([f"next: {todo}"] if sentence else [])]


def _where(outcomes: Sequence[dict[str, Any]], home: str) -> list[str]:
    """Name the first failure that a person must look at, or else an address that shows the changes."""
    wanting = [row for row in outcomes if row["result"] != "done"]
    if wanting:
        more = f" (and {len(wanting) - 1} more)" if len(wanting) > 1 else ""
        return [one_line(f"{wanting[0]['path']}: {wanting[0]['message']}{more}")]
    linked = [row for row in outcomes if row["link"] and row["action"] != "delete"]
    if home:
        return [home]
    more = f" and {len(linked) - 1} more" if len(linked) > 1 else ""
    # An address that visitors do not see yet says so, because it is not the proof of a publication.
    later = f" (scheduled: visible from {linked[0]['date']})" if linked and linked[0].get("date") else ""
    return [one_line(f"{linked[0]['link']}{later}{more}")] if linked else []

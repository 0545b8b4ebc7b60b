"""The last lines of `plan` and `sync`: that there is nothing to do, and which edits are left out.

To forget the commit is the most common mistake, so a run with nothing to do reports it as well. Such a run
loads only Git to count with, so the caller passes the function that counts. Text loads no report module; only
JSON loads them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pressync.cli import log

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.app.up_to_date import Stamp
    from pressync.cli.main import Globals


def plan_of_nothing(stamp: Stamp, form: str) -> str:
    """Write what `plan` prints for a run with nothing to do."""
    if form == "text":
        return f"{nothing_to_do(stamp)}\n"
    from pressync.cli.report import documents  # noqa: PLC0415
    from pressync.model.changes import Plan  # noqa: PLC0415 - few runs ask for JSON

    return documents.plan(Plan(stamp.site, stamp.target, stamp.commit, (), unlisted=stamp.kept))


def nothing_to_do(stamp: Stamp) -> str:
    """Say that there is nothing to do."""
    records = "record is" if stamp.kept == 1 else "records are"
    return f"Nothing to do: {stamp.kept} {records} up to date with {stamp.site}."


def tell_uncommitted(globals_: Globals, count: Callable[[], tuple[int, int]]) -> None:
    """Tell a person at a terminal what is left out; `count` gives the numbers of edited and untracked files.

    Without a terminal nothing is counted, because a hook must not wait for it.
    """
    if globals_.quiet or not sys.stderr.isatty():
        return
    edited, untracked = count()
    if edited or untracked:
        counts = [f"{edited} uncommitted" if edited else "", f"{untracked} untracked" if untracked else ""]
        one = edited + untracked == 1
        files, them = ("file is", "it") if one else ("files are", "them")
        which = " and ".join(filter(None, counts))
        log.write(globals_.log_format, f"{which} {files} not included: commit {them}, or add `--worktree`.")


def tell_manifest(globals_: Globals, name: str, status: Callable[[], str]) -> None:
    """Tell a person at a terminal, or a scheduler's log, that the manifest must still be committed."""
    if not name or globals_.quiet or not (sys.stderr.isatty() or globals_.log_format == log.JSON):
        return
    git_status = status()
    if git_status:
        from pressync.state.manifest_location import judged  # noqa: PLC0415 - most manifests are committed

        log.write(globals_.log_format, judged(name, git_status).next_step)

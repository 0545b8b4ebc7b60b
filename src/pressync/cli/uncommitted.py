"""What of a person's work is no part of a run: edits and files that are not committed.

It must not know who counts them. What decided its shape: to forget the commit is the commonest mistake there
is, so a run with nothing to do tells of it too, and that one loads nothing to count with but Git.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pressync.cli import log

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.cli.main import Globals


def tell(globals_: Globals, count: Callable[[], tuple[int, int]]) -> None:
    """Tell a person at a terminal what is left out; `count` gives edited files, and untracked ones.

    Nobody else is told, and nothing is counted then: a hook must not wait for it.
    """
    if globals_.quiet or not sys.stderr.isatty():
        return
    edited, untracked = count()
    if edited or untracked:
        said = [f"{edited} uncommitted" if edited else "", f"{untracked} untracked" if untracked else ""]
        one = edited + untracked == 1
        files, them = ("file is", "it") if one else ("files are", "them")
        which = " and ".join(filter(None, said))
        log.write(globals_.log_format, f"{which} {files} not included: commit {them}, or say `--worktree`.")


def tell_manifest(globals_: Globals, name: str, status: Callable[[], str]) -> None:
    """Tell a person at a terminal, or the log of a scheduler, that the manifest still has to be committed."""
    if not name or globals_.quiet or not (sys.stderr.isatty() or globals_.log_format == log.JSON):
        return
    said = status()
    if said:
        from pressync.app import commit_hint  # noqa: PLC0415
        from pressync.state.manifest_location import judged  # noqa: PLC0415 - most manifests are committed

        log.write(globals_.log_format, commit_hint.next_commit(judged(name, said)))

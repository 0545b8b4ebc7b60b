"""The state of one site in a temporary folder, and unconfirmed creates to put into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.builders import TARGET

from pressync.model.fingerprint import fingerprints
from pressync.model.interface import Kind
from pressync.state.clone_files import CloneFiles
from pressync.state.clone_log import CloneLog
from pressync.state.state import open_state

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.records import Fields
    from pressync.state.state import State


def opened(folder: Path, *, writable: bool = True) -> State:
    """Open the state; the caller closes it."""
    return open_state(
        folder / "site.json", CloneFiles(folder / "pressync", "site"), TARGET, writable=writable
    )


def log_in(folder: Path, target: str = TARGET) -> CloneLog:
    """Open the log of the same site."""
    return CloneLog(CloneFiles(folder / "pressync", "site"), target)


def unconfirmed_in(state: State, path: str, fields: Fields, *, commit: str = "c" * 40) -> None:
    """Intend a create that is never settled."""
    state.intend(
        action="create",
        path=path,
        kind=Kind.PAGE,
        id=None,
        slug=str(fields["slug"]),
        fingerprints=fingerprints(fields),
        commit=commit,
        blob="b" * 40,
    )

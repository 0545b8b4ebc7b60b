"""Looks at everything that a sync needs and says what it found: this clone, its memory, the far side.

It must not change anything, on the site least of all. What decided its shape: whoever calls a doctor has
something broken, so each look is taken by itself, and one that fails is a finding like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.doctor import local_checks, site_checks, state_checks
from pressync.app.doctor.finding import Finding, Verdict, document, failed
from pressync.model.errors import PressyncError, RepositoryError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.app.workspace import Workspace

__all__ = ["Finding", "Verdict", "document", "examine"]

# In the order in which one leans on the other: a site that answers is of no use without a commit.
_LOOKS: tuple[tuple[str, Callable[[Workspace], Iterator[Finding]]], ...] = (
    ("settings", local_checks.settings),
    ("repository", local_checks.repository),
    ("branch", local_checks.branch),
    ("history", local_checks.history),
    ("content", local_checks.content),
    ("lock", state_checks.lock),
    ("manifest", state_checks.manifest),
    ("orphans", state_checks.left_behind),
    ("journal", state_checks.journal),
    ("service", site_checks.service),
)


def examine(opening: Callable[[], Workspace]) -> Iterator[Finding]:
    """Look at a workspace, once it is open; what keeps it from opening is the only finding then."""
    try:
        workspace = opening()
    except RepositoryError as error:
        yield failed("repository", error)
        return
    except PressyncError as error:
        yield failed("settings", error)
        return
    with workspace:
        for name, look in _LOOKS:
            try:
                yield from look(workspace)
            except PressyncError as error:
                yield failed(name, error)
            except OSError as error:
                yield failed(
                    name, StorageError(error.strerror or str(error), where=str(error.filename or ""))
                )

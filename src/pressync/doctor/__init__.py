"""Looks at everything that a sync needs and says what it found: this clone, its memory, the far side.

It must not change anything, on the site least of all. What decided its shape: whoever calls a doctor has
something broken, so each look is taken by itself, and one that fails is a finding like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.doctor import clone, far_side, memory
from pressync.doctor.finding import Finding, Verdict, document, failed
from pressync.errors import PressyncError, RepositoryError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.workspace import Workspace

__all__ = ["Finding", "Verdict", "document", "examine"]

# In the order in which one leans on the other: a site that answers is of no use without a commit.
_LOOKS: tuple[tuple[str, Callable[[Workspace], Iterator[Finding]]], ...] = (
    ("settings", clone.settings),
    ("repository", clone.repository),
    ("branch", clone.branch),
    ("history", clone.history),
    ("content", clone.content),
    ("lock", memory.lock),
    ("manifest", memory.manifest),
    ("orphans", memory.left_behind),
    ("journal", memory.journal),
    ("service", far_side.service),
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

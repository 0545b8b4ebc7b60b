"""Runs the checks of `pressync doctor`: this clone, its state, the site; nothing is changed anywhere.

People run it when something is broken. So each check runs alone, and a check that fails is a finding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.app.doctor import local_checks, site_checks, state_checks
from pressync.app.doctor.finding import Finding, Verdict, document, failed
from pressync.model.errors import PressyncError, RepositoryError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.app.workspace import Workspace

__all__ = ["Finding", "Verdict", "document", "examine"]

# Each check needs the ones before it: a site that answers is of no use without a commit.
_CHECKS: tuple[tuple[str, Callable[[Workspace], Iterator[Finding]]], ...] = (
    ("settings", local_checks.settings),
    ("repository", local_checks.repository),
    ("branch", local_checks.branch),
    ("history", local_checks.history),
    ("content", local_checks.content),
    ("lock", state_checks.lock),
    ("manifest", state_checks.manifest),
    ("orphans", state_checks.left_behind),
    ("taken-back", state_checks.sent_from_elsewhere),
    ("journal", state_checks.journal),
    ("service", site_checks.service),
)


def examine(opening: Callable[[], Workspace]) -> Iterator[Finding]:
    """Check a workspace; if it cannot be opened, the reason is the only finding."""
    try:
        workspace = opening()
    except RepositoryError as error:
        yield failed("repository", error)
        return
    except PressyncError as error:
        yield failed("settings", error)
        return
    lacking: set[str] = set()
    with workspace:
        for name, check in _CHECKS:
            try:
                yield from check(workspace)
            except RepositoryError as error:
                # Without a commit, the checks of its content cannot tell anything.
                found = failed(name, error)
                yield replace(found, verdict=Verdict.UNKNOWN) if str(error) in lacking else found
                lacking.add(str(error))
            except PressyncError as error:
                yield failed(name, error)
            except OSError as error:
                yield failed(
                    name, StorageError(error.strerror or str(error), where=str(error.filename or ""))
                )

"""Checks the user's rights before a run sends anything.

A right that is missing would show only at the first refused write, when a part of the site has changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pressync.client.port import Reads
    from pressync.model.changes import Plan
    from pressync.state.seen_rights import SeenRights


def require_rights(service: Reads, plan: Plan, seen: SeenRights, *, site: str, user: str | None) -> None:
    """Check that the user may do all that a plan needs, unless this clone has seen it before.

    :raises ConfigError: a right is missing.
    :raises ServiceError: the site does not recognise the user, or the service cannot be read.
    """
    kinds = sorted({change.kind for change in plan.pending})
    if seen.cover(user or "", kinds):
        return
    for kind in kinds:
        lacking = service.missing_rights(kind)
        if lacking:
            raise ConfigError(
                f"{user or 'the user'} may not do everything that a sync of {kind}s needs: "
                f"{', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} missing",
                where=f"site '{site}'",
                todo="use the application password of an editor or an administrator",
            )
    seen.add(user or "", kinds)

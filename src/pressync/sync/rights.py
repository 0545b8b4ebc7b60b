"""Asks for the rights of the site's user before a run sends anything, and refuses a run that may do nothing.

A right that is missing would show only at the first refused write, when a part of the site has changed. A
right that a note of this clone names as missing may have been given since, so it is asked for again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError
from pressync.plan.blocks import HIDDEN, Permissions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.port import Reads
    from pressync.model.changes import Plan
    from pressync.model.interface import Kind
    from pressync.plan.blocks import Held
    from pressync.state.state import State


def permissions(
    service: Reads, plan: Plan, state: State, user: str | None, held: Mapping[tuple[Kind, int], Held]
) -> Permissions:
    """Tell which changes of a plan the user may make; the site is asked only if the note does not allow all.

    :raises ServiceError: the site does not recognise the user, or the service cannot be read.
    """
    names = state.manifest.names
    noted = Permissions(state.rights.of(user or ""), held, names)
    # A record that the user may not read shows that a right was taken since.
    is_known = noted.rights and HIDDEN not in held.values() and not any(map(noted.missing, plan.pending))
    if is_known or not plan.pending:
        return noted
    rights = service.rights()
    state.rights.note(user or "", rights)
    return Permissions(rights, held, names)


def lacks(may: Permissions, plan: Plan, *, site: str, user: str | None, all_of_it: bool = False) -> bool:
    """Tell whether the user may not make some of the changes; with `all_of_it`, that is an error.

    :raises ConfigError: the user may make none of them.
    """
    missing = [may.missing(change) for change in plan.pending]
    if not any(missing):
        return False
    if all_of_it or all(missing):
        named = sorted({right for right in missing if right})
        raise ConfigError(
            f"{user or 'the user'} may make {'not all' if all_of_it and not all(missing) else 'none'} of the "
            f"changes of this run: {', '.join(named)} {'is' if len(named) == 1 else 'are'} missing",
            where=f"site '{site}'",
            todo="use the application password of an editor or an administrator",
        )
    return True

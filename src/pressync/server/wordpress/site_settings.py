"""The setting of the site that a request can change: its front page. Only an administrator may see them.

WordPress takes the id of any page, also of one that does not exist, and shows nothing at the front then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.server.database import read_settings, write_settings
from pressync.server.permalinks import Permalinks
from pressync.server.wordpress.parameters import Parameter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.server.wordpress.session import Session

CHANGES: Mapping[str, Parameter] = {
    "show_on_front": Parameter("string"),
    "page_on_front": Parameter("integer"),
}


def show(session: Session) -> dict[str, object]:
    """Show the settings. Raises RestRefusal."""
    _check(session)
    front = Permalinks(session.db).front
    return {"title": session.settings.title, **members(front)}


def change(session: Session, given: Mapping[str, object]) -> dict[str, object]:
    """Change the settings that are given. Raises RestRefusal."""
    _check(session)
    known = read_settings(session.db)
    after = {**members(Permalinks(session.db).front), **given}
    chosen = after["page_on_front"] if after["show_on_front"] == "page" else 0
    if given and isinstance(chosen, int):
        write_settings(session.db, replace(known, front=chosen))
    return show(session)


def members(front: int) -> dict[str, object]:
    """Give the members that tell what the front of the site shows."""
    return {"show_on_front": "page" if front else "posts", "page_on_front": front}


def _check(session: Session) -> None:
    if not session.user.may("manage_options"):
        raise session.user.refused("rest_forbidden", "Sorry, you are not allowed to do that.")

"""A user and the rights of its role, with the roles of WordPress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.server.wordpress.refusals import RestRefusal

if TYPE_CHECKING:
    from collections.abc import Mapping

_OWN = ("edit_{}", "delete_{}")
_PUBLISHED = ("edit_published_{}", "delete_published_{}", "publish_{}")
_OTHERS = ("edit_others_{}", "delete_others_{}", "edit_private_{}", "delete_private_{}", "read_private_{}")


def _rights(kinds: str, *groups: tuple[str, ...]) -> frozenset[str]:
    return frozenset(right.format(kind) for kind in kinds.split() for group in groups for right in group)


_EVERYTHING = _rights("pages posts", _OWN, _PUBLISHED, _OTHERS)
_EDITOR = _EVERYTHING | {"read", "upload_files", "unfiltered_html", "manage_categories", "moderate_comments"}

CAPABILITIES: Mapping[str, frozenset[str]] = {
    "administrator": _EDITOR
    | {"list_users", "create_users", "edit_users", "promote_users", "manage_options", "edit_theme_options"},
    "editor": _EDITOR,
    "author": _rights("posts", _OWN, _PUBLISHED) | {"read", "upload_files"},
    "contributor": _rights("posts", _OWN) | {"read"},
    "subscriber": frozenset({"read"}),
}


@dataclass(frozen=True, slots=True)
class User:
    """A user; id 0 is a visitor, who has no rights.

    Users who may not list users see those who have published, and those who are `visible`.
    """

    id: int = 0
    login: str = ""
    email: str = ""
    name: str = ""
    slug: str = ""
    role: str = ""
    visible: bool = False

    def may(self, right: str) -> bool:
        """Whether the user's role has a right."""
        return right in CAPABILITIES.get(self.role, ())

    def refused(self, code: str, message: str) -> RestRefusal:
        """Make the refusal of a request that this user may not make: 401 for a visitor, else 403."""
        return RestRefusal(403 if self.id else 401, code, message)


VISITOR = User()

"""Reads the user whom the credentials belong to, and names the rights that this user lacks.

WordPress considers a request with wrong credentials the request of a visitor, who may read everything
public. So only a read that a visitor may not make shows whether the credentials arrived.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.client.responses import json_object
from pressync.client.wordpress.lists import get
from pressync.model.errors import BadAnswer

if TYPE_CHECKING:
    from pressync.client.wordpress.lists import Send
    from pressync.model.interface import Kind

# The rights to publish, change and delete records, our own and those of others.
_NEEDED = (
    "edit_{}",
    "edit_others_{}",
    "edit_published_{}",
    "publish_{}",
    "delete_{}",
    "delete_others_{}",
    "delete_published_{}",
)


@dataclass(frozen=True, slots=True)
class Identity:
    """The user whom the credentials belong to; `capabilities` has WordPress's names of the user's rights."""

    id: int
    name: str
    slug: str
    roles: tuple[str, ...]
    capabilities: frozenset[str]

    @property
    def filtered(self) -> bool:
        """Whether WordPress strips scripts, forms and styles from the texts of this user.

        That is only a warning, because the response shows what was stripped. A site may filter the texts of
        every user.
        """
        return "unfiltered_html" not in self.capabilities


def identity(send: Send) -> Identity:
    """Read our user; Refused, with advice about application passwords, if WordPress sees a visitor."""
    query = (("context", "edit"), ("_fields", "id,name,slug,roles,capabilities"))
    user = json_object(get(send, "/wp/v2/users/me", query))
    number, roles, rights = user.get("id"), user.get("roles"), user.get("capabilities")
    if not isinstance(number, int):
        raise BadAnswer("the response is JSON but not a user", todo="check `url` and `dialect`")
    return Identity(
        id=number,
        name=str(user.get("name", "")),
        slug=str(user.get("slug", "")),
        roles=tuple(map(str, roles)) if isinstance(roles, list) else (),
        # PHP encodes an empty map as a list.
        capabilities=frozenset(str(r) for r, has in rights.items() if has is True)
        if isinstance(rights, dict)
        else frozenset(),
    )


def missing_rights(kind: Kind, user: Identity) -> tuple[str, ...]:
    """Name the rights that a sync of this kind of record needs and the user lacks.

    `unfiltered_html` is not one of them; see `Identity.filtered`.
    """
    needed = (right.format(f"{kind}s") for right in _NEEDED)
    return tuple(right for right in needed if right not in user.capabilities)

"""Who WordPress takes us for, and which rights that user lacks.

It must not judge a single answer. What decided its shape: wrong credentials are no error for WordPress but
an unknown visitor, who may read everything public; so only a question that a visitor cannot be answered
shows whether they arrived.
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

# What a sync does to records, its own and those that others made: publish, change, delete.
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
    """The user whom the credentials belong to; `capabilities` are those that the user has."""

    id: int
    name: str
    slug: str
    roles: tuple[str, ...]
    capabilities: frozenset[str]

    @property
    def filtered(self) -> bool:
        """Whether WordPress strips scripts, forms and styles from what this user writes.

        A warning and no obstacle: the echo shows what was stripped. A site may filter everybody on top.
        """
        return "unfiltered_html" not in self.capabilities


def identity(send: Send) -> Identity:
    """Ask who we are; Refused, with words about application passwords, if WordPress sees nobody."""
    query = (("context", "edit"), ("_fields", "id,name,slug,roles,capabilities"))
    user = json_object(get(send, "/wp/v2/users/me", query))
    number, roles, rights = user.get("id"), user.get("roles"), user.get("capabilities")
    if not isinstance(number, int):
        raise BadAnswer("the answer is JSON, but no user", todo="check `url` and `dialect`")
    return Identity(
        id=number,
        name=str(user.get("name", "")),
        slug=str(user.get("slug", "")),
        roles=tuple(map(str, roles)) if isinstance(roles, list) else (),
        # PHP writes an empty map as a list.
        capabilities=frozenset(str(r) for r, has in rights.items() if has is True)
        if isinstance(rights, dict)
        else frozenset(),
    )


def missing_rights(kind: Kind, user: Identity) -> tuple[str, ...]:
    """Name the capabilities that a sync of this kind of record needs and the user lacks.

    `unfiltered_html` is not among them: see `Identity.filtered`.
    """
    needed = (right.format(f"{kind}s") for right in _NEEDED)
    return tuple(right for right in needed if right not in user.capabilities)

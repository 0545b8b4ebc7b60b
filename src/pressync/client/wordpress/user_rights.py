"""Reads the user whom the credentials belong to, and names the rights that this user lacks.

WordPress considers a request with wrong credentials the request of a visitor, who may read everything
public. So only a read that a visitor may not make shows whether the credentials arrived.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from pressync.client.port import HttpRequest
from pressync.client.responses import json_object
from pressync.client.wordpress.refusals import expect_success
from pressync.model.changes import CreateCall
from pressync.model.errors import BadAnswer
from pressync.model.interface import JSON_CONTENT_TYPE, TREE_KIND

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.client.port import HttpResponse
    from pressync.client.wordpress.lists import Send
    from pressync.model.interface import Kind

_PATH = "/wp/v2/users/me"
_QUERY = "?context=edit&_fields=id,name,slug,roles,capabilities"
# The statuses with which a web server sends a page of the site, or its page for an address without one.
_OF_PAGES = frozenset({HTTPStatus.OK, HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})
_ROOT = "/wp-json"

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


class NoInterface(BadAnswer):
    """A web page came: the interface of WordPress is not at the address of the settings."""

    exit_code = 2


def identity(send: Send, address_of: Callable[[str], str] = str) -> Identity:
    """Read our user; `address_of` gives the address of a path of the interface, for messages.

    :raises NoInterface: the interface is not at this address.
    :raises Refused: WordPress sees a visitor; the message has advice about application passwords.
    """
    response = send(HttpRequest("GET", _PATH + _QUERY, JSON_CONTENT_TYPE, b""))
    if response.status in _OF_PAGES and response.content_type.startswith("text/html"):
        raise _no_interface(response, address_of)
    # The statuses mean the same as for a create: neither names a record that could be gone.
    expect_success(CreateCall(TREE_KIND, {}), response)
    user = json_object(response)
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


def _no_interface(response: HttpResponse, address_of: Callable[[str], str]) -> NoInterface:
    base = address_of("")
    is_root = _ROOT in base or "rest_route" in base
    todo = "check `url`" if is_root else f"set `url` to {base}{_ROOT}"
    return NoInterface(
        f"the interface of WordPress is not there: the site sends a web page ({response.status})",
        where=f"GET {address_of(_PATH)}",
        todo=f"{todo}; `pressync doctor` asks the site where its interface is",
    )


def missing_rights(kind: Kind, user: Identity) -> tuple[str, ...]:
    """Name the rights that a sync of this kind of record needs and the user lacks.

    `unfiltered_html` is not one of them; see `Identity.filtered`.
    """
    needed = (right.format(kind.row.rights) for right in _NEEDED)
    return tuple(right for right in needed if right not in user.capabilities)

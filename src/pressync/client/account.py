"""The ability to tell of the account that the requests have, and of its passwords for programs.

The user's rights decide what a sync may do. A program gets a password of its own, which a person approves on
a page of the site and can take back. Every method makes one attempt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlencode

if TYPE_CHECKING:
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

    def missing_rights(self, kind: Kind) -> tuple[str, ...]:
        """Name the rights that a sync of this kind of record needs and the user lacks."""
        needed = (right.format(kind.row.rights) for right in _NEEDED)
        return tuple(right for right in needed if right not in self.capabilities)


# WordPress shows the passwords of one program by this UUID.
_PROGRAM = "6f0b1d52-2f0a-4b9e-9d1c-6c1d8a3f5e27"


@dataclass(frozen=True, slots=True)
class ApprovalPage:
    """The page on which a person approves a program, the address of the site, and of its front."""

    address: str
    site_url: str
    home: str

    def address_for(self, program: str, success_url: str = "") -> str:
        """Give the address of the page for a program; it then leads to `success_url`, if there is one."""
        query = {"app_name": program, "app_id": _PROGRAM}
        query |= {"success_url": success_url} if success_url else {}
        return f"{self.address}{'&' if '?' in self.address else '?'}{urlencode(query)}"


class Accounts(Protocol):
    """The account whose credentials the requests have, and its passwords for programs."""

    def identity(self) -> Identity:
        """Read the user whom the credentials belong to; Refused if they belong to nobody."""

    def approval_page(self) -> ApprovalPage:
        """Read where a person makes an application password; ConfigError if the site accepts none."""

    def revoke_password(self) -> str:
        """Delete the application password with which these requests are sent, and give its name."""

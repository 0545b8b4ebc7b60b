"""The application passwords of a WordPress site: where a person makes one, and how one is taken back.

WordPress offers them only over https, or on a site of the type `local`. The root of the interface says so to
everybody, with the address of the page on which a person approves a program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client.port import HttpRequest
from pressync.client.responses import json_object
from pressync.client.wordpress.lists import ask, get
from pressync.model.errors import BadAnswer, ConfigError
from pressync.model.interface import JSON_CONTENT_TYPE
from pressync.model.web_address import split

if TYPE_CHECKING:
    from pressync.client.wordpress.lists import Send

_MINE = "/wp/v2/users/me/application-passwords"
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


def approval_page(send: Send) -> ApprovalPage:
    """Read the address of the page from the root of the interface; no credentials are needed.

    :raises ConfigError: the site accepts no application passwords.
    """
    members = json_object(get(send, "/", (("_fields", "name,url,home,authentication"),)))
    match members.get("authentication"):
        case {"application-passwords": {"endpoints": {"authorization": str(address)}}}:
            pass
        case _:
            raise ConfigError(
                "the site offers no application passwords",
                todo="use https, and check whether a plugin switches them off",
            )
    # The address is opened in a browser and printed, so only one of the web is taken.
    parts = split(address)
    if parts is None or parts.scheme not in {"http", "https"} or not address.isprintable():
        raise BadAnswer("the page for application passwords has an address that is not of the web")
    return ApprovalPage(address, str(members.get("url", "")), str(members.get("home", "")))


def revoke(send: Send) -> str:
    """Delete the application password with which these requests are sent; give its name.

    :raises Refused: the site does not accept it any more.
    """
    mine = json_object(get(send, f"{_MINE}/introspect", (("_fields", "uuid,name"),)))
    number, name = mine.get("uuid"), str(mine.get("name", ""))
    if not isinstance(number, str) or not number.replace("-", "").isalnum():
        raise BadAnswer("the response does not say which application password this is")
    ask(send, HttpRequest("DELETE", f"{_MINE}/{number}", JSON_CONTENT_TYPE, b""))
    return name

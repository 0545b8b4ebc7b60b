"""Credentials as a header value that does not show itself.

It must not know where they come from or go to. A value of type `Secret` cannot slip into a log, an
error or a repr by accident: reading it takes the one method whose name says so.
"""

from __future__ import annotations

import base64
import re

from pressync.client.echoed_secrets import LEAST, redact
from pressync.model.errors import ConfigError

# RFC 6750, section 2.1: the only characters that a bearer token may have.
_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")


class Secret:
    """The value of an Authorization header; its `repr` and `str` hide it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Give the value itself, to be put on the wire and nowhere else."""
        return self._value

    def redact(self, text: bytes, least: int = LEAST) -> bytes:
        """Blot the credentials out of a text from outside: debug pages show the request's headers.

        And what PHP makes of them, the password alone; but not one shorter than `least`.
        """
        return redact(text, self._value, least)

    def __repr__(self) -> str:
        return "Secret([hidden])"


def basic(user: str, password: str) -> Secret:
    """Make the value for a user and a password (RFC 7617, in UTF-8); ConfigError if they cannot be sent."""
    if ":" in user or not user.isprintable():
        raise ConfigError(
            "the user name has a colon or a control character, which basic authentication cannot send",
            todo="check `user` or PRESSYNC_USER",
        )
    # What an environment holds that is no UTF-8 comes as halves of characters, which nothing can encode.
    if any(c in "\r\n\0" or "\ud800" <= c <= "\udfff" for c in password):
        raise ConfigError(
            "the password has a line break in it, or is not UTF-8",
            todo="check PRESSYNC_PASSWORD, or what password_command prints",
        )
    return Secret("Basic " + base64.b64encode(f"{user}:{password}".encode()).decode())


def bearer(token: str) -> Secret:
    """Make the value for a token (RFC 6750); ConfigError if it has characters that no token has."""
    if not _TOKEN.fullmatch(token):
        raise ConfigError(
            "the token is empty or has characters that no bearer token has",
            todo="check PRESSYNC_TOKEN for blanks and line breaks",
        )
    return Secret(f"Bearer {token}")

"""Credentials as a header value that does not show itself.

It must not know where they come from or go to. A value of type `Secret` cannot slip into a log, an
error or a repr by accident: reading it takes the one method whose name says so.
"""

from __future__ import annotations

import base64
import json
import re

from pressync.errors import ConfigError

# RFC 6750, section 2.1: the only characters that a bearer token may have.
_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")

# A shorter secret is not looked for in answers. The passwords that WordPress makes have 24 characters.
_LEAST = 8


class Secret:
    """The value of an Authorization header; its `repr` and `str` hide it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Give the value itself, to be put on the wire and nowhere else."""
        return self._value

    def struck_from(self, text: bytes) -> bytes:
        """Blot the credentials out of a text from outside: debug pages show the request's headers.

        And what PHP makes of them, the password alone; but not one so short that it is part of words.
        """
        scheme, _, credentials = self._value.partition(" ")
        secrets = [credentials]
        if scheme == "Basic":
            secrets.append(base64.b64decode(credentials).decode().partition(":")[2])
        for secret in secrets:
            for spelling in _spellings(secret) if len(secret) >= _LEAST else ():
                text = text.replace(spelling.encode(), b"[hidden]")
        return text

    def __repr__(self) -> str:
        return "Secret([hidden])"


def _spellings(secret: str) -> tuple[str, ...]:
    """List how a secret may stand in a page, and in JSON, where PHP writes slashes with a backslash."""
    inside = json.dumps(secret)[1:-1]
    return inside.replace("/", "\\/"), inside, secret


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

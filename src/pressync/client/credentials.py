"""Credentials as the value of a header that does not show itself.

Nobody can print a `Secret` by accident, neither in a log nor in an error: `str` and `repr` hide the value,
and only the method `reveal` returns it.
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
        """Give the value itself, for the request and for nothing else."""
        return self._value

    def redact(self, text: bytes, least: int = LEAST) -> bytes:
        """Redact the credentials in a text from outside: debug pages show the headers of a request.

        The password alone is redacted too, as PHP shows it, unless it is shorter than `least`.
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
    # Python reads bytes of the environment that are not UTF-8 as lone surrogates, which nothing can encode.
    if any(c in "\r\n\0" or "\ud800" <= c <= "\udfff" for c in password):
        raise ConfigError(
            "the password has a line break in it or is not UTF-8",
            todo="check PRESSYNC_PASSWORD, or the output of password_command",
        )
    return Secret("Basic " + base64.b64encode(f"{user}:{password}".encode()).decode())


def bearer(token: str) -> Secret:
    """Make the value for a token (RFC 6750); ConfigError if it has a character that tokens cannot have."""
    if not _TOKEN.fullmatch(token):
        raise ConfigError(
            "the token is empty or has characters that bearer tokens cannot have",
            todo="check PRESSYNC_TOKEN for blanks and line breaks",
        )
    return Secret(f"Bearer {token}")

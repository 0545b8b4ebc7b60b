"""Credentials as the value of a header that does not show itself; redacts those that a service repeats.

Debug pages, redirects and PHP's warnings repeat the credentials: unchanged, in base64, percent-encoded, with
the escapes of JSON, as HTML entities, and with or without the blanks of an application password. Other
modules decode the response later and in layers. So `patterns` searches for each spelling of each character
before that.
"""

from __future__ import annotations

import base64
import html.entities
import re
from functools import cache

from pressync.model.errors import ConfigError

# RFC 6750, section 2.1: the only characters that a bearer token may have.
_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")

# A shorter secret is not searched for, because it would be found inside of words. The passwords that
# WordPress makes have 24 characters.
LEAST = 8
# In a record, a secret shorter than this is not searched for: its text is compared with the text sent.
LEAST_IN_RECORDS = 16

HIDDEN = b"[hidden]"

# WordPress shows its application passwords in groups of four, and ignores the blanks when it gets them.
_APPLICATION = re.compile(r"[A-Za-z0-9]{24}")
_ASCII = 127
_NAMES = {number: name for number, name in html.entities.codepoint2name.items() if number <= _ASCII}


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
        for length, pattern in patterns(self._value):
            if length >= least:
                text = pattern.sub(HIDDEN, text)
        return text

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
            todo="check PRESSYNC_TOKEN, or the place that keeps it, for blanks and line breaks",
        )
    return Secret(f"Bearer {token}")


@cache
def patterns(value: str) -> tuple[tuple[int, re.Pattern[bytes]], ...]:
    """Make the patterns that find the credentials of an Authorization header, with the lengths."""
    scheme, _, credentials = value.partition(" ")
    plain = credentials
    if scheme == "Basic":
        plain = base64.b64decode(credentials).decode().partition(":")[2]
    shapes = {credentials: _spelt_in_base64(credentials), plain: _spelt(plain)}
    for form in {plain, "".join(plain.split())}:
        shapes |= {core: _spelt_in_base64(core) for core in _in_base64(form)}
    # The longest comes first, because the whole header contains the base64 of the password.
    longest_first = sorted(shapes.items(), key=lambda form: -len(form[0]))
    return tuple((len(secret), re.compile(pattern)) for secret, pattern in longest_first)


def _in_base64(secret: str) -> list[str]:
    """Give the three spellings of a secret in base64: they depend on its place in the longer text."""
    data, cores = secret.encode(), []
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        # The first and the last character also have bits of the text beside the secret.
        end = len(whole) if (before + len(data)) % 3 == 0 else -1
        cores.append(whole[(0, 2, 3)[before] : end])
    return cores


def _spelt(secret: str) -> bytes:
    bare = "".join(secret.split())
    if _APPLICATION.fullmatch(bare):
        return (_BLANK + b"*").join(_character(sign) for sign in bare)
    return b"".join(_BLANK if sign == " " else _character(sign) for sign in secret)


def _spelt_in_base64(coded: str) -> bytes:
    """Make a pattern of a base64 text; only three characters of its alphabet are ever escaped."""
    return b"".join(_CODED.get(sign) or re.escape(sign.encode()) for sign in coded.rstrip("=")) + _PADDING


def _character(sign: str) -> bytes:
    """Make a pattern of a character: raw, escaped by JSON, percent-encoded, and as an HTML entity."""
    number = ord(sign)
    units = sign.encode("utf-16-be")
    pairs = zip(units[::2], units[1::2], strict=True)
    escape = rb"\\+".join(b"u(?i:%02x%02x)" % (high, low) for high, low in pairs)
    percent = b"(?:25)*" + rb"(?:%|\\+u0025)(?:25)*".join(b"(?i:%02x)" % byte for byte in sign.encode())
    name = b"|" + _NAMES[number].encode() if number in _NAMES else b""
    entity = b"(?:amp;)*(?:#0*%d|#[xX]0*(?i:%x)%s);?" % (number, number, name)
    codes = (sign.encode(code, "ignore") for code in ("utf-8", "latin-1"))
    # JSON writes a backslash twice, and JSON within JSON four times.
    raw = rb"\\+" if sign == "\\" else b"|".join(re.escape(code) for code in dict.fromkeys(codes) if code)
    after = rb"(?:%s|x(?i:%02x)|u0025%s|u0026%s|%s)" % (escape, number, percent, entity, raw)
    return rb"(?:%s|\\\\*%s|%%%s|&%s)" % (raw, after, percent, entity)


# A form writes a blank as `+`, and HTML may have a no-break space in its place.
_BLANK = rb"(?:%s|%s|&nbsp;|[+\t])" % (_character(" "), _character("\u00a0"))

# In URLs, base64 has `-` and `_`, and the other signs may be escaped.
_PLUS, _SLASH = (b"(?:%s|[%s])" % (_character(a), b) for a, b in (("+", rb"\-"), ("/", b"_")))
_CODED = {"+": _PLUS, "-": _PLUS, "/": _SLASH, "_": _SLASH}
_PADDING = b"(?:%s)*" % _character("=")

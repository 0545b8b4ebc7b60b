"""Credentials that a service repeats, found in every spelling that decodes to them, and blotted out.

Debug pages, redirects and PHP's warnings repeat what was sent: as it is, in base64, percent-encoded, with the
escapes of JSON, as HTML entities, with and without the blanks of an application password. The answer is
decoded later and by layers, so each character is looked for in each of its spellings before that.
"""

from __future__ import annotations

import base64
import html.entities
import re
from functools import cache

# A shorter secret is not looked for in what a service says: it would be found inside of words. The passwords
# that WordPress makes have 24 characters.
LEAST = 8
# Nor is one shorter than this in a record, whose text is compared with what was sent.
LEAST_IN_RECORDS = 16

HIDDEN = b"[hidden]"

# WordPress shows its application passwords in groups of four, and ignores the blanks in what is sent.
_APPLICATION = re.compile(r"[A-Za-z0-9]{24}")
_ASCII = 127
_NAMES = {number: name for number, name in html.entities.codepoint2name.items() if number <= _ASCII}


@cache
def patterns(value: str) -> tuple[tuple[int, re.Pattern[bytes]], ...]:
    """Give what finds the credentials of an Authorization header, each with its secret's length."""
    scheme, _, credentials = value.partition(" ")
    plain = credentials
    if scheme == "Basic":
        plain = base64.b64decode(credentials).decode().partition(":")[2]
    found = {credentials: _spelt_in_base64(credentials), plain: _spelt(plain)}
    for each in {plain, "".join(plain.split())} if len(plain) >= LEAST else ():
        found |= {core: _spelt_in_base64(core) for core in _in_base64(each)}
    # The longest first: the value of the whole header holds the core of its password.
    longest_first = sorted(found.items(), key=lambda each: -len(each[0]))
    return tuple((len(secret), re.compile(pattern)) for secret, pattern in longest_first)


def redact(text: bytes, value: str, least: int = LEAST) -> bytes:
    """Blot the credentials out of a text from outside, if they are at least so long."""
    for length, pattern in patterns(value):
        if length >= least:
            text = pattern.sub(HIDDEN, text)
    return text


def _in_base64(secret: str) -> list[str]:
    """Give what base64 makes of a secret wherever it stands in a longer text: one of three spellings."""
    data, found = secret.encode(), []
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        # The first and the last character have bits of what stands beside the secret.
        end = len(whole) if (before + len(data)) % 3 == 0 else -1
        found.append(whole[(0, 2, 3)[before] : end])
    return [core for core in found if len(core) >= LEAST]


def _spelt(secret: str) -> bytes:
    """Write a pattern of every spelling of a secret."""
    bare = "".join(secret.split())
    if _APPLICATION.fullmatch(bare):
        return (_BLANK + b"*").join(_character(each) for each in bare)
    return b"".join(_BLANK if each == " " else _character(each) for each in secret)


def _spelt_in_base64(coded: str) -> bytes:
    """Write a pattern of base64, in whose own alphabet three characters alone are ever escaped."""
    return b"".join(_CODED.get(each) or re.escape(each.encode()) for each in coded.rstrip("=")) + _PADDING


def _character(each: str) -> bytes:
    """Write a pattern of every spelling of a character: raw, escaped by JSON, in a URL, as an HTML entity."""
    number = ord(each)
    units = each.encode("utf-16-be")
    pairs = zip(units[::2], units[1::2], strict=True)
    escape = rb"\\+".join(b"u(?i:%02x%02x)" % (high, low) for high, low in pairs)
    percent = b"(?:25)*" + rb"(?:%|\\+u0025)(?:25)*".join(b"(?i:%02x)" % byte for byte in each.encode())
    name = b"|" + _NAMES[number].encode() if number in _NAMES else b""
    entity = b"(?:amp;)*(?:#0*%d|#[xX]0*(?i:%x)%s);?" % (number, number, name)
    codes = (each.encode(code, "ignore") for code in ("utf-8", "latin-1"))
    # A backslash is written twice in JSON, and four times in JSON within JSON.
    raw = rb"\\+" if each == "\\" else b"|".join(re.escape(code) for code in dict.fromkeys(codes) if code)
    after = rb"(?:%s|x(?i:%02x)|u0025%s|u0026%s|%s)" % (escape, number, percent, entity, raw)
    return rb"(?:%s|\\\\*%s|%%%s|&%s)" % (raw, after, percent, entity)


# In a form `+` is a blank, and in HTML one that does not break may stand for it.
_BLANK = rb"(?:%s|%s|&nbsp;|[+\t])" % (_character(" "), _character("\u00a0"))

# In URLs base64 has `-` and `_`, and its other signs may be escaped.
_PLUS, _SLASH = (b"(?:%s|[%s])" % (_character(a), b) for a, b in (("+", rb"\-"), ("/", b"_")))
_CODED = {"+": _PLUS, "-": _PLUS, "/": _SLASH, "_": _SLASH}
_PADDING = b"(?:%s)*" % _character("=")

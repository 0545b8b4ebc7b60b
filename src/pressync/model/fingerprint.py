"""The fingerprint of a field: a short digest of its value. Equal digests mean that equal bytes are sent.

The value is digested in a canonical form of our own and not in the encoding of a dialect. So a change of an
encoding never looks like an edit of every page. If a write got no response, the fingerprint lists the values
that the field may hold. That distinguishes our own lost write from somebody's edit.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from pressync.model.interface import TREE_KIND, Kind

# `hashlib` loads OpenSSL, which takes 3 ms and 4 MB, where Click takes 25 ms. OpenSSL is faster only for long
# texts, and a plan with nothing to do digests a handful of short ones. So `small_digest` takes the function
# that Python has for the case without OpenSSL, as `random` in Python's own library does.
try:
    from _sha2 import sha256  # type: ignore[import-not-found]  # Python 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]  # Python 3.11
    except ImportError:
        from hashlib import sha256

if TYPE_CHECKING:
    from pressync.model.records import Fields, Value

# 80 bits: among a billion texts, the chance that any two collide is one in a million.
DIGITS = 20
# OpenSSL is not faster for fewer bytes.
_SHORT = 100
# It stands in the place of a fingerprint if a write of the field got no response. The fingerprints of the
# values that the field may hold follow (`unsure`). Without any, the field may hold any value.
UNSURE = "?"

_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def small_digest(data: bytes) -> str:
    """Give the first 20 hex digits."""
    digest: str = sha256(data).hexdigest()
    return digest[:DIGITS]


def fingerprint(value: Value) -> str:
    """Digest one value. Text, which is most of the bytes, is digested as it is, the rest as sorted JSON."""
    text = ("s" if isinstance(value, str) else "j") + to_text(value)
    # A lone surrogate can be compared, although it is never sent.
    data = text.encode(errors="surrogatepass")
    # A run holds a digest in the plan, in the entry and in what it compares: one string will do for all.
    if len(data) <= _SHORT:
        return sys.intern(small_digest(data))
    import hashlib  # noqa: PLC0415 - a run that reads no page digests short texts alone (see `small_digest`)

    return sys.intern(hashlib.sha256(data).hexdigest()[:DIGITS])


# The form of WordPress's classic editor turns each LF of a text into CRLF when it is saved, also without an
# edit. A browser reads both as the end of one line. So no comparison, no file and no value that is sent has a
# CR: front matter in quotation marks could have one, and a text with `&#13;` in it.
def with_line_feeds(value: Value) -> Value:
    """Give a value whose texts have LF as line ending."""
    match value:
        case str():
            return value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in value else value
        case tuple():
            return tuple(map(with_line_feeds, value))
        case Mapping():
            return {name: with_line_feeds(member) for name, member in value.items()}
        case _:
            return value


def fingerprints(fields: Fields) -> dict[str, str]:
    """Digest every field."""
    return {name: fingerprint(value) for name, value in fields.items()}


@cache
def created_with(names: frozenset[str]) -> Mapping[str, str]:
    """Digest what a create sends in these fields unasked; all pages of a run share the result."""
    from pressync.model.records import CREATED_WITH  # noqa: PLC0415 - a comparison of records needs no nouns

    return MappingProxyType({name: fingerprint(CREATED_WITH[name]) for name in sorted(names)})


def unsure(*digests: str) -> str:
    """Write that a field holds one of these values; if `UNSURE` is among them, it may hold any value."""
    held: set[str] = set()
    for digest in digests:
        possible = may_be(digest)
        if possible is None:
            return UNSURE
        held |= possible
    return UNSURE + ",".join(sorted(held))


def is_unsure(digest: str) -> bool:
    """Whether the value of a field is not known, because a write of it got no response."""
    return digest.startswith(UNSURE)


def may_be(digest: str) -> frozenset[str] | None:
    """Return the digests of the values that a field may hold; None means any value."""
    if not is_unsure(digest):
        return frozenset({digest})
    return frozenset(digest.removeprefix(UNSURE).split(",")) if digest != UNSURE else None


def to_text(value: Value) -> str:
    """Write a value as text that `from_text` reads back: text as it is, the rest as sorted JSON."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            # A number is its own JSON. The encoder takes 20 times as long, and a record has ten numbers.
            return str(value)
        case Mapping():
            return _canonical(dict(value))
        case _:
            return _canonical(value)


def from_text(kind: Kind, name: str, text: str) -> Value:
    """Read the value of the field `name` back from `to_text`; text that is not JSON stays text."""
    # Every kind has the texts that all records have.
    field = kind.row.fields.get(name) or TREE_KIND.row.fields.get(name)
    if field and field.is_text:
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    result: Value = tuple(value) if isinstance(value, list) else value
    return result

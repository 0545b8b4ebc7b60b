"""One field's value -> a short digest; equal digests mean equal bytes sent.

The value is digested in a canonical form of our own, not in a dialect's encoding, so that a change of
encoding never looks like an edit of every page. Where a write got no answer, the digest's place says which
values the field may hold: that is what tells our own lost write from somebody's edit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pressync.model.interface import BODIES, Type
from pressync.model.records import UNSURE

if TYPE_CHECKING:
    from pressync.model.records import Fields, Value

# 80 bits: two of a billion texts collide with a chance of one in a million.
_DIGITS = 20

# Fields whose value is text: strings, date-times, and the objects that we know by their raw text.
_TEXT = frozenset(
    field.name
    for body in BODIES.values()
    for field in body
    if field.type in {Type.STRING, Type.DATETIME} or any(member.name == "raw" for member in field.members)
)


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def fingerprint(value: Value) -> str:
    """Digest one value; text (by far the most bytes) is taken as it is, the rest as sorted JSON."""
    data = ("s" if isinstance(value, str) else "j") + to_text(value)
    # Half a character can be compared, though never sent.
    return hashlib.sha256(data.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]


def fingerprints(fields: Fields) -> dict[str, str]:
    """Digest every field."""
    return {name: fingerprint(value) for name, value in fields.items()}


def unsure(*digests: str) -> str:
    """Write that a field holds one of these values and nobody knows which; `UNSURE` among them is any."""
    held: set[str] = set()
    for digest in digests:
        possible = may_be(digest)
        if possible is None:
            return UNSURE
        held |= possible
    return UNSURE + ",".join(sorted(held))


def is_unsure(digest: str) -> bool:
    """Whether nobody knows which value a field holds, for a write of it got no answer."""
    return digest.startswith(UNSURE)


def may_be(digest: str) -> frozenset[str] | None:
    """Give the digests of the values that a field may hold: its own, or those of `unsure`; None is any."""
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
            # A number is its own JSON; to ask the encoder takes 20 times as long, ten times a record.
            return str(value)
        case Mapping():
            return _canonical(dict(value))
        case _:
            return _canonical(value)


def from_text(name: str, text: str) -> Value:
    """Read the value of the field `name` back from `to_text`; text that is no JSON is taken as text."""
    if name in _TEXT:
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    result: Value = tuple(value) if isinstance(value, list) else value
    return result

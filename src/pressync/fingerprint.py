"""One field's value -> a short digest; equal digests mean equal bytes sent.

The value is digested in a canonical form of our own, not in a dialect's encoding, so that a change of
encoding never looks like an edit of every page.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.model import Fields, Value

# 80 bits: two of a billion texts collide with a chance of one in a million.
_DIGITS = 20


def fingerprint(value: Value) -> str:
    """Digest one value; text (by far the most bytes) is taken as it is, the rest as sorted JSON."""
    if isinstance(value, str):
        data = b"s" + value.encode()
    else:
        plain = dict(value) if isinstance(value, Mapping) else value
        data = b"j" + json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def fingerprints(fields: Fields) -> dict[str, str]:
    """Digest every field."""
    return {name: fingerprint(value) for name, value in fields.items()}

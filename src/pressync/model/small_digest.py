"""Digests short texts with SHA-256, without loading OpenSSL.

`hashlib` loads OpenSSL, which takes 3 ms and 4 MB, where Click takes 25 ms. OpenSSL is faster only for
long texts, and a plan with nothing to do digests a handful of short ones. So this module takes the function
that Python has for the case without OpenSSL, as `random` in Python's own library does.
"""

from __future__ import annotations

try:
    from _sha2 import sha256  # type: ignore[import-not-found]  # Python 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]  # Python 3.11
    except ImportError:
        from hashlib import sha256

# 80 bits: among a billion texts, the chance that any two collide is one in a million.
DIGITS = 20


def small_digest(data: bytes) -> str:
    """Give the first 20 hex digits."""
    digest: str = sha256(data).hexdigest()
    return digest[:DIGITS]

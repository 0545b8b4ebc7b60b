"""Form encoding, fast: names and values -> the body of a documented request.

Pure. It must not know what the fields mean. `urllib.parse` encodes byte by byte in Python, which was
the largest part of preparing a record (280 µs for a page); replacing each distinct byte in one pass over
the whole text gives the same bytes in a third of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# What `urllib.parse.quote_plus` leaves as it is: RFC 3986's unreserved characters.
_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"


def encode_form(pairs: Iterable[tuple[str, str]]) -> bytes:
    """Encode pairs as application/x-www-form-urlencoded, in UTF-8."""
    return b"&".join(
        percent_encode(name.encode()) + b"=" + percent_encode(value.encode()) for name, value in pairs
    )


def percent_encode(text: bytes) -> bytes:
    """Percent-encode, a blank as a plus: byte for byte what `urllib.parse.quote_plus` gives."""
    present = set(text.translate(None, _UNRESERVED))
    if not present:
        return text
    # The percent sign first, or the signs that the other replacements bring would be encoded again.
    # Nothing else that they bring (hexadecimal digits) is ever replaced; the plus for a blank comes last.
    result = text.replace(b"%", b"%25")
    for byte in present - {ord("%"), ord(" ")}:
        result = result.replace(bytes((byte,)), b"%%%02X" % byte)
    return result.replace(b" ", b"+")

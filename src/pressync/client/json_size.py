"""How many values a JSON text has, found before it is parsed: 60 MB of `{},{},…` become 1.4 GB of objects.

Pure. The commas and brackets outside of strings are counted, which takes no memory but that of the text
without its strings, and is done for a text with so many of them alone.
"""

from __future__ import annotations

import re

# A hundred records of WordPress have about 20,000, and 500,000 take about 120 MB.
MOST_VALUES = 500_000

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_BEFORE_A_VALUE = (b",", b"[", b"{")


def is_overfull(body: bytes) -> bool:
    """Whether a JSON text has more values than any answer has reason for."""
    if sum(map(body.count, _BEFORE_A_VALUE)) <= MOST_VALUES:
        return False
    quotes = body.count(b'"') - body.count(b'\\"')
    if quotes > 4 * MOST_VALUES:
        # Two for each string, and a member has a name and a value.
        return True
    outside = _STRING.sub(b"", body)
    return sum(map(outside.count, _BEFORE_A_VALUE)) > MOST_VALUES

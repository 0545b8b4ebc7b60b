"""Reads the parameters of a query or a form as PHP does: `slug[]=a&slug[]=b` is a list."""

from __future__ import annotations

from urllib.parse import parse_qsl

# PHP ignores the parameters after these.
_MOST = 1000


def parse_query(text: str) -> dict[str, object]:
    """Read a query; of two values with one name, the last counts."""
    given: dict[str, object] = {}
    for name, value in parse_qsl(text, keep_blank_values=True)[:_MOST]:
        outer, bracket, inner = name.partition("[")
        inner = inner.removesuffix("]")
        before = given.get(outer)
        if not bracket:
            given[name] = value
        elif inner:
            given[outer] = {**(before if isinstance(before, dict) else {}), inner: value}
        elif isinstance(before, list):
            before.append(value)
        else:
            given[outer] = [value]
    return given

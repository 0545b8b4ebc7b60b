"""Computes how many steps an operation of a template takes: by what it reads, and by what it will make. Pure.

One filter or operator can make gigabytes from a few characters (`'x' * 10**9`, `|center(10**9)`), and nothing
can stop it on the way. So the size of the result is computed before, from the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

# This many characters are copied in about the time of one turn of a loop.
CHARACTERS = 64

_DIGITS = re.compile(r"\d+")
_INNER_WIDTH = re.compile(r":[^{}]*\{")
# These make no more than they read, or take the same time for all arguments.
CHEAP = frozenset(
    {"abs", "attr", "count", "d", "default", "first", "float", "int", "items", "last", "length"}
)
# An argument of these is a width, or a number of items to make.
_WIDTHS = frozenset(
    {"batch", "center", "expandtabs", "ljust", "rjust", "round", "slice", "to_bytes", "zfill"}
)


def size(value: object) -> Iterator[int]:
    """Yield the steps of reading a whole value in small parts, so that the caller may stop early."""
    if not isinstance(value, Mapping | list | tuple | set | frozenset):
        yield _own(value) - 1
        return
    pending: list[Iterator[object]] = [iter((value,))]
    while pending:
        for each in pending[-1]:
            yield _own(each)
            if isinstance(each, Mapping):
                pending.append(chain(each.keys(), each.values()))
                break
            if isinstance(each, list | tuple | set | frozenset):
                pending.append(iter(each))
                break
        else:
            pending.pop()


def _own(value: object) -> int:
    if isinstance(value, str | bytes):
        return 1 + len(value) // CHARACTERS
    if isinstance(value, int):
        return 1 + value.bit_length() // CHARACTERS
    return 1 + len(value) if isinstance(value, range) else 1


def made_by_operator(operator: str, left: Any, right: Any) -> int:  # noqa: ANN401 - any value
    """Give the steps of the result that `*` or `%` will make."""
    if operator == "*":
        number, other = (left, right) if isinstance(left, int) else (right, left)
        if isinstance(number, int) and isinstance(other, str | bytes):
            return max(number, 0) * len(other) // CHARACTERS
        if isinstance(number, int) and isinstance(other, Sequence):
            return max(number, 0) * len(other)
    if operator == "%" and isinstance(left, str):
        return _filled(left, right if isinstance(right, tuple) else (right,))
    return 0


def made_by_function(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> int:  # noqa: PLR0911 - a table
    """Give the steps of the result that a filter or method will make of its arguments."""
    value, *rest = given or [""]
    others = [*rest, *named.values()]
    numbers = sum(abs(int(each)) for each in others if isinstance(each, int | float) and each == each)  # noqa: PLR0124 - NaN
    texts = sum(len(each) for each in others if isinstance(each, str))
    length = len(value) if isinstance(value, str | Sequence | Mapping) else 1
    match name:
        case "format" | "format_map":
            return _filled(str(value), others)
        case "indent" | "wordwrap" | "replace" | "join" | "translate" | "xmlattr" | "urlize":
            by_number = numbers if name == "indent" else 0
            return (length + 1) * (texts + by_number) // CHARACTERS
        case "tojson" | "pprint":
            return (length + 1) * numbers
        case "lipsum":
            return numbers * 100
        case "sum":
            # Each addition of a list copies all lists before it.
            lists = value if isinstance(value, list | tuple) else ()
            copied = [len(each) for each in lists if isinstance(each, list | tuple)]
            return length * sum(copied)
        case _ if name in _WIDTHS:
            tabs = value.count("\t") if name == "expandtabs" and isinstance(value, str) else 1
            return tabs * numbers // (1 if name in {"batch", "slice", "round"} else CHARACTERS)
        case _:
            return 0


def _filled(form: str, values: Sequence[Any]) -> int:
    """Give the steps of the longest text that a format string can make."""
    widths = sum(int(digits) if len(digits) < 10 else 10**9 for digits in _DIGITS.findall(form))  # noqa: PLR2004
    if "*" in form or _INNER_WIDTH.search(form):
        widths += sum(abs(each) for each in values if isinstance(each, int))
    return widths // CHARACTERS

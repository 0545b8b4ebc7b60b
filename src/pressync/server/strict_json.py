"""Reads JSON that a client sent, as the standard has it. Pure.

Python also reads `NaN` and `Infinity`, and an escape can stand for half of a character. Neither can be
written into a response, so a record that had one could never be read again.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    Pairs = Callable[[list[tuple[str, object]]], object]


def read(text: str, *, pairs: Pairs | None = None) -> object:
    """Read a JSON text; `pairs` makes an object of its members.

    :raises ValueError: it is not JSON, or it has half of a character.
    :raises RecursionError: it is nested too deeply.
    """
    value: object = _decoder(pairs).decode(text)
    if "\\u" in text:
        json.dumps(value, ensure_ascii=False).encode()
    return value


@cache
def _decoder(pairs: Pairs | None) -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=pairs, parse_constant=_refuse)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")

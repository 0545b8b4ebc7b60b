"""Reads JSON that a client sent, as the standard has it. Pure.

Python also reads `NaN` and `Infinity`, and an escape can stand for half of a character. Neither can be
written into a response, so a record that had one could never be read again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable


def read(text: str, *, pairs: Callable[[list[tuple[str, object]]], object] | None = None) -> object:
    """Read a JSON text; `pairs` makes an object of its members.

    :raises ValueError: it is not JSON, or it has half of a character.
    :raises RecursionError: it is nested too deeply.
    """
    value: object = json.loads(text, object_pairs_hook=pairs, parse_constant=_refuse)
    if "\\u" in text:
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")

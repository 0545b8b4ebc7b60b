"""A value as somebody wrote it in front matter: plain data, with its line and its source text.

It must not know formats or keys. What decided its shape: `slug: 010` must stay "010" whatever a format
makes of it, and a problem in a value must name the line, so both travel with the value.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

DEEPEST = 50
TOO_DEEP = f"front matter is nested deeper than {DEEPEST} levels"
FLATTEN = "make it flatter"


class UnreadableError(Exception):
    """Front matter cannot be read, for all of these reasons: line of the file, what, what to do."""

    def __init__(self, *reasons: tuple[int, str, str]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


def named_twice(line: int, key: str) -> tuple[int, str, str]:
    """Give the reason that a mapping cannot be read in which a key stands twice."""
    return line, f"the key '{key}' is named twice", "keep one of them"


@dataclass(frozen=True, slots=True)
class RawFrontMatter:
    """The text between two fences, and the line of the file on which it begins."""

    text: str
    line: int

    def line_at(self, offset: int) -> int:
        """Give the line of the file on which the character at `offset` stands."""
        return self.line + self.text.count("\n", 0, offset)


@dataclass(frozen=True, slots=True)
class Given:
    """A value, its 1-based line (0 when there is none), and a scalar's source text.

    `value` is str, int, float, bool, None, a tuple of Given, or a mapping of text to Given; dates are
    ISO text. `text` is empty for lists and mappings.
    """

    value: str | float | bool | tuple[Given, ...] | Mapping[str, Given] | None
    line: int = 0
    text: str = ""

    @property
    def scalar(self) -> bool:
        """Whether it is neither a list nor a mapping."""
        return not isinstance(self.value, tuple | Mapping)

    def plain(self) -> object:
        """Give str, int, float, bool, None, list and dict only."""
        if isinstance(self.value, tuple):
            return [item.plain() for item in self.value]
        if isinstance(self.value, Mapping):
            return {key: item.plain() for key, item in self.value.items()}
        return self.value


def given(value: object, lines: Mapping[str, int] | None = None, line: int = 0, depth: int = 0) -> Given:
    """Take plain data, as TOML and JSON give it; `lines` are those of the outermost mapping's keys.

    :raises RecursionError: it is nested too deeply.
    """
    if depth > DEEPEST:
        raise RecursionError(TOO_DEEP)
    if isinstance(value, Mapping):
        lines = lines or {}
        return Given({k: given(v, None, lines.get(k, line), depth + 1) for k, v in value.items()}, line)
    if isinstance(value, list | tuple):
        return Given(tuple([given(item, None, line, depth + 1) for item in value]), line)
    if isinstance(value, bool):
        return Given(value, line, str(value).lower())
    if isinstance(value, dt.date | dt.time):
        value = value.isoformat()
    if isinstance(value, str | int | float):
        return Given(value, line, str(value))
    return Given(None, line)

"""A value as it was written in front matter: plain data with its line and its source text.

`slug: 010` must stay "010" although YAML reads it as eight, and a problem must name its line. So line and
source text travel with each value.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from pressync.model.problem_codes import Code

DEEPEST = 50
TOO_DEEP = f"front matter is nested deeper than {DEEPEST} levels"
FLATTEN = "make it flatter"


class UnreadableError(Exception):
    """Front matter cannot be read. Each reason is a line of the file, what is wrong, and what to do."""

    def __init__(self, *reasons: tuple[int, str, str], code: Code = Code.FRONT_MATTER) -> None:
        super().__init__(*reasons)
        self.code = code
        self.reasons = reasons


def named_twice(line: int, key: str) -> tuple[int, str, str]:
    """Give the reason why a mapping with a repeated key cannot be read."""
    return line, f"the key '{key}' is named twice", "keep one of them"


@dataclass(frozen=True, slots=True)
class RawFrontMatter:
    """The text between two fences, and the line of the file where it begins."""

    text: str
    line: int

    def line_at(self, offset: int) -> int:
        """Give the line of the file that contains the character at `offset`."""
        return self.line + self.text.count("\n", 0, offset)


@dataclass(frozen=True, slots=True)
class Given:
    """A value, its line from 1 (0 if it has none), and the source text of a scalar.

    `value` is str, int, float, bool, None, a tuple of Given, or a mapping of text to Given. A date is ISO
    text. `text` is empty for lists and mappings.
    """

    value: str | float | bool | tuple[Given, ...] | Mapping[str, Given] | None
    line: int = 0
    text: str = ""

    @property
    def scalar(self) -> bool:
        """Whether it is neither a list nor a mapping."""
        return not isinstance(self.value, tuple | Mapping)

    def plain(self) -> object:
        """Give the value as plain str, int, float, bool, None, list and dict."""
        if isinstance(self.value, tuple):
            return [item.plain() for item in self.value]
        if isinstance(self.value, Mapping):
            return {key: item.plain() for key, item in self.value.items()}
        return self.value


def given(value: object, lines: Mapping[str, int] | None = None, line: int = 0, depth: int = 0) -> Given:
    """Convert plain data that TOML or JSON gave; `lines` are the lines of the outermost mapping's keys.

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

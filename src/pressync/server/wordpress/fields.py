"""The members of a response that `_fields` asks for, such as `id,title.raw`; without it, all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class Fields:
    """The requested members by their paths; None stands for all."""

    paths: tuple[tuple[str, ...], ...] | None = None

    @classmethod
    def of(cls, given: object) -> Fields:
        """Read the value of `_fields`, which is a text or a list."""
        names = given if isinstance(given, list) else _SEPARATORS.split(str(given or ""))
        paths = tuple(tuple(str(name).split(".")) for name in names if name)
        return cls(paths or None)

    def has(self, name: str) -> bool:
        """Whether a member of the response is requested, or a part of it."""
        return self.paths is None or any(path[0] == name for path in self.paths)

    def cut(self, value: object) -> object:
        """Leave the requested members of an object, or of each object of a list."""
        if self.paths is None:
            return value
        if isinstance(value, list):
            return [self.cut(each) for each in value]
        if not isinstance(value, Mapping):
            return value
        kept: dict[str, object] = {}
        for path in self.paths:
            _copy(path, value, kept)
        # PHP encodes an empty map as a list.
        return kept or []


def _copy(path: tuple[str, ...], source: Mapping[str, object], target: dict[str, object]) -> None:
    name, inner = path[0], path[1:]
    if name not in source:
        return
    value = source[name]
    if not inner or not isinstance(value, Mapping):
        if not inner:
            target[name] = value
        return
    below = target.setdefault(name, {})
    if isinstance(below, dict):
        _copy(inner, value, below)
        # PHP encodes an empty map as a list.
        target[name] = below or []

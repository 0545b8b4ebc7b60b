"""Tells which files below the content folder `exclude` leaves out, by the rules of `.gitignore`. Pure.

Anybody who may push can write a pattern. So a path and a pattern are compared part by part: one regular
expression with several `**` could take exponential time.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class _Rule:
    """One pattern: the parts between its `**`, whether it begins with `!`, and whether it is for folders."""

    pattern: str
    runs: tuple[tuple[str, ...], ...]
    again: bool
    folders_only: bool

    @classmethod
    def of(cls, pattern: str) -> Self:
        """Read a pattern. One without a slash, but for a last slash, counts in every folder."""
        text = pattern.removeprefix("!")
        parts = text.strip("/").split("/")
        if "/" not in text.rstrip("/"):
            parts = ["**", *parts]
        runs: list[list[str]] = [[]]
        for part in parts:
            if part == "**":
                runs.append([])
            else:
                runs[-1].append(part)
        return cls(pattern, tuple(map(tuple, runs)), again=text != pattern, folders_only=text.endswith("/"))

    def fits(self, parts: Sequence[str]) -> bool:
        """Compare a path with the pattern: the first run at its start, the last at its end."""
        first, *others = self.runs
        at, end = len(first), len(parts)
        if not _agree(parts[:at], first) or (not others and at < end):
            return False
        for run in others[:-1]:
            while at + len(run) <= end and not _agree(parts[at : at + len(run)], run):
                at += 1
            at += len(run)
        if not others:
            return True
        last = others[-1]
        # `a/**` is everything below `a`, and not `a`.
        return at + max(len(last), 1) <= end and _agree(parts[end - len(last) :], last) if last else at < end


def _agree(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    return len(parts) == len(patterns) and all(map(fnmatch.fnmatchcase, parts, patterns))


class Exclusion:
    """The patterns of one site."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._rules = [_Rule.of(pattern) for pattern in reversed(patterns)]
        # Thousands of files have the same folders.
        self._leaves_out_folder = cache(self._folder)

    def leaves_out(self, inner: str) -> bool:
        """Tell whether a file is left out; `inner` is its path below the content folder."""
        if not self._rules:
            return False
        return self._leaves_out_folder(inner.rpartition("/")[0]) or self._decides(inner, is_folder=False)

    def unused(self, inners: Iterable[str]) -> list[str]:
        """List the patterns that fit none of these files and none of their folders."""
        left = {rule.pattern: rule for rule in reversed(self._rules)}
        for parts in (inner.split("/") for inner in inners):
            for end in range(1, len(parts) + 1):
                is_folder = end < len(parts)
                for rule in [*left.values()]:
                    if (is_folder or not rule.folders_only) and rule.fits(parts[:end]):
                        del left[rule.pattern]
        return [*left]

    def _folder(self, folder: str) -> bool:
        # Nothing below a folder that is left out can be taken in again.
        if not folder:
            return False
        return self._leaves_out_folder(folder.rpartition("/")[0]) or self._decides(folder, is_folder=True)

    def _decides(self, path: str, *, is_folder: bool) -> bool:
        parts = path.split("/")
        for rule in self._rules:
            if (is_folder or not rule.folders_only) and rule.fits(parts):
                return not rule.again
        return False

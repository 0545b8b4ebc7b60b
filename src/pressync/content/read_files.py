"""The files that were read: what each has become, and what a plan keeps of them for the sync that sends them.

The texts are compressed, because those of a thousand pages would take more memory than a run has for all of
them.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.model.errors import Problem
    from pressync.model.records import Document, Prepared

# At most this many documents, each of at most this many characters, are kept.
_MOST, _SHORT = 1000, 10_000


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read: its document, unless one of its problems is an error; and all its problems.

    `left_out` tells that the type of the file is `none`. A file that was rendered too has `prepared`.
    """

    document: Document | None
    problems: tuple[Problem, ...] = ()
    left_out: bool = False
    prepared: Prepared | None = None

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that prevent the document."""
        return tuple(problem for problem in self.problems if not problem.warning)

    @property
    def obstacle(self) -> str:
        """The first reason why there is no document: an error, if there is one."""
        found = (*self.errors, *self.problems)
        return found[0].what if found else "its type is `none`"


class KeptFiles:
    """The documents of one tree, by path: both plans of a run want each of them, and so does its sync."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[ReadFile, bytes]] = {}

    def reading(self, path: str, parse: Callable[[str], ReadFile], *, keep: bool) -> ReadFile:
        """Give a document that was read, or read it now; keep it if there is room, or give it away."""
        held = self._read.get(path) if keep else self._read.pop(path, None)
        if held and held[0].document:
            body = zlib.decompress(held[1]).decode(errors="surrogatepass")
            return replace(held[0], document=replace(held[0].document, body=body))
        reading = parse(path)
        document = reading.document
        if keep and document and len(document.body) <= _SHORT and len(self._read) < _MOST:
            text = zlib.compress(document.body.encode(errors="surrogatepass"), 1)
            self._read[path] = replace(reading, document=replace(document, body="")), text
        return reading

"""The result of preparing one file of a tree: its document with the fields to send, or why there is none.

All problems of a file are reported at once, and a warning may come before the error that prevents the
document. So a sentence with one problem must choose the error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.content.render.link_targets import Unresolved
    from pressync.model.errors import Problem
    from pressync.model.records import Prepared


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """A file that was read, rendered and checked: a prepared document, unless a problem prevents it.

    `left_out` tells that the type of the file is `none`. `addresses` are those that went into the HTML, by
    path.
    """

    prepared: Prepared | None
    problems: tuple[Problem, ...]
    left_out: bool = False
    addresses: Mapping[str, str | Unresolved] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that prevent the document."""
        return tuple(problem for problem in self.problems if not problem.warning)

    @property
    def obstacle(self) -> str:
        """The first reason why there is no document."""
        found = (*self.errors, *self.problems)
        return found[0].what if found else "its type is `none`"

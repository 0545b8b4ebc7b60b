"""The options of `pressync plan`, one field per option.

The command line fills this tuple before anything that draws a plan is loaded, so that a run with nothing to
do stays cheap. That is why the module imports no part of the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class PlanCommandOptions(NamedTuple):
    """The options of `plan`. It is not a dataclass, because to import `dataclasses` costs 5 ms."""

    paths: tuple[str, ...]
    diff: bool | None
    summary: bool
    form: str | None
    out: Path | None
    exit_code: bool
    drift: bool | None
    ref: str
    worktree: bool
    max_delete: str | None
    overwrite: bool
    allow_rewind: bool
    new_manifest: bool
    strict: bool
    keep_going: bool

    @property
    def covers_head(self) -> bool:
        """Whether the plan is of everything at HEAD, and of nothing else."""
        return not (self.paths or self.worktree) and self.ref == "HEAD"

    @property
    def is_plain(self) -> bool:
        """Whether the note that everything at HEAD is up to date is enough to answer."""
        asks_more = self.out or self.strict or self.drift
        return self.covers_head and not asks_more and self.form in {None, "text", "json"}

    @property
    def is_usual(self) -> bool:
        """Whether it is the plan that people ask for after an edit, and its kept records are only counted."""
        asks_more = (self.diff, self.overwrite, self.allow_rewind, self.new_manifest, self.max_delete)
        return self.is_plain and not any(asks_more)

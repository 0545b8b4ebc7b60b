"""The options of `pressync sync`, one field per option.

The command line fills this tuple before anything that syncs is loaded, so that a run with nothing to do stays
cheap. Each field has the name of its option, so that only the declaration and the use of an option name it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class SyncOptions(NamedTuple):
    """The options of `sync`. It is not a dataclass, because to import `dataclasses` costs 5 ms."""

    paths: tuple[str, ...]
    yes: bool
    plan_file: Path | None
    concurrency: int
    rate: float | None
    limit: int | None
    max_failures: int | None
    max_delete: str | None
    create_anyway: tuple[str, ...]
    permanent: bool
    delete_unused_media: bool
    again: bool
    overwrite: bool
    allow_rewind: bool
    new_manifest: bool
    commit_manifest: bool
    strict: bool
    keep_going: bool
    ref: str
    worktree: bool
    wait: float
    report: Path | None
    form: str

    @property
    def covers_head(self) -> bool:
        """Whether the sync is of everything at HEAD, and of nothing else."""
        return not (self.paths or self.worktree) and self.ref == "HEAD"

    @property
    def is_plain(self) -> bool:
        """Whether the sync has nothing to do and only a sentence to print if HEAD is up to date."""
        asks_more = (
            *(self.strict, self.commit_manifest, self.delete_unused_media, self.plan_file, self.report),
            # It is also about edits on the site, which the note of the last run does not know.
            self.overwrite,
        )
        return self.covers_head and not any(asks_more) and self.form == "text"

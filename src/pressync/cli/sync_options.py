"""What the command line asks of one sync: the order, read before anything that carries it out is loaded.

It must not load anything. What decided its shape: an option is named where it is declared and where it is
followed, and nowhere in between, so each field has the name of its option.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class SyncOptions(NamedTuple):
    """The options of `sync`; no dataclass, whose import alone costs 5 ms."""

    paths: tuple[str, ...]
    site: str | None
    yes: bool
    plan_file: Path | None
    concurrency: int
    rate: float | None
    max_delete: str | None
    create_anyway: tuple[str, ...]
    permanent: bool
    delete_unused_media: bool
    overwrite: bool
    allow_rewind: bool
    new_manifest: bool
    commit_manifest: bool
    strict: bool
    keep_going: bool
    ref: str
    worktree: bool
    wait: float
    form: str

    @property
    def is_plain(self) -> bool:
        """Whether it is carried out as soon as everything at HEAD is in step, with a word to people."""
        asks_more = self.strict or self.commit_manifest or self.delete_unused_media
        asks_for_other = self.paths or self.worktree or self.plan_file or self.ref != "HEAD"
        return not (asks_more or asks_for_other) and self.form == "text"

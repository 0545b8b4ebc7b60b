"""The options of `pressync rehearse`, one field per option; those of `sync` have the same names."""

from __future__ import annotations

from typing import NamedTuple


class RehearseOptions(NamedTuple):
    """The options of `rehearse`."""

    stage: str
    mount: tuple[str, ...]
    keep: bool
    max_delete: str | None
    overwrite: bool
    allow_rewind: bool
    new_manifest: bool
    strict: bool
    keep_going: bool
    ref: str
    worktree: bool
    form: str

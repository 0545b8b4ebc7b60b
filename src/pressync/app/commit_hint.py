"""The sentence about a manifest that nobody has committed yet; commands and hooks say the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.printable import one_line

if TYPE_CHECKING:
    from pressync.model.outcomes import Kept


def next_commit(kept: Kept | None) -> str:
    """Say what is left to do about a manifest that Git does not have as it is; nothing if it has."""
    if kept is None or kept.committed:
        return ""
    name = one_line(kept.path)
    first = f"take {name} out of .gitignore and commit it" if kept.ignored else f"commit {name}"
    return f"next: {first}, so that other clones know these records"

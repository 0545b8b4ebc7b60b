"""Says the next step for a manifest that is not committed; commands and hooks use the same sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.printable import one_line

if TYPE_CHECKING:
    from pressync.model.outcomes import KeptManifest


def next_commit(kept: KeptManifest | None) -> str:
    """Say how to commit the manifest; empty if Git has it as it is."""
    if kept is None or kept.committed:
        return ""
    name = one_line(kept.path)
    first = f"take {name} out of .gitignore and commit it" if kept.ignored else f"commit {name}"
    return f"next: {first}, so that other clones know these records"

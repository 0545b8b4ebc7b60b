"""Describes a manifest to people: the changes of a run, for the subject of its commit, and its size. Pure.

Nobody reads the lines of a manifest in `git log`, so the subject of the commit must tell what a run did. A
renamed file keeps its record. So records are compared by kind and id, and a rename counts as an update.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Manifest

# GitHub refuses files over 100 MB, and warns from 50 MB on. A record takes about 655 bytes.
LARGE = 50_000_000


def counts(before: Manifest, after: Manifest, changed: Collection[str] | None = None) -> str:
    """Count the records that are new, changed and gone; a record is known by its kind and id.

    `changed` has all paths at which the two may differ; without it, all records are compared.
    """
    old, new = _records(before, changed), _records(after, changed)
    found: Mapping[str, int] = {
        "created": len(new.keys() - old.keys()),
        "updated": sum(old[key] != new[key] for key in new.keys() & old.keys()),
        "deleted": len(old.keys() - new.keys()),
        "unconfirmed": len(after.unconfirmed),
    }
    return ", ".join(f"{count} {name}" for name, count in found.items() if count)


def _records(manifest: Manifest, paths: Collection[str] | None) -> dict[tuple[Kind, int], Entry]:
    entries = manifest.entries
    found = entries.values() if paths is None else [entries[path] for path in paths if path in entries]
    return {(entry.kind, entry.id): entry for entry in found}


def too_large(size: int, where: str) -> str:
    """Say that a manifest of this many bytes is nearly too large for many hosts, or nothing."""
    if size < LARGE:
        return ""
    return f"the manifest in {where} has {size / 1e6:.0f} MB, and many hosts refuse files over 100 MB"

"""Describes a manifest to people: the changes of a run, for the subject of its commit, and its size. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.records import Manifest

# GitHub refuses files over 100 MB, and warns from 50 MB on. A record takes about 655 bytes.
LARGE = 50_000_000


def counts(before: Manifest, after: Manifest) -> str:
    """Count the records that are new, changed and gone; a record is known by its kind and id."""
    old = {(entry.kind, entry.id): entry for entry in before.entries.values()}
    new = {(entry.kind, entry.id): entry for entry in after.entries.values()}
    found: Mapping[str, int] = {
        "created": len(new.keys() - old.keys()),
        "updated": sum(old[key] != new[key] for key in new.keys() & old.keys()),
        "deleted": len(old.keys() - new.keys()),
        "unconfirmed": len(after.doubts),
    }
    return ", ".join(f"{count} {name}" for name, count in found.items() if count)


def too_large(size: int, where: str) -> str:
    """Say that a manifest of this many characters is nearly too large for many hosts, or nothing."""
    if size < LARGE:
        return ""
    return f"the manifest in {where} has {size / 1e6:.0f} MB, and many hosts refuse files over 100 MB"

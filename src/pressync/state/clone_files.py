"""The files in which a clone notes what it knows of one site, beside the manifest: their names.

It must not open them. It exists because several rooms look at the same files, and a name that is spelled
twice is one day spelled in two ways: a lock of another name holds nobody back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class CloneFiles:
    """The notes on the site of this name; all are in `directory`."""

    directory: Path
    site: str

    @classmethod
    def of(cls, common_directory: Path, site: str) -> Self:
        """Name those of a clone: all its work trees share them, and they are never committed."""
        return cls(common_directory / "pressync", site)

    @property
    def lock(self) -> Path:
        """Who writes the manifest and these notes just now."""
        return self.directory / f"{self.site}.lock"

    @property
    def journal(self) -> Path:
        """What was about to be sent, and how it ended; it is there until all is settled and saved."""
        return self.directory / f"{self.site}.journal"

    @property
    def made(self) -> Path:
        """What this clone put on the site, should the manifest forget it."""
        return self.directory / f"{self.site}.made"

    @property
    def claim(self) -> Path:
        """Which claim of a run, in a manifest that machines share, is this clone's own."""
        return self.directory / f"{self.site}.claim"

    @property
    def manifest(self) -> Path:
        """The manifest itself, where there is no work tree to hold it."""
        return self.directory / f"{self.site}.json"

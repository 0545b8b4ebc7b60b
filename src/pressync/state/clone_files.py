"""The names of the files in which a clone keeps its own data on one site, beside the manifest.

Several modules use the same files. If two of them spelled the name of the lock in two ways, the lock would
stop nobody. So each name is spelled once, here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from pathlib import Path


class CloneFiles(NamedTuple):
    """The files of the site of this name; all are in `directory`."""

    directory: Path
    site: str

    @classmethod
    def of(cls, common_directory: Path, site: str) -> Self:
        """Return the files of a clone; all its work trees share them, and they are never committed."""
        return cls(common_directory / "pressync", site)

    @property
    def lock(self) -> Path:
        """The lock; it names the process that writes the manifest and these files."""
        return self.directory / f"{self.site}.lock"

    @property
    def journal(self) -> Path:
        """The calls that were about to be sent, and their outcomes, until all are settled and saved."""
        return self.directory / f"{self.site}.journal"

    @property
    def made(self) -> Path:
        """A copy of the records that this clone put on the site, in case the manifest forgets them."""
        return self.directory / f"{self.site}.made"

    @property
    def log(self) -> Path:
        """The log of what this clone did and saw; `clone_log` names its facts."""
        return self.directory / f"{self.site}.log"

    @property
    def manifest(self) -> Path:
        """The manifest itself, if there is no work tree to hold it."""
        return self.directory / f"{self.site}.json"

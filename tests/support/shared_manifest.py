"""Clones of one bare repository whose manifest lives in a reference that they share."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.repository import SampleRepository
from tests.support.syncing import Site

from pressync.repo.ref import Reference
from pressync.repo.repository import Repository
from pressync.state.claims import ClaimTimes
from pressync.state.clone_files import CloneFiles
from pressync.state.clone_log import CloneLog
from pressync.state.manifest_ref import ManifestRef

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

SITE = "live"
REF = f"refs/pressync/{SITE}"
# Nobody is waited for: a claim that stands is held, or with `dead=0` that of a machine that died.
HASTY = ClaimTimes(pulse=0, dead=1e9, old=1e9, poll=0.01)


@dataclass
class Clones:
    """A bare origin, and clones of it made at will."""

    origin: Path
    url: str
    made: list[SampleRepository] = field(default_factory=list)

    @classmethod
    def create(
        cls, folder: Path, url: str, files: Mapping[str, str | bytes], *, settings: str = ""
    ) -> Clones:
        """Commit the files, with a site of this address, and push them to a new origin."""
        first = SampleRepository.create(folder / "first")
        toml = f'[sites.{SITE}]\nurl = "{url}"\nmanifest = "ref"\n{settings}'
        first.commit({"pressync.toml": toml, **files})
        first.git("clone", "--quiet", "--bare", ".", str(folder / "origin.git"))
        return cls(folder / "origin.git", url)

    def clone(self, *options: str) -> SampleRepository:
        """Make another clone, as another machine would."""
        root = self.origin.parent / f"clone{len(self.made)}"
        self.git("clone", "--quiet", *options, f"file://{self.origin}", str(root))
        self.made.append(SampleRepository(root))
        return self.made[-1]

    def site(self, *options: str) -> Site:
        """Make a clone to sync in process."""
        return Site(self.clone(*options).root, self.url)

    def git(self, *arguments: str) -> str:
        """Ask the origin."""
        return SampleRepository(self.origin).git(*arguments)

    def subjects(self) -> list[str]:
        """Tell the history of the reference, oldest first."""
        return self.git("log", "--reverse", "--format=%s", REF).splitlines()

    @property
    def is_linear(self) -> bool:
        """Whether no commit of the reference has two parents, and all are of one line."""
        return not self.git("rev-list", "--min-parents=2", REF)


def kept(
    repository: Path,
    *,
    target: str = "target",
    times: ClaimTimes = HASTY,
    wait: float = 0,
    say: Callable[[str], None] = lambda _sentence: None,
    takes_back: bool = False,
) -> ManifestRef:
    """Open what keeps the manifest of a clone."""
    opened = Repository(repository)
    log = CloneLog(CloneFiles.of(opened.common_directory, SITE), target)
    reference = Reference(opened, REF, "origin")
    return ManifestRef(reference, target, log=log, wait=wait, say=say, times=times, takes_back=takes_back)


def started(root: Path, *arguments: str, program: Path | None = None) -> subprocess.Popen[str]:
    """Start `pressync` in a process of its own; `program` is one that starts quicker."""
    words = [str(program)] if program else [sys.executable, "-m", "pressync"]
    return subprocess.Popen(
        [*words, "-C", str(root), *arguments],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )

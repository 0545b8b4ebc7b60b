"""Two texts that were one -> one text, merged by Git's own hand: its conflict markers, its rules.

It must not know repositories: texts are handed in. It exists because people know how Git merges, and
their tools understand the marks that it leaves.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from pressync.model.errors import RepositoryError
from pressync.repo import run_git

# `git merge-file` ends with the number of conflicts, up to this; above are its own failures.
_MOST_CONFLICTS = 127


@dataclass(frozen=True, slots=True)
class MergedText:
    """The merged text, and in how many places a person has to choose."""

    text: str
    conflicts: int


def merge(ours: str, base: str, theirs: str, *, names: tuple[str, str, str]) -> MergedText:
    """Merge `theirs` into `ours`, line by line; `names` are how the marks call ours, the base and theirs.

    :raises RepositoryError: Git could not.
    """
    if base in {ours, theirs} or ours == theirs:
        return MergedText(theirs if base == ours else ours, 0)
    with tempfile.TemporaryDirectory(prefix="pressync-") as folder:
        files = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for file, text in zip(files, (ours, base, theirs), strict=True):
            file.write_text(text, encoding="utf-8", newline="")
        labels = [word for name in names for word in ("-L", name)]
        said = run_git.run("merge-file", "-p", "--diff3", *labels, *files)
    if said.status > _MOST_CONFLICTS or said.status < 0:
        raise RepositoryError(f"git merge-file failed: {said.err.decode(errors='replace').strip()}")
    return MergedText(said.out.decode(), said.status)

"""Merges two versions of a text with `git merge-file`. No repository is needed.

People know how Git merges, and their tools understand its conflict markers, so pressync does not have merge
rules of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pressync.model.errors import RepositoryError
from pressync.repo import run_git

# The exit code of `git merge-file` is the number of conflicts up to this number. Higher codes are failures.
_MOST_CONFLICTS = 127
_TWO_SIDES = "merge.conflictStyle=merge"


@dataclass(frozen=True, slots=True)
class MergedText:
    """The merged text, and the number of places where a person has to choose."""

    text: str
    conflicts: int


def merge(
    ours: str,
    base: str | None,
    theirs: str,
    *,
    names: tuple[str, str, str] = ("", "", ""),
    ours_wins: bool = False,
) -> MergedText:
    """Merge `theirs` into `ours`, line by line; `names` label ours, the base and theirs in the markers.

    If `ours_wins`, the text has our side of each conflict, and there is no conflict. Without a base, each
    line that only one side has is in a conflict.

    :raises RepositoryError: Git failed.
    """
    if base in {ours, theirs} or ours == theirs:
        return MergedText(theirs if base == ours else ours, 0)
    import tempfile  # noqa: PLC0415 - most plans merge nothing

    with tempfile.TemporaryDirectory(prefix="pressync-") as folder:
        files = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for file, text in zip(files, (ours, base, theirs), strict=True):
            file.write_text(text or "", encoding="utf-8", newline="")
        labels = [word for name in names for word in ("-L", name)]
        style = "--ours" if ours_wins else "--diff3"
        # The style of this setting leaves the lines that both sides have out of a conflict.
        how = ("merge-file", "-p", style) if base is not None else ("-c", _TWO_SIDES, "merge-file", "-p")
        result = run_git.run(*how, *labels, *files)
    if result.status > _MOST_CONFLICTS or result.status < 0:
        raise RepositoryError(f"git merge-file failed: {result.err.decode(errors='replace').strip()}")
    return MergedText(result.out.decode(), result.status)

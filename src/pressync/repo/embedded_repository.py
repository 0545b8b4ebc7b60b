"""Refuses a repository that somebody committed into another one, because its configuration can name programs.

Git treats any folder with `HEAD`, `objects` and `refs` as a bare repository, and such a folder can be
committed. Git then runs the programs in its `config`: `core.fsmonitor`, filters, `core.sshCommand`, hooks.
Git's own protection, `safe.bareRepository=explicit`, would also refuse a server's bare repositories. Those
are not in the index of another repository, and this module uses that difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError
from pressync.repo import run_git

if TYPE_CHECKING:
    from pathlib import Path


def refuse_committed(git: Path, directory: Path) -> None:
    """Refuse the Git directory that Git found for a folder if it is a part of another repository's tree.

    :raises RepositoryError: it is committed or staged there.
    """
    git, directory = git.resolve(), directory.resolve()
    # A folder of a work tree is not inside the Git directory, so nearly every run ends here.
    if not directory.is_relative_to(git):
        return
    outer = next((folder for folder in git.parents if (folder / ".git").exists()), None)
    if outer is not None and _is_tracked(outer, git.relative_to(outer).as_posix()):
        raise RepositoryError(
            f"this repository was committed into the one at {outer}, and its settings can run programs",
            where=str(git),
            todo="go to a folder outside of it, or name one with `-C`",
        )


def _is_tracked(outer: Path, name: str) -> bool:
    return bool(run_git.text(outer, "--literal-pathspecs", "ls-files", "-z", "--", name))

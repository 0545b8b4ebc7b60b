"""A repository that somebody committed into another one is not used: its configuration can name programs.

Git takes any folder with `HEAD`, `objects` and `refs` for a bare repository, and one can be committed.
Git then runs what its `config` names: `core.fsmonitor`, filters, `core.sshCommand`, hooks. Git's own answer,
`safe.bareRepository=explicit`, would refuse a server's bare repositories as well; these are in no other
repository's index, and that is how the two are told apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError
from pressync.repo import run_git

if TYPE_CHECKING:
    from pathlib import Path


def refuse_committed(git: Path, directory: Path) -> None:
    """Refuse the Git directory that Git found for a folder if it is a part of another repository's tree.

    :raises RepositoryError: it is committed there, or staged.
    """
    git, directory = git.resolve(), directory.resolve()
    # Whoever is in a work tree is not in its Git directory, so nearly nobody pays for more than this.
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

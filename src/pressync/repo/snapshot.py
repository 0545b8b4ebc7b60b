"""Makes a tree object of uncommitted work: of the working tree, or of the index.

All content is read from Git objects, so that a bare repository, a hook and a sparse checkout read the same
bytes. Uncommitted work becomes a tree object too, in a scratch folder, and is then read like a commit.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError
from pressync.repo.scratch_objects import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

_INDEX = "GIT_INDEX_FILE"


def of_working_tree(
    run: Callable[..., str], root: Path, folders: Collection[str], env: Mapping[str, str]
) -> str:
    """Give the id of the tree that a commit of everything below `folders` would have, untracked files too.

    `run` runs Git and gives its output; `env` names the scratch folder and the copy of the index.

    :raises RepositoryError: a merge is not finished.
    """
    if run("ls-files", "-z", "--unmerged", env=env):
        raise RepositoryError("a merge is not finished", todo="resolve its conflicts and commit first")
    listed = ("ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard", "--")
    edited = run(*OPTIONS, *listed, *pathspecs(folders), env=env).split("\0")
    files = "".join(f"{path}\0" for path in edited if path and not Path(root, path).is_dir())
    run(*OPTIONS, "update-index", "-z", "--add", "--remove", "--replace", "--stdin", given=files, env=env)
    return run(*OPTIONS, "write-tree", env=env)


def of_index(run: Callable[..., str], env: Mapping[str, str]) -> str:
    """Give the id of the tree of the next commit.

    :raises RepositoryError: a merge is not finished.
    """
    # In a hook of `git commit FILE`, Git names an index for this commit alone, by a path from where it runs.
    if _INDEX in os.environ:
        env = {**env, _INDEX: str(Path(os.environ[_INDEX]).absolute())}
    return run("write-tree", env=env)


def pathspecs(folders: Collection[str]) -> list[str]:
    """Write folders as Git wants them; the root is a dot."""
    return [folder or "." for folder in sorted(folders)]

"""The manifest that a run wrote goes back to the branch that it came from.

It must not know who asks: a workflow today. What decided its shape: the run has already changed the site,
so what it learned must not be lost to whoever pushed meanwhile; two manifests merge record by record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import ManifestError
from pressync.repo.push import RemoteBranch
from pressync.state.manifest.codec import decode
from pressync.state.manifest.merge import merge

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pressync.model.records import Manifest
    from pressync.repo.repository import Repository


def require_push(repository: Repository, branch: str) -> None:
    """Refuse a run whose manifest could not be pushed afterwards, before it changes anything.

    :raises RepositoryError: the remote says no.
    """
    RemoteBranch(repository, branch).require_push()


def commit_and_push(repository: Repository, manifest: Path, branch: str, message: str) -> str | None:
    """Commit the manifest and push it; the commit on the branch, None if the manifest has no change.

    :raises RepositoryError: Git or the remote refused. The commit is in this clone then.
    :raises ManifestError: others pushed a manifest meanwhile that says something else of the same path.
    """
    made = repository.commit_file(manifest, message)
    if made is None or repository.root is None:
        return None
    file = manifest.relative_to(repository.root).as_posix()
    return RemoteBranch(repository, branch).publish(made, file, _merged(file))


def _merged(file: str) -> Callable[[bytes | None, bytes, bytes | None], bytes]:
    def merged(base: bytes | None, ours: bytes, theirs: bytes | None) -> bytes:
        if theirs is None or theirs == base:
            return ours
        both = merge(_read(base, file) if base else None, _read(ours, file), _read(theirs, file))
        if both.clashes:
            raise ManifestError(
                f"another run pushed a manifest meanwhile, and {both.clashes[0].what}",
                where=file,
                todo="delete one of the two on the site, and bind the file to the other (`pressync adopt`)",
            )
        return both.text.encode()

    return merged


def _read(data: bytes, file: str) -> Manifest:
    return decode(data.decode(errors="replace"), where=file)

"""Pushes the manifest that a run wrote to the branch of the run.

The run has already changed the site, so its new ids must not be lost when another run pushed meanwhile. Two
manifests are merged record by record.
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
    """Refuse a run whose manifest could not be pushed, before the run changes anything.

    :raises RepositoryError: the remote refuses a push.
    """
    RemoteBranch(repository, branch).require_push()


def commit_and_push(repository: Repository, manifest: Path, branch: str, message: str) -> str | None:
    """Commit and push the manifest; give the commit on the branch, None if the manifest has no change.

    :raises RepositoryError: Git or the remote refused; the commit stays in this clone.
    :raises ManifestError: another run pushed a manifest that contradicts ours.
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

"""Opens the reference that has the manifest of a site, with its remote and with the file that it replaces.

A site that moves from a file to a reference must not create its pages again. So the manifest's file counts
until the reference exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError
from pressync.repo.ref import Reference
from pressync.state.manifest_ref import ManifestRef

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.config.settings import Settings
    from pressync.repo.repository import Repository
    from pressync.state.clone_files import CloneFiles


def of_site(
    repository: Repository,
    settings: Settings,
    files: CloneFiles,
    *,
    wait: float,
    say: Callable[[str], None],
) -> ManifestRef | None:
    """Open the reference that has a site's manifest; None if the manifest is a file.

    :raises ConfigError: this clone does not have the remote.
    """
    site = settings.site
    if site.reference is None:
        return None
    remotes = repository.port.remotes()
    remote = "origin" if site.remote is None and "origin" in remotes else site.remote
    if remote and remote not in remotes:
        known = ", ".join(sorted(remotes)) or "none"
        what = f"this clone has no remote '{remote}' (it has: {known})"
        raise ConfigError(what, where=settings.origins["remote"], todo="`git remote add` it")
    return ManifestRef(
        Reference(repository, site.reference, remote or None),
        site.target,
        token=files.claim,
        wait=wait,
        say=say,
        fallback=lambda: _file(repository, site.file, files),
    )


def _file(repository: Repository, name: str, files: CloneFiles) -> bytes | None:
    """Read the manifest's file: as it is committed, or in a bare repository the clone's own."""
    committed = repository.blob_at(repository.tree(repository.commit()), name)
    if committed is None and repository.root is None and files.manifest.is_file():
        return files.manifest.read_bytes()
    return committed

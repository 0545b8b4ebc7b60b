"""Where a workspace finds its service, its manifest and the files of the clone.

A rehearsal runs the sync of the site on a stage, and nothing of it may reach the site. So these places are
one value that a workspace gets when it is made: those of the site are here, and a stage brings its own.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from pressync.app import embedded_home, embedded_server
from pressync.client.connect import open_service
from pressync.state import manifest_file
from pressync.state.clone_files import CloneFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pressync.client.port import Limits, Service
    from pressync.config.secrets import CredentialPolicy
    from pressync.config.settings import Settings, SettingsText
    from pressync.repo.repository import Repository
    from pressync.state.manifest_ref import ManifestRef


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteClone:
    """A clone and one site of it, as a command has opened them in `directory`.

    `found` is the text of the settings, and where it was. `wait` is how many seconds the lock of another
    run is waited for, and `say` hears of it. `agree` asks a person a question.
    """

    directory: Path
    repository: Repository
    settings: Settings
    # It may hold a password.
    environ: Mapping[str, str] = field(repr=False)
    found: SettingsText
    wait: float
    say: Callable[[str], None]
    agree: Callable[[str], bool] = lambda _question: False

    @property
    def credentials(self) -> CredentialPolicy:
        """Decides whether the credentials of this machine may be used with these settings."""
        from pressync.config.secrets import CredentialPolicy  # noqa: PLC0415 - a plan needs none

        return CredentialPolicy.of(self.repository, self.settings, self.environ, self.found, self.agree)

    @property
    def embedded_home(self) -> Path:
        """The Git directory that has the embedded service of this work tree."""
        repository = self.repository
        return embedded_home.home(repository.root, repository.git_directory, repository.common_directory)


class Places(Protocol):
    """The places of one site, or of the stage that stands for it."""

    @property
    def address(self) -> str | None:
        """The address that is asked which dialect it speaks; None for a service that speaks both."""

    @property
    def takes_every_branch(self) -> bool:
        """Whether commits are synced also if the settings name another branch."""

    @property
    def clone_files(self) -> CloneFiles:
        """The files in which this clone keeps what it knows of the site."""

    @property
    def manifest_path(self) -> Path:
        """The path of a manifest in a file."""

    @property
    def manifest_reference(self) -> ManifestRef | None:
        """The store of a manifest in a Git reference; None if the manifest is a file."""

    def manifest(self) -> Path | ManifestRef:
        """Give the file or the store of the manifest.

        :raises ManifestError: its path is not allowed.
        """

    def service(self, concurrency: int, limits: Limits | None) -> AbstractContextManager[Service]:
        """Open the service."""


@dataclass(frozen=True)
class SitePlaces:
    """The places of the site itself."""

    clone: SiteClone
    takes_every_branch = False

    @property
    def address(self) -> str | None:
        """The address of the site; None for the embedded service."""
        return self.clone.settings.site.url

    @cached_property
    def clone_files(self) -> CloneFiles:
        """The files of the clone, or those of the work tree that has the embedded service."""
        clone, is_embedded = self.clone, self.address is None
        directory = clone.embedded_home if is_embedded else clone.repository.common_directory
        return CloneFiles.of(directory, clone.settings.site.name)

    @property
    def manifest_path(self) -> Path:
        """The path of a manifest in a file; in a bare repository it is in the Git directory."""
        root = self.clone.repository.root
        return root / self.clone.settings.site.manifest if root else self.clone_files.manifest

    @cached_property
    def manifest_reference(self) -> ManifestRef | None:
        """The store of a manifest in a Git reference; None if the manifest is a file.

        :raises ConfigError: this clone has no remote of the configured name.
        """
        clone = self.clone
        if clone.settings.site.reference is None:
            return None
        from pressync.state import manifest_ref  # noqa: PLC0415 - most manifests are files

        return manifest_ref.of_site(
            clone.repository, clone.settings, self.clone_files, wait=clone.wait, say=clone.say
        )

    def manifest(self) -> Path | ManifestRef:
        """Give the file or the store of the manifest.

        :raises ManifestError: its path is not allowed.
        """
        if self.clone.settings.site.reference is None:
            manifest_file.check(self.clone.repository, self.clone.settings.site.manifest)
        return self.manifest_reference or self.manifest_path

    @contextmanager
    def service(self, concurrency: int, limits: Limits | None) -> Iterator[Service]:
        """Open the site's service; the embedded service is started if it does not run."""
        clone, credentials = self.clone, self.clone.credentials
        secret = credentials.authorization()
        own = embedded_server.data_directory(clone.embedded_home)
        place = nullcontext(self.address) if self.address else embedded_server.running_or_started(own)
        with place as url:
            service = open_service(
                url,
                dialect=clone.settings.site.dialect,
                authorization=secret,
                concurrency=concurrency,
                allow_http=credentials.allow_http,
                limits=limits,
            )
            try:
                yield service
            finally:
                service.close()

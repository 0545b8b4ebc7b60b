"""The workspace of a rehearsal: the repository and the settings of the site, but a stage for its service.

The settings stay those of the site, with its address, so that documents, plan and reasons are the ones of the
real sync. Only the service, the manifest and the files of the clone are others. No method of this class opens
a connection to the site.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from pressync.app.workspace import Workspace
from pressync.client.connect import open_service
from pressync.state.clone_files import CloneFiles
from pressync.state.manifest_file import ManifestFile
from pressync.state.open import open_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.app.rehearse.stage import RunningStage
    from pressync.client.port import Limits, Service
    from pressync.state.state import State

# A copied file of the clone is one of these, by its ending. The lock and the claim are those of another run.
_COPIED = (".journal", ".made", ".made.removed", ".vouched")


class StagedWorkspace(Workspace):
    """A workspace whose service is a stage; its manifest and journal are in the stage's directory."""

    is_stage = True

    def __init__(self, site: Workspace, stage: RunningStage, directory: Path) -> None:
        """Stand beside the workspace of the site, which must stay open."""
        # Everything that reads content is the site's own; only what is overridden below differs.
        self.__dict__.update(site.__dict__)
        self.__dict__.pop("manifest_reference", None)
        self._stage = stage
        self._files = CloneFiles(directory / "state", site.settings.site.name)

    @cached_property
    def manifest_reference(self) -> None:
        """None: the manifest of a stage is a file."""
        return

    @property
    def manifest_path(self) -> Path:
        """The path of the stage's manifest."""
        return self._files.manifest

    @property
    def clone_files(self) -> CloneFiles:
        """The files of the stage."""
        return self._files

    def state(self, *, writable: bool) -> State:
        """Open the stage's manifest and journal."""
        place, target = self.manifest_path, self.settings.site.target
        return open_state(place, self._files, target, writable=writable, wait=self._wait)

    @contextmanager
    def service(self, concurrency: int, limits: Limits | None = None) -> Iterator[Service]:
        """Open the stage's service with the stage's credentials."""
        service = open_service(
            self._stage.url,
            dialect=self.settings.site.dialect,
            authorization=self._stage.authorization,
            concurrency=concurrency,
            limits=limits,
        )
        try:
            yield service
        finally:
            service.close()

    def copy_state(self, site: Workspace, state: State) -> None:
        """Copy what the clone knows of the site: manifest, unconfirmed creates, and the records it made."""
        copied = site.clone_files
        self._files.directory.mkdir(parents=True, exist_ok=True)
        for ending in _COPIED:
            source = copied.directory / f"{copied.site}{ending}"
            if source.is_file():
                shutil.copyfile(source, self._files.directory / source.name)
        if state.has_manifest or state.whole.unconfirmed:
            store = ManifestFile(self.manifest_path, state.whole.target, is_private=True)
            store.read()
            store.save(state.whole)

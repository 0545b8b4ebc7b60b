"""The workspace of a rehearsal: the repository and the settings of the site, but a stage for its service.

The settings stay those of the site, with its address, so that documents, plan and reasons are the ones of the
real sync. Only the service, the manifest and the files of the clone are others. So none of these places knows
the site's.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app.workspace import Workspace
from pressync.client.connect import open_service
from pressync.state.clone_files import CloneFiles
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.app.rehearse.stage import RunningStage
    from pressync.client.port import Limits, Service

# A copied file of the clone is one of these, by its ending. The lock and the claim are those of another run.
_COPIED = (".journal", ".made", ".made.removed", ".vouched")


@dataclass(frozen=True, slots=True)
class StagePlaces:
    """The places of a stage: its service, and a manifest and a journal in its directory."""

    stage: RunningStage
    dialect: str
    clone_files: CloneFiles
    address = None
    takes_every_branch = True
    manifest_reference = None

    @property
    def manifest_path(self) -> Path:
        """The path of the stage's manifest."""
        return self.clone_files.manifest

    def manifest(self) -> Path:
        """Give the file of the stage's manifest."""
        return self.manifest_path

    @contextmanager
    def service(self, concurrency: int, limits: Limits | None) -> Iterator[Service]:
        """Open the stage's service with the stage's credentials."""
        service = open_service(
            self.stage.url,
            dialect=self.dialect,
            authorization=self.stage.authorization,
            concurrency=concurrency,
            limits=limits,
        )
        try:
            yield service
        finally:
            service.close()


def on_stage(workspace: Workspace, stage: RunningStage, directory: Path) -> Workspace:
    """Open a workspace on a stage, with a copy of what the clone knows of the site, which stays open.

    The copy has the manifest, the unconfirmed creates, and the records that this clone made.
    """
    files, copied = CloneFiles(directory / "state", workspace.settings.site.name), workspace.clone_files
    with workspace.reading() as state:
        files.directory.mkdir(parents=True, exist_ok=True)
        for ending in _COPIED:
            source = copied.directory / f"{copied.site}{ending}"
            if source.is_file():
                shutil.copyfile(source, files.directory / source.name)
        if state.has_manifest or state.whole.unconfirmed:
            store = ManifestFile(files.manifest, state.whole.target, is_private=True)
            store.read()
            store.save(state.whole)
    return Workspace(workspace.clone, StagePlaces(stage, workspace.settings.site.dialect, files))

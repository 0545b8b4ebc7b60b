"""Moves the manifest of a site from its file to a Git reference, or back, and writes the setting for it.

Other clones learn of the move with the next pull, and some of them sync before it. A file can be merged into
the reference later. A reference that was left says so, and no clone writes to it any more. The new place is
complete before the setting changes and before the old place is given up. So a killed move loses nothing, and
running it again ends it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from pressync.app.places import SitePlaces
from pressync.config.settings import find_text
from pressync.config.settings_file import with_setting
from pressync.model.errors import ConfigError, RepositoryError, SafetyRefusal, StorageError
from pressync.model.records import Manifest
from pressync.plan import known_elsewhere, manifest_search, synced_commits
from pressync.repo.discover import settings_file
from pressync.repo.work_tree import refuse_symlink
from pressync.state import atomic_files
from pressync.state.manifest.merge import merge
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.app.workspace import Workspace
    from pressync.config.settings import Site
    from pressync.state.manifest_ref import ManifestRef
    from pressync.state.state import State

REFERENCE = "ref"
# Seconds in which the remote must answer whether it has newer commits.
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class ManifestMove:
    """The result of a move: the number of records, the new place, and the files that are to be committed."""

    records: int
    place: str
    changed: tuple[str, ...]


def move(workspace: Workspace, to: str, config_file: Path | None) -> ManifestMove:
    """Move the manifest to a reference or to a file, and write the setting; a second call is harmless.

    :raises ConfigError: the settings cannot be edited, or no other clone shares this manifest.
    :raises SafetyRefusal: another run holds the manifest, this clone has to pull, or a file has two records.
    :raises RepositoryError: the remote refuses the push, or cannot be reached.
    """
    root, site = workspace.repository.root, workspace.settings.site
    if root is None:
        what = "pressync cannot write settings in a bare repository"
        raise RepositoryError(
            what, todo="change `manifest` in a clone, and push that: it takes the records over"
        )
    if site.url is None:
        raise ConfigError("the embedded service belongs to this clone, so nobody shares its manifest")
    found = find_text(workspace.repository, config_file)
    settings = settings_file(root, config_file) or root
    value = REFERENCE if to == REFERENCE else site.file
    text = with_setting(found.text or "", found.where, site.name, "manifest", value)
    refuse_symlink(root, site.file)
    mover = _Mover(workspace, root, site, _reference(workspace))
    if to == REFERENCE:
        mover.refuse_unpulled()
    # Everything happens under the lock: a run between two steps would write to the place that is given up.
    with workspace.state(writable=True) as state:
        mover.refuse_lost(state)
        records = mover.to_reference(state) if to == REFERENCE else mover.to_file(state)
        if text != found.text:
            with _writing(settings):
                atomic_files.replace(settings, text.encode())
        if to == REFERENCE:
            with _writing(root / site.file):
                atomic_files.remove(root / site.file)
    place = mover.reference.where if to == REFERENCE else site.file
    names = [_shown(each, root) for each in (settings, root / site.file)]
    changed = [name for name in names if any(workspace.repository.uncommitted([name]))]
    return ManifestMove(records, place, tuple(changed))


@dataclass(frozen=True, slots=True)
class _Mover:
    """The two places of one site's manifest. Every step happens under the lock of the site."""

    workspace: Workspace
    root: Path
    site: Site
    reference: ManifestRef

    def to_reference(self, state: State) -> int:
        """Put everything that is known into the reference; give the number of records."""
        if not (state.has_manifest or (self.site.reference and self._file.path.exists())):
            return 0
        state.save("Before a move")
        if self.site.reference:
            theirs = self._file.read()
        else:
            theirs = self.reference.read(writable=True)
            if self.reference.reference.tip is None:
                # The reference does not exist, and gives the committed file: ours is at least as new.
                theirs = Manifest(self.site.target)
        ours = self._merged(state.whole, theirs)
        self.reference.arrive(ours, self.site.file)
        return len(ours.entries)

    def to_file(self, state: State) -> int:
        """Close the reference, then write the file; give the number of records."""
        if not self.site.reference or not state.has_manifest:
            return len(state.manifest.entries)
        file = self._file
        ours = self._merged(state.whole, file.read())
        self.reference.leave(ours, self.site.file)
        with _writing(file.path):
            file.save(ours)
        return len(ours.entries)

    @property
    def _file(self) -> ManifestFile:
        return ManifestFile(self.root / self.site.file, self.site.target)

    def _merged(self, ours: Manifest, theirs: Manifest) -> Manifest:
        """Merge what both places know, because clones that had not pulled wrote to the old place.

        A term or a file that was made twice keeps our id: both mean the same.
        """
        if ours == theirs or not (theirs.entries or theirs.unconfirmed or theirs.names or theirs.media):
            return ours
        reference = self.reference.reference.name
        before = known_elsewhere.after_last_move(self.workspace.repository, reference, self.site.target)
        merged = merge(before and _shared(before, theirs), ours, theirs)
        for mine, other in filter(None, (clash.records for clash in merged.clashes)):
            path = quote(mine.path)
            raise SafetyRefusal(
                f"{mine.path} is {mine.kind} {mine.id} here, and {other.kind} {other.id} in the other place",
                todo=f"`pressync forget {path}` and a second move take {other.kind} {other.id}; `pressync "
                f"forget {path}` and `pressync adopt {path} {mine.id}` after it take {mine.kind} {mine.id}",
            )
        return merged.manifest

    def refuse_lost(self, state: State) -> None:
        """Refuse to move nothing, if Git has a manifest of this site somewhere else."""
        repository = self.workspace.repository
        if state.has_manifest:
            return
        refusals, _ = manifest_search.lost(repository, self.site, repository.commit())
        for refusal in refusals:
            raise SafetyRefusal(refusal.message, code=refusal.code)

    def refuse_unpulled(self) -> None:
        """Refuse to move a file of which the upstream has a newer version."""
        repository, remote = self.workspace.repository, self.reference.reference.remote
        if remote:
            # Without the network, the push of the reference says so.
            repository.fetch(remote, _PATIENCE)
        # If the upstream has deleted the file, somebody has moved it. Our file then has only what came later.
        if repository.history.upstream_has_newer(self.site.file):
            what = f"the upstream has a newer {self.site.file}"
            raise SafetyRefusal(what, todo=synced_commits.first_pull(repository, self.site))


def _reference(workspace: Workspace) -> ManifestRef:
    """Open the reference of the site, also if the settings still name a file."""
    settings = workspace.settings
    wanted = replace(settings, site=replace(settings.site, manifest=REFERENCE))
    found = (
        workspace.manifest_reference
        or SitePlaces(replace(workspace.clone, settings=wanted)).manifest_reference
    )
    if found is None:
        raise AssertionError('a site with `manifest = "ref"` has no reference')
    found.takes_back = True
    return found


def _shared(before: Manifest, theirs: Manifest) -> Manifest:
    """Give the part of a common state that the other side still has.

    The other side may be older than that state. So a record that it lacks was not dropped there.
    """
    records = {(entry.kind, entry.id) for entry in theirs.entries.values()}
    return replace(
        before,
        entries={path: e for path, e in before.entries.items() if (e.kind, e.id) in records},
        names={name: number for name, number in before.names.items() if name in theirs.names},
        media={blob: medium for blob, medium in before.media.items() if blob in theirs.media},
        unconfirmed=tuple(create for create in before.unconfirmed if create in theirs.unconfirmed),
    )


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        todo = "make it writable, and run `pressync manifest move` again: it goes on from here"
        raise StorageError(f"it cannot be written ({error.strerror})", where=str(path), todo=todo) from error

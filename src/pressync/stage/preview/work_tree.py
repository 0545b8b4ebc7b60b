"""The working tree as a preview follows it: one listing, the files that changed, the documents that did not.

The service that tells of changed files differs on each system, and on some file systems it tells nothing. To
look at the times of two thousand files takes about ten milliseconds, and works everywhere. After a save, only
the saved file and those that depend on it may be rendered again, or a person would wait for seconds. The
basis of a document names all that it depends on beside its own file, so it decides here as it decides in a
plan.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pressync.app.revision import Revision
from pressync.content.content import Content
from pressync.repo.discover import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from pressync.app.workspace import Workspace
    from pressync.config.settings import Settings
    from pressync.content.read_files import ReadFile
    from pressync.content.render.renderer import Rendered
    from pressync.model.records import Document, Entry
    from pressync.repo.repository import Repository, Tree


@dataclass(frozen=True, slots=True)
class WorkTree(Revision):
    """The working tree at one moment, which is listed only once."""

    worktree: bool = True
    listed: Tree | None = None

    @classmethod
    def now(cls, workspace: Workspace) -> WorkTree:
        """List the files of a site's work tree."""
        settings = workspace.settings
        return cls(listed=workspace.repository.worktree([settings.content, settings.templates]))

    def tree(self, repository: Repository, folders: Collection[str]) -> Tree:
        """Give the files as they were listed."""
        return self.listed or repository.worktree(folders)


# Time, size and inode: an editor may replace a file by another of the same size.
Stamp = tuple[int, int, int]


class WatchedFiles:
    """The files below some folders, and some files by themselves."""

    def __init__(self, root: Path, folders: Collection[Path], files: Collection[Path]) -> None:
        """Look at the files for the first time; changed paths are given from `root`."""
        self._root = root
        self._folders = folders
        self._files = files
        self._stamps = dict(self._look())

    def changed(self) -> list[str]:
        """Give the paths that are new, gone or different since the last call."""
        before, now = self._stamps, dict(self._look())
        self._stamps = now
        paths = sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
        return [os.path.relpath(path, self._root) for path in paths]

    def _look(self) -> Iterator[tuple[str, Stamp]]:
        for file in self._files:
            if stamp := _stamp(file):
                yield str(file), stamp
        waiting = [str(folder) for folder in self._folders]
        while waiting:
            try:
                entries = os.scandir(waiting.pop())
            except OSError:
                # It was removed, or it is not there yet.
                continue
            with entries:
                for entry in entries:
                    # Hidden files are not content: `.git`, and the files that editors write beside their own.
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif stamp := _stamp(entry):
                        yield entry.path, stamp


def watched(workspace: Workspace) -> WatchedFiles:
    """Watch the content, the templates, the settings, the manifest, and the commits of a clone."""
    repository = workspace.repository
    if repository.root is None:
        raise AssertionError("a preview has a work tree")
    folders = {repository.root / workspace.settings.content, repository.root / workspace.settings.templates}
    reference = workspace.settings.site.reference
    files = [workspace.manifest_path, repository.root / SETTINGS, repository.git_directory / "logs" / "HEAD"]
    return WatchedFiles(
        repository.root, folders, [*files, repository.common_directory / reference] if reference else files
    )


def _stamp(file: Path | os.DirEntry[str]) -> Stamp | None:
    """Give what tells a version of a file from another; None if the file is gone."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _RememberedFile:
    blob: str
    read: ReadFile
    rendered: tuple[Document, Rendered] | None


class RememberedDocuments:
    """The documents that were read; `open` opens a tree that knows them."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, bool, bool], _RememberedFile] = {}
        self._files: Mapping[str, str] = {}

    def open(self, repository: Repository, tree: Tree, settings: Settings, **options: Any) -> Content:  # noqa: ANN401 - those of `Content`
        """Open a tree, as `Content` does. If more than the texts of documents differs, nothing is known."""
        content = _RememberedContent(repository, tree, settings, **options)
        files = tree.files
        differing = {path for path in self._files.keys() | files if self._files.get(path) != files.get(path)}
        if self._files.keys() != files.keys() or not differing <= content.sources.keys():
            self.forget()
        self._files = files
        content.documents = self
        return content

    def forget(self) -> None:
        """Forget all documents."""
        self.known.clear()


class _RememberedContent(Content):
    documents: RememberedDocuments
    _told: tuple[Document, Rendered] | None = None

    def read(
        self,
        path: str,
        entries: Mapping[str, Entry],
        data: bytes | None = None,
        *,
        check: bool = True,
        renamed: Mapping[str, str] = _NOTHING,
    ) -> ReadFile:
        # The new names of renamed files change the sentences about broken links.
        if data is not None or renamed:
            return super().read(path, entries, data, check=check, renamed=renamed)
        key = (path, check, bool(entries))
        known = self.documents.known.get(key)
        if known and known.blob == self.sources[path] and self._holds(known.read, entries):
            if known.rendered:
                self._tell(*known.rendered)
            return known.read
        self._told = None
        read = super().read(path, entries, check=check)
        self.documents.known[key] = _RememberedFile(self.sources[path], read, self._told)
        return read

    def _tell(self, document: Document, rendered: Rendered) -> None:
        self._told = document, rendered
        super()._tell(document, rendered)

    def _holds(self, read: ReadFile, entries: Mapping[str, Entry]) -> bool:
        """Tell whether everything beside the file that a document depends on is as it was."""
        if read.prepared is None:
            return True
        desired = read.prepared.desired
        return desired.basis == self.basis(desired.layout, desired.parent_path, desired.links, entries)

"""Shows the work tree on a stage, and brings the stage along with each saved file.

The stage is that of a rehearsal, and the same sync writes to it, with its limits lifted. A file with problems
is left out of that sync, so its last good page stays. Nothing is written to the site, its manifest, its
journal or the work tree. The service that tells of changed files differs on each system, and to look at the
times of two thousand files takes about ten milliseconds. After a save, only the saved file and those whose
basis names it are rendered again, or a person would wait for seconds.
"""

from __future__ import annotations

import os
import posixpath
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pressync.app import check, check_cache
from pressync.app.comparisons import Comparisons
from pressync.app.revision import Revision
from pressync.content.basis import BARE
from pressync.content.content import Content
from pressync.content.documents import name_and_date
from pressync.content.sources import below, pages_of
from pressync.model.changes import Outcome, Plan, Result
from pressync.model.errors import ConfigError, PressyncError
from pressync.model.web_address import path_of
from pressync.plan.build import PlannedRun, PlanOptions, build_plan
from pressync.plan.survey import NO_FINDINGS, Progress, SiteFindings, known
from pressync.repo.discover import SETTINGS
from pressync.repo.paths import is_below
from pressync.stage.overlay import Board, Overlay, WorkTreeFacts, file_at
from pressync.stage.rehearse.embedded_stage import EmbeddedStage, StoredPages
from pressync.stage.rehearse.live_site import LiveSite, Unread, site_of
from pressync.stage.rehearse.stage import EVERYTHING, on_stage
from pressync.stage.server.rendering import to_paths
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
            self.known.clear()
        self._files = files
        content.documents = self
        return content


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
        now = self.basis(desired.layout, desired.parent_path, desired.links, entries)
        return desired.basis[:BARE] == now


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewOptions:
    """The options of a preview; with `drift` the site is read once, at the start."""

    port: int = 0
    drift: bool = False
    stop: threading.Event
    listener: RunListener
    progress: Progress | None = None
    # It hears of the plan that runs on the stage, and agrees: nobody is asked.
    expect: Callable[[Plan], bool] = lambda _plan: True


class PreviewStage:
    """The stage while it runs; `sync` comes before everything else."""

    def __init__(
        self, staged: Workspace, rendered: Callable[[], StoredPages], options: PreviewOptions
    ) -> None:
        self._staged = staged
        self._rendered = rendered
        self._options = options
        self._blocked: frozenset[str] | None = None

    def sync(self, tree: WorkTree) -> tuple[Outcome, ...]:
        """Sync the work tree to the stage.

        The stage has nobody's edits after the first sync. To overwrite reads every record of the stage, so it
        is done again only if something new is blocked.
        """
        before = self._blocked
        outcomes = self._synced(tree, overwrite=before is None)
        if before is not None and _blocked(outcomes) - before:
            done = [outcome for outcome in outcomes if outcome.result is Result.DONE]
            outcomes = (*done, *self._synced(tree, overwrite=True))
        self._blocked = _blocked(outcomes)
        with self._staged.reading() as state:
            self._entries = state.manifest.entries
            self._content = self._staged.content(tree, manifest=state.manifest)
        self._pages = self._rendered()
        return outcomes

    def document_at(self, page: str) -> str | None:
        """Give the path of the document that is shown at an address; None for any other page."""
        number = self._pages.id_at(page)
        found = (path for path, entry in self._entries.items() if entry.id == number)
        return next(found, None)

    def addresses(self) -> dict[str, str]:
        """Give the address of each document that has a page, by its path."""
        paths = self._pages.paths()
        return {path: paths[entry.id] for path, entry in self._entries.items() if entry.id in paths}

    def text(self, path: str) -> str | None:
        """Give the text of a document with the addresses of the stage; None if it cannot be rendered."""
        return self._content.text(path, self._entries)

    def with_paths(self, html: str) -> str:
        """Let the pictures and links of a text lead to the stage."""
        return to_paths(html, self._pages.own_addresses)

    def _synced(self, tree: WorkTree, *, overwrite: bool) -> tuple[Outcome, ...]:
        result = self._staged.sync(
            tree,
            replace(EVERYTHING, overwrite=overwrite),
            RunOptions(overwrite=overwrite),
            Approval(self._options.expect, keep_going=True),
            stop=self._options.stop,
            listener=self._options.listener,
            progress=self._options.progress,
        )
        return result.outcomes if result else ()


def _blocked(outcomes: Collection[Outcome]) -> frozenset[str]:
    return frozenset(outcome.change.path for outcome in outcomes if outcome.result is Result.BLOCKED)


# Seconds between two looks at the files.
_EVERY = 0.25
_ENDED_BADLY = frozenset({Result.FAILED, Result.SKIPPED, Result.UNCONFIRMED})


class _SupersededError(Exception):
    """Something more urgent came while every file was checked."""


class Preview:
    """A running preview. One thread calls its methods; other threads answer browsers from the board."""

    def __init__(  # noqa: PLR0917 - `opened` alone makes it
        self,
        workspace: Workspace,
        stage: PreviewStage,
        address: str,
        board: Board,
        options: PreviewOptions,
        looked: PlannedRun | None,
    ) -> None:
        self.address = address
        self._stage = stage
        self._board = board
        self._options = options
        self._findings: SiteFindings = looked.findings if looked else NO_FINDINGS
        self._edited = {e.path: e for e in looked.entries.values() if e.conflict} if looked else {}
        self._files = watched(workspace)
        self._saved: list[str] = []
        self._tree = WorkTree.now(workspace)
        self._read = RememberedDocuments()
        self._workspace = workspace.opening(self._read.open)
        self._notes: tuple[str, ...] = ()
        self._facts = self._refreshed()

    def address_of(self, path: str) -> str:
        """Give the address of a document in this preview.

        :raises ConfigError: it is not a document.
        """
        sources = self._workspace.content(self._tree).sources
        # A folder stands for its page.
        found = next((each for each in (path, *pages_of(path)) if each in sources), None)
        if found is None:
            raise ConfigError(
                f"'{path}' is not a document of the content folder", todo="name one Markdown file"
            )
        return self.address + self._facts.address(found)

    @property
    def trouble(self) -> Sequence[str]:
        """Sentences about what the preview itself cannot show."""
        return self._facts.trouble

    def follow(self, saved: Callable[[list[str]], object]) -> None:
        """Follow the work tree until the event of the options is set; `saved` hears of each change."""
        stop = self._options.stop
        while not stop.is_set():
            if self._has_changed():
                paths, self._saved = self._saved, []
                self.refresh(paths)
                saved(paths)
            self._answer()
            if self._facts.problems is None:
                self.check()
            else:
                self._board.wait(_EVERY)

    def refresh(self, saved: Collection[str]) -> None:
        """Bring the stage and the facts to the work tree; if that fails, keep the old facts and say why."""
        content = self._workspace.settings.content
        if not all(is_below(path, (content,)) for path in saved):
            # The manifest has other names and addresses now.
            self._read.known.clear()
        if SETTINGS in saved:
            self._notes = (f"{SETTINGS} has changed; end the preview and start it again",)
        try:
            self._tree = WorkTree.now(self._workspace)
            self._facts = self._refreshed()
        except PressyncError as error:
            self._facts = replace(self._facts, trouble=(str(error),))
            self._board.renew()

    def _refreshed(self) -> WorkTreeFacts:
        outcomes = self._stage.sync(self._tree)
        with self._workspace.reading() as state:
            content = self._workspace.content(self._tree, manifest=state.manifest)
            before = state.manifest.entries
            edited = {path: entry for path, entry in self._edited.items() if path in before}
            beside = replace(known(state, self._findings), entries={**before, **edited})
            planned = build_plan(content, self._workspace.capabilities, beside, PlanOptions())
            comparisons = Comparisons(content, state.manifest, planned, self._stage.text)
        facts = WorkTreeFacts(
            planned.plan,
            comparisons,
            self._stage.addresses(),
            self._stage.with_paths,
            trouble=(
                *self._notes,
                *(f"{o.change.path}: {o.message}" for o in outcomes if o.result in _ENDED_BADLY),
                *(f"sync would refuse: {refusal}" for refusal in planned.plan.refusals),
            ),
        )
        self._board.renew(stage_changed=any(outcome.result is Result.DONE for outcome in outcomes))
        return facts

    def _answer(self) -> None:
        """Put up the facts about the pages that browsers show."""
        for page in self._board.wanted:
            try:
                facts = self.facts_of(page)
            except PressyncError as error:
                facts = replace(self._facts, trouble=(str(error),)).of(None)
            self._board.put(page, facts)

    def facts_of(self, page: str) -> dict[str, object]:
        """Give the facts about the page at an address of the preview."""
        return self._facts.of(file_at(page) or self._stage.document_at(page) or self._without_page(page))

    def _without_page(self, page: str) -> str | None:
        """Give the document that will have its page at an address, by its name; None without exactly one."""
        name = posixpath.basename(path_of(page).rstrip("/"))
        content, types = self._workspace.settings.content, self._workspace.settings.types
        waiting = [
            path
            for path in self._workspace.content(self._tree).sources
            if path not in self._facts.addresses
            and name in {name_and_date(below(path, content), kind, types)[0] for kind in types.kinds}
        ]
        return waiting[0] if len(waiting) == 1 else None

    def check(self) -> None:
        """Check every file, as `pressync check` does, unless something else comes first."""
        looked = time.monotonic()

        def more_urgent(_done: int, _total: int) -> None:
            nonlocal looked
            if self._options.stop.is_set() or self._board.wanted:
                raise _SupersededError
            if time.monotonic() - looked > _EVERY:
                looked = time.monotonic()
                if self._has_changed():
                    raise _SupersededError

        workspace = self._workspace
        try:
            with check_cache.opened(workspace.repository, workspace.settings, workspace.environ) as kept:
                # Without a cache, the documents that the preview remembers are not rendered again.
                cache = kept if kept.keeps else None
                checked = check.check(workspace, self._tree, strict=False, progress=more_urgent, cache=cache)
            found = checked.problems
        except _SupersededError:
            return
        except PressyncError as error:
            self._facts = replace(self._facts, problems=(), trouble=(str(error),))
        else:
            self._facts = replace(self._facts, problems=found)
        self._board.renew()

    def _has_changed(self) -> bool:
        self._saved += self._files.changed()
        return bool(self._saved)


@contextmanager
def opened(workspace: Workspace, directory: Path, options: PreviewOptions) -> Iterator[Preview]:
    """Run a preview of a site's work tree in a directory of its own until the block ends.

    :raises RepositoryError: the repository is bare.
    :raises ConfigError: the site cannot be read although that is asked for.
    :raises StorageError: the stage does not start.
    """
    workspace.repository.require_root("run this in a clone")
    looked = None
    if options.drift:
        looked = workspace.plan(WorkTree(), PlanOptions(), options.progress, drift=True)
    board = Board()
    stage = EmbeddedStage(workspace, port=options.port, around=Overlay(board).around)
    unread = LiveSite(unread=(Unread("site", "a preview does not read it"),))
    live, _ = site_of(workspace, WorkTree(), PlanOptions(), lambda _planned, _state: unread)
    with stage.running(directory, live) as running:
        try:
            staged = on_stage(workspace, running, directory)
            running.bring(staged)
            shown = PreviewStage(staged, running.rendered, options)
            yield Preview(workspace, shown, running.address, board, options, looked)
        finally:
            # Browsers that wait would hold the service.
            board.close()

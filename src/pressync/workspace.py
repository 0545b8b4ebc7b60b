"""Opens content, manifest and service together, and does what the commands name.

It must not print or ask. What decided its shape: everything that changes a record happens with the
site's lock held from before the plan is drawn until after the manifest is saved, so the plan that a
person agreed to is the plan that is applied.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from pressync import config, embedded, inspection, paths
from pressync.apply import apply
from pressync.bookkeeping import carry_over
from pressync.content import Content
from pressync.errors import ConfigError, ContentError, SafetyRefusal
from pressync.model import Block, Blocked, Outcome, Result
from pressync.paths import Place
from pressync.planning import Choices, draw
from pressync.repo import Repository
from pressync.report.facts import Run, Standing, action, digest
from pressync.secret_sources import authorization
from pressync.service import dialect_named, open_service
from pressync.service.port import readable
from pressync.state import State
from pressync.survey import Known

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from pressync.apply import Pace, Watcher
    from pressync.config import Flags, Settings
    from pressync.errors import Problem
    from pressync.model import Capabilities, Plan
    from pressync.planning import Drawn
    from pressync.repo import Tree
    from pressync.service.port import Service
    from pressync.survey import Progress

# How long a second run waits for the first before it says who holds the lock, in seconds.
DEFAULT_WAIT = 60.0

_STATES = {"keep": "in_step", "update": "changed", "create": "new", "delete": "deleted"}


@dataclass(frozen=True, slots=True)
class Revision:
    """Which state of the repository is meant: a revision, or the working tree with its edits."""

    ref: str = "HEAD"
    worktree: bool = False


@dataclass(frozen=True, slots=True)
class Consent:
    """How a sync gets its go-ahead: by asking, and by the digest of a reviewed plan if there is one."""

    agree: Callable[[Plan], bool]
    reviewed: str | None = None
    keep_going: bool = False


class Workspace:
    """One repository and one site of it. Use as a context manager."""

    def __init__(
        self,
        directory: Path,
        *,
        flags: Flags | None = None,
        config_file: Path | None = None,
        environ: Mapping[str, str] | None = None,
        wait: float = DEFAULT_WAIT,
        say: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        """Open the repository that holds `directory` and read its settings.

        :raises RepositoryError: there is no repository.
        :raises ConfigError: the settings are wrong.
        """
        self.environ = os.environ if environ is None else environ
        self.repository = Repository(directory)
        text, where = self._configuration(config_file)
        self.settings: Settings = config.load(text, where=where, environ=self.environ, flags=flags)
        self._directory = directory
        self._wait = wait
        self._say = say

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.repository.__exit__(None, None, None)

    @property
    def manifest_path(self) -> Path:
        """The manifest's file; in a bare repository, which has no files, it lives in the Git directory."""
        root = self.repository.root
        if root is None:
            return self.state_directory / f"{self.settings.site.name}.json"
        return root / self.settings.site.manifest

    @property
    def state_directory(self) -> Path:
        """Where journal, lock and cache live: shared by all work trees of this clone, never committed."""
        return self.repository.common_directory / "pressync"

    @property
    def journal_path(self) -> Path:
        """The journal's file; it is there only while something is not settled and saved."""
        return self.state_directory / f"{self.settings.site.name}.journal"

    @property
    def capabilities(self) -> Capabilities:
        """What this site's service can do."""
        return dialect_named(self.settings.site.dialect).capabilities

    def path(self, argument: str, revision: Revision | None = None) -> str:
        """Give a path argument as the path from the repository's root; `paths` for one.

        :raises ConfigError: there is nothing at that path.
        """
        return self.paths([argument], revision)[0]

    def paths(self, arguments: Collection[str], revision: Revision | None = None) -> list[str]:
        """Give path arguments as paths from the repository's root, "" for the root itself.

        :raises ConfigError: there is nothing at one of the paths.
        """
        if not arguments:
            return []
        with self.reading() as state:
            tree = self.repository.tree(self.repository.commit((revision or Revision()).ref))
            known = {*tree.files, *state.manifest.entries, *state.doubts}
        place = Place(self._directory, self.repository.root, self.settings.content)
        return paths.resolved(arguments, place, known)

    def content(self, revision: Revision, *, strict: bool = False) -> Content:
        """Open the documents of a revision; none is read yet."""
        folders = [self.settings.content, self.settings.templates]
        tree: Tree = (
            self.repository.worktree(folders)
            if revision.worktree
            else self.repository.tree(self.repository.commit(revision.ref))
        )
        return Content(self.repository, tree, self.settings, strict=strict)

    @contextmanager
    def reading(self) -> Iterator[State]:
        """Open the state as it is, without a lock and without changing anything."""
        with self.state(writable=False) as state:
            yield state

    def plan(self, revision: Revision, choices: Choices, progress: Progress | None = None) -> Drawn:
        """Draw the plan. Changes nothing and opens no socket."""
        content = self.content(revision, strict=choices.strict)
        with self.reading() as state:
            return self._draw(content, state, choices, progress)

    def sync(
        self,
        revision: Revision,
        choices: Choices,
        pace: Pace,
        consent: Consent,
        *,
        stop: threading.Event,
        watcher: Watcher,
        progress: Progress | None = None,
    ) -> Run | None:
        """Draw the plan, get consent, make the changes, save the manifest; None if nobody agreed.

        :raises ContentError: content has problems and `keep_going` is not set; nothing was sent.
        :raises SafetyRefusal: a limit, another branch, or a plan that is not the reviewed one.
        """
        self._refuse_other_branch()
        content = self.content(revision, strict=choices.strict)
        with self.state(writable=True) as state, ExitStack() as opened:
            drawn = self._draw(content, state, choices, progress)
            _refuse(drawn.plan, consent)
            service: Service | None = None
            if self.capabilities.read and (drawn.plan.pending or state.doubts):
                service = opened.enter_context(self.service(pace.concurrency))
                if self._inspect(service, state, drawn, watcher, stop):
                    drawn = self._draw(content, state, choices, progress)
                    _refuse(drawn.plan, consent)
            if drawn.plan.pending and not consent.agree(drawn.plan):
                return None
            carry_over(state, drawn, self.repository, rewind=choices.allow_rewind)
            try:
                outcomes: list[Outcome] = []
                if drawn.plan.pending:
                    service = service or opened.enter_context(self.service(pace.concurrency))
                    outcomes = self._apply(service, state, content, drawn, pace, stop=stop, watcher=watcher)
            finally:
                state.save()
        return Run(drawn.plan, (*outcomes, *_standing_still(drawn.plan)))

    def status(self, revision: Revision, progress: Progress | None = None) -> list[Standing]:
        """Every record and every document without one, by path, with its state."""
        drawn = self.plan(revision, Choices(), progress)
        standings = []
        for change in drawn.plan.changes:
            state = change.block.value if isinstance(change, Blocked) else _STATES[action(change)]
            entry = drawn.entries.get(change.path)
            standings.append(Standing(change.path, change.kind, entry, state, change.reason))
        return sorted(standings, key=lambda standing: standing.path)

    def check(
        self, revision: Revision, *, strict: bool, progress: Progress | None = None
    ) -> tuple[tuple[Problem, ...], int]:
        """Read every document against an empty manifest: the problems, and how many documents there are."""
        content = self.content(revision, strict=strict)
        choices = Choices(strict=True, allow_rewind=True)
        drawn = draw(content, self.capabilities, Known(), choices, progress)
        return drawn.plan.problems, len(content.sources)

    @contextmanager
    def service(self, concurrency: int) -> Iterator[Service]:
        """Open the site's service; the embedded one is started if it does not run."""
        site = self.settings.site
        secret = authorization(site, self.environ) if site.url else None
        place = nullcontext(site.url) if site.url else embedded.at_hand(self.embedded_directory)
        with place as url:
            service = open_service(
                url,
                dialect=site.dialect,
                authorization=secret,
                concurrency=concurrency,
                allow_http=site.allow_http,
            )
            try:
                yield service
            finally:
                service.close()

    @property
    def embedded_directory(self) -> Path:
        """Where this clone's embedded service keeps its data."""
        return embedded.data_directory(self.repository.common_directory)

    def _draw(self, content: Content, state: State, choices: Choices, progress: Progress | None) -> Drawn:
        known = Known(state.manifest.entries, state.doubts, lambda: state.lost)
        return draw(content, self.capabilities, known, choices, progress)

    def _inspect(
        self, service: Service, state: State, drawn: Drawn, watcher: Watcher, stop: threading.Event
    ) -> bool:
        """Ask a service with reads what the plan must know before it overwrites anything.

        True if the manifest learned something: the plan must then be drawn once more.
        """
        reading = readable(service)
        if reading is None:
            return False
        site = self.settings.site
        inspection.require_rights(reading, drawn.plan, site=site.name, user=site.user)
        doubts = set(state.doubts)
        inspection.settle_doubts(reading, state, wait=stop.wait, say=watcher.say)
        edited = inspection.note_edits(reading, state, drawn.plan)
        return bool(edited) or set(state.doubts) != doubts

    def _apply(
        self,
        service: Service,
        state: State,
        content: Content,
        drawn: Drawn,
        pace: Pace,
        *,
        stop: threading.Event,
        watcher: Watcher,
    ) -> list[Outcome]:
        return apply(
            drawn.schedule,
            service=service,
            state=state,
            prepare=content.prepare,
            commit=drawn.plan.commit,
            pace=pace,
            stop=stop,
            watcher=watcher,
        )

    def state(self, *, writable: bool) -> State:
        """Manifest and journal; with `writable` the site's lock is taken first."""
        return State.open(
            self.manifest_path,
            self.state_directory,
            self.settings.site.name,
            self.settings.site.target,
            writable=writable,
            wait=self._wait,
            on_wait=self._say,
        )

    def _refuse_other_branch(self) -> None:
        wanted = self.settings.site.branch
        if wanted and self.repository.root is not None and self.repository.branch != wanted:
            raise SafetyRefusal(
                f"site '{self.settings.site.name}' is synced from branch '{wanted}' only, and this is "
                f"'{self.repository.branch or 'a detached HEAD'}'",
                todo=f"`git switch {wanted}`, or change `branch` in pressync.toml",
            )

    def _configuration(self, file: Path | None) -> tuple[str | None, str]:
        """Find the text of the settings file, None if there is none, and its name for messages."""
        root = self.repository.root
        where = str(file) if file is not None else config.FILE_NAME
        try:
            if file is not None:
                data: bytes | None = file.read_bytes()
            elif root is not None:
                path = root / config.FILE_NAME
                data = path.read_bytes() if path.is_file() else None
            else:
                # A bare repository has no files; what is committed counts.
                tree = self.repository.tree(self.repository.commit())
                data = self.repository.blob_at(tree, config.FILE_NAME)
            return (None if data is None else data.decode()), where
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"it cannot be read: {error}", where=where, todo="save it as TOML in UTF-8"
            ) from error


def _refuse(plan: Plan, consent: Consent) -> None:
    errors = tuple(problem for problem in plan.problems if not problem.warning)
    if errors and not consent.keep_going:
        raise ContentError(errors)
    if plan.refusals:
        raise SafetyRefusal("; ".join(plan.refusals))
    if consent.reviewed is not None and consent.reviewed != digest(plan):
        raise SafetyRefusal(
            "this is not the plan that was reviewed: content, configuration or manifest changed since",
            todo="review a new one with `pressync plan --out FILE`",
        )


def _standing_still(plan: Plan) -> list[Outcome]:
    return [
        Outcome(c, Result.IN_DOUBT if c.block is Block.IN_DOUBT else Result.BLOCKED, c.reason)
        for c in plan.changes
        if isinstance(c, Blocked)
    ]

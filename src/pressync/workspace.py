"""Opens content, manifest and service together, and does what the commands name.

It must not print or ask. What decided its shape: everything that changes a record happens with the
site's lock held from before the plan is drawn until after the manifest is saved, so the plan that a
person agreed to is the plan that is applied.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from pressync import config, embedded
from pressync.apply import Pace, Watcher, apply
from pressync.config import Flags, Settings
from pressync.content import Content
from pressync.errors import ConfigError, ContentError, Problem, SafetyRefusal
from pressync.interface import Kind
from pressync.model import Block, Blocked, Capabilities, Delete, Keep, Outcome, Plan, Result, Update
from pressync.plan import adopted
from pressync.inspection import note_edits, settle_doubts
from pressync.planning import Choices, Drawn, draw
from pressync.report.facts import Run, Standing, action, digest
from pressync.repo import Repository, Tree
from pressync.secret_sources import authorization
from pressync.service import dialect_named, open_service
from pressync.service.port import Service, readable
from pressync.state import State
from pressync.survey import Known, Progress

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

    def __enter__(self) -> Workspace:
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

    def path(self, argument: str) -> str:
        """A path argument as the path from the repository's root.

        Tried in this order: from the current folder, from the root, from the content folder.
        """
        root = self.repository.root
        candidates = [argument.strip("/"), f"{self.settings.content}/{argument.strip('/')}"]
        if root is not None:
            absolute = Path(os.path.normpath(self._directory.absolute() / argument))
            if absolute.is_relative_to(root):
                candidates.insert(0, absolute.relative_to(root).as_posix())
        with self.reading() as state:
            tree = self.repository.tree(self.repository.commit())
            known = {*tree.files, *state.manifest.entries, *state.doubts}
        for candidate in candidates:
            if candidate in {"", "."} or any(p == candidate or p.startswith(f"{candidate}/") for p in known):
                return "" if candidate == "." else candidate
        if root is not None and any((root / candidate).exists() for candidate in candidates):
            return next(candidate for candidate in candidates if (root / candidate).exists())
        raise ConfigError(
            f"'{argument}' is neither a committed file or folder nor in the manifest",
            todo="check the spelling, and `git status` for files that are not committed yet",
        )

    def content(self, revision: Revision, *, strict: bool = False) -> Content:
        """The documents of a revision."""
        folders = [self.settings.content, self.settings.templates]
        tree: Tree = (
            self.repository.worktree(folders)
            if revision.worktree
            else self.repository.tree(self.repository.commit(revision.ref))
        )
        return Content(self.repository, tree, self.settings, strict=strict)

    @contextmanager
    def reading(self) -> Iterator[State]:
        """The state as it is, without a lock and without changing anything."""
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
            service: Service | None = None
            if self.capabilities.read and (drawn.plan.pending or state.doubts):
                service = opened.enter_context(self.service(pace.concurrency))
                self._inspect(service, state, drawn, watcher, stop)
                drawn = self._draw(content, state, choices, progress)
            _refuse(drawn.plan, consent)
            if drawn.plan.pending and not consent.agree(drawn.plan):
                return None
            self._carry_over(state, drawn, choices)
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
        drawn = draw(self.repository, content, self.settings, self.capabilities, Known(), choices, progress)
        return drawn.plan.problems, len(content.sources)

    @contextmanager
    def service(self, concurrency: int) -> Iterator[Service]:
        """The site's service, ready; the embedded one is started if it does not run."""
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

    def described(self) -> list[tuple[str, str, str]]:
        """The settings in force as rows of name, value and origin; of secrets only that they are there."""
        settings, site, origins = self.settings, self.settings.site, self.settings.origins
        rows = [
            ("site", site.name, origins["site"]),
            ("content", settings.content or ".", origins["content"]),
            ("templates", settings.templates or ".", origins["templates"]),
            ("url", site.url or "the embedded service", origins.get("url", "default")),
            ("dialect", site.dialect, origins.get("dialect", "default")),
            ("user", site.user or "", origins["user"]),
            ("manifest", str(self.manifest_path), origins["manifest"]),
            ("branch", site.branch or "any", origins["branch"]),
        ]
        for variable in ("PRESSYNC_PASSWORD", "PRESSYNC_TOKEN"):
            if self.environ.get(variable):
                rows.append((variable.removeprefix("PRESSYNC_").lower(), "is set", variable))
        if site.password_command:
            rows.append(("password_command", "is set", origins["password_command"]))
        return rows

    def _draw(self, content: Content, state: State, choices: Choices, progress: Progress | None) -> Drawn:
        return draw(
            self.repository,
            content,
            self.settings,
            self.capabilities,
            Known(state.manifest.entries, state.doubts, lambda: state.lost),
            choices,
            progress,
        )

    def _inspect(
        self, service: Service, state: State, drawn: Drawn, watcher: Watcher, stop: threading.Event
    ) -> None:
        """Ask a service with reads what the plan must know before it overwrites anything."""
        reading = readable(service)
        if reading is None:
            return
        for kind in sorted({change.kind for change in drawn.plan.pending}):
            lacking = reading.missing_rights(kind)
            if lacking:
                raise ConfigError(
                    f"{self.settings.site.user} may not do everything that a sync of {kind}s needs: "
                    f"{', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} missing",
                    where=f"site '{self.settings.site.name}'",
                    todo="use the application password of an editor or an administrator",
                )
        settle_doubts(reading, state, wait=stop.wait, say=watcher.say)
        note_edits(reading, state, (c for c in drawn.plan.pending if isinstance(c, Update | Delete)))

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

    def _carry_over(self, state: State, drawn: Drawn, choices: Choices) -> None:
        """Write down what needs no call: new names of files, and what kept records should say."""
        # In one line of the journal: half a chain of renames would lose a record. Children whose parent's
        # file was renamed are among them.
        before = state.manifest.entries
        renamed = [entry for path, entry in drawn.entries.items() if before.get(path) != entry]
        if renamed:
            state.put(*renamed)
        fresh = self._rewound(drawn) if choices.allow_rewind else frozenset()
        for change in drawn.plan.changes:
            if isinstance(change, Keep):
                stray = change.entry.commit in fresh
                entry = replace(change.entry, commit=drawn.plan.commit) if stray else change.entry
                if state.manifest.entries.get(entry.path) != entry:
                    state.put(entry)

    def _rewound(self, drawn: Drawn) -> frozenset[str]:
        commits = {entry.commit for entry in drawn.entries.values() if entry.commit}
        known = self.repository.known(commits)
        return self.repository.strays(known, drawn.plan.commit) | (commits - known)

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
        if file is not None:
            try:
                return file.read_text(encoding="utf-8"), str(file)
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(f"cannot be read: {error}", where=str(file), todo="check `--config`") from error
        root = self.repository.root
        if root is not None:
            path = root / config.FILE_NAME
            return (path.read_text(encoding="utf-8") if path.is_file() else None), config.FILE_NAME
        tree = self.repository.tree(self.repository.commit())
        data = self.repository.blob_at(tree, config.FILE_NAME)
        return (data.decode() if data is not None else None), config.FILE_NAME


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

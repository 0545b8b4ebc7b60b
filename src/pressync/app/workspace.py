"""Opens content, manifest and service of a site together, and offers what the commands do.

A run that changes records holds the site's lock from before the plan is built until after the manifest is
saved. So the plan that a person agreed to is the plan that is applied. A rehearsal must not reach the site.
So the places of service and manifest are one value: those of the site are here, and a stage has its own.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pressync.app import embedded_server
from pressync.app.revision import Revision, refuse_other_branch, with_refusals
from pressync.client.connect import open_service
from pressync.client.dialects import Capabilities, capabilities_of
from pressync.client.port import Limits, Service, require_readable
from pressync.config import settings
from pressync.config.agreement import Consent
from pressync.config.settings import Settings, SettingsText, find_text
from pressync.content.content import Content
from pressync.model.errors import ConfigError, LockHeld, Overtaken
from pressync.plan.build import PlannedRun, PlanOptions, build_plan
from pressync.plan.history import names_now
from pressync.plan.survey import Progress, known
from pressync.repo import paths
from pressync.repo.repository import KEPT, Repository
from pressync.state import manifest_file
from pressync.state.clone_facts import RunRecords
from pressync.state.clone_files import CloneFiles, Lock
from pressync.state.state import PlanMemory, State, open_state

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from pressync.app.embedded_server import EmbeddedService
    from pressync.client.credentials import Secret
    from pressync.config.secrets import CredentialPolicy
    from pressync.content.content import OnRendered
    from pressync.model.outcomes import KeptManifest, RunResult
    from pressync.model.records import Entry, Manifest
    from pressync.state.manifest_ref import ManifestRef
    from pressync.sync.apply import RunListener, RunOptions
    from pressync.sync.control import Approval


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteClone:
    """A clone and one site of it, as a command has opened them in `directory`.

    `settings_text` is the text of the settings, and where it was. `wait` is how many seconds the lock of
    another run is waited for, and `say` hears of it. `agree` asks a person a question. `way` is how somebody
    agrees here. A tool of an agent only reads, unless it `writes_as_agent`.
    """

    directory: Path
    repository: Repository
    settings: Settings
    # It may hold a password.
    environ: Mapping[str, str] = field(repr=False)
    settings_text: SettingsText
    wait: float
    say: Callable[[str], None]
    agree: Callable[[str], bool] = lambda _question: False
    way: Consent = Consent.TERMINAL
    writes_as_agent: bool = False
    embedded: EmbeddedService = embedded_server.NO_SERVICE

    @property
    def credentials(self) -> CredentialPolicy:
        """Decides whether the credentials of this machine may be used with these settings."""
        from pressync.config.secrets import CredentialPolicy  # noqa: PLC0415 - a plan needs none
        from pressync.config.used_settings import UsedSettings  # noqa: PLC0415 - the same

        text, is_tool = self.settings_text, self.way is Consent.AGENT
        used = UsedSettings(self.repository, text.text, self.agree, self.way)
        # A person named this file on the command line; a tool may have written one of the work tree.
        is_chosen = not text.is_own and not (is_tool and used.inside((text.where,)))
        return CredentialPolicy(
            self.settings,
            self.environ,
            text.is_pushed,
            None if is_chosen else used,
            is_agents=self.writes_as_agent,
            is_tools=is_tool,
        )

    def refuses_drawing(self) -> str:
        """Say why the command that draws diagrams may not run here; "" if it may."""
        return self.credentials.refuses_drawing()

    @property
    def embedded_home(self) -> Path:
        """The Git directory that has the embedded service of this work tree."""
        repository = self.repository
        return embedded_server.home(repository.root, repository.git_directory, repository.common_directory)

    @property
    def embedded_data(self) -> Path:
        """The data directory of that service."""
        return embedded_server.data_directory(self.embedded_home)

    def address(self) -> AbstractContextManager[str]:
        """Give the address of the site's service; the embedded service is started if it does not run."""
        if url := self.settings.site.url:
            return nullcontext(url)
        return self.embedded.running_or_started(self.embedded_data, self.settings.types)

    @contextmanager
    def opened(self, secret: Secret | None, **how: Any) -> Iterator[Service]:  # noqa: ANN401 - as `open_service`
        """Open the service of the site itself with these credentials.

        :raises ConfigError: it may not get them.
        """
        site, types, allow_http = self.settings.site, self.settings.types, self.credentials.allow_http
        with self.address() as url:
            service = open_service(
                url, dialect=site.dialect, types=types, authorization=secret, allow_http=allow_http, **how
            )
            with closing(service):
                yield service


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The places of one site, or of the stage that stands for it.

    `address` is asked which dialect it speaks; it is None for a service that speaks both. `reference` gives
    the store of a manifest in a Git reference, the same each time. With `takes_every_branch`, commits are
    synced also if the settings name another branch.
    """

    address: str | None
    clone_files: CloneFiles
    manifest_path: Path
    service: Callable[[int, Limits | None], AbstractContextManager[Service]]
    reference: Callable[[], ManifestRef | None] = lambda: None
    takes_every_branch: bool = False


def site_places(clone: SiteClone, *, takes_back: bool = False) -> Places:
    """Give the places of the site itself; those of a move take a manifest back into its reference."""
    repository, site = clone.repository, clone.settings.site
    files = CloneFiles.of(repository.common_directory if site.url else clone.embedded_home, site.name)

    @cache
    def reference() -> ManifestRef | None:
        if (name := site.reference) is None:
            return None
        from pressync.state import manifest_ref  # noqa: PLC0415 - most manifests are files

        return manifest_ref.of_site(
            name, repository, clone.settings, files, wait=clone.wait, say=clone.say, takes_back=takes_back
        )

    def service(concurrency: int, limits: Limits | None) -> AbstractContextManager[Service]:
        return clone.opened(
            clone.credentials.authorization(),
            concurrency=concurrency,
            limits=limits,
            say=clone.say,
            only_reads=clone.way is Consent.AGENT and not clone.writes_as_agent and site.url is not None,
        )

    return Places(
        address=site.url,
        clone_files=files,
        # In a bare repository it is in the Git directory.
        manifest_path=repository.root / site.manifest if repository.root else files.manifest,
        service=service,
        reference=reference,
    )


# Seconds that a second run waits for the first. Then it fails and names the holder of the lock.
DEFAULT_WAIT = 60.0
_TRIES = 5
_Result = TypeVar("_Result")


class Workspace:
    """One repository and one site of it. Use as a context manager."""

    def __init__(
        self, clone: SiteClone, places: Places | None = None, open_content: Callable[..., Content] = Content
    ) -> None:
        """Work in a clone; without `places`, with its site itself."""
        self.clone = clone
        self.repository, self.settings, self.environ = clone.repository, clone.settings, clone.environ
        self._places = places or site_places(clone)
        self._open_content = open_content

    @classmethod
    def open(
        cls,
        directory: Path,
        *,
        site: str | None = None,
        config_file: Path | None = None,
        environ: Mapping[str, str] | None = None,
        wait: float = DEFAULT_WAIT,
        say: Callable[[str], None] = lambda _sentence: None,
        agree: Callable[[str], bool] = lambda _question: False,
        embedded: EmbeddedService = embedded_server.NO_SERVICE,
        typed: bool = True,
        way: Consent = Consent.TERMINAL,
        as_agent: bool = False,
    ) -> Self:
        """Open the repository that holds `directory` and read its settings; `agree` asks a person.

        `embedded` is the service of a clone without a configured site. A workspace that is not `typed`
        ignores the site's committed schema, which may be damaged.

        :raises RepositoryError: there is no repository.
        :raises ConfigError: the settings are wrong.
        """
        environ = os.environ if environ is None else environ
        repository = Repository(directory)
        text = find_text(repository, config_file)
        loaded = settings.load(text.text, where=text.where, environ=environ, site=site)
        if typed:
            loaded = settings.with_schema(loaded, repository.root, repository.common_directory, text)
        clone = SiteClone(
            directory=directory,
            repository=repository,
            settings=loaded,
            environ=environ,
            settings_text=text,
            wait=wait,
            say=say,
            agree=agree,
            embedded=embedded,
            way=Consent.AGENT if as_agent else way,
            writes_as_agent=as_agent,
        )
        return cls(clone)

    def opening(self, open_content: Callable[..., Content]) -> Workspace:
        """Give this workspace with another way to open content; closing one of them closes both."""
        return Workspace(self.clone, self._places, open_content)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.repository.__exit__(None, None, None)

    @property
    def manifest_reference(self) -> ManifestRef | None:
        """The store of a manifest in a Git reference; None if the manifest is a file.

        :raises ConfigError: this clone has no remote of the configured name.
        """
        return self._places.reference()

    @property
    def manifest_place(self) -> str:
        """The path of the manifest's file, or the name of its reference."""
        return self.settings.site.reference or str(self.manifest_path)

    @property
    def manifest_path(self) -> Path:
        """The path of a manifest in a file; in a bare repository it is in the Git directory."""
        return self._places.manifest_path

    @property
    def kept_manifest(self) -> KeptManifest | None:
        """Whether other clones can get the manifest as it is now; None if nobody has to commit it."""
        return manifest_file.kept(self.repository, self.settings.site)

    @property
    def clone_files(self) -> CloneFiles:
        """The files in which this clone keeps what it knows of the site."""
        return self._places.clone_files

    @property
    def capabilities(self) -> Capabilities:
        """The calls that this site's service offers."""
        return capabilities_of(self.settings.site.dialect)

    def paths(self, arguments: Collection[str], revision: Revision | None = None) -> list[str]:
        """Give path arguments as paths from the repository's root, "" for the root itself.

        :raises ConfigError: nothing is known at one of the paths, or the revision has nothing there.
        """
        if not arguments:
            return []
        with self.reading() as state:
            wanted = revision or Revision()
            # `check` reads what is saved, also before the first commit.
            read = Revision(wanted.ref) if wanted.needs_commit else wanted
            tree = read.tree(self.repository, [self.settings.content, self.settings.templates])
            # With `folders`, some documents are not files.
            tree = Content(self.repository, tree, self.settings).tree if self.settings.folders else tree
            names = {*tree.files, *state.manifest.entries, *state.unconfirmed, *state.forgotten_by_manifest}
        place = paths.WorkingPlace(self.clone.directory, self.repository.root, self.settings.content)
        committed = revision is not None and revision.is_committed
        if revision is None:
            look = partial(names_now, self.repository, tree, vault=None)
            arguments = paths.as_named_now(arguments, place, names, look)
        return paths.resolved(arguments, place, names, committed=committed)

    def uncommitted(self) -> tuple[list[str], list[str]]:
        """Give the files of content and templates that have uncommitted changes, and the untracked ones."""
        return self.repository.uncommitted([self.settings.content, self.settings.templates])

    def content(
        self,
        revision: Revision,
        *,
        strict: bool = False,
        renew: bool = False,
        manifest: Manifest | None = None,
        on_rendered: OnRendered | None = None,
    ) -> Content:
        """Open the documents of a revision; `on_rendered` is called for each document that is checked."""
        tree = revision.tree(self.repository, [self.settings.content, self.settings.templates])
        return self._open_content(
            self.repository,
            tree,
            self.settings,
            strict=strict,
            renew=renew,
            manifest=manifest,
            on_rendered=on_rendered,
            refuses_drawing=self.clone.refuses_drawing,
        )

    def _planned_content(self, revision: Revision, options: PlanOptions, manifest: Manifest) -> Content:
        return self.content(revision, strict=options.strict, renew=options.renew, manifest=manifest)

    def reading(self) -> State:
        """Open the state for reading: no lock is taken, and nothing is changed."""
        return self.state(writable=False)

    def plan(
        self,
        revision: Revision,
        plan_options: PlanOptions,
        progress: Progress | None = None,
        *,
        drift: bool = False,
    ) -> PlannedRun:
        """Build the plan; with `drift`, from the records that the site has now. Nothing is changed.

        :raises ConfigError: with `drift`, the service cannot be read, or the credentials are missing.
        :raises ServiceError: with `drift`, it does not answer.
        """
        if drift and not self.capabilities.read:
            raise ConfigError(
                f"the {self.settings.site.dialect} dialect does not show how to read records",
                todo="leave out `--drift`; an edit shows in the response to the next write",
            )
        with self.reading() as state:
            if drift:
                with self.service(1) as service:
                    return self._beside_site(revision, plan_options, progress, state, service)
            content = self._planned_content(revision, plan_options, state.manifest)
            plan_options = with_refusals(plan_options, state, content, revision)
            evidence = known(state, runs=RunRecords(state.log))
            return build_plan(content, self.capabilities, evidence, plan_options, progress)

    def _beside_site(
        self,
        revision: Revision,
        plan_options: PlanOptions,
        progress: Progress | None,
        state: State,
        service: Service,
    ) -> PlannedRun:
        from pressync.sync import site_look, vanished  # noqa: PLC0415 - most plans read no site

        memory = PlanMemory.beside(state.manifest)
        content = self._planned_content(revision, plan_options, memory.manifest)
        branch = None if self._places.takes_every_branch else revision
        plan_options = with_refusals(plan_options, state, content, branch)
        plans = site_look.PlanBuilder(content, self.capabilities, plan_options, state, memory, progress)
        site = vanished.OpenSite(require_readable(service), service.library, state, self.clone.say)
        return site_look.DriftInspection(plans=plans, site=site, address=self._places.address).plan()

    def sync(
        self,
        revision: Revision,
        plan_options: PlanOptions,
        options: RunOptions,
        approval: Approval,
        *,
        stop: threading.Event,
        listener: RunListener,
        progress: Progress | None = None,
        compared: bool = False,
    ) -> RunResult | None:
        """Build the plan, get approval, make the changes, save the manifest; None if nobody agreed.

        With `compared`, the first plan is built with `drift`: its reviewer saw such a plan.

        :raises ContentError: content has problems and `keep_going` is not set; nothing was sent.
        :raises SafetyRefusal: a limit, another branch, or a plan that is not the reviewed one.
        """
        from pressync.sync import run, run_recording  # noqa: PLC0415 - loading them takes 40 ms
        from pressync.sync.site_look import PlanBuilder  # noqa: PLC0415 - as above

        if not self._places.takes_every_branch:
            refuse_other_branch(revision, self.repository, self.settings.site)

        def attempt() -> RunResult | None:
            with self.state(writable=True) as state:
                content = self._planned_content(revision, plan_options, state.manifest)
                again = with_refusals(plan_options, state, content)
                return run.SyncRun(
                    plans=PlanBuilder(content, self.capabilities, again, state, state, progress),
                    service=lambda: self.service(options.concurrency, options.limits),
                    address=self._places.address,
                    options=options,
                    approval=approval,
                    control=options.control(listener.say, stop),
                    recording=run_recording.RunRecording.of(state, permanent=options.permanent),
                    on_outcome=listener.outcome,
                    compared=partial(self._beside_site, revision, plan_options, None) if compared else None,
                ).execute()

        done = planned_again(attempt, listener.say)
        self._let_go(done, listener.say)
        return done

    def _let_go(self, run: RunResult | None, say: Callable[[str], object]) -> None:
        """Let the texts go that this clone took from the site and that a run has settled."""
        site = self.settings.site
        # A stage has nothing that was taken from the site.
        if run is None or self._places.takes_every_branch:
            return
        if self.repository.port.resolve(f"{KEPT}/{site.name}") is None:
            return
        from pressync.repo.kept_takes import KeptTakes  # noqa: PLC0415 - a plan needs none of it

        def entries() -> Mapping[str, Entry]:
            with self.reading() as state:
                return dict(state.manifest.entries)

        KeptTakes(self.repository, site.name).settle(run, entries, say, by_reference=bool(site.reference))

    def service(self, concurrency: int, limits: Limits | None = None) -> AbstractContextManager[Service]:
        """Open the site's service; the embedded service is started if it does not run."""
        return self._places.service(concurrency, limits)

    def state(self, *, writable: bool) -> State:
        """Open manifest and journal; with `writable` the site's lock is taken first.

        :raises ManifestError: the manifest cannot be read, or its path is not allowed.
        """
        reference = self._places.reference()
        if self.settings.site.reference is None:
            manifest_file.check(self.repository, self.settings.site.manifest)
        return open_state(
            reference or self.manifest_path,
            self.clone_files,
            self.settings.site.target,
            self.settings.types,
            writable=writable,
            wait=self.clone.wait,
            on_wait=self.clone.say,
        )

    def run_under_way(self) -> str | None:
        """Name the run of this clone that holds the site's lock; None if the lock is free.

        The lock is tried only if its file names a holder: trying could block a run that starts at this
        moment.
        """
        path = self.clone_files.lock
        if not path.is_file() or not path.stat().st_size:
            return None
        tried = Lock(path, "a look at the lock")
        try:
            tried.acquire(0, lambda _sentence: None)
        except LockHeld as held:
            return held.what
        tried.release()
        return None


def planned_again(attempt: Callable[[], _Result], say: Callable[[str], object]) -> _Result:
    """Give the result of the first attempt that no other machine overtakes, of a few at most.

    Two machines may want to save the manifest of one site at the same time. The slower one reads the manifest
    of the other and begins again. If it loses several times, a person should look.

    :raises Overtaken: other machines were faster each time.
    """
    for _ in range(_TRIES - 1):
        try:
            return attempt()
        except Overtaken as error:
            say(f"{error.what}; reading it and planning again")
    return attempt()

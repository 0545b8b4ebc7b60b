"""The engine as a library: opens one site of a repository, and gives values for what the commands print.

Nothing here prints, ends the process, asks a person or handles a signal. The caller hears of progress by
callbacks, and of a fault by an exception. The command line builds its reports on the same functions.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from pressync.app.check import check
from pressync.app.revision import Revision
from pressync.app.workspace import DEFAULT_WAIT, Workspace
from pressync.config.agreement import Consent
from pressync.config.environment import SECRETS
from pressync.model import visibility
from pressync.model.changes import Blocked
from pressync.model.errors import ConfigError, ContentError
from pressync.model.outcomes import Standing, approval
from pressync.plan.build import PlanOptions
from pressync.plan.notes import without_person
from pressync.repo.paths import is_below

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from pressync.content.content import Content
    from pressync.model.changes import Outcome, Plan
    from pressync.model.errors import Problem
    from pressync.plan.build import PlannedRun
    from pressync.plan.survey import Progress

_STATES = {"keep": "in_step", "update": "changed", "create": "new", "delete": "deleted"}
# The variables by which a machine names an account.
_ACCOUNT = frozenset({*SECRETS, "PRESSYNC_USER"})


@dataclass(frozen=True, slots=True)
class Credentials:
    """The account of a site: a user with an application password, or a token. Its `repr` hides the secret."""

    user: str = ""
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)

    def variables(self) -> dict[str, str]:
        """Give the variables that say the same; an empty member has none."""
        named = {
            "PRESSYNC_USER": self.user,
            "PRESSYNC_PASSWORD": self.password,
            "PRESSYNC_TOKEN": self.token,
        }
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """A record or a document of a site; `id` is None until the record exists.

    `state` is one of the states of `pressync status --format json`, and `reason` says why.
    """

    path: str
    kind: str
    id: int | None
    link: str
    state: str
    reason: str
    title: str | None


class SyncedSite:
    """One site of a repository. Use it as a context manager, and in one thread at a time."""

    def __init__(self, workspace: Workspace) -> None:
        """Take an open workspace, and close it at the end."""
        self._workspace = workspace

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the repository; a call after that fails."""
        self._workspace.__exit__(None, None, None)

    @property
    def name(self) -> str:
        """The name of the site in the settings."""
        return self._workspace.settings.site.name

    def plan(
        self,
        paths: Collection[str] = (),
        *,
        ref: str = "HEAD",
        worktree: bool = False,
        drift: bool = False,
        progress: Progress | None = None,
    ) -> Plan:
        """Build the plan, as `pressync plan` does; with `drift`, read the site as well. Change nothing.

        :raises PressyncError: the repository, the settings or, with `drift`, the site cannot be read.
        """
        revision = Revision(ref, worktree=worktree)
        build = self._workspace.plan_with_drift if drift else self._workspace.plan
        return without_person(build(revision, self._choices(paths, revision), progress).plan)

    def sync(
        self,
        paths: Collection[str] = (),
        *,
        ref: str = "HEAD",
        worktree: bool = False,
        approved: Plan | None = None,
        on_outcome: Callable[[Outcome], None] = lambda _outcome: None,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
    ) -> Sequence[Outcome]:
        """Send the differences, as `pressync sync --yes` does, and give the outcome of each change.

        With `approved`, a plan with other changes is refused. `stop` ends the run after the calls that are
        under way, and a later sync continues.

        :raises ContentError: content has problems; nothing was sent.
        :raises SafetyRefusal: a limit, or another plan than the approved one; nothing was sent.
        """
        from pressync.sync.apply import RunListener, RunOptions  # noqa: PLC0415 - a plan needs none of it
        from pressync.sync.control import Approval, not_reviewed  # noqa: PLC0415 - as above

        def agree(plan: Plan) -> bool:
            if approved is not None and approval(plan) != approval(approved):
                raise not_reviewed("content, configuration, manifest or site changed since")
            return True

        revision = Revision(ref, worktree=worktree)
        run = self._workspace.sync(
            revision,
            self._choices(paths, revision),
            RunOptions(),
            Approval(agree, approved="" if approved is None else approval(approved)),
            stop=stop or threading.Event(),
            listener=RunListener(on_outcome, self._workspace.clone.say),
            progress=progress,
        )
        return run.outcomes if run else ()

    def status(
        self,
        paths: Collection[str] = (),
        *,
        ref: str = "HEAD",
        worktree: bool = False,
        progress: Progress | None = None,
    ) -> Sequence[ListedRecord]:
        """List every record and document with its state, as `pressync status` does, without a network."""
        revision = Revision(ref, worktree=worktree)
        workspace = self._workspace
        chosen = workspace.paths(paths, revision)
        planned = workspace.plan(revision, PlanOptions(), progress)
        return [
            ListedRecord(
                standing.path,
                str(standing.kind),
                standing.entry.id if standing.entry else None,
                standing.entry.link if standing.entry else "",
                standing.state,
                standing.reason,
                standing.title,
            )
            for standing in listed(planned, workspace.content(revision), chosen, titles=True, notes={})
        ]

    def render(self, path: str, *, ref: str = "HEAD", worktree: bool = False) -> str:
        """Give the HTML that a sync would send for one document.

        :raises ConfigError: nothing at the path is a document.
        :raises ContentError: the document has problems.
        """
        revision = Revision(ref, worktree=worktree)
        (whole,) = self._workspace.paths([path], revision)
        content = self._workspace.content(revision)
        with self._workspace.reading() as state:
            entries = state.manifest.entries
        read = content.read(whole, entries) if whole in content.sources else None
        if read and read.errors:
            raise ContentError(read.errors, todo="correct the file")
        if read is None or read.prepared is None:
            raise ConfigError(f"'{path}' is not a document", todo="name a page or a post")
        return str(read.prepared.fields.get("content", ""))

    def check(
        self,
        paths: Collection[str] = (),
        *,
        ref: str = "HEAD",
        worktree: bool = False,
        strict: bool = False,
        progress: Progress | None = None,
    ) -> Sequence[Problem]:
        """Find the problems of the content, as `pressync check` does, without a network or a manifest."""
        revision = Revision(ref, worktree=worktree, needs_commit=False)
        chosen = self._workspace.paths(paths, revision)
        checked = check(self._workspace, revision, strict=strict, progress=progress)
        return checked.at(chosen, self._workspace.settings).problems

    def _choices(self, paths: Collection[str], revision: Revision) -> PlanOptions:
        return PlanOptions(paths=tuple(self._workspace.paths(paths, revision)))


def open_site(
    directory: Path,
    *,
    site: str | None = None,
    url: str | None = None,
    credentials: Credentials | None = None,
    config_file: Path | None = None,
    wait: float = DEFAULT_WAIT,
    say: Callable[[str], None] = lambda _sentence: None,
) -> SyncedSite:
    """Open a site of the repository that holds `directory`; `site` is its name in the settings.

    `url` is the address of the interface. Without it, that of `pressync.toml` counts, and a password does not
    go to one that is new to this clone. Without `credentials`, those of this machine are used. `say` hears
    what the program waits for.

    :raises PressyncError: there is no repository, or the settings are wrong.
    """
    environ = dict(os.environ)
    if credentials is not None:
        environ = {name: value for name, value in environ.items() if name not in _ACCOUNT}
        environ |= credentials.variables()
    if url is not None:
        environ["PRESSYNC_URL"] = url
    way, file = Consent.YES, config_file
    return SyncedSite(
        Workspace.open(directory, site=site, config_file=file, environ=environ, wait=wait, say=say, way=way)
    )


def listed(
    planned: PlannedRun,
    content: Content,
    paths: Collection[str],
    *,
    titles: bool,
    notes: Mapping[tuple[str, int], int],
) -> list[Standing]:
    """List all records and documents at or below the paths (none means all); `notes` counts each."""
    found = []
    for change in planned.plan.changes:
        if paths and not is_below(change.path, paths):
            continue
        state = change.block.value if isinstance(change, Blocked) else _STATES[change.action]
        entry = planned.entries.get(change.path)
        seen = visibility.of_entry(entry) if entry else visibility.of_change(change)
        if entry and seen.status == visibility.FUTURE:
            seen = visibility.of_entry(entry, content.date(change.path, planned.entries))
        read = content.parse(change.path).document if titles and change.path in content.sources else None
        title = str(read.fields.get("title", "")) if read else None
        noted = notes.get((entry.kind, entry.id), 0) if entry else 0
        found.append(Standing(change.path, change.kind, entry, state, change.why, seen, title, noted))
    return sorted(found, key=lambda standing: standing.path)

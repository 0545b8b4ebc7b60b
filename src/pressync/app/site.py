"""The engine as a library: opens one site of a repository, and gives values for what the commands print.

Nothing here prints, ends the process, asks a person or handles a signal. The caller hears of progress by
callbacks, and of a fault by an exception. The command line builds its reports on the same functions.
"""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Self

from pressync.app import unchanged, up_to_date
from pressync.app.arguments import ACCOUNT, Credentials, PlanFlags, SyncFlags, check_flags, listed_paths
from pressync.app.revision import Revision, to_check
from pressync.app.workspace import DEFAULT_WAIT, Workspace
from pressync.config.agreement import Consent
from pressync.model import printable, visibility
from pressync.model.changes import Blocked
from pressync.model.errors import ConfigError, ContentError, RepositoryError, SafetyRefusal, StorageError
from pressync.model.outcomes import Standing, approval
from pressync.model.reason import ReasonCode
from pressync.plan import known_elsewhere, limits
from pressync.plan.build import PlanOptions
from pressync.plan.notes import moved_by_rule, overwritten_edits, replaced_markup, without_person
from pressync.plan.survey import known
from pressync.repo import discover
from pressync.repo.paths import is_below
from pressync.state.clone_facts import RunRecords
from pressync.state.manifest_file import judged

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Unpack

    from pressync.app.arguments import PathName, PathNames
    from pressync.app.check import Checked
    from pressync.app.shared_content import SharedContent
    from pressync.model.changes import Outcome, Plan
    from pressync.model.errors import Problem
    from pressync.model.outcomes import RunResult
    from pressync.plan.build import PlannedRun
    from pressync.plan.survey import Progress
    from pressync.sync.apply import RunOptions
    from pressync.sync.control import ReviewedPlan

_STATES = {"keep": "in_step", "update": "changed", "create": "new", "delete": "deleted"}


class SyncedSite:
    """One site of a repository. Use it as a context manager, and in one thread at a time."""

    def __init__(self, workspace: Workspace) -> None:
        """Take an open workspace, and close it at the end. Reports may ask it for more."""
        self.workspace = workspace

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the repository."""
        self.workspace.__exit__(None, None, None)

    @property
    def name(self) -> str:
        """The name of the site in the settings."""
        return self.workspace.settings.site.name

    def plan(
        self,
        paths: PathNames = (),
        *,
        ref: str = "HEAD",
        worktree: bool = False,
        drift: bool = False,
        progress: Progress | None = None,
        **flags: Unpack[PlanFlags],
    ) -> Plan:
        """Build the plan, as `pressync plan` does; with `drift`, read the site as well. Change nothing.

        :raises PressyncError: the repository, the settings or, with `drift`, the site cannot be read.
        """
        check_flags(flags, PlanFlags)
        revision = Revision(ref, worktree=worktree)
        return self.planned(listed_paths(paths), revision, progress, drift=drift, **flags).plan

    def planned(
        self,
        paths: Collection[str],
        revision: Revision,
        progress: Progress | None = None,
        *,
        drift: bool = False,
        **flags: Unpack[SyncFlags],
    ) -> PlannedRun:
        """Build the plan, and keep what a report may ask of it. The arguments are those of `plan`."""
        plan_options = self.plan_options(paths, revision, **flags)
        planned = self.workspace.plan(revision, plan_options, progress, drift=drift)
        # A person approves the plan of a site with `approve` by its digest, and has seen it then.
        return planned if planned.plan.approve else replace(planned, plan=without_person(planned.plan))

    def sync(
        self,
        paths: PathNames = (),
        *,
        ref: str = "HEAD",
        worktree: bool = False,
        approved: Plan | None = None,
        on_outcome: Callable[[Outcome], None] = lambda _outcome: None,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
        **flags: Unpack[SyncFlags],
    ) -> Sequence[Outcome]:
        """Send the differences, as `pressync sync --yes` does, and give the outcome of each change.

        With `approved`, a plan with other changes is refused. `stop` ends the run after the calls that are
        under way, and a later sync continues.

        :raises ContentError: content has problems; nothing was sent.
        :raises SafetyRefusal: a limit, or another plan than the approved one; nothing was sent.
        """
        check_flags(flags, SyncFlags)
        digest = "" if approved is None else approval(approved)

        def agree(plan: Plan) -> bool:
            if digest and approval(plan) != digest:
                from pressync.sync.control import not_reviewed  # noqa: PLC0415 - a plan needs none of it

                raise not_reviewed("content, configuration, manifest or site changed since")
            return True

        run = self.run(
            listed_paths(paths),
            Revision(ref, worktree=worktree),
            agree,
            is_seen=bool(digest),
            approved=digest,
            on_outcome=on_outcome,
            progress=progress,
            stop=stop or threading.Event(),
            **flags,
        )
        return run.outcomes if run else ()

    def run(
        self,
        paths: Collection[str],
        revision: Revision,
        agree: Callable[[Plan], bool],
        *,
        is_seen: bool,
        stop: threading.Event,
        approved: str | None = None,
        reviewed: ReviewedPlan | None = None,
        on_outcome: Callable[[Outcome], None],
        say: Callable[[str], None] | None = None,
        progress: Progress | None = None,
        **flags: Unpack[SyncFlags],
    ) -> RunResult | None:
        """Sync, and give the whole result; None if `agree` gave false for the plan that would be sent.

        `approved` is the digest of the plan that was approved before, "" if there is none; None if `agree`
        asks a person. `is_seen` tells that a person has seen the plan, or sees it now.

        :raises ContentError: as for `sync`; SafetyRefusal likewise.
        """
        from pressync.sync.apply import RunListener  # noqa: PLC0415 - a plan needs none of it
        from pressync.sync.control import Approval  # noqa: PLC0415 - as above

        workspace, way = self.workspace, self.workspace.clone.way
        is_tool = way is Consent.AGENT
        if is_tool and not workspace.clone.writes_as_agent:
            raise limits.refused_by_tools("a tool sends with `--as-agent` alone")
        asked = agree if is_seen and not is_tool else _without_moves(agree)
        keep_going, digest = flags.get("keep_going", False), "" if is_tool else approved
        return workspace.sync(
            revision,
            self.plan_options(paths, revision, **flags),
            _run_options(flags),
            Approval(asked, reviewed, keep_going, digest),
            stop=stop,
            listener=RunListener(on_outcome, say or workspace.clone.say),
            progress=progress,
            compared=bool(reviewed and reviewed.drift),
        )

    def read_reviewed(self, file: Path) -> ReviewedPlan:
        """Read a reviewed plan, and say it if HEAD is another commit by now.

        :raises ConfigError: the file does not hold a plan.
        :raises SafetyRefusal: the plan deletes the record of a file that HEAD has.
        """
        from pressync.sync import control  # noqa: PLC0415 - few syncs have such a plan

        reviewed, repository = control.read_reviewed(file), self.workspace.repository
        head, planned = repository.commit(), repository.commit(reviewed.commit)
        if head != planned:
            there = repository.tree(head).files
            deleted = (str(row["path"]) for row in reviewed.rows if row["action"] == "delete")
            if back := [path for path in deleted if path in there]:
                raise control.not_reviewed(
                    f"it deletes {printable.listed(back)}, and HEAD {head[:10]} has the file"
                )
            which = f"The plan is of commit {planned[:10]}, and HEAD is {head[:10]} by now"
            self.workspace.clone.say(f"{which}: this sync sends what the plan says.")
        return reviewed

    def commit_manifest(self, result: RunResult) -> str:
        """Commit the manifest after a run, and say what became of it.

        :raises RepositoryError: the repository is bare.
        :raises StorageError: Git does not commit it; the changes were made.
        """
        workspace = self.workspace
        if workspace.manifest_reference:
            return f"The manifest is in {workspace.manifest_place}, and it is committed there already."
        root = workspace.repository.require_root("leave the option out", where="--commit")
        own = workspace.settings.site
        # `init` has Git ignore it. In another clone it would speak of pages that its service does not have.
        if own.url is None and judged(own.manifest, discover.file_status(root, own.manifest)).ignored:
            return (
                "The embedded service belongs to this clone, and so does its manifest: it is not committed."
            )
        from pressync.repo import push  # noqa: PLC0415 - few runs commit

        # `[skip ci]`: a workflow that syncs on push must not start itself.
        message = f"Sync {result.plan.site} to {result.plan.commit[:10]} [skip ci]"
        try:
            committed = push.commit_file(workspace.repository, workspace.manifest_path, message)
        except RepositoryError as error:
            # Its own exit code says that nothing was sent.
            file = quote(workspace.manifest_place)
            raise StorageError(
                f"the changes were made, but Git did not commit the manifest: {error.what}",
                todo=f"`git add {file} && git commit --message Sync {file}` when that is fixed",
            ) from error
        if committed:
            return f"Committed the manifest as {committed[:10]}."
        return "The manifest has no change to commit."

    def note_up_to_date(self, result: RunResult, *, site: str | None, config_file: Path | None) -> None:
        """Note after a run without a fault whether everything is up to date; the arguments are the flags."""
        workspace = self.workspace
        # A plan of the whole site, only for its stamp, would take as much memory as the run.
        is_settled, environ = result.plan.settled, workspace.environ
        if is_settled or not unchanged.find(
            workspace.clone.directory, site=site, config_file=config_file, environ=environ
        ):
            after = result.plan if is_settled else workspace.plan(Revision(), PlanOptions()).plan
            up_to_date.write(workspace, after, site=site, config_file=config_file)

    def status(
        self,
        paths: PathNames = (),
        *,
        ref: str = "HEAD",
        worktree: bool = False,
        progress: Progress | None = None,
    ) -> Sequence[Standing]:
        """List every record and document with its state, as `pressync status` does, without a network."""
        revision = Revision(ref, worktree=worktree)
        planned = self.planned((), revision, progress)
        return self.standings(planned, listed_paths(paths), revision, titles=True)

    def standings(
        self, planned: PlannedRun, paths: Collection[str], revision: Revision, *, titles: bool
    ) -> Sequence[Standing]:
        """List the records and documents of a plan at or below the paths; only some readers want `titles`."""
        chosen = self.workspace.paths(paths, revision)
        content = self.workspace.content(revision)
        with self.workspace.reading() as opened:
            notes = opened.log.notes()
        standings = []
        for change in planned.plan.changes:
            if chosen and not is_below(change.path, chosen):
                continue
            state = change.block.value if isinstance(change, Blocked) else _STATES[change.action]
            entry = planned.entries.get(change.path)
            seen = visibility.of_entry(entry) if entry else visibility.of_change(change)
            if entry and seen.status == visibility.FUTURE:
                seen = visibility.of_entry(entry, content.date(change.path, planned.entries))
            read = content.parse(change.path).document if titles and change.path in content.sources else None
            title = str(read.fields.get("title", "")) if read else None
            noted = notes.get((entry.kind, entry.id), 0) if entry else 0
            standings.append(Standing(change.path, change.kind, entry, state, change.why, seen, title, noted))
        return sorted(standings, key=lambda standing: standing.path)

    def left_behind(self, ref: str) -> Sequence[Problem]:
        """Name the records that no file has any more, and those that a reset took back."""
        tree, can = self.workspace.content(Revision(ref)).tree, self.workspace.capabilities
        with self.workspace.reading() as state:
            evidence = known(state, runs=RunRecords(state.log))
            return known_elsewhere.warnings(
                self.workspace.repository, tree, evidence, readable=can.read, named=None
            )

    def render(self, path: PathName, *, ref: str = "HEAD", worktree: bool = False) -> str:
        """Give the HTML that a sync would send for one document.

        :raises ConfigError: nothing at the path is a document.
        :raises ContentError: the document has problems.
        """
        revision = Revision(ref, worktree=worktree)
        (whole,) = self.workspace.paths(listed_paths(path), revision)
        content = self.workspace.content(revision)
        with self.workspace.reading() as state:
            entries = state.manifest.entries
        read = content.read(whole, entries) if whole in content.sources else None
        if read and read.errors:
            raise ContentError(read.errors, todo="correct the file")
        if read is None or read.prepared is None:
            raise ConfigError(f"'{path}' is not a document", todo="name a page or a post")
        return str(read.prepared.fields.get("content", ""))

    def check(
        self,
        paths: PathNames = (),
        *,
        ref: str | None = None,
        worktree: bool = False,
        staged: bool = False,
        strict: bool = False,
        progress: Progress | None = None,
    ) -> Sequence[Problem]:
        """Find the problems of the content, as `pressync check` does, without a network or a manifest.

        It reads what is saved. `ref` names a commit, and `staged` the index. A job of CI, a hook after a push
        and a bare repository read HEAD, unless `worktree` asks for what is saved.
        """
        workspace = self.workspace
        revision = to_check(
            workspace.repository, workspace.environ, ref=ref, worktree=worktree, staged=staged
        )
        return self.checked(listed_paths(paths), revision, progress, strict=strict).problems

    def checked(
        self,
        paths: Collection[str],
        revision: Revision,
        progress: Progress | None = None,
        *,
        strict: bool = False,
        as_agent: bool = False,
    ) -> Checked:
        """Check the content, and keep what a report may ask; `as_agent` is about what no tool may make."""
        from pressync.app import check_cache  # noqa: PLC0415 - the other commands need none of it
        from pressync.app.check import check  # noqa: PLC0415 - as above

        chosen = self.workspace.paths(paths, revision)
        workspace = self.workspace
        with check_cache.opened(workspace.repository, workspace.settings, workspace.environ) as cache:
            checked = check(
                workspace, revision, strict=strict, as_agent=as_agent, progress=progress, cache=cache
            )
        return checked.at(chosen, self.workspace.settings)

    def plan_options(
        self, paths: Collection[str], revision: Revision, **flags: Unpack[SyncFlags]
    ) -> PlanOptions:
        """Make the options of a plan of the flags that a caller gave."""
        workspace = self.workspace
        return PlanOptions(
            paths=tuple(workspace.paths(paths, revision)),
            overwrite=flags.get("overwrite", False),
            strict=flags.get("strict", False),
            renew=flags.get("renew", False),
            allow_rewind=flags.get("allow_rewind", False),
            delete_limit=limits.DeleteLimit.of(flags.get("max_delete")),
            new_manifest=flags.get("new_manifest", False),
            create_anyway=tuple(workspace.paths(flags.get("create_anyway", ()), revision)),
            limit=flags.get("limit"),
            again=flags.get("again", False),
            notify=flags.get("notify", False),
            as_agent=workspace.clone.writes_as_agent,
            permanent=flags.get("permanent", False),
        )


def open_site(
    directory: PathName,
    *,
    site: str | None = None,
    url: str | None = None,
    dialect: str | None = None,
    credentials: Credentials | None = None,
    config_file: PathName | None = None,
    wait: float = DEFAULT_WAIT,
    say: Callable[[str], None] = lambda _sentence: None,
    shared: SharedContent | None = None,
) -> SyncedSite:
    """Open a site of the repository that holds `directory`; `site` is its name in the settings.

    `url` is the address of the interface, and `dialect` what it speaks. Without them, `pressync.toml` counts,
    and a password does not go to an address that is new to this clone. Without `credentials`, those of this
    machine are used. `say` hears what the program waits for. Sites of one repository with the same `shared`
    read and render once what no site decides; they belong to one thread at a time, all of them.

    :raises PressyncError: there is no repository, or the settings are wrong.
    """
    environ = dict(os.environ)
    if credentials is not None:
        environ = {name: value for name, value in environ.items() if name not in ACCOUNT}
        environ |= credentials.variables()
    named = {"PRESSYNC_URL": url, "PRESSYNC_DIALECT": dialect}
    environ |= {name: value for name, value in named.items() if value is not None}
    way, file = Consent.YES, None if config_file is None else Path(config_file)
    workspace = Workspace.open(
        Path(directory), site=site, config_file=file, environ=environ, wait=wait, say=say, way=way
    )
    return SyncedSite(workspace.opening(shared.open) if shared else workspace)


def _run_options(flags: SyncFlags) -> RunOptions:
    from pressync.sync.apply import RunOptions  # noqa: PLC0415 - a plan needs none of it

    return RunOptions(
        flags.get("concurrency", RunOptions().concurrency),
        flags.get("rate"),
        permanent=flags.get("permanent", False),
        overwrite=flags.get("overwrite", False),
        max_failures=flags.get("max_failures"),
    )


def _without_moves(agree: Callable[[Plan], bool]) -> Callable[[Plan], bool]:
    """Refuse a plan that moves pages by a rule of a new version, before it is agreed to."""

    def asked(plan: Plan) -> bool:
        if moved := moved_by_rule(plan.changes):
            refusal = limits.moves_unseen(moved)
            raise SafetyRefusal(str(refusal), code=refusal.code)
        return agree(plan)

    return asked


def unasked(plan: Plan) -> list[str]:
    """Say what a sync that asks nobody overwrites, replaces or deletes for good, and what it tells nobody."""
    codes = (ReasonCode.FOR_GOOD, ReasonCode.KEPT_QUIET)
    told = [str(remark) for remark in plan.remarks if remark.code in codes]
    return [*overwritten_edits(plan.changes), *replaced_markup(plan), *told]

"""The part of `sync` that has to act: consent, progress, the run, the report, the commit of the manifest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

import click

from pressync.app import commit_hint, embedded_server, up_to_date
from pressync.app.revision import Revision
from pressync.cli import console
from pressync.cli.plan import plan_options, tell_uncommitted
from pressync.cli.report import text
from pressync.model.errors import ConfigError
from pressync.plan import reviewed as reviewed_plan
from pressync.plan.build import PlanOptions
from pressync.state import manifest_location
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.approval import Approval

if TYPE_CHECKING:
    from threading import Event

    from pressync.app.workspace import Workspace
    from pressync.cli.main import Globals
    from pressync.cli.sync_options import SyncOptions
    from pressync.model.changes import Outcome, Plan
    from pressync.model.outcomes import RunResult


def run(globals_: Globals, order: SyncOptions) -> None:
    """Sync, report, and end with the run's exit code."""
    shared = plan_options(
        order.max_delete,
        overwrite=order.overwrite,
        allow_rewind=order.allow_rewind,
        new_manifest=order.new_manifest,
        strict=order.strict,
    )
    reviewed = reviewed_plan.read(order.plan_file) if order.plan_file else None
    revision = Revision(reviewed.commit if reviewed else order.ref, worktree=order.worktree)
    with (
        console.open_workspace(globals_, order.site, wait=order.wait) as workspace,
        console.stopping(globals_) as stop,
    ):
        chosen = replace(
            shared,
            paths=tuple(workspace.paths(order.paths, revision)),
            create_anyway=tuple(workspace.paths(order.create_anyway, revision)),
        )
        pace = RunOptions(
            order.concurrency,
            order.rate,
            permanent=order.permanent,
            overwrite=order.overwrite,
            delete_unused_media=order.delete_unused_media,
        )
        with _Watch(globals_, stop) as watch:
            consent = Approval(
                lambda plan: _agree(globals_, order, plan) and watch.expect(plan), reviewed, order.keep_going
            )
            ended = workspace.sync(
                revision, chosen, pace, consent, stop=stop, watcher=watch.watcher, progress=watch.reading
            )
        if ended is None:
            console.tell(globals_, "Nothing was sent.")
            raise SystemExit(console.FAILED)
        _finish(globals_, order, workspace, ended, stop)
    raise SystemExit(console.run_exit_code(ended, stopped=stop.is_set()))


def _finish(
    globals_: Globals, order: SyncOptions, workspace: Workspace, ended: RunResult, stop: Event
) -> None:
    try:
        if order.commit_manifest:
            _commit(globals_, workspace, ended)
    finally:
        ended = replace(ended, manifest=manifest_location.kept(workspace.repository, workspace.settings.site))
        _tell(globals_, order, workspace, ended, stop)
    if order.paths or order.worktree or ended.plan.problems or order.ref != "HEAD":
        return
    if console.run_exit_code(ended, stopped=stop.is_set()) == console.DONE:
        after = ended.plan if ended.plan.settled else workspace.plan(Revision(), PlanOptions()).plan
        up_to_date.write(workspace, after, site=order.site or globals_.site, config_file=globals_.config_file)


def _tell(globals_: Globals, order: SyncOptions, workspace: Workspace, ended: RunResult, stop: Event) -> None:
    console.tell_problems(globals_, ended.plan.problems, warnings=console.SHOWN_WARNINGS)
    # What was to be made first has been made, and told.
    for note in ended.plan.notes if not ended.plan.pending else ():
        console.tell(globals_, note)
    click.echo(_report(workspace, ended, order.form), nl=False)
    tell_uncommitted(globals_, workspace, worktree=order.worktree)
    if stop.is_set():
        console.tell(globals_, "Interrupted. What was sent is recorded; `pressync sync` goes on from here.")
    if step := commit_hint.next_commit(ended.manifest):
        console.tell(globals_, step)


def _agree(globals_: Globals, order: SyncOptions, plan: Plan) -> bool:
    if order.yes or order.plan_file:
        return True
    if not console.is_watched(globals_):
        raise ConfigError(
            f"{text.plan_summary(plan)} Nobody is at a terminal to agree to it",
            todo="look at `pressync plan`, then `pressync sync --yes`",
        )
    if not globals_.quiet:
        click.echo(text.plan(plan, colour=console.colour_wanted()), err=True, nl=False)
    return click.confirm("Make these changes?", err=True)


class _Watch:
    """Shows a run's progress, and says what it waits for; use as a context manager."""

    def __init__(self, globals_: Globals, stop: Event) -> None:
        self._given = globals_
        self._stop = stop
        self._meter = console.Meter(globals_)
        self._fallen = self._expected = 0
        self.reading = console.until_stopped(stop, self._meter.of("Reading"))
        self.watcher = RunListener(self._outcome, self._say)

    def __enter__(self) -> Self:
        self._meter.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._meter.__exit__()

    def expect(self, plan: Plan) -> bool:
        """Note how much is to come; true, as the last word of a consent."""
        self._expected = len(plan.pending) + plan.second_writes
        return True

    def _outcome(self, outcome: Outcome) -> None:
        self._fallen += 1
        self._meter.of("Syncing")(self._fallen, max(self._expected, self._fallen))
        console.tell_outcome(self._given, outcome)

    def _say(self, sentence: str) -> None:
        if not self._stop.is_set():
            console.tell(self._given, sentence)


def _report(workspace: Workspace, ended: RunResult, form: str) -> str:
    if form == "text":
        return text.run(ended, colour=console.colour_wanted()) + _where_to_look(workspace)
    from pressync.cli import step_result  # noqa: PLC0415 - text is what people and hooks get
    from pressync.cli.report import github, json, markdown  # noqa: PLC0415

    match form:
        case "json":
            return json.run(ended)
        case "markdown":
            return markdown.run(ended)
        case _:
            return step_result.for_github(step_result.from_run(ended, [], stopped=False), github.run(ended))


def _where_to_look(workspace: Workspace) -> str:
    if workspace.settings.site.url is not None:
        return ""
    running = embedded_server.find(embedded_server.data_directory(workspace.repository.common_directory))
    if running:
        return f"Look at it: {running.site}/\n"
    return f"Look at it: run `pressync serve` and open http://127.0.0.1:{embedded_server.DEFAULT_PORT}/\n"


def _commit(globals_: Globals, workspace: Workspace, ended: RunResult) -> None:
    if workspace.manifest_reference:
        console.tell(globals_, f"The manifest is in {workspace.manifest_place}, committed there already.")
        return
    if workspace.repository.root is None:
        raise ConfigError(
            "a bare repository has no manifest to commit", where="--commit", todo="leave it out"
        )
    # [skip ci]: a workflow that syncs on push must not start itself.
    message = f"Sync {ended.plan.site} to {ended.plan.commit[:10]} [skip ci]"
    made = workspace.repository.commit_file(workspace.manifest_path, message)
    console.tell(
        globals_,
        f"Committed the manifest as {made[:10]}." if made else "The manifest has no change to commit.",
    )

"""The part of `action` that has to act: chooses the task, does it, tells it in all the ways that GitHub has.

It must not decide what a change is, nor how it is worded. What decided its shape: whatever happens, also an
error before the first call, the step has an exit code, annotations and a summary; and what a sync learned
goes back to the branch even if the sync broke off.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from pressync.app.github import event, git_auth, push_manifest
from pressync.app.github.comment import COMMENT_LIMIT, Thread
from pressync.app.github.event import Task
from pressync.app.github.step import SUMMARY_LIMIT, Step
from pressync.app.revision import Revision
from pressync.cli import console, step_result
from pressync.cli import plan as plan_action
from pressync.cli.report import github
from pressync.model.errors import ConfigError, PressyncError
from pressync.model.printable import printable
from pressync.state import manifest_location
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.approval import Approval

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from threading import Event as Stop

    from pressync.app.github.event import Event
    from pressync.app.workspace import Workspace
    from pressync.cli.main import Globals
    from pressync.cli.step_result import StepResult
    from pressync.model.outcomes import RunResult
    from pressync.plan.build import PlanOptions

# Of a plan: what a pull request cannot mend (a conflict, a doubt) is in its report, and does not fail it.
_FAILING = frozenset({console.WRONG, console.REFUSED})
_AT_A_TIME = 4
_TOKEN = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True)
class ActionInputs:
    """What the Action's inputs ask for."""

    mode: str
    site: str | None
    max_delete: str | None
    comment: bool

    @property
    def choices(self) -> PlanOptions:
        """The choices of a plan, and of the sync of it."""
        return plan_action.plan_options(self.max_delete, overwrite=False, allow_rewind=False, strict=False)


def run(globals_: Globals, order: ActionInputs) -> None:
    """Do what the event asks for, tell it, and end with a code that passes or fails the job."""
    step = Step(os.environ)
    # The job's token is for Git and for the comment; other children do not inherit it.
    token = os.environ.pop(_TOKEN, "")
    try:
        with console.open_workspace(globals_, order.site) as workspace, _pushing(workspace, token):
            happened = event.read(os.environ)
            task = _task(happened, order, workspace)
            if task is Task.SYNC:
                ended = _synced(globals_, order, workspace)
            else:
                ended = _looked(globals_, order, workspace, task, happened)
            site = workspace.settings.site.name
    except PressyncError as error:
        _tell(step, step_result.from_error(error, []))
        raise SystemExit(error.exit_code) from None
    _tell(step, ended)
    if order.comment and happened.pull_request is not None and happened.trusted:
        _comment(happened, happened.pull_request, site, ended, token)
    raise SystemExit(ended.code if task is not Task.PLAN or ended.code in _FAILING else console.DONE)


def _pushing(workspace: Workspace, token: str) -> AbstractContextManager[None]:
    repository = workspace.repository
    return git_auth.with_token(repository.ask, {**os.environ, _TOKEN: token}, repository.environment)


def _task(happened: Event, order: ActionInputs, workspace: Workspace) -> Task:
    branch, wanted = workspace.repository.branch, workspace.settings.site.branch
    return event.task(happened, order.mode, branch=branch, wanted=wanted or happened.default_branch)


def _looked(
    globals_: Globals, order: ActionInputs, workspace: Workspace, task: Task, happened: Event
) -> StepResult:
    """Draw the plan; to find drift, beside what the site holds now."""
    looks = task is Task.DRIFT and workspace.capabilities.read
    draw = workspace.plan_with_drift if looks else workspace.plan
    with console.Meter(globals_) as meter:
        plan = draw(Revision(), order.choices, meter.of("Reading")).plan
    notes = list(_shallow(workspace))
    if not happened.trusted:
        notes.append(
            "From a fork, or from Dependabot: planned without any secret, and no comment is written."
        )
    if task is Task.DRIFT and not looks:
        notes.append(
            "This site cannot be read: what is compared is the repository and what was last sent to it."
        )
    if task is Task.PLAN and happened.pull_request is None:
        notes.append("Nothing was sent: the site is not synced from here.")
    return step_result.from_plan(plan, "drift of" if task is Task.DRIFT else "plan for", notes)


def _synced(globals_: Globals, order: ActionInputs, workspace: Workspace) -> StepResult:
    """Sync; and whatever came of it, carry the manifest."""
    notes = list(_shallow(workspace))
    branch = _branch(workspace)
    if branch is not None:
        push_manifest.require_push(workspace.repository, branch)
    run: RunResult | None = None
    with console.stopping(globals_) as stop:
        try:
            run = _sync(globals_, order, workspace, stop)
            ended = step_result.from_run(run, notes, stopped=stop.is_set())
        except PressyncError as error:
            ended = step_result.from_error(error, notes)
        finally:
            # Also when this is a mistake of ours: the records that were made must not be made again.
            trouble = _carried(workspace, branch, notes)
    if run:
        ended = ended.kept(
            run, manifest_location.kept(workspace.repository, workspace.settings.site), trouble
        )
    return ended.with_failure(trouble) if trouble else ended


def _sync(globals_: Globals, order: ActionInputs, workspace: Workspace, stop: Stop) -> RunResult:
    watcher = RunListener(
        lambda outcome: console.tell_outcome(globals_, outcome),
        lambda sentence: console.tell(globals_, sentence),
    )
    with console.Meter(globals_) as meter:
        ended = workspace.sync(
            Revision(),
            order.choices,
            RunOptions(_AT_A_TIME),
            Approval(lambda _plan: True),
            stop=stop,
            watcher=watcher,
            progress=console.until_stopped(stop, meter.of("Reading")),
        )
    if ended is None:
        raise AssertionError("nobody was asked, and somebody said no")
    return ended


def _branch(workspace: Workspace) -> str | None:
    """Give the branch that the manifest is committed to; None if it is carried in another way, or by nobody.

    :raises ConfigError: it is to be committed, and no branch is checked out.
    """
    site = workspace.settings.site
    if site.reference or site.url is None or workspace.repository.root is None:
        return None
    branch = workspace.repository.branch
    if branch is None:
        raise ConfigError(
            "no branch is checked out, so there is none that the manifest could be committed to",
            todo="check out a branch (`ref:` of actions/checkout)",
        )
    return branch


def _carried(workspace: Workspace, branch: str | None, notes: list[str]) -> PressyncError | None:
    """Commit the manifest and push it; the error if that failed, with what is lost by it."""
    if branch is None:
        return None
    site, head = workspace.settings.site.name, workspace.repository.commit()
    # [skip ci]: a push with another token than the job's would start the workflow that made it.
    message = f"Sync {site} to {head[:10]} [skip ci]"
    try:
        made = push_manifest.commit_and_push(workspace.repository, workspace.manifest_path, branch, message)
    except PressyncError as error:
        notes.append(f"The manifest did NOT get to {branch}: the next run does not know what this one did.")
        return error
    if made:
        notes.append(f"The manifest is on {branch}, as {made[:10]}.")
    return None


def _shallow(workspace: Workspace) -> Iterator[str]:
    if workspace.repository.shallow:
        yield (
            "This clone is shallow: a file whose removal it does not show is not deleted on the site "
            "(fetch-depth: 0 of actions/checkout brings the history)."
        )


def _tell(step: Step, ended: StepResult) -> None:
    """Print annotations and log; write the report, the outputs and the summary."""
    for annotation in ended.annotations:
        click.echo(annotation)
    click.echo(ended.log, nl=False)
    report = str(step.keep("pressync.json", ended.document)) if ended.document else ""
    step.output(exit_code=str(ended.code), counts=json.dumps(ended.counts), report=report)
    step.summarise(ended.markdown(SUMMARY_LIMIT))


def _comment(happened: Event, number: int, site: str, ended: StepResult, token: str) -> None:
    """Write the pull request's comment; that it cannot be written fails nothing."""
    mark = f"<!-- pressync:{site} -->"
    thread = Thread.of(os.environ, happened.repository, number)
    try:
        where = thread.put(
            mark,
            ended.markdown(COMMENT_LIMIT - len(mark) - 1),
            token,
            needed=not ended.quiet,
        )
    except PressyncError as error:
        todo = "it needs `permissions: pull-requests: write`; `comment: false` leaves it out"
        click.echo(github.warning(f"The plan is not written as a comment: {error}; {todo}"))
        return
    if where:
        click.echo(printable(f"The comment: {where}"))

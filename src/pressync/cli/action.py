"""`pressync action` at work: chooses the task, does it, and reports it in every form that GitHub has.

Every step ends with an exit code, annotations and a summary, even if an error comes before the first call.
After a sync the manifest goes back to the branch even if the sync failed, because the next run must know the
records that this one created.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from pressync.app.github import event, git_auth, push_manifest
from pressync.app.github.comment import COMMENT_LIMIT, Thread
from pressync.app.github.event import Task
from pressync.app.github.step import SUMMARY_LIMIT, Step
from pressync.app.revision import Revision
from pressync.cli import console, step_result
from pressync.cli.plan import delete_limit, planner
from pressync.cli.report import github
from pressync.model.errors import ConfigError, PressyncError
from pressync.model.printable import printable
from pressync.plan import limits
from pressync.plan.build import PlanOptions
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

# A plan with one of these codes fails the job. A pull request cannot fix a conflict or an unconfirmed
# create, so its report names them and the job passes.
_FAILING = frozenset({console.WRONG, console.REFUSED})
_AT_A_TIME = 4
_TOKEN = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True)
class ActionInputs:
    """The Action's inputs."""

    mode: str
    max_delete: str | None
    comment: bool

    @property
    def plan_options(self) -> PlanOptions:
        """The options of a plan, and of the sync of it."""
        return PlanOptions(delete_limit=delete_limit(self.max_delete))


def run(globals_: Globals, inputs: ActionInputs) -> None:
    """Do what the event asks for, report it, and end with a code that passes or fails the job."""
    step = Step(os.environ)
    # The job's token is for Git and for the comment. Other child processes do not inherit it.
    token = os.environ.pop(_TOKEN, "")
    try:
        with console.open_workspace(globals_) as workspace, _with_git_token(workspace, token):
            github_event = event.read(os.environ)
            task = _task(github_event, inputs, workspace)
            if task is Task.SYNC:
                result = _synced(globals_, inputs, workspace)
            else:
                result = _planned(globals_, inputs, workspace, task, github_event)
            site = workspace.settings.site.name
    except PressyncError as error:
        _tell(step, step_result.from_error(error, []))
        raise SystemExit(error.exit_code) from None
    _tell(step, result)
    if inputs.comment and github_event.pull_request is not None and github_event.trusted:
        _comment(github_event, github_event.pull_request, site, result, token)
    raise SystemExit(result.code if task is not Task.PLAN or result.code in _FAILING else console.DONE)


def _with_git_token(workspace: Workspace, token: str) -> AbstractContextManager[None]:
    repository = workspace.repository
    return git_auth.with_token(repository.ask, {**os.environ, _TOKEN: token}, repository.environment)


def _task(github_event: Event, inputs: ActionInputs, workspace: Workspace) -> Task:
    branch, wanted = workspace.repository.branch, workspace.settings.site.branch
    return event.task(github_event, inputs.mode, branch=branch, wanted=wanted or github_event.default_branch)


def _planned(
    globals_: Globals, inputs: ActionInputs, workspace: Workspace, task: Task, github_event: Event
) -> StepResult:
    """Draw the plan; to find drift, read the site as well."""
    reads_site = task is Task.DRIFT and workspace.capabilities.read
    with console.Meter(globals_) as meter:
        build = planner(workspace, reads_site=reads_site)
        plan = build(Revision(), inputs.plan_options, meter.of("Reading")).plan
    # The job plans commits that are not on the site's branch yet, or not any more. It never syncs them.
    plan = replace(plan, refusals=tuple(r for r in plan.refusals if r.code != limits.OTHER_BRANCH))
    notes = list(_shallow(workspace))
    if not github_event.trusted:
        notes.append(
            "The event comes from a fork or from Dependabot: no secret was used, and no comment is written."
        )
    if task is Task.DRIFT and not reads_site:
        notes.append(
            "This site cannot be read: the plan compares the repository with the values that were last sent."
        )
    if task is Task.PLAN and github_event.pull_request is None:
        notes.append("Nothing was sent: the site is not synced from here.")
    return step_result.from_plan(plan, "drift of" if task is Task.DRIFT else "plan for", notes)


def _synced(globals_: Globals, inputs: ActionInputs, workspace: Workspace) -> StepResult:
    """Sync, and commit and push the manifest even if the sync failed."""
    notes = list(_shallow(workspace))
    branch = _branch(workspace)
    if branch is not None:
        push_manifest.require_push(workspace.repository, branch)
    run: RunResult | None = None
    with console.stopping(globals_) as stop:
        try:
            run = _sync(globals_, inputs, workspace, stop)
            result = step_result.from_run(run, notes, stopped=stop.is_set())
        except PressyncError as error:
            result = step_result.from_error(error, notes)
        finally:
            # This runs after an internal error as well: the created records must not be created again.
            trouble = _push_manifest(workspace, branch, notes)
    if run:
        result = result.kept(
            run, manifest_location.kept(workspace.repository, workspace.settings.site), trouble
        )
    return result.with_failure(trouble) if trouble else result


def _sync(globals_: Globals, inputs: ActionInputs, workspace: Workspace, stop: Stop) -> RunResult:
    listener = RunListener(
        lambda outcome: console.tell_outcome(globals_, outcome),
        lambda sentence: console.tell(globals_, sentence),
    )
    with console.Meter(globals_) as meter:
        result = workspace.sync(
            Revision(),
            inputs.plan_options,
            RunOptions(_AT_A_TIME),
            Approval(lambda _plan: True),
            stop=stop,
            listener=listener,
            progress=console.until_stopped(stop, meter.of("Reading")),
        )
    if result is None:
        raise AssertionError("the sync asked nobody, and was not approved")
    return result


def _branch(workspace: Workspace) -> str | None:
    """Give the branch to which the manifest is committed; None if the manifest is not a committed file.

    :raises ConfigError: the manifest is a committed file, and no branch is checked out.
    """
    site = workspace.settings.site
    if site.reference or site.url is None or workspace.repository.root is None:
        return None
    branch = workspace.repository.branch
    if branch is None:
        raise ConfigError(
            "no branch is checked out, so the manifest cannot be committed to one",
            todo="check out a branch (`ref:` of actions/checkout)",
        )
    return branch


def _push_manifest(workspace: Workspace, branch: str | None, notes: list[str]) -> PressyncError | None:
    """Commit the manifest and push it. If that fails, return the error, and note what the next run lacks."""
    if branch is None:
        return None
    site, head = workspace.settings.site.name, workspace.repository.commit()
    # `[skip ci]`: a push with another token than the job's would start the same workflow again.
    message = f"Sync {site} to {head[:10]} [skip ci]"
    try:
        made = push_manifest.commit_and_push(workspace.repository, workspace.manifest_path, branch, message)
    except PressyncError as error:
        notes.append(
            f"The manifest was NOT pushed to {branch}: the next run does not know what this run did."
        )
        return error
    if made:
        notes.append(f"The manifest is on {branch}, as {made[:10]}.")
    return None


def _shallow(workspace: Workspace) -> Iterator[str]:
    if workspace.repository.shallow:
        yield (
            "This clone is shallow: it does not show the removal of some files, and their records are not "
            "deleted on the site (`fetch-depth: 0` of actions/checkout fetches the history)."
        )


def _tell(step: Step, result: StepResult) -> None:
    """Print the annotations and the log; write the report, the outputs and the summary."""
    for annotation in result.annotations:
        click.echo(annotation)
    click.echo(result.log, nl=False)
    report = str(step.keep("pressync.json", result.document)) if result.document else ""
    step.output(exit_code=str(result.code), counts=json.dumps(result.counts), report=report)
    step.summarise(result.markdown(SUMMARY_LIMIT))


def _comment(github_event: Event, number: int, site: str, result: StepResult, token: str) -> None:
    """Write the pull request's comment. The job passes even if that is impossible."""
    mark = f"<!-- pressync:{site} -->"
    thread = Thread.of(os.environ, github_event.repository, number)
    try:
        where = thread.put(
            mark,
            result.markdown(COMMENT_LIMIT - len(mark) - 1),
            token,
            needed=not result.quiet,
        )
    except PressyncError as error:
        todo = "a comment needs `permissions: pull-requests: write`; `comment: false` writes none"
        click.echo(github.warning(f"The plan is not written as a comment: {error}; {todo}"))
        return
    if where:
        click.echo(printable(f"The comment: {where}"))

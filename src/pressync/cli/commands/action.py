"""`pressync action`: one step of a GitHub workflow. Chooses the task, does it, and reports it.

Every step ends with an exit code, annotations and a summary, even if an error comes before the first call.
After a sync the manifest goes back to the branch even if the sync failed, because the next run must know the
records that this one created.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from pressync.app import forge
from pressync.app.github.step import SUMMARY_LIMIT, Event, Step, Task, read_event
from pressync.app.github.step import task as task_of
from pressync.app.revision import Revision
from pressync.cli import console, options
from pressync.cli.options import SyncOptions
from pressync.cli.report import documents, github
from pressync.config.environment import CREDENTIALS
from pressync.config.settings import FILE_NAME
from pressync.model.changes import Keep
from pressync.model.errors import ConfigError, PressyncError
from pressync.model.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event as Stop

    from pressync.app.site import SyncedSite
    from pressync.app.workspace import Workspace
    from pressync.cli.report.github import StepResult
    from pressync.model.outcomes import RunResult
    from pressync.plan.build import PlannedRun
    from pressync.state.clone_log import EditorNote

# The options of `sync` that a workflow may give.
_OPEN = {"paths", "concurrency", "rate", "limit", "max_failures", "max_delete", "create_anyway", "approved"}
_OPEN |= {"permanent", "overwrite", "allow_rewind", "new_manifest", "strict", "keep_going", "wait", "again"}
_OPEN |= {"notify"}
_ARGUMENTS = "write paths and options of `pressync sync`, such as `--limit 50`"
_SHALLOW = (
    "This clone is shallow: it does not show the removal of some files, and their records are not deleted on "
    "the site (`fetch-depth: 0` of actions/checkout fetches the history)."
)
# The counts of a plan or a run that are changes of the site.
_CHANGES = ("create", "update", "delete", "done")
# The line of a comment that a later sync reads.
_APPROVAL = "<!-- pressync:approval {} -->"
_TOKEN = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable
# An input of the Action has a value: true or false.
_switch = partial(click.option, type=click.BOOL, show_default=True)


@options.command(
    "pressync action                        # the event decides",
    "pressync action --mode plan --comment false",
    "pressync action --args '--limit 50 content/posts'",
)
@options.one_of(
    "--mode", of=("auto", "plan", "sync", "drift", "pull"), help="What to do; auto decides by the event."
)
@options.max_delete
@_switch("--strict", default=False, help="Treat warnings as errors.")
@_switch("--keep-going", default=False, help="Sync the other files if some have problems.")
@click.option("--args", default="", metavar="TEXT", help="Further paths and options of `sync`.")
@_switch("--comment", default=True, help="Write the plan as a comment of the pull request.")
def command(
    globals_: options.Globals,
    /,
    *,
    mode: str,
    max_delete: str | None,
    strict: bool,
    keep_going: bool,
    args: str,
    comment: bool,
) -> None:
    """Run one step of a GitHub workflow, as the Action does.

    The command reads the event. It plans a pull request, and it syncs for a push, a schedule or a manual
    start. It writes annotations, the job's summary, outputs and a comment.
    """
    flags = [f"--max-delete={max_delete}"] if max_delete else []
    flags += ["--strict"] * strict + ["--keep-going"] * keep_going
    run_step(globals_, ActionInputs(mode, comment, args, tuple(flags)))


class ActionInputs(NamedTuple):
    """The Action's inputs."""

    mode: str
    comment: bool
    args: str
    flags: tuple[str, ...]

    def options(self, globals_: options.Globals) -> SyncOptions:
        """Read the arguments, which are those of `sync`.

        :raises ConfigError: one of them is wrong, or the Action decides it by itself.
        """
        from click.core import ParameterSource

        from pressync.cli.commands import sync as sync_command

        try:
            words = [*shlex.split(self.args), *self.flags]
            context = sync_command.command.make_context("sync", words, obj=globals_)
        except (ValueError, click.ClickException) as error:
            problem = error.format_message() if isinstance(error, click.ClickException) else str(error)
            raise ConfigError(problem.rstrip("."), where="args", todo=_ARGUMENTS) from error
        except click.exceptions.Exit as error:
            raise ConfigError("`--help` is for a terminal", where="args", todo=_ARGUMENTS) from error
        for parameter in sync_command.command.get_params(context):
            name = str(parameter.name)
            if name not in _OPEN and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise ConfigError(
                    f"the Action decides `{parameter.opts[0]}` by itself", where="args", todo=_ARGUMENTS
                )
        return options.gathered(SyncOptions, context.params)


def run_step(globals_: options.Globals, inputs: ActionInputs) -> None:
    """Do what the event asks for, report it, and end with a code that passes or fails the job."""
    from pressync.cli.commands.pull import proposed

    step = Step(os.environ)
    # The job's token is for Git and for the comment. Other child processes do not inherit it.
    token = os.environ.pop(_TOKEN, "")
    try:
        options = inputs.options(globals_)
        with (
            console.open_site(globals_, wait=options.wait) as site,
            forge.with_token(site.workspace.repository, {**os.environ, _TOKEN: token}),
        ):
            github_event, workspace = read_event(os.environ), site.workspace
            wanted = workspace.settings.site.branch or github_event.default_branch
            repository = workspace.repository
            task = task_of(
                github_event,
                inputs.mode,
                branch=repository.branch,
                wanted=wanted,
                is_tip=wanted is not None and repository.is_tip_of(wanted),
            )
            if task is Task.SYNC:
                _require_site(workspace)
                approved = options.approved or _approved(workspace, github_event, wanted, token)
                result = _synced(globals_, options, site, approved)
            elif task is Task.PULL:
                _require_site(workspace)
                made, lines = proposed(globals_, workspace, github_event.default_branch, token)
                result = github.from_proposal(made, lines)
            else:
                result = _planned(globals_, options, site, task, github_event)
            name = site.name
    except PressyncError as error:
        _tell(step, github.from_error(error))
        raise SystemExit(error.exit_code) from None
    _tell(step, result)
    if inputs.comment and github_event.pull_request is not None and github_event.trusted:
        _comment(github_event, github_event.pull_request, name, result, token)
    # A pull request cannot fix a conflict or an unconfirmed create, so its report names them and the job
    # passes.
    fails = task is not Task.PLAN or result.code in {console.WRONG, console.REFUSED}
    raise SystemExit(result.code if fails else console.DONE)


def _require_site(workspace: Workspace) -> None:
    """Refuse to publish to a service that ends with the job, unless somebody named it.

    :raises ConfigError: the settings name no site.
    """
    if workspace.settings.origins["site"] == "default":
        raise ConfigError(
            "no site is set, and what is synced to the embedded service of a runner is gone with the runner",
            where=FILE_NAME,
            todo="add the table of your site, which `pressync init --url ADDRESS` shows; or, to try "
            "the Action without a site, give it `site: embedded`",
        )


def _planned(
    globals_: options.Globals, options: SyncOptions, site: SyncedSite, task: Task, github_event: Event
) -> StepResult:
    """Draw the plan; to find drift, read the site as well."""
    from pressync.app import playground
    from pressync.cli.report.words import PlanExtras
    from pressync.plan import limits

    workspace = site.workspace
    drift = task is Task.DRIFT and workspace.capabilities.read
    with console.Meter(globals_) as meter:
        planned = site.planned(options.paths, Revision(), meter.of("Reading"), drift=drift, **options.flags)
    plan = planned.plan
    look = None if github_event.pull_request is None else playground.of_plan(workspace, Revision(), planned)
    whole = look
    if look and look.left and len(plan.pending) <= playground.MOST_OF_WHOLE:
        whole = playground.of_plan(workspace, Revision(), planned, longest=None)
    # The job plans commits that are not on the site's branch yet, or not any more. It never syncs them.
    plan = replace(plan, refusals=tuple(r for r in plan.refusals if r.code != limits.OTHER_BRANCH))
    notes = [_SHALLOW] * workspace.repository.shallow
    if look and look.shown and github_event.is_private:
        notes.append("This repository is private, and the link has the text of its pages in itself.")
    if not github_event.trusted:
        notes.append(
            "The event comes from a fork or from Dependabot: no secret was used, and no comment is written."
        )
    if task is Task.DRIFT and not drift:
        notes.append(
            "This site cannot be read: the plan compares the repository with the values that were last sent."
        )
    if workspace.settings.origins["site"] == "default":
        notes.append("No site is set: this is a plan for the embedded service, and a push would be refused.")
    if task is Task.PLAN and github_event.pull_request is None:
        notes.append("Nothing was sent: the site is not synced from here.")
    extras = PlanExtras(look, _noted(workspace, planned, github_event, notes))
    title = "drift of" if task is Task.DRIFT else "plan for"
    result = github.from_plan(plan, title=title, notes=notes, extras=extras)
    return replace(result, blueprint=whole.blueprint if whole and whole.shown else "")


def _approved(workspace: Workspace, github_event: Event, branch: str | None, token: str) -> str:
    """Read the digest of the plan that the merged pull request of HEAD showed; "" if there is none.

    :raises ServiceError: GitHub does not tell.
    """
    site = workspace.settings.site
    if not site.approve or github_event.name != "push" or not branch:
        return ""
    from pressync.app.forge_api import ForgeApi, comment, merged

    with ForgeApi.of(os.environ, github_event.repository, token) as github:
        number = merged(github, workspace.repository.commit(), branch)
        own = {} if number is None else comment(github, number, _mark(site.name))
    return approval_in(str(own.get("body", "")))


def _synced(globals_: options.Globals, options: SyncOptions, site: SyncedSite, approved: str) -> StepResult:
    """Sync, and commit and push the manifest even if the sync failed."""
    from pressync.app import manifest
    from pressync.app.notes import resolve_named

    workspace = site.workspace
    notes = [_SHALLOW] * workspace.repository.shallow
    # A run whose manifest could not be pushed is refused before it changes anything.
    branch = manifest.branch_to_push(workspace)
    run: RunResult | None = None
    with console.stopping(globals_) as stop:
        try:
            run = _sync(globals_, options, site, stop, approved)
            notes += resolve_named(workspace, run)
            result = github.from_run(run, notes, stopped=stop.is_set())
        except PressyncError as error:
            result = github.from_error(error, notes)
        finally:
            # This runs after an internal error as well: the created records must not be created again.
            trouble = _push_manifest(workspace, branch, notes)
    if run:
        kept = workspace.kept_manifest
        if kept and trouble:
            kept = replace(kept, committed=False)
        result = replace(result, document=documents.run(replace(run, manifest=kept).published))
    if trouble is None:
        return result
    annotations = [*result.annotations, github.error(str(trouble))]
    return replace(result, code=result.code or trouble.exit_code, annotations=annotations, quiet=False)


def _noted(
    workspace: Workspace, planned: PlannedRun, github_event: Event, notes: list[str]
) -> Sequence[EditorNote]:
    """Read the open notes of editors on the pages of a plan, where the job may read the site."""
    from pressync.cli.plan import noted

    secrets = any(workspace.environ.get(name) for name in CREDENTIALS)
    if not (planned.plan.compared or (github_event.pull_request and github_event.trusted and secrets)):
        return ()
    try:
        open_notes = noted(workspace, Revision(), planned)
    except PressyncError as error:
        notes.append(f"The notes of editors were not read: {error}")
        return ()
    pages = {change.path for change in planned.plan.changes if not isinstance(change, Keep)}
    return open_notes if planned.plan.compared else [note for note in open_notes if note.path in pages]


def _sync(
    globals_: options.Globals, options: SyncOptions, site: SyncedSite, stop: Stop, approved: str
) -> RunResult:
    with console.Meter(globals_) as meter:
        result = site.run(
            options.paths,
            Revision(),
            lambda _plan: True,
            is_seen=bool(approved),
            stop=stop,
            approved=approved,
            on_outcome=lambda outcome: console.tell_outcome(globals_, outcome.published),
            say=partial(console.tell, globals_),
            progress=console.until_stopped(stop, meter.of("Reading")),
            **options.flags,
        )
    if result is None:
        raise AssertionError("the sync asked nobody, and was not approved")
    return result


def _push_manifest(workspace: Workspace, branch: str | None, notes: list[str]) -> PressyncError | None:
    """Commit the manifest and push it. If that fails, return the error, and note what the next run lacks."""
    from pressync.app import manifest

    if branch is None:
        return None
    site, head = workspace.settings.site.name, workspace.repository.commit()
    # `[skip ci]`: a push with another token than the job's would start the same workflow again.
    message = f"Sync {site} to {head[:10]} [skip ci]"
    try:
        made = manifest.commit_and_push(workspace.repository, workspace.manifest_path, branch, message)
    except PressyncError as error:
        notes.append(
            f"The manifest was NOT pushed to {branch}: the next run does not know what this run did."
        )
        return error
    if made:
        notes.append(f"The manifest is on {branch}, as {made[:10]}.")
    return None


def _tell(step: Step, result: StepResult) -> None:
    """Print the annotations and the log; write the report, the outputs and the summary."""
    for annotation in result.annotations:
        click.echo(annotation)
    click.echo(result.log, nl=False)
    report = str(step.keep("pressync.json", result.document)) if result.document else ""
    markdown = result.markdown(SUMMARY_LIMIT)
    step.output(
        exit_code=str(result.code),
        changed=json.dumps(any(result.counts.get(name) for name in _CHANGES)),
        counts=json.dumps(result.counts),
        report=report,
        markdown=str(step.keep("pressync.md", f"{markdown}\n")),
        playground=str(step.keep("blueprint.json", result.blueprint)) if result.blueprint else "",
    )
    step.summarise(markdown)


def _mark(site: str) -> str:
    return f"<!-- pressync:{site} -->"


def approval_in(comment: str) -> str:
    """Read the digest in a comment of ours: its second line has nothing else."""
    second = comment.split("\n")[1:2]
    match = re.fullmatch(_APPROVAL.format("([0-9a-f]{32})"), second[0].strip()) if second else None
    return match[1] if match else ""


def _comment(github_event: Event, number: int, site: str, result: StepResult, token: str) -> None:
    """Write the pull request's comment. The job passes even if that is impossible."""
    from pressync.app.forge_api import COMMENT_LIMIT, ForgeApi, put_comment

    mark = _mark(site)
    head = f"{_APPROVAL.format(result.approval)}\n" if result.approval else ""
    body = head + result.markdown(COMMENT_LIMIT - len(mark) - 1 - len(head))
    try:
        with ForgeApi.of(os.environ, github_event.repository, token) as interface:
            where = put_comment(interface, number, mark, body, needed=not result.quiet)
    except PressyncError as error:
        todo = "a comment needs `permissions: pull-requests: write`; `comment: false` writes none"
        click.echo(github.warning(f"The plan is not written as a comment: {error}; {todo}"))
        return
    if where:
        click.echo(printable(f"The comment: {where}"))

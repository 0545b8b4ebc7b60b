"""The part of `plan` that has to look: opens the workspace, draws the plan, prints it in its format."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from pressync.app import up_to_date
from pressync.app.revision import Revision
from pressync.cli import console, uncommitted
from pressync.cli.report import text
from pressync.model.errors import ContentError
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DEFAULT_LIMIT, DeleteLimit

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.app.workspace import Workspace
    from pressync.cli.main import Globals
    from pressync.model.changes import Plan
    from pressync.plan.build import PlannedRun


def choices(
    max_delete: str | None, *, overwrite: bool, allow_rewind: bool, strict: bool, new_manifest: bool = False
) -> PlanOptions:
    """Make the choices that `plan` and `sync` share from their flags."""
    return PlanOptions(
        overwrite=overwrite,
        strict=strict,
        allow_rewind=allow_rewind,
        new_manifest=new_manifest,
        delete_limit=DeleteLimit.parse(max_delete) if max_delete else DEFAULT_LIMIT,
    )


def show(
    globals_: Globals,
    paths: tuple[str, ...],
    site: str | None,
    *,
    form: str | None,
    out: Path | None,
    diff: bool,
    exit_code: bool,
    drift: bool | None,
    ref: str,
    worktree: bool,
    choices: PlanOptions,
    keep_going: bool,
) -> None:
    """Draw the plan, print it, and end with the exit code that was asked for.

    `drift` is None where nobody said whether to look at the site: then `exit_code` does.
    """
    with console.open_workspace(globals_, site) as workspace:
        revision = Revision(ref, worktree=worktree)
        chosen = replace(choices, paths=tuple(workspace.paths(paths, revision)))
        with console.Meter(globals_) as meter:
            looks = drift if drift is not None else exit_code and workspace.capabilities.read
            draw = workspace.plan_with_drift if looks else workspace.plan
            drawn = draw(revision, chosen, meter.of("Reading"))
        plan = drawn.plan
        console.tell_problems(globals_, plan.problems, warnings=console.SHOWN_WARNINGS)
        edits = _edits(workspace, drawn) if diff else None
        rendered = _rendered(plan, form or ("json" if out else "text"), edits, to_file=out is not None)
        if out:
            console.write(out, rendered)
            console.tell(globals_, f"{text.plan_summary(plan)} Written to {out}.")
        else:
            click.echo(rendered, nl=False)
        tell_uncommitted(globals_, workspace, worktree=worktree)
        errors = tuple(problem for problem in plan.problems if not problem.warning)
        if errors and not keep_going:
            raise SystemExit(ContentError.exit_code)
        if not (paths or worktree or plan.problems) and ref == "HEAD":
            up_to_date.write(workspace, plan, site=site or globals_.site, config_file=globals_.config_file)
    if exit_code:
        raise SystemExit(console.plan_exit_code(plan))


def tell_uncommitted(globals_: Globals, workspace: Workspace, *, worktree: bool) -> None:
    """Tell a person at a terminal what of their work is not part of this: it is not committed."""
    settings = workspace.settings
    if not worktree:
        uncommitted.tell(
            globals_, lambda: workspace.repository.uncommitted([settings.content, settings.templates])
        )


def _edits(workspace: Workspace, drawn: PlannedRun) -> dict[str, str]:
    from pressync.plan.diffs import diffs  # noqa: PLC0415 - few plans are shown with them

    return diffs(workspace.repository, drawn)


def _rendered(plan: Plan, form: str, edits: dict[str, str] | None, *, to_file: bool) -> str:
    if form == "text":
        return text.plan(plan, colour=console.colour_wanted() and not to_file, diffs=edits)
    from pressync.cli import step_result  # noqa: PLC0415 - text is what people and hooks get
    from pressync.cli.report import github, html, json, markdown  # noqa: PLC0415

    match form:
        case "json":
            return json.plan(plan)
        case "markdown":
            return markdown.plan(plan)
        case "html":
            return html.plan(plan, diffs=edits)
        case _:
            whole = github.plan(plan)
            return (
                whole
                if to_file
                else step_result.for_github(step_result.from_plan(plan, "plan for", []), whole)
            )

"""`pressync plan` at work: opens the workspace, draws the plan and prints it in its format."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import click

from pressync.app import up_to_date
from pressync.app.revision import Revision
from pressync.cli import console, log
from pressync.cli.all_sites import SiteEnd
from pressync.cli.options import Globals, PlanCommandOptions, covers_head
from pressync.cli.report import text
from pressync.cli.report.layout import fitted
from pressync.cli.report.words import PlanExtras
from pressync.model.changes import Block, Blocked, Plan
from pressync.model.errors import ContentError, counted_places, storing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pressync.app.site import SyncedSite
    from pressync.app.workspace import Workspace
    from pressync.cli.report.github import StepResult
    from pressync.plan.build import PlannedRun
    from pressync.state.clone_log import EditorNote


def run(globals_: Globals, options: PlanCommandOptions) -> None:
    """Draw the plan, print it, and end with its code."""
    raise SystemExit(_drawn(globals_, options)[0])


def ended(globals_: Globals, options: PlanCommandOptions) -> SiteEnd:
    """Draw the plan of one site among all, and give its row."""
    code, plan = _drawn(globals_, options)
    from pressync.cli.report import documents  # noqa: PLC0415 - people read text

    document = documents.plan_document(plan) if options.form == "json" else None
    return SiteEnd(code, text.plan_summary(plan), document)


def _drawn(globals_: Globals, options: PlanCommandOptions) -> tuple[int, Plan]:
    """Draw the plan, print it unless a row tells of it, note a plan of nothing, and give the exit code."""
    revision = Revision(options.ref, worktree=options.worktree)
    with console.open_site(globals_, as_agent=options.as_agent) as site:
        workspace, planned = site.workspace, _planned(globals_, options, site, revision)
        plan = planned.plan
        shown = [p for p in plan.problems if not (options.summary and p.warning)]
        console.tell_problems(globals_, shown, warnings=console.SHOWN_WARNINGS)
        if not options.all_sites:
            extras = _extras(options, workspace, revision, planned)
            _show(_Shown(globals_, options, workspace, revision, planned, extras))
        if covers_head(options) and not (plan.problems or options.as_agent):
            up_to_date.write(workspace, plan, site=globals_.site, config_file=globals_.config_file)
    errors = [problem for problem in plan.problems if not problem.warning]
    if errors and not options.keep_going:
        count = counted_places(len({problem.group for problem in errors}), len(errors), "problem")
        left = "; `--keep-going` syncs the rest" if plan.pending else ""
        console.tell(globals_, f"Sync would send nothing, because of {count} in the content{left}.")
        return console.WRONG, plan
    return console.plan_exit_code(plan) if options.exit_code else console.DONE, plan


def _planned(
    globals_: Globals, options: PlanCommandOptions, site: SyncedSite, revision: Revision
) -> PlannedRun:
    """Draw the plan. `--drift` reads the site as well; so does `--exit-code`, where the service has reads."""
    drift = options.drift
    if drift is None and not options.as_agent:
        drift = options.exit_code and site.workspace.capabilities.read
    with console.Meter(globals_) as meter:
        read = meter.of("Reading")
        planned = site.planned(options.paths, revision, read, drift=bool(drift), **options.flags)
    if options.as_agent:
        from pressync.app import agents  # noqa: PLC0415 - other plans are those of a person

        planned = replace(planned, plan=agents.foreseen(site.workspace, revision, planned.plan))
    return planned


def _extras(
    options: PlanCommandOptions, workspace: Workspace, revision: Revision, planned: PlannedRun
) -> PlanExtras:
    """Make the Blueprint of the plan, if it is asked for, and read the notes of editors."""
    look = None
    if options.playground or options.form == "playground":
        from pressync.app import playground  # noqa: PLC0415 - few plans are opened in WordPress

        longest = None if options.form == "playground" else playground.LONGEST
        look = playground.of_plan(workspace, revision, planned, longest=longest)
    return PlanExtras(look, noted(workspace, revision, planned) if planned.plan.compared else ())


def noted(workspace: Workspace, revision: Revision, planned: PlannedRun) -> Sequence[EditorNote]:
    """Read the open notes of editors on the records of a plan.

    :raises ServiceError: the site does not answer.
    """
    from pressync.app import notes  # noqa: PLC0415 - few plans read the site

    paths = {change.path for change in planned.plan.changes}
    open_notes = notes.listed(workspace, workspace.content(revision), planned.entries)
    return tuple(notes.to_resolve((note for note in open_notes if note.path in paths), planned.plan))


class _Shown(NamedTuple):
    """A plan that is shown, with everything that its formats need."""

    globals_: Globals
    options: PlanCommandOptions
    workspace: Workspace
    revision: Revision
    planned: PlannedRun
    extras: PlanExtras


def _show(shown: _Shown) -> None:
    """Print the plan and what is beside it, and tell what it leaves out."""
    globals_, options, workspace = shown.globals_, shown.options, shown.workspace
    _print(shown)
    if options.form in {None, "text"} and not (options.summary or options.out):
        for line in text.plan_extras(shown.extras):
            click.echo(line)
    tell_uncommitted(globals_, workspace, worktree=options.worktree)
    changes = shown.planned.plan.changes
    tell_under_way(globals_, workspace, (c.block for c in changes if isinstance(c, Blocked)))


def _page(shown: _Shown) -> str:
    """Write the page of a plan; its diffs are left out only with `--no-diff`."""
    from pressync.app import comparisons  # noqa: PLC0415 - few plans are shown as a page
    from pressync.cli.report import html  # noqa: PLC0415 - as above

    plan, look = shown.planned.plan, shown.extras.look
    if shown.options.diff is False:
        return html.plan(plan, look=look)
    diffs, total = {}, len(plan.pending)
    opening = comparisons.opened(shown.workspace, shown.revision, shown.planned)
    with opening as opened, console.Meter(shown.globals_) as meter:
        for diff in opened.of(plan.changes):
            diffs[diff.path] = diff
            meter.of("Comparing")(len(diffs), max(total, len(diffs)))
    return html.plan(plan, diffs, look=look)


def _print(shown: _Shown) -> None:
    """Print the plan in its format, or write it to the file of `--out`."""
    options, plan = shown.options, shown.planned.plan
    if options.summary:
        click.echo(fitted(text.numbers(plan, colour=console.colour_wanted()), console.columns()), nl=False)
        return
    rendered = _rendered(shown)
    if options.out is None:
        click.echo(rendered, nl=False)
        return
    with storing(options.out, "the file cannot be written", "name another file"):
        options.out.write_text(rendered, encoding="utf-8")
    console.tell(shown.globals_, f"{text.plan_summary(plan)} Written to {options.out}.")


def _rendered(shown: _Shown) -> str:
    """Write the plan in its format, with its diffs if they are asked for."""
    options, extras = shown.options, shown.extras
    form, to_file = options.form or ("json" if options.out else "text"), options.out is not None
    if form == "html":
        return _page(shown)
    if extras.look and form == "playground":
        return f"{extras.look.blueprint}\n"
    plan, edits = shown.planned.plan, None
    if options.diff:
        from pressync.app import comparisons  # noqa: PLC0415 - few plans are shown with diffs

        edits = comparisons.diffs(shown.workspace, shown.revision, shown.planned)
    if form == "text":
        lines = text.plan(plan, colour=console.colour_wanted() and not to_file, diffs=edits)
        return lines if to_file else fitted(lines, console.columns())
    from pressync.cli.report import documents, github, markdown  # noqa: PLC0415 - people and hooks read text

    match form:
        case "json":
            left_out = () if options.worktree else _uncommitted(shown.workspace)
            return documents.plan(plan, diffs=edits, noted=extras.noted, uncommitted=left_out)
        case "markdown":
            return markdown.plan(plan, diffs=edits, extras=extras)
        case _:
            result = github.from_plan(plan, extras=extras, diffs=edits)
            return result.whole() if to_file else for_github(result)


def _uncommitted(workspace: Workspace) -> list[str]:
    edited, untracked = workspace.uncommitted()
    return sorted({*edited, *untracked})


def tell_uncommitted(globals_: Globals, workspace: Workspace, *, worktree: bool) -> None:
    """Tell a person at a terminal which of their edits are left out because they are not committed."""
    if not worktree:
        log.tell_uncommitted(globals_.log_format, workspace.uncommitted, quiet=globals_.quiet)


@contextmanager
def telling_uncommitted(globals_: Globals, workspace: Workspace, *, worktree: bool) -> Iterator[None]:
    """Tell of edits that are left out if the content is wrong: one of them may correct it."""
    try:
        yield
    except ContentError:
        tell_uncommitted(globals_, workspace, worktree=worktree)
        raise


def tell_under_way(globals_: Globals, workspace: Workspace, blocks: Iterable[str]) -> None:
    """Say that unconfirmed creates may be those of a run that goes on at this moment."""
    if Block.UNCONFIRMED in blocks and (holder := workspace.run_under_way()):
        console.tell(
            globals_, f"{holder}; its creates are unconfirmed until they have a response: wait for its end."
        )


def for_github(result: StepResult) -> str:
    """Give the output of `--format github`. Inside a job the Markdown goes to the job's summary instead.

    :raises StorageError: the job's summary cannot be written.
    """
    from pressync.app.github.step import SUMMARY_LIMIT, Step  # noqa: PLC0415 - only a workflow needs it

    step = Step(os.environ)
    if not step.summarises:
        return result.whole()
    step.summarise(result.markdown(SUMMARY_LIMIT))
    return "".join(f"{annotation}\n" for annotation in result.annotations) + result.log

"""`pressync sync` at work: asks for approval, shows progress, reports the run and commits the manifest.

The report of a run must be printed although a later step fails, because it is the only account of what was
sent. So the commit of the manifest comes before the report, and its failure does not hide the report.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from pressync.app import notes
from pressync.app.revision import Revision
from pressync.app.site import unasked
from pressync.cli import console
from pressync.cli.all_sites import SiteEnd
from pressync.cli.options import Globals, SyncOptions, covers_head
from pressync.cli.plan import for_github, tell_uncommitted, telling_uncommitted
from pressync.cli.report import text
from pressync.cli.report.layout import fitted
from pressync.model.changes import Outcome, Plan, Result
from pressync.model.errors import ConfigError, Problem
from pressync.model.reason import ReasonCode

if TYPE_CHECKING:
    from threading import Event

    from pressync.app.site import SyncedSite
    from pressync.app.workspace import Workspace
    from pressync.model.outcomes import RunResult

_NOTHING = "Nothing was sent."


def run(globals_: Globals, options: SyncOptions) -> None:
    """Sync, report, and end with the run's exit code."""
    raise SystemExit(_run(globals_, options)[0])


def ended(globals_: Globals, options: SyncOptions) -> SiteEnd:
    """Sync one site among all, and give its row."""
    code, done = _run(globals_, options)
    if done is None:
        return SiteEnd(code, _NOTHING)
    result = console.for_readers(done)
    from pressync.cli.report import documents  # noqa: PLC0415 - people read text

    document = documents.run_document(result) if options.form == "json" else None
    return SiteEnd(code, text.run_summary(result), document)


def _run(globals_: Globals, options: SyncOptions) -> tuple[int, RunResult | None]:
    with (
        console.open_site(globals_, wait=options.wait, as_agent=options.as_agent) as site,
        console.stopping(globals_) as stop,
        telling_uncommitted(globals_, site.workspace, worktree=options.worktree),
    ):
        reviewed = site.read_reviewed(options.plan_file) if options.plan_file else None
        revision = Revision(reviewed.commit if reviewed else options.ref, worktree=options.worktree)
        is_approved = bool(reviewed or options.approved)
        # A person at the terminal approves the plan that is shown there.
        approved = options.approved if options.yes or options.approved else None
        with RunDisplay(globals_, stop) as display:
            result = site.run(
                options.paths,
                revision,
                lambda plan: display.agree(options, plan) and display.expect(plan),
                is_seen=is_approved or console.is_watched(globals_),
                stop=stop,
                approved=approved,
                reviewed=reviewed,
                on_outcome=display.outcome,
                say=display.say,
                progress=display.reading,
                **options.flags,
            )
        if result is None:
            console.tell(globals_, _NOTHING)
            return console.FAILED, None
        display.tell_problems(result.plan)
        _finish(globals_, options, site, result, stop)
    return console.run_exit_code(result, stopped=stop.is_set()), result


def _finish(
    globals_: Globals, options: SyncOptions, site: SyncedSite, result: RunResult, stop: Event
) -> None:
    workspace = site.workspace
    try:
        if options.commit_manifest:
            console.tell(globals_, site.commit_manifest(result))
    finally:
        result = replace(result, manifest=workspace.kept_manifest)
        # The report of all sites has a row for this one.
        if not options.all_sites:
            _tell(globals_, options, workspace, result, stop)
    for sentence in notes.resolve_named(workspace, result):
        console.tell(globals_, sentence)
    if not covers_head(options) or result.plan.problems:
        return
    if console.run_exit_code(result, stopped=stop.is_set()) == console.DONE:
        site.note_up_to_date(result, site=globals_.site, config_file=globals_.config_file)


def _tell(
    globals_: Globals, options: SyncOptions, workspace: Workspace, result: RunResult, stop: Event
) -> None:
    # Notes name what a run creates first. A run with changes has created it, and has told so.
    for note in result.plan.notes if not result.plan.pending else ():
        console.tell(globals_, note)
    click.echo(_report(workspace, result, options.form), nl=False)
    tell_uncommitted(globals_, workspace, worktree=options.worktree)
    if stop.is_set():
        console.tell(
            globals_,
            "Interrupted. Everything that was sent is recorded; `pressync sync` continues from here.",
        )
    if step := result.manifest.next_step if result.manifest else "":
        console.tell(globals_, step)


class RunDisplay(console.Meter):
    """Shows the progress of a run and the reason of each wait. Use it as a context manager."""

    def __init__(self, globals_: Globals, stop: Event) -> None:
        super().__init__(globals_)
        self._stop = stop
        self._finished = self._expected = 0
        self._told: frozenset[Problem] = frozenset()
        self.reading = console.until_stopped(stop, self.of("Reading"))

    def agree(self, options: SyncOptions, plan: Plan) -> bool:
        """Ask a person who has seen the problems and the plan; `--yes` and a reviewed plan agree at once.

        :raises ConfigError: there is nobody to ask.
        """
        if options.yes or options.plan_file or options.as_agent:
            for sentence in unasked(plan):
                self.say(sentence)
            if plan.markup:
                self.show(text.markup(plan, colour=console.colour_wanted(err=True)))
            return True
        todo = "look at `pressync plan`, then run `pressync sync --yes`"
        self.require_person(plan, todo)
        self.tell_problems(plan)
        # The site has been looked at by now.
        remarks = (remark for remark in plan.remarks if remark.code is not ReasonCode.LOOKS_UP)
        return self.ask(replace(plan, remarks=tuple(remarks)), todo=todo)

    def require_person(self, plan: Plan, todo: str) -> None:
        """Refuse a plan that nobody can agree to; `todo` is the command that needs no answer.

        :raises ConfigError: there is nobody to ask.
        """
        if not console.is_watched(self._globals):
            raise ConfigError(
                f"{text.plan_summary(plan)} There is no terminal to ask for approval", todo=todo
            )

    def ask(self, plan: Plan, *, head: str = "", todo: str, yes: bool = False) -> bool:
        """Show a plan, and ask for approval unless it is given; `todo` is the command that needs no answer.

        :raises ConfigError: there is nobody to ask.
        """
        self.show(text.plan(plan, head=head, colour=console.colour_wanted(err=True)))
        if yes:
            return True
        self.require_person(plan, todo)
        with console.asking():
            return click.confirm(text.question(plan), err=True)

    def show(self, shown: str) -> None:
        """Print a text of several lines beside the report."""
        if not self._globals.quiet:
            click.echo(fitted(shown, console.columns(err=True)), err=True, nl=False)

    def tell_problems(self, plan: Plan) -> None:
        """Print the problems of a plan that were not printed before."""
        new = [problem for problem in plan.problems if problem not in self._told]
        console.tell_problems(self._globals, new, warnings=console.SHOWN_WARNINGS)
        self._told |= set(new)

    def expect(self, plan: Plan) -> bool:
        """Note how many changes will come. Returns true, so that an approval can end with it."""
        self._expected = len(plan.pending)
        return True

    def outcome(self, outcome: Outcome) -> None:
        """Show how a change ended. Nothing was done for one that was skipped, as all are after Ctrl-C."""
        if outcome.result is not Result.SKIPPED:
            self._finished += 1
            self.of("Syncing")(self._finished, max(self._expected, self._finished))
        console.tell_outcome(self._globals, outcome)

    def say(self, sentence: str) -> None:
        """Tell a sentence of the run, until somebody stops it."""
        if not self._stop.is_set():
            console.tell(self._globals, sentence)


def _report(workspace: Workspace, result: RunResult, form: str) -> str:
    result = console.for_readers(result)
    if form == "text":
        shown = text.run(result, colour=console.colour_wanted())
        if workspace.settings.site.url is None and result.outcomes:
            shown += f"{workspace.clone.embedded.where_to_look(workspace.clone.embedded_data)}\n"
        return fitted(shown, console.columns())
    from pressync.cli.report import documents, github, markdown  # noqa: PLC0415 - people and hooks read text

    match form:
        case "json":
            return documents.run(result)
        case "markdown":
            return markdown.run(result)
        case _:
            return for_github(github.from_run(result))

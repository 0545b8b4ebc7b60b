"""`pressync sync` at work: asks for approval, shows progress, reports the run and commits the manifest.

The report of a run must be printed although a later step fails, because it is the only account of what was
sent. So the commit of the manifest comes before the report, and its failure does not hide the report.
"""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

import click

from pressync.app import unchanged, up_to_date
from pressync.app.revision import Revision
from pressync.cli import console
from pressync.cli.options import Globals, SyncOptions, covers_head
from pressync.cli.plan import for_github, plan_options, tell_uncommitted, telling_uncommitted
from pressync.cli.report import text
from pressync.cli.report.layout import fitted
from pressync.config.agreement import Consent, Guard, lifts
from pressync.model.errors import ConfigError, Problem, RepositoryError, SafetyRefusal, StorageError
from pressync.model.printable import listed
from pressync.model.reason import ReasonCode
from pressync.plan import limits, notes
from pressync.plan.build import PlanOptions
from pressync.state import manifest_file
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval, ReviewedPlan, not_reviewed, read_reviewed

if TYPE_CHECKING:
    from threading import Event

    from pressync.app.workspace import Workspace
    from pressync.model.changes import Outcome, Plan
    from pressync.model.outcomes import RunResult


def run(globals_: Globals, options: SyncOptions) -> None:
    """Sync, report, and end with the run's exit code."""
    reviewed = read_reviewed(options.plan_file) if options.plan_file else None
    revision = Revision(reviewed.commit if reviewed else options.ref, worktree=options.worktree)
    with (
        console.open_workspace(globals_, wait=options.wait, as_agent=options.as_agent) as workspace,
        console.stopping(globals_) as stop,
        telling_uncommitted(globals_, workspace, worktree=options.worktree),
    ):
        if workspace.clone.way is Consent.AGENT and not options.as_agent:
            raise limits.refused_by_tools("a tool sends with `--as-agent` alone")
        if reviewed:
            _tell_of_head(globals_, workspace, reviewed)
        chosen = chosen_changes(options, workspace, revision)
        with RunDisplay(globals_, stop) as display:
            approval = Approval(
                lambda plan: display.agree(options, plan) and display.expect(plan),
                reviewed,
                options.keep_going,
                approved_digest(options, workspace.clone.way),
            )
            result = workspace.sync(
                revision,
                chosen,
                run_options(options),
                approval,
                stop=stop,
                listener=display.listener,
                progress=display.reading,
                compared=bool(reviewed and reviewed.drift),
            )
        if result is None:
            console.tell(globals_, "Nothing was sent.")
            raise SystemExit(console.FAILED)
        display.tell_problems(result.plan)
        _finish(globals_, options, workspace, result, stop)
    raise SystemExit(console.run_exit_code(result, stopped=stop.is_set()))


def approved_digest(options: SyncOptions, way: Consent) -> str | None:
    """Give the digest that was approved before, "" if none was; None if a person at the terminal approves."""
    if way is Consent.AGENT:
        return ""
    # A person at the terminal approves the plan that is shown there.
    return options.approved if options.yes or options.approved else None


def _tell_of_head(globals_: Globals, workspace: Workspace, reviewed: ReviewedPlan) -> None:
    """Tell that a reviewed plan is of another commit than HEAD.

    :raises SafetyRefusal: it deletes the record of a file that HEAD has.
    """
    repository = workspace.repository
    head, planned = repository.commit(), repository.commit(reviewed.commit)
    if head == planned:
        return
    there = repository.tree(head).files
    deleted = (str(row["path"]) for row in reviewed.rows if row["action"] == "delete")
    if back := [path for path in deleted if path in there]:
        raise not_reviewed(f"it deletes {listed(back)}, and HEAD {head[:10]} has the file")
    which = f"The plan is of commit {planned[:10]}, and HEAD is {head[:10]} by now"
    console.tell(globals_, f"{which}: this sync sends what the plan says.")


def chosen_changes(options: SyncOptions, workspace: Workspace, revision: Revision) -> PlanOptions:
    """Give the options that decide which changes a run makes."""
    return replace(
        plan_options(options, workspace.paths(options.paths, revision)),
        create_anyway=tuple(workspace.paths(options.create_anyway, revision)),
        limit=options.limit,
        again=options.again,
        notify=options.notify,
        as_agent=options.as_agent,
    )


def run_options(options: SyncOptions) -> RunOptions:
    """Give the options that decide how a run makes its changes."""
    return RunOptions(
        options.concurrency,
        options.rate,
        permanent=options.permanent,
        overwrite=options.overwrite,
        max_failures=options.max_failures,
    )


def _finish(
    globals_: Globals, options: SyncOptions, workspace: Workspace, result: RunResult, stop: Event
) -> None:
    try:
        if options.commit_manifest:
            _commit(globals_, workspace, result)
    finally:
        result = replace(result, manifest=manifest_file.kept(workspace.repository, workspace.settings.site))
        _tell(globals_, options, workspace, result, stop)
    for sentence in resolved_notes(workspace, result):
        console.tell(globals_, sentence)
    if not covers_head(options) or result.plan.problems:
        return
    if console.run_exit_code(result, stopped=stop.is_set()) != console.DONE:
        return
    site, file = globals_.site, globals_.config_file
    # A plan of the whole site, only for its stamp, would take as much memory as the run.
    if result.plan.settled or not unchanged.find(
        globals_.directory, site=site, config_file=file, environ=globals_.environ
    ):
        after = result.plan if result.plan.settled else workspace.plan(Revision(), PlanOptions()).plan
        up_to_date.write(workspace, after, site=site, config_file=file)


def resolved_notes(workspace: Workspace, result: RunResult) -> list[str]:
    """Resolve the notes of editors that the commits of a run name, and say of each what became of it."""
    is_asked = workspace.capabilities.read and lifts(workspace.clone.way, Guard.NOTE)
    if not result.counts.get("done") or not is_asked:
        return []
    from pressync.app import notes as editor_notes  # noqa: PLC0415 - a run without changes does not need it

    return [
        f"Note {each.number} is not resolved: {each.problem}"
        if each.problem
        else f"Note {each.number} is resolved by {each.commit[:10]}."
        for each in editor_notes.resolve_named(workspace, result)
    ]


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
        self.listener = RunListener(self._outcome, self._say)

    def agree(self, options: SyncOptions, plan: Plan) -> bool:
        """Ask a person who has seen the problems and the plan; `--yes` and a reviewed plan agree at once.

        :raises ConfigError: there is nobody to ask.
        """
        if moved := notes.moved_by_rule(plan.changes):
            self._require_review(options, moved)
        if options.yes or options.plan_file or options.as_agent:
            for sentence in (*notes.overwritten_edits(plan.changes), *notes.kept_quiet(plan)):
                self._say(sentence)
            return True
        self.require_person(plan, "look at `pressync plan`, then run `pressync sync --yes`")
        self.tell_problems(plan)
        # The site has been looked at by now.
        remarks = (each for each in plan.remarks if each.code is not ReasonCode.LOOKS_UP)
        return self.ask(replace(plan, remarks=tuple(remarks)))

    def _require_review(self, options: SyncOptions, moved: list[str]) -> None:
        """Refuse to move pages by a rule of a new version, unless a person has seen the plan.

        :raises SafetyRefusal: nobody is at the terminal, and nobody has reviewed or approved this plan.
        """
        is_seen = options.plan_file or options.approved or console.is_watched(self._globals)
        if options.as_agent or not is_seen:
            refusal = limits.moves_unseen(moved)
            raise SafetyRefusal(str(refusal), code=refusal.code)

    def require_person(self, plan: Plan, todo: str) -> None:
        """Refuse a plan that nobody can agree to; `todo` is the command that needs no answer.

        :raises ConfigError: there is nobody to ask.
        """
        if not console.is_watched(self._globals):
            raise ConfigError(
                f"{text.plan_summary(plan)} There is no terminal to ask for approval", todo=todo
            )

    def ask(self, plan: Plan, *, head: str = "", yes: bool = False) -> bool:
        """Show a plan to the person, and ask for approval unless it is given already."""
        if not self._globals.quiet:
            shown = text.plan(plan, head=head, colour=console.colour_wanted(err=True))
            click.echo(fitted(shown, console.columns(err=True)), err=True, nl=False)
        if yes:
            return True
        with console.asking():
            return click.confirm(text.question(plan), err=True)

    def tell_problems(self, plan: Plan) -> None:
        """Print the problems of a plan that were not printed before."""
        new = [problem for problem in plan.problems if problem not in self._told]
        console.tell_problems(self._globals, new, warnings=console.SHOWN_WARNINGS)
        self._told |= set(new)

    def expect(self, plan: Plan) -> bool:
        """Note how many changes will come. Returns true, so that an approval can end with it."""
        self._expected = len(plan.pending)
        return True

    def _outcome(self, outcome: Outcome) -> None:
        self._finished += 1
        self.of("Syncing")(self._finished, max(self._expected, self._finished))
        console.tell_outcome(self._globals, outcome)

    def _say(self, sentence: str) -> None:
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


def _commit(globals_: Globals, workspace: Workspace, result: RunResult) -> None:
    if workspace.manifest_reference:
        console.tell(
            globals_, f"The manifest is in {workspace.manifest_place}, and it is committed there already."
        )
        return
    if workspace.repository.root is None:
        raise ConfigError(
            "a bare repository has no manifest to commit", where="--commit", todo="leave the option out"
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
            todo=f"`git add {file} && git commit --message Sync {file}` when that is mended",
        ) from error
    console.tell(
        globals_,
        f"Committed the manifest as {committed[:10]}."
        if committed
        else "The manifest has no change to commit.",
    )

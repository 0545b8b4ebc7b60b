"""`pressync rollback`: undoes a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pressync.cli import console, options
from pressync.cli.report.layout import fitted
from pressync.model.printable import counted, one_line

if TYPE_CHECKING:
    from threading import Event as Stop

    from pressync.app.workspace import Workspace
    from pressync.model.changes import Plan
    from pressync.model.outcomes import KeptManifest, RunResult
    from pressync.state.clone_facts import RunRecord

_WORDS = {
    "done": "undone",
    "failed": "failed",
    "skipped": "skipped",
    "blocked": "left as they are",
    "in_doubt": "unconfirmed",
}


@options.command(
    "pressync rollback                # show the plan, ask, undo the last sync",
    "pressync rollback 20260131-101500-k3f9p --yes --format json",
    "pressync rollback --files        # afterwards: the files as before",
)
@click.argument("run", required=False, metavar="[RUN]", shell_complete=options.completed("runs"))
@options.flag("--files", help="Write the files of before a rolled-back run, uncommitted; nothing is sent.")
@options.flag("--yes", help="Do not ask; required without a terminal.")
@options.notify
@options.max_delete
@options.concurrency
@options.rate
@options.wait
@options.text_or_json
def command(
    globals_: options.Globals,
    /,
    *,
    run: str | None,
    files: bool,
    wait: float,
    form: str,
    **how: Any,  # noqa: ANN401 - `_undone` has the types
) -> None:
    """Undo what RUN did to the site, by default the last sync of this clone.

    Created records go to the trash, changed ones get their text of before, and deleted ones come out of the
    trash with their ids. A record that somebody has edited since stays as it is. The files do not change:
    until they do, sync refuses to send them again. Afterwards, --files writes the files of before into a
    clean work tree.
    """
    from pressync.app import rollback as app

    with console.open_workspace(globals_, wait=wait) as workspace, console.stopping(globals_) as stop:
        if files:
            undone, paths = app.take_files_back(workspace, run)
            written = counted(len(paths), "file is", "files are")
            console.tell(globals_, f"{written} as before run {undone}. Look at `git diff`, and commit.")
            return
        record = app.find(workspace, run)
        if app.is_finished(workspace, record):
            console.tell(globals_, f"Run {record.run} is rolled back already. Nothing was sent.")
            app.save(workspace)
            _tell_next(globals_, workspace, workspace.kept_manifest)
            return
        result = _undone(globals_, workspace, record, stop, **how)
        if result is None:
            console.tell(globals_, "Nothing was sent.")
            raise SystemExit(console.FAILED)
        result = replace(result, manifest=workspace.kept_manifest)
        click.echo(_report(record, result, form), nl=False)
        _tell_next(globals_, workspace, result.manifest)
    raise SystemExit(console.run_exit_code(result, stopped=stop.is_set()))


def _undone(
    globals_: options.Globals,
    workspace: Workspace,
    record: RunRecord,
    stop: Stop,
    *,
    yes: bool,
    notify: bool,
    max_delete: str | None,
    concurrency: int,
    rate: float | None,
) -> RunResult | None:
    """Undo a run, and show the progress; None if somebody did not agree."""
    from pressync.app import rollback as app
    from pressync.cli.sync import RunDisplay
    from pressync.plan.limits import DeleteLimit
    from pressync.sync.apply import RunListener, RunOptions
    from pressync.sync.control import Approval

    with RunDisplay(globals_, stop) as display:

        def agree(plan: Plan) -> bool:
            todo = f"`pressync rollback {record.run} --yes` does it"
            where = one_line(f"{plan.site} ({plan.target})")
            head = f"Rollback of run {record.run}, a sync of commit {record.commit[:10]} to {where}"
            # With `--yes` and without a terminal too: no other command shows these lines.
            return display.ask(plan, head=head, todo=todo, yes=yes) and display.expect(plan)

        return app.rollback(
            workspace,
            record,
            DeleteLimit.of(max_delete),
            RunOptions(concurrency, rate),
            Approval(agree),
            stop=stop,
            listener=RunListener(display.outcome, display.say),
            notify=notify,
        )


def _report(record: RunRecord, result: RunResult, form: str) -> str:
    from pressync.cli.report import documents, text

    result = console.for_readers(result)
    if form == "json":
        document = documents.run_document(result)
        del document["later"]
        return documents.text(document | {"rolled_back": record.run})
    lines = text.run_lines(result, colour=console.colour_wanted())
    counts = result.counts
    words = _WORDS | ({"blocked": "left as it is"} if counts["blocked"] == 1 else {})
    parts = [f"{counts[name]} {word}" for name, word in words.items() if counts[name]]
    lines.append(f"Rollback of run {record.run}: {', '.join(parts) or 'nothing to undo'}.")
    return fitted("\n".join(lines) + "\n", console.columns())


def _tell_next(globals_: options.Globals, workspace: Workspace, kept: KeptManifest | None) -> None:
    """Name the next steps, as long as a sync refuses the files."""
    from pressync.app import rollback as app

    if step := kept.next_step if kept else "":
        console.tell(globals_, step)
    if way := app.way_on(workspace):
        then = "After that" if step else "Next"
        console.tell(
            globals_,
            "The files still say what the run sent, so sync refuses them. "
            f"{then}: {way}, or `pressync sync --again` to send them again.",
        )

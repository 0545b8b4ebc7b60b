"""`pressync rollback` at work: shows the plan, asks, shows progress, and reports the rollback."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from pressync.app import commit_hint
from pressync.app import rollback as app
from pressync.cli import console, signals
from pressync.cli.plan import delete_limit
from pressync.cli.report import run_report, text
from pressync.cli.report.layout import fitted
from pressync.cli.sync import RunDisplay
from pressync.model.errors import ConfigError
from pressync.model.printable import one_line
from pressync.state import manifest_location
from pressync.sync.apply import RunOptions
from pressync.sync.approval import Approval

if TYPE_CHECKING:
    from pressync.app.workspace import Workspace
    from pressync.cli.main import Globals
    from pressync.model.changes import Plan
    from pressync.model.outcomes import KeptManifest, RunResult
    from pressync.state.run_records import RunRecord


def run(
    globals_: Globals,
    run: str | None,
    *,
    yes: bool,
    max_delete: str | None,
    concurrency: int,
    rate: float | None,
    wait: float,
    form: str,
) -> None:
    """Roll back, report, and end with the exit code of the rollback."""
    with console.open_workspace(globals_, wait=wait) as workspace, signals.stopping(globals_) as stop:
        record = app.find(workspace, run)
        if app.is_finished(workspace, record):
            console.tell(globals_, f"Run {record.run} is rolled back already. Nothing was sent.")
            app.save(workspace)
            _tell_next(globals_, workspace, _kept(workspace))
            return
        with RunDisplay(globals_, stop) as display:
            result = app.rollback(
                workspace,
                record,
                delete_limit(max_delete),
                RunOptions(concurrency, rate),
                Approval(lambda plan: _agree(globals_, record, plan, yes=yes) and display.expect(plan)),
                stop=stop,
                listener=display.listener,
            )
        if result is None:
            console.tell(globals_, "Nothing was sent.")
            raise SystemExit(console.FAILED)
        result = replace(result, manifest=_kept(workspace))
        click.echo(_report(record, result, form), nl=False)
        if result.run:
            app.records_of(workspace).report(result.run, run_report.as_json(result, record.run))
        _tell_next(globals_, workspace, result.manifest)
    raise SystemExit(console.run_exit_code(result, stopped=stop.is_set()))


def _agree(globals_: Globals, record: RunRecord, plan: Plan, *, yes: bool) -> bool:
    """Ask a person who has seen the plan.

    :raises ConfigError: there is nobody to ask.
    """
    if not yes and not console.is_watched(globals_):
        raise ConfigError(
            f"{text.plan_summary(plan)} There is no terminal to ask for approval",
            todo=f"`pressync rollback {record.run} --yes` does it",
        )
    if not globals_.quiet:
        # With `--yes` too: nobody has seen these lines before.
        shown = text.plan(plan, head=_head(record, plan), colour=console.colour_wanted(err=True))
        click.echo(fitted(shown, console.columns(err=True)), err=True, nl=False)
    if yes:
        return True
    with signals.asking():
        return click.confirm(text.question(plan), err=True)


def _head(record: RunRecord, plan: Plan) -> str:
    where = one_line(f"{plan.site} ({plan.target})")
    return f"Rollback of run {record.run}, a sync of commit {record.commit[:10]} to {where}"


def _report(record: RunRecord, result: RunResult, form: str) -> str:
    if form == "json":
        from pressync.cli.report import json  # noqa: PLC0415 - people read text

        return json.rollback(result, record.run)
    lines = text.run_lines(result, colour=console.colour_wanted())
    counts = result.counts
    words = _WORDS | ({"blocked": "left as it is"} if counts["blocked"] == 1 else {})
    parts = [f"{counts[name]} {word}" for name, word in words.items() if counts[name]]
    summary = ", ".join(parts) or "nothing to undo"
    lines.append(f"Rollback of run {record.run}: {summary}.")
    return fitted("\n".join(lines) + "\n", console.columns())


_WORDS = {
    "done": "undone",
    "failed": "failed",
    "skipped": "skipped",
    "blocked": "left as they are",
    "in_doubt": "unconfirmed",
}


def _kept(workspace: Workspace) -> KeptManifest | None:
    return manifest_location.kept(workspace.repository, workspace.settings.site)


def _tell_next(globals_: Globals, workspace: Workspace, kept: KeptManifest | None) -> None:
    """Name the next steps, as long as a sync refuses the files."""
    if step := commit_hint.next_commit(kept):
        console.tell(globals_, step)
    if way := app.way_on(workspace):
        then = "After that" if step else "Next"
        console.tell(
            globals_,
            "The files still say what the run sent, so sync refuses them. "
            f"{then}: {way}, or `pressync sync --again` to send them again.",
        )

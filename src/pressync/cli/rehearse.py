"""`pressync rehearse` at work: shows progress, prints the account, and lets a person look at the stage."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

import click

from pressync.app.rehearse import directories, stages
from pressync.app.rehearse.rehearse import RehearsalRun
from pressync.app.revision import Revision
from pressync.cli import console, signals
from pressync.cli.plan import plan_options, tell_uncommitted
from pressync.cli.report import json, rehearsal
from pressync.cli.report.layout import fitted
from pressync.cli.sync import RunDisplay
from pressync.model.problem_codes import Code
from pressync.sync.apply import RunOptions

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.app.rehearse.rehearse import Rehearsal
    from pressync.cli.main import Globals
    from pressync.cli.rehearse_options import RehearseOptions


def run(globals_: Globals, options: RehearseOptions) -> None:
    """Rehearse, report, and end with the exit code of the account."""
    _check(options)
    with (
        console.open_workspace(globals_) as workspace,
        signals.stopping(globals_) as stop,
        RunDisplay(globals_, stop) as display,
        directories.opened(workspace.embedded_home) as folder,
    ):
        console.tell(globals_, "Rehearsing on a stage; nothing is sent to the site.")
        say = display.listener.say
        rehearsing = RehearsalRun(
            workspace=workspace,
            stage=stages.named(options.stage, workspace, options.mount, stop=stop, say=say),
            reader=stages.reader(workspace, say),
            revision=Revision(options.ref, worktree=options.worktree),
            plan_options=plan_options(options, ()),
            options=RunOptions(overwrite=options.overwrite),
            keep_going=options.keep_going,
            stop=stop,
            # The site's own sentences have no such beginning: these are of the sync that is rehearsed.
            listener=replace(display.listener, say=lambda sentence: say(f"On the stage: {sentence}")),
            progress=display.reading,
            expect=display.expect,
        )
        with rehearsing.rehearsed(folder.path) as account:
            code = _exit_code(account, stopped=stop.is_set())
            kept = folder.keep(f"{account.site}-{account.result.plan.commit[:7]}") if options.keep else None
            _tell_problems(globals_, account)
            _print(options, account, code)
            if kept:
                _tell_kept(globals_, kept)
            tell_uncommitted(globals_, workspace, worktree=options.worktree)
            if not options.keep and options.form == "text" and console.is_watched(globals_):
                _wait(account)
    raise SystemExit(code)


def _check(options: RehearseOptions) -> None:
    """Refuse options that do not go together."""
    if options.stage == "embedded" and options.mount:
        raise click.UsageError("`--mount` is for WordPress; add `--on wordpress`")
    if options.stage == "wordpress" and options.keep:
        raise click.UsageError("a WordPress stage ends with the command; `--keep` is for `--on embedded`")


def _exit_code(account: Rehearsal, *, stopped: bool) -> int:
    """Give 130 if interrupted, 4 if a sync would refuse, 1 if anything is undone or dead, else 0."""
    code = console.run_exit_code(account.result, stopped=stopped)
    if code == console.DONE and account.links.dead:
        code = console.FAILED
    if code == console.UNCONFIRMED:
        code = console.FAILED
    return console.REFUSED if account.refusals and code in {console.DONE, console.FAILED} else code


def _tell_problems(globals_: Globals, account: Rehearsal) -> None:
    """Print the problems of the plan; the account itself has the dead links."""
    places = {(dead.path, dead.line) for dead in account.links.dead}
    links = {Code.BROKEN_LINK, Code.DEAD_ANCHOR, Code.DEAD_ADDRESS}
    problems = account.result.plan.problems
    told = [each for each in problems if not (each.code in links and (each.path, each.line) in places)]
    console.tell_problems(globals_, told, warnings=console.SHOWN_WARNINGS)


def _print(options: RehearseOptions, account: Rehearsal, code: int) -> None:
    if options.form == "json":
        click.echo(json.rehearsal(account, code), nl=False)
    else:
        click.echo(
            fitted(rehearsal.text(account, colour=console.colour_wanted()), console.columns()), nl=False
        )


def _tell_kept(globals_: Globals, kept: Path) -> None:
    """Say how to look at a kept stage and how to remove it."""
    where = quote(str(kept))
    console.tell(globals_, f"Look at the stage: `pressync serve --data {where}`")
    console.tell(globals_, f"Remove the stage: `rm -r {where}`")


def _wait(account: Rehearsal) -> None:
    """Let the stage answer until the person has looked at it; Ctrl-C ends it as Enter does."""
    question = f"Look at the site: {account.address} (Enter ends the rehearsal)"
    with signals.asking():
        try:
            click.prompt(question, default="", show_default=False, prompt_suffix=" ", err=True)
        except (click.Abort, KeyboardInterrupt):
            click.echo(err=True)

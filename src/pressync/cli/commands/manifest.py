"""`pressync manifest`: shows, merges, moves and verifies the record of what was sent to the site."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.cli import log as log_lines
from pressync.model.errors import Code, Problem
from pressync.model.printable import counted, one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable


_FILE = options.File(dir_okay=False, path_type=Path)


@click.group(cls=options.Group, examples=("pressync manifest show", "pressync manifest verify --remote"))
def command() -> None:
    """Show, merge, move or verify the manifest: the record of what was sent."""


@command.below("pressync manifest show", "pressync manifest show --ref HEAD~1 --format json")
@options.text_or_json
@click.option("--ref", metavar="REV", help="Show it as it was at this commit; `log` lists the commits.")
def show(globals_: options.Globals, form: str, ref: str | None) -> None:
    """Show the manifest as this clone knows it.

    It has records, names, files and unconfirmed creates. As JSON it is the content of the manifest's file.
    """
    from pressync.app import manifest
    from pressync.cli.report import text
    from pressync.state.manifest import codec

    with console.open_workspace(globals_) as workspace:
        shown = manifest.manifest_at(workspace, ref) if ref else manifest.manifest_now(workspace)
    click.echo(text.manifest(shown) if form == "text" else printable(codec.encode(shown)), nl=False)


@command.below("pressync manifest log", "pressync manifest log --limit 5 --format json")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many runs to list.")
@options.text_or_json
def log(globals_: options.Globals, limit: int, form: str) -> None:
    """List the runs that changed the manifest, the last one first.

    For a manifest in a reference these are the commits of the reference, for a file the commits of the file.
    The last runs of this clone follow.
    """
    from pressync.app import manifest
    from pressync.app.rollback import records_of
    from pressync.cli.report import documents, text
    from pressync.cli.report.layout import wrapped

    with console.open_workspace(globals_) as workspace:
        runs = manifest.runs(workspace, limit)
        own = records_of(workspace).all()[: -limit - 1 : -1]
    if form == "json":
        rows = [{"commit": run.id, "time": run.time, "by": run.who, "subject": run.subject} for run in runs]
        reports = [*map(documents.run_row, own)]
        click.echo(documents.text({"version": 1, "runs": rows, "reports": reports}), nl=False)
        return
    lines = [f"{run.id[:10]}  {run.time}  {run.who}  {run.subject}" for run in runs]
    subjects = "\n".join(run.subject for run in runs)
    # The history of a reference names the run already.
    lines += [text.run_line(run) for run in own if run.run not in subjects]
    for line in lines:
        click.echo(wrapped(one_line(line), console.columns(), 4))
    if not (runs or own):
        console.tell(globals_, "No run has been committed yet.")


@command.below(
    "pressync manifest merge --install      # once in each clone",
    "pressync manifest merge base.json ours.json theirs.json",
)
@click.argument("base", required=False, type=_FILE)
@click.argument("ours", required=False, type=_FILE)
@click.argument("theirs", required=False, type=_FILE)
@click.argument("name", required=False)
@options.flag("--install", help="Make Git in this clone call this command for the site's manifest.")
def merge(
    globals_: options.Globals,
    *,
    base: Path | None,
    ours: Path | None,
    theirs: Path | None,
    name: str | None,
    install: bool,
) -> None:
    """Merge THEIRS into OURS, record by record.

    Git calls this as `manifest merge %O %A %B %P`.

    Ends with 1 if a person has to choose. OURS then has both sides, between conflict markers.
    """
    from pressync.app import manifest

    if install == bool(base):
        raise click.UsageError("give BASE OURS THEIRS [NAME], or --install")
    if install:
        from pressync.app.init import install_merge_driver

        with console.open_workspace(globals_) as workspace:
            steps = install_merge_driver(workspace)
        for step in steps:
            click.echo(f"{'Left' if step.text is None else 'Wrote'} {step.path}: {one_line(step.words)}")
        return
    if ours is None or theirs is None or base is None:
        raise click.UsageError("give BASE OURS THEIRS [NAME]")
    file = name or str(ours)
    _tell_left(globals_, file, manifest.merge_files(base, ours, theirs, file))


def _tell_left(globals_: options.Globals, file: str, left: Iterable[str]) -> None:
    """Tell what a person has to choose in a manifest; end with 1 if that is anything."""
    problems = [Problem(file, 0, sentence, code=Code.MANIFEST) for sentence in left]
    for problem in problems:
        log_lines.write_problem(globals_.log_format, problem)
    if problems:
        raise SystemExit(console.FAILED)


@command.below("pressync manifest fix", "pressync manifest fix .pressync/production.json")
@click.argument("file", type=_FILE, required=False)
def fix(given: options.Globals, file: Path | None) -> None:
    """Settle the conflict markers of a merge, in place.

    FILE is the manifest; without it, that of the site. Both sides are put together, record by record. Ends
    with 1 if a person has to choose: one path has two records then, and both are between markers.
    """
    from pressync.app.manifest import fix as settle
    from pressync.app.manifest import own_file

    if file is None:
        with console.open_workspace(given) as workspace:
            file = own_file(workspace)
    _tell_left(given, str(file), settle(file, str(file)))
    console.tell(given, f"Fixed {file}. next: `git add {quote(str(file))}`, and go on with the merge")


@command.below("pressync manifest move --to ref", "pressync manifest move --to file --site live")
@click.option(
    "--to", type=click.Choice(["ref", "file"]), required=True, help="A Git reference, or a file to commit."
)
def move(globals_: options.Globals, to: str) -> None:
    """Move the manifest to a Git reference or to a file.

    It also writes the setting. Every record, name, file and unconfirmed create goes along. If the command is
    interrupted, run it again.
    """
    from pressync.app.manifest import move as carry

    with console.open_workspace(globals_) as workspace:
        moved = carry(workspace, to, globals_.config_file)
    records = counted(moved.records, "record is", "records are")
    click.echo(one_line(f"The manifest is in {moved.place}: {records} in it."))
    if moved.changed:
        files = " ".join(map(quote, moved.changed))
        console.tell(
            globals_,
            f"next: `git add {files} && git commit -m 'Move the manifest' && git push`; "
            "the other clones pull before their next sync",
        )
    if moved.stale:
        again = "after that, run `pressync propose` again before you merge it"
        console.tell(globals_, f"The branch {moved.stale} has the manifest at its old place: {again}")


@command.below("pressync manifest verify", "pressync manifest verify --remote      # read the site as well")
@options.flag("--remote", help="Read every record of the site as well, if the service has reads.")
def verify(globals_: options.Globals, *, remote: bool) -> None:
    """Check that the manifest is complete and correct.

    It must be well-formed and belong to this target. No id may occur twice, and every file must exist.

    Changes nothing. Ends with 1 if something is wrong, with 2 if the manifest cannot be read.
    """
    from pressync.app.manifest import verify as look

    with console.open_workspace(globals_) as workspace:
        count, problems = look(workspace, remote=remote)
    console.tell_problems(globals_, problems, similar=not globals_.verbose)
    wrong = sum(not problem.warning for problem in problems)
    looked = "read and compared with the site" if remote else "read"
    click.echo(f"{count} records {looked}: {wrong} wrong, {len(problems) - wrong} to look at.")
    if wrong:
        raise SystemExit(console.FAILED)

"""`pressync sync`: makes the changes that `plan` shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pressync.cli import options, uncommitted
from pressync.cli.command import Command, File
from pressync.cli.sync_options import SyncOptions

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync sync                          # show the plan, ask, send it",
        "pressync sync --yes --format json      # in a script",
        "pressync sync content/pages/about.md --worktree",
    ),
)
@options.paths
@click.option("--yes", is_flag=True, help="Do not ask; required without a terminal.")
@click.option(
    "--plan",
    "plan_file",
    type=File(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Make exactly this reviewed plan (see `plan --out`), or change nothing.",
)
@options.concurrency
@options.rate
@click.option(
    "--limit",
    type=click.IntRange(1),
    metavar="N",
    help="Make only the first N changes; the others stay for later syncs.",
)
@click.option(
    "--max-failures",
    type=click.IntRange(1),
    metavar="N",
    help="Send nothing more after N changes have failed.",
)
@options.max_delete
@click.option(
    "--create-anyway",
    multiple=True,
    metavar="PATH",
    shell_complete=options.complete_documents,
    help="Create the documents at or below PATH although the site has a record at their address.",
)
@click.option(
    "--permanent", is_flag=True, help="Delete records for good instead of moving them to the trash."
)
@click.option(
    "--delete-unused-media",
    is_flag=True,
    help="Delete files that pressync uploaded and nothing uses any more, here or on the site. Media have no "
    "trash: this is for good.",
)
@click.option("--again", is_flag=True, help="Send again what a rollback has undone.")
@options.overwrite
@options.allow_rewind
@options.new_manifest
@click.option("--commit", "commit_manifest", is_flag=True, help="Commit the manifest after the sync.")
@options.strict
@options.keep_going
@options.revision
@options.wait
@click.option(
    "--report",
    type=File(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report of the run to FILE: JSON if it ends with .json, Markdown if it ends with .md.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json", "markdown", "github")),
    default="text",
    show_default=True,
    help="How to report.",
)
@click.pass_obj
def command(globals_: Globals, /, **values: Any) -> None:  # noqa: ANN401 - the fields of the options are typed
    """Make the site say what the content at PATH, or all content, says.

    Sends only the differences and records each response. You can kill it and start it again at any time.
    """
    asked = SyncOptions(**values)
    if asked.limit and asked.plan_file:
        raise click.UsageError(
            "--limit makes another plan than the reviewed one of --plan; leave one of them out"
        )
    if asked.permanent and asked.plan_file:
        raise click.UsageError(
            "--permanent deletes for good what the reviewed plan of --plan puts into the trash; leave one of "
            "them out"
        )
    if asked.report and asked.report.suffix not in {".json", ".md"}:
        raise click.UsageError("--report FILE has to end with .json or .md")
    if asked.report and not asked.report.absolute().parent.is_dir():
        raise click.UsageError(f"--report: the folder {asked.report.parent} does not exist")
    if asked.is_plain and _is_up_to_date(globals_):
        return
    from pressync.cli import sync  # noqa: PLC0415 - a run with nothing to do loads nothing else

    sync.run(globals_, asked)


def _is_up_to_date(globals_: Globals) -> bool:
    """Say that there is nothing to do, if the note that everything is up to date exists and still holds."""
    from pressync.app import up_to_date  # noqa: PLC0415 - `--help` needs nothing of it
    from pressync.cli import nothing_to_do  # noqa: PLC0415 - `--help` needs nothing of it

    stamp = up_to_date.read(globals_.directory, site=globals_.site, config_file=globals_.config_file)
    if stamp is None:
        return False
    click.echo(nothing_to_do.summary(stamp))
    uncommitted.tell(globals_, lambda: up_to_date.uncommitted(globals_.directory, stamp))
    uncommitted.tell_manifest(
        globals_, stamp.manifest, lambda: up_to_date.manifest_status(globals_.directory, stamp)
    )
    return True

"""`pressync sync`: makes the changes that `plan` shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pressync.cli import log, options


@options.command(
    "pressync sync                          # show the plan, ask, send it",
    "pressync sync --yes --format json      # in a script",
    "pressync sync content/pages/about.md --worktree",
    "pressync sync --all-sites --yes        # one process, one report",
)
@options.paths
@options.flag("--yes", help="Do not ask; required without a terminal.")
@click.option(
    "--plan",
    "plan_file",
    type=options.File(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Make exactly this reviewed plan (see `plan --out`), or change nothing.",
)
@click.option(
    "--approved",
    default="",
    metavar="DIGEST",
    help="Send only the plan with this digest, which `plan --format json` has.",
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
@click.option(
    "--create-anyway",
    multiple=True,
    metavar="PATH",
    shell_complete=options.completed("documents"),
    help="Create the documents at or below PATH although the site has a record at their address.",
)
@options.flag("--permanent", help="Delete records for good instead of moving them to the trash.")
@options.flag("--again", help="Send again what a rollback has undone.")
@options.notify
@options.flag(
    "--as-agent",
    help="Send with the account of an agent alone, if the site says that it can only write drafts.",
)
@options.planning
@options.all_sites
@options.flag("--commit", "commit_manifest", help="Commit the manifest after the sync.")
@options.revision
@options.wait
@options.one_of("--format", "form", of=("text", "json", "markdown", "github"), help="How to report.")
def command(globals_: options.Globals, /, **values: Any) -> None:  # noqa: ANN401 - the fields of the options are typed
    """Make the site say what the content at PATH, or all content, says.

    Sends only the differences and records each response. You can kill it and start it again at any time.
    """
    asked = options.gathered(options.SyncOptions, values)
    if asked.flags["limit"] and asked.plan_file:
        raise click.UsageError(
            "--limit makes another plan than the reviewed one of --plan; leave one of them out"
        )
    if asked.flags["permanent"] and asked.plan_file:
        raise click.UsageError(
            "--permanent deletes for good what the reviewed plan of --plan puts into the trash; leave one of "
            "them out"
        )
    if asked.as_agent and asked.lifts_limits:
        raise click.UsageError("--as-agent keeps all limits; leave the options out that lift one")
    if asked.as_agent:
        options.as_tool(globals_)
    if asked.all_sites and (asked.plan_file or asked.approved or asked.as_agent or not asked.yes):
        raise click.UsageError(
            "--all-sites needs --yes, and is not for --plan, --approved or --as-agent: first look at "
            "`pressync plan --all-sites`"
        )
    if asked.all_sites:
        _of_all_sites(globals_, asked)
    if asked.is_plain and _is_up_to_date(globals_):
        return
    from pressync.cli import sync

    sync.run(globals_, asked)


def _of_all_sites(globals_: options.Globals, asked: options.SyncOptions) -> None:
    """Sync each site, unless its note that everything is up to date still holds."""
    from pressync.app import up_to_date
    from pressync.cli import all_sites, sync
    from pressync.repo import discover

    location = discover.at_head(globals_.directory) if asked._replace(form="text").is_plain else None

    def ended(one: options.Globals) -> all_sites.SiteEnd:
        stamp = location and up_to_date.read(location, site=one.site, config_file=one.config_file)
        return all_sites.SiteEnd(0, log.nothing_to_do(stamp)) if stamp else sync.ended(one, asked)

    all_sites.run(globals_, asked.form, ended)


def _is_up_to_date(globals_: options.Globals) -> bool:
    """Say that there is nothing to do, if the note that everything is up to date exists and still holds."""
    from pressync.app import up_to_date
    from pressync.repo import discover

    location = discover.at_head(globals_.directory)
    stamp = up_to_date.read(location, site=globals_.site, config_file=globals_.config_file)
    if stamp is None:
        return False
    click.echo(log.nothing_to_do(stamp))
    form, quiet, directory = globals_.log_format, globals_.quiet, globals_.directory
    log.tell_uncommitted(form, lambda: discover.uncommitted(directory, stamp.folders), quiet=quiet)
    log.tell_manifest(
        form, stamp.manifest, lambda: discover.file_status(directory, stamp.manifest), quiet=quiet
    )
    return True

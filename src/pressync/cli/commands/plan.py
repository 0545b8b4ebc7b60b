"""`pressync plan`: shows what sync would do, and changes nothing."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import click

from pressync.cli import log, options

_FORMATS = ("text", "json", "markdown", "html", "github", "playground")


@options.command(
    "pressync plan                          # what would sync do?",
    "pressync plan --diff content/posts     # with the edits, below one folder",
    "pressync plan --summary                # only numbers",
    "pressync plan --all-sites              # one row for each site",
    "pressync plan --format html --out plan.html   # a page for the reviewer",
    "pressync plan --playground             # with a link that opens WordPress",
    "pressync plan --out plan.json && pressync sync --plan plan.json",
)
@options.paths
@click.option(
    "--diff/--no-diff",
    default=None,
    help="Show both sides of each change and of each conflict. Default: with --format html.",
)
@options.flag("--summary", help="Show only numbers: by kind, by reason and by folder.")
@click.option("--format", "form", type=click.Choice(_FORMATS), help="How to print the plan. Default: text.")
@options.flag(
    "--playground",
    help="Add a link that opens the changed pages in WordPress, in the browser of whoever follows it.",
)
@click.option(
    "--out",
    type=options.File(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the plan to FILE; without --format, as the JSON that `sync --plan` reads.",
)
@options.flag("--exit-code", help="End with 3 if changes are pending.")
@click.option(
    "--drift/--no-drift",
    default=None,
    help="Read every record, and show what others changed on the site. Default: with --exit-code, if the "
    "service has reads.",
)
@options.flag("--permanent", help="Show the plan of a sync that deletes records for good.")
@options.flag(
    "--as-agent", help="Also say what `sync --as-agent` would be refused, as far as the files say; offline."
)
@options.revision
@options.planning
@options.all_sites
def command(globals_: options.Globals, /, **values: Any) -> None:  # noqa: ANN401 - the fields of the options are typed
    """Show what sync would do for the content at PATH, or for all content. Changes nothing."""
    asked = options.gathered(options.PlanCommandOptions, values)
    if asked.summary and (asked.diff or asked.out or asked.form not in {None, "text"}):
        raise click.UsageError("--summary prints numbers as text; leave out --diff, --format and --out")
    if asked.playground and asked.form in {"json", "playground"}:
        raise click.UsageError("--playground adds a link to a plan for people; leave out --format")
    if asked.flags["permanent"] and asked.out and asked.form is None:
        raise click.UsageError("a reviewed plan moves records to the trash; leave out --permanent")
    if asked.as_agent and (asked.drift or asked.out):
        raise click.UsageError("--as-agent asks no site, and its plan is sent by nobody; leave out the other")
    if asked.as_agent:
        options.as_tool(globals_)
    if asked.all_sites:
        if asked.diff or asked.summary or asked.playground or asked.out or asked.as_agent:
            raise click.UsageError("--all-sites shows one row for each site; leave the other forms out")
        from pressync.cli import all_sites, plan

        all_sites.run(globals_, asked.form or "text", lambda one: plan.ended(one, asked))
    if asked.is_plain and not globals_.looked and _is_answered(globals_, asked):
        return
    from pressync.cli import plan

    plan.run(globals_, asked)


def _is_answered(globals_: options.Globals, asked: options.PlanCommandOptions) -> bool:
    """Print the plan of nothing if everything is up to date; give false if only a plan can tell."""
    from pressync.app import unchanged
    from pressync.cli import plain
    from pressync.repo import discover

    stamp = unchanged.find(
        globals_.directory, site=globals_.site, config_file=globals_.config_file, environ=globals_.environ
    )
    # `--exit-code` reads a site that has reads.
    if stamp is None or (asked.exit_code and asked.drift is None and stamp.readable):
        return False
    form, left_out = asked.form or "text", list[str]()
    if form == "json":
        left_out = sorted(itertools.chain(*discover.uncommitted(globals_.directory, stamp.folders)))
    click.echo(log.plan_of_nothing(stamp, form, left_out), nl=False)
    plain.tell_uncommitted(globals_.directory, stamp, globals_.log_format, quiet=globals_.quiet)
    return True

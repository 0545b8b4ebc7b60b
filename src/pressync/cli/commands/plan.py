"""`pressync plan`: shows, and changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.cli import options, uncommitted

if TYPE_CHECKING:
    from pressync.cli.main import Globals

_FORMATS = ("text", "json", "markdown", "html", "github")


@click.command()
@options.paths
@options.site
@click.option("--diff", is_flag=True, help="Show the edits of each file, as text or html.")
@click.option("--format", "form", type=click.Choice(_FORMATS), help="How to print the plan. Default: text.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the plan to FILE; with no --format, as the JSON that `sync --plan` takes.",
)
@click.option("--exit-code", is_flag=True, help="End with 3 if changes are pending.")
@click.option(
    "--drift/--no-drift",
    default=None,
    help="Read every record, and show what others changed on the site. Default: with --exit-code, where the "
    "service can be read.",
)
@options.revision
@options.max_delete
@options.overwrite
@options.allow_rewind
@options.new_manifest
@options.strict
@options.keep_going
@click.pass_obj
def command(
    globals_: Globals,
    *,
    paths: tuple[str, ...],
    site: str | None,
    diff: bool,
    form: str | None,
    out: Path | None,
    exit_code: bool,
    drift: bool | None,
    ref: str,
    worktree: bool,
    max_delete: str | None,
    overwrite: bool,
    allow_rewind: bool,
    new_manifest: bool,
    strict: bool,
    keep_going: bool,
) -> None:
    """Show what sync would do for the content at PATH, or for all of it. Changes nothing."""
    from pressync.app import up_to_date  # noqa: PLC0415 - a run with nothing to do loads nothing else
    from pressync.cli import in_step  # noqa: PLC0415 - a run with nothing to do loads nothing else

    plain = not (paths or worktree or out or strict or drift or ref != "HEAD")
    if plain and form in {None, "text", "json"}:
        seen = up_to_date.read(
            globals_.directory, site=site or globals_.site, config_file=globals_.config_file
        )
        if seen and not (exit_code and drift is None and seen.readable):
            click.echo(in_step.plan(seen, form or "text"), nl=False)
            uncommitted.tell(globals_, lambda: up_to_date.uncommitted(globals_.directory, seen))
            return
    from pressync.cli import plan  # noqa: PLC0415

    plan.show(
        globals_,
        paths,
        site,
        form=form,
        out=out,
        diff=diff,
        exit_code=exit_code,
        drift=drift,
        ref=ref,
        worktree=worktree,
        choices=plan.choices(
            max_delete,
            overwrite=overwrite,
            allow_rewind=allow_rewind,
            new_manifest=new_manifest,
            strict=strict,
        ),
        keep_going=keep_going,
    )

"""`pressync sync`: does what `plan` shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.cli import leftover, options

if TYPE_CHECKING:
    from pressync.cli import Globals


@click.command()
@options.paths
@options.site
@click.option("--yes", is_flag=True, help="Do not ask; required when there is no terminal.")
@click.option(
    "--plan",
    "plan_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Make exactly this reviewed plan (see `plan --out`), or nothing.",
)
@click.option(
    "--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Calls at a time."
)
@click.option("--rate", type=click.FloatRange(0, min_open=True), metavar="N", help="Calls a second, at most.")
@options.max_delete
@click.option("--permanent", is_flag=True, help="Delete for good instead of reversibly.")
@click.option(
    "--delete-unused-media",
    is_flag=True,
    help="Delete uploaded files that nothing uses any more; for good, media have no trash.",
)
@options.overwrite
@options.allow_rewind
@click.option("--commit", "commit_manifest", is_flag=True, help="Commit the manifest afterwards.")
@options.strict
@options.keep_going
@options.revision
@click.option(
    "--wait",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another run to end.",
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
def command(
    given: Globals,
    *,
    paths: tuple[str, ...],
    site: str | None,
    yes: bool,
    plan_file: Path | None,
    concurrency: int,
    rate: float | None,
    max_delete: str | None,
    permanent: bool,
    delete_unused_media: bool,
    overwrite: bool,
    allow_rewind: bool,
    commit_manifest: bool,
    strict: bool,
    keep_going: bool,
    ref: str,
    worktree: bool,
    wait: float,
    form: str,
) -> None:
    """Make the site say what the content at PATH, or all of it, says.

    Sends only what differs, records what the service answered, and can be killed and started again at
    any time.
    """
    from pressync import shortcut  # noqa: PLC0415 - a run with nothing to do loads nothing else

    asks_more = strict or commit_manifest or delete_unused_media
    plain = not (paths or worktree or plan_file or asks_more or ref != "HEAD")
    if plain and form == "text":
        seen = shortcut.look(given.directory, site=site or given.site, config_file=given.config_file)
        if seen:
            click.echo(shortcut.summary(seen))
            leftover.tell(given, lambda: shortcut.uncommitted(given.directory, seen))
            return
    from pressync.cli import synced  # noqa: PLC0415
    from pressync.cli.planned import choices  # noqa: PLC0415

    synced.run(
        given,
        synced.Order(
            paths=paths,
            site=site,
            yes=yes,
            plan_file=plan_file,
            concurrency=concurrency,
            rate=rate,
            permanent=permanent,
            delete_unused_media=delete_unused_media,
            commit_manifest=commit_manifest,
            keep_going=keep_going,
            ref=ref,
            worktree=worktree,
            wait=wait,
            form=form,
        ),
        choices(max_delete, overwrite=overwrite, allow_rewind=allow_rewind, strict=strict),
    )

"""`pressync action`: one step of a GitHub workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import options

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command()
@click.option(
    "--mode",
    type=click.Choice(("auto", "plan", "sync", "drift")),
    default="auto",
    show_default=True,
    help="What to do; auto goes by the event.",
)
@options.site
@options.max_delete
@click.option(
    "--comment",
    type=click.BOOL,
    default=True,
    show_default=True,
    help="Whether a pull request gets its plan as a comment.",
)
@click.pass_obj
def command(globals_: Globals, mode: str, site: str | None, max_delete: str | None, *, comment: bool) -> None:
    """Do what a GitHub workflow asks for: what the Action runs.

    A pull request is planned; a push, a schedule or a person syncs. Reads the event, and writes
    annotations, the job's summary, outputs, a comment.
    """
    from pressync.cli import action  # noqa: PLC0415 - `--help` loads nothing else

    action.run(globals_, action.ActionInputs(mode, site or None, max_delete or None, comment=comment))

"""`pressync action`: one step of a GitHub workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync action                        # the event decides",
        "pressync action --mode plan --comment false",
        "pressync action --args '--limit 50 content/posts'",
    ),
)
@click.option(
    "--mode",
    type=click.Choice(("auto", "plan", "sync", "drift")),
    default="auto",
    show_default=True,
    help="What to do; auto decides by the event.",
)
@options.max_delete
@click.option("--strict", type=click.BOOL, default=False, show_default=True, help="Treat warnings as errors.")
@click.option(
    "--keep-going",
    type=click.BOOL,
    default=False,
    show_default=True,
    help="Sync the other files if some have problems.",
)
@click.option("--args", default="", metavar="TEXT", help="Further paths and options of `sync`.")
@click.option(
    "--comment",
    type=click.BOOL,
    default=True,
    show_default=True,
    help="Write the plan as a comment of the pull request.",
)
@click.pass_obj
def command(
    globals_: Globals,
    /,
    *,
    mode: str,
    max_delete: str | None,
    strict: bool,
    keep_going: bool,
    args: str,
    comment: bool,
) -> None:
    """Run one step of a GitHub workflow, as the Action does.

    The command reads the event. It plans a pull request, and it syncs for a push, a schedule or a manual
    start. It writes annotations, the job's summary, outputs and a comment.
    """
    from pressync.cli import action  # noqa: PLC0415 - `--help` loads nothing else

    flags = [f"--max-delete={max_delete}"] if max_delete else []
    flags += ["--strict"] * strict + ["--keep-going"] * keep_going
    action.run(globals_, action.ActionInputs(mode, comment, args, tuple(flags)))

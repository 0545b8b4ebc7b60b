"""`pressync rollback`: undoes a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import completions, options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync rollback                # show the plan, ask, undo the last sync",
        "pressync rollback 20260131-101500-k3f9p --yes --format json",
    ),
)
@click.argument("run", required=False, metavar="[RUN]", shell_complete=completions.runs)
@click.option("--yes", is_flag=True, help="Do not ask; required without a terminal.")
@options.max_delete
@options.concurrency
@options.rate
@options.wait
@options.text_or_json
@click.pass_obj
def command(  # noqa: PLR0917 - one parameter for each option
    globals_: Globals,
    run: str | None,
    max_delete: str | None,
    concurrency: int,
    rate: float | None,
    wait: float,
    form: str,
    *,
    yes: bool,
) -> None:
    """Undo what RUN did to the site, by default the last sync of this clone.

    Created records go to the trash, changed ones get their text of before, and deleted ones come out of the
    trash with their ids. A record that somebody has edited since stays as it is. The files do not change:
    until they do, sync refuses to send them again.
    """
    from pressync.cli import rollback  # noqa: PLC0415 - `--help` loads nothing else

    rollback.run(
        globals_,
        run,
        yes=yes,
        max_delete=max_delete,
        concurrency=concurrency,
        rate=rate,
        wait=wait,
        form=form,
    )

"""`pressync init`: what a repository begins with, and the site that it is for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from pressync.cli import log

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command()
@click.option(
    "--url", metavar="URL", help="The site, or its interface; it is asked where that is and what it speaks."
)
@click.option("--user", metavar="NAME", help="Whom to write as. The password is never asked for.")
@click.option("--content", metavar="FOLDER", help="Where the Markdown is. Default: content.")
@click.option("--hook", is_flag=True, help="Install the Git hook that syncs each commit.")
@click.option(
    "--workflow",
    is_flag=False,
    flag_value="",
    metavar="[ACTION]",
    help="Write a GitHub workflow; ACTION is what its `uses:` names, like OWNER/pressync@COMMIT.",
)
@click.option("--yes", is_flag=True, help="Do not ask; without --url the embedded service is meant.")
@click.pass_obj
def command(
    globals_: Globals,
    *,
    url: str | None,
    user: str | None,
    content: str | None,
    hook: bool,
    workflow: str | None,
    yes: bool,
) -> None:
    """Write a starting pressync.toml, a first page, a template and .gitignore: what is not there yet.

    On a terminal it asks for what the flags do not say. Nothing is ever overwritten.
    """
    from pressync.cli import init  # noqa: PLC0415 - `--help` loads nothing else

    answers = init.Answers(url, user, content, hook=hook, workflow=workflow)
    init.run(globals_, answers, asks=at_a_terminal(globals_) and not yes)


def at_a_terminal(globals_: Globals) -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin.isatty() and globals_.log_format == log.TEXT

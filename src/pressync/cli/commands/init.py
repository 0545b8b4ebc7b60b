"""`pressync init`: writes the first files of a repository, and the settings of its site."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from pressync.cli import log
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync init                                # ask for what it needs",
        "pressync init --yes                          # begin with the embedded service",
        "pressync init --url https://example.org --user editor",
    ),
)
@click.option(
    "--url",
    metavar="URL",
    help="The site, or its interface; pressync asks it for the address and the dialect of the interface.",
)
@click.option("--user", metavar="NAME", help="The user to write as. pressync never asks for the password.")
@click.option("--content", metavar="FOLDER", help="The folder of the Markdown. Default: content.")
@click.option("--hook", is_flag=True, help="Install the Git hook that syncs each commit.")
@click.option(
    "--workflow",
    is_flag=False,
    flag_value="",
    metavar="[ACTION]",
    help="Write a GitHub workflow; ACTION is the value of its `uses:`, like OWNER/pressync@COMMIT.",
)
@click.option(
    "--vscode", is_flag=True, help="Write settings and a task for Visual Studio Code, with JSON schemas."
)
@click.option("--yes", is_flag=True, help="Do not ask; without --url the site is the embedded service.")
@click.pass_obj
def command(globals_: Globals, /, *, yes: bool, **answers: Any) -> None:  # noqa: ANN401 - the fields are typed
    """Write those of these files that are missing: pressync.toml, a first page, a template and .gitignore.

    An editor with a language server for TOML finds the JSON schema of pressync.toml in .pressync/schemas/.

    On a terminal it asks for the values that no flag gives. It never overwrites a file.
    """
    from pressync.cli import init  # noqa: PLC0415 - `--help` loads nothing else

    init.run(globals_, init.Answers(**answers), asks=at_a_terminal(globals_) and not yes)


def at_a_terminal(globals_: Globals) -> bool:
    """Whether a person is there to answer questions."""
    return sys.stdin.isatty() and globals_.log_format == log.TEXT

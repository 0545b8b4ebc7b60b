"""The options that several commands have, so that the same word means the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

site = click.option("--site", "site", help="The site to act on.")
paths = click.argument("paths", nargs=-1, metavar="[PATH]...")
strict = click.option("--strict", is_flag=True, help="Take warnings (broken links and the like) as errors.")
keep_going = click.option(
    "--keep-going", is_flag=True, help="Leave out files with problems and go on with the rest."
)
overwrite = click.option(
    "--overwrite", is_flag=True, help="Put the repository's text back over edits made on the site."
)
allow_rewind = click.option(
    "--allow-rewind", is_flag=True, help="Accept a HEAD that does not descend from the commit last synced."
)
max_delete = click.option(
    "--max-delete",
    metavar="N|N%",
    help="Allow this many deletions, or this share of the records. Default: 30%.",
)


def revision(command: Command) -> Command:
    """`--ref` and `--worktree`."""
    command = click.option("--worktree", is_flag=True, help="Include edits that are not committed.")(command)
    return click.option("--ref", default="HEAD", metavar="REV", help="Read this commit instead of HEAD.")(
        command
    )

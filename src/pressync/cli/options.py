"""The options that several commands have, so that the same word means the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])


def sites_there(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Name the sites of the settings that a command here would read; none where they are wrong."""
    import tomllib  # noqa: PLC0415 - only a shell asks

    from pressync.model.errors import PressyncError  # noqa: PLC0415 - the same
    from pressync.repo import discover  # noqa: PLC0415 - the same

    directory = Path(ctx.find_root().params.get("directory") or ".").absolute()
    try:
        file = discover.settings_file(discover.find(directory).root)
        names = list(tomllib.loads(file.read_text(encoding="utf-8") if file else "").get("sites", {}))
    except (PressyncError, OSError, ValueError):
        return []
    return [name for name in names if name.startswith(begun)]


def files_there(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Leave the names of files to the shell that completes."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only a shell asks

    return [CompletionItem(begun, type="file")]


site = click.option("--site", "site", metavar="NAME", shell_complete=sites_there, help="The site to act on.")
text_or_json = click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="How to print.",
)
paths = click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=files_there)
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
new_manifest = click.option(
    "--new-manifest", is_flag=True, help="Start a new manifest, though Git has one of this site."
)
max_delete = click.option(
    "--max-delete",
    metavar="N|N%",
    help="Allow this many deletions, or this share of the records.  [default: 30%]",
)


def revision(command: Command) -> Command:
    """`--ref` and `--worktree`."""
    command = click.option("--worktree", is_flag=True, help="Include edits that are not committed.")(command)
    return click.option("--ref", default="HEAD", metavar="REV", help="Read this commit instead of HEAD.")(
        command
    )

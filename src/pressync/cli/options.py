"""The options that several commands share, so that one option means the same in all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])


class NumberRange(click.FloatRange):
    """A range of numbers; `nan` is not a number, and no comparison with it holds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - Click's signature
        """Refuse `nan`, which every bound lets through."""
        number = super().convert(value, param, ctx)
        return self.fail(f"'{value}' is not a number.", param, ctx) if number != number else number  # noqa: PLR0124


class KnownName(click.Choice[str]):
    """One of many names; the error for another one names those that somebody may have meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401 - Click's signature
        """Name similar names, or all if there are none."""
        import difflib  # noqa: PLC0415 - only an error needs it

        similar = difflib.get_close_matches(str(value), self.choices, n=2)
        if not similar:
            return super().get_invalid_choice_message(value, ctx)
        return f"'{value}' is not one of them. Did you mean {' or '.join(map(repr, similar))}?"


def complete_sites(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Complete the names of sites from the settings that the command would read; none if they are wrong."""
    import tomllib  # noqa: PLC0415 - only shell completion needs it

    from pressync.model.errors import PressyncError  # noqa: PLC0415 - the same
    from pressync.repo import discover  # noqa: PLC0415 - the same

    given = ctx.obj
    try:
        named = given.config_file and given.directory / given.config_file
        file = discover.settings_file(discover.find(given.directory.absolute()).root, named)
        names = list(tomllib.loads(file.read_text(encoding="utf-8") if file else "").get("sites", {}))
    except (PressyncError, OSError, ValueError):
        return []
    return [name for name in names if name.startswith(begun)]


def complete_documents(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the paths of documents."""
    from pressync.cli import completions  # noqa: PLC0415 - only shell completion needs it

    return completions.documents(ctx, parameter, begun)


text_or_json = click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="How to print.",
)


def _checked_limit(ctx: click.Context, _parameter: click.Parameter, given: str | None) -> str | None:
    """Refuse a limit that cannot be read, also where there is nothing to do and nobody asks for it."""
    # The Action gives it to a sync of its own, and writes what that says as an annotation.
    if given and ctx.info_name != "action":
        from pressync.plan.limits import DeleteLimit  # noqa: PLC0415 - few runs name one

        DeleteLimit.parse(given)
    return given


class RecordId(click.IntRange):
    """The id of a record. The error for another text names it, because people swap PATH and ID."""

    name = "record id"

    def __init__(self) -> None:
        super().__init__(1)


paths = click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=complete_documents)
strict = click.option("--strict", is_flag=True, help="Treat warnings, such as broken links, as errors.")
keep_going = click.option(
    "--keep-going", is_flag=True, help="Leave out files with problems and continue with the others."
)
overwrite = click.option(
    "--overwrite", is_flag=True, help="Overwrite edits made on the site with the text of the repository."
)
allow_rewind = click.option(
    "--allow-rewind", is_flag=True, help="Accept a HEAD that does not descend from the commit last synced."
)
new_manifest = click.option(
    "--new-manifest", is_flag=True, help="Start a new manifest, although Git has one for this site."
)
max_delete = click.option(
    "--max-delete",
    metavar="N|N%",
    callback=_checked_limit,
    help="Allow this many deletions, or this share of the records.  [default: 30%]",
)
concurrency = click.option(
    "--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Requests at a time."
)
rate = click.option(
    "--rate",
    type=NumberRange(0, min_open=True),
    metavar="N",
    help="The highest number of requests a second.",
)
wait = click.option(
    "--wait",
    type=NumberRange(0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait until another run ends.",
)


def revision(command: Command) -> Command:
    """`--ref` and `--worktree`."""
    command = click.option("--worktree", is_flag=True, help="Include edits that are not committed.")(command)
    return click.option("--ref", default="HEAD", metavar="REV", help="Read this commit instead of HEAD.")(
        command
    )

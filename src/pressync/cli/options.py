"""The options that several commands share, and the tuples of all options of `plan`, `sync` and `rehearse`.

One option means the same in all commands. Each field of a tuple has the name of its option, so that only the
declaration and the use of an option name it. The command line fills a tuple before anything that plans or
syncs is loaded, so that a run with nothing to do stays cheap. A tuple is not a dataclass, because to import
`dataclasses` costs 5 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from pathlib import Path

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

    from pressync.model.bounds import SETTINGS  # noqa: PLC0415 - the same
    from pressync.model.errors import PressyncError  # noqa: PLC0415 - the same
    from pressync.repo import discover, work_tree  # noqa: PLC0415 - the same

    given = ctx.obj
    try:
        named = given.config_file and given.directory / given.config_file
        file = discover.settings_file(discover.find(given.directory.absolute()).root, named)
        names = list(tomllib.loads(work_tree.read(file, SETTINGS).decode() if file else "").get("sites", {}))
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
notify = click.option(
    "--notify",
    is_flag=True,
    help="Let the site tell its subscribers of posts that are many, old, or back from the trash.",
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


def removed(name: str, instead: str, *, is_flag: bool = True) -> Callable[[Command], Command]:
    """Declare an option that earlier versions had: it is refused, with the way that is left."""

    def refuse(_ctx: click.Context, parameter: click.Parameter, given: object) -> None:
        if given:
            raise click.UsageError(f"{parameter.opts[0]} is not an option any more; {instead}")

    return click.option(
        name, is_flag=is_flag, hidden=True, expose_value=False, is_eager=True, callback=refuse
    )


def revision(command: Command) -> Command:
    """`--ref` and `--worktree`."""
    command = click.option("--worktree", is_flag=True, help="Include edits that are not committed.")(command)
    return click.option("--ref", default="HEAD", metavar="REV", help="Read this commit instead of HEAD.")(
        command
    )


def covers_head(options: PlanCommandOptions | SyncOptions) -> bool:
    """Tell whether a plan or a sync is of everything at HEAD, and of nothing else."""
    return not (options.paths or options.worktree) and options.ref == "HEAD"


class PlanCommandOptions(NamedTuple):
    """The options of `plan`."""

    paths: tuple[str, ...]
    diff: bool | None
    summary: bool
    form: str | None
    out: Path | None
    exit_code: bool
    drift: bool | None
    ref: str
    worktree: bool
    max_delete: str | None
    overwrite: bool
    allow_rewind: bool
    new_manifest: bool
    strict: bool
    keep_going: bool

    @property
    def is_plain(self) -> bool:
        """Whether the note that everything at HEAD is up to date is enough to answer."""
        asks_more = self.out or self.strict or self.drift
        return covers_head(self) and not asks_more and self.form in {None, "text", "json"}

    @property
    def is_usual(self) -> bool:
        """Whether it is the plan that people ask for after an edit, and its kept records are only counted."""
        asks_more = (self.diff, self.overwrite, self.allow_rewind, self.new_manifest, self.max_delete)
        return self.is_plain and not any(asks_more)


class SyncOptions(NamedTuple):
    """The options of `sync`."""

    paths: tuple[str, ...]
    yes: bool
    plan_file: Path | None
    concurrency: int
    rate: float | None
    limit: int | None
    max_failures: int | None
    max_delete: str | None
    create_anyway: tuple[str, ...]
    permanent: bool
    again: bool
    notify: bool
    overwrite: bool
    allow_rewind: bool
    new_manifest: bool
    commit_manifest: bool
    strict: bool
    keep_going: bool
    ref: str
    worktree: bool
    wait: float
    form: str

    @property
    def is_plain(self) -> bool:
        """Whether the sync has nothing to do and only a sentence to print if HEAD is up to date."""
        asks_more = (
            *(self.strict, self.commit_manifest, self.plan_file),
            # It is also about edits on the site, which the note of the last run does not know.
            self.overwrite,
        )
        return covers_head(self) and not any(asks_more) and self.form == "text"


class RehearseOptions(NamedTuple):
    """The options of `rehearse`."""

    stage: str
    mount: tuple[str, ...]
    keep: bool
    max_delete: str | None
    overwrite: bool
    allow_rewind: bool
    new_manifest: bool
    strict: bool
    keep_going: bool
    ref: str
    worktree: bool
    form: str

"""The options of the commands, the tuples of all options of three commands, and the base classes of commands.

People type an option where they think of it. So the options of every command may stand before the command and
after it, and write into the `Globals` of the whole call. Each field of a tuple has the name of its option. A
tuple is not a dataclass, because to import `dataclasses` costs 5 ms of a run with nothing to do.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource

from pressync.cli import log

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pressync.app.arguments import PlanFlags, SyncFlags
    from pressync.content.content import Content


Declared = TypeVar("Declared", bound=Callable[..., Any])


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


def completed(name: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Complete a word by the function of this name in `completions`, which only a shell at work loads."""

    def complete(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        from pressync.cli import completions  # noqa: PLC0415 - only shell completion needs it

        items: list[CompletionItem] = getattr(completions, name)(ctx, parameter, begun)
        return items

    return complete


def flag(*names: str, help: str) -> Callable[[Declared], Declared]:  # noqa: A002 - as Click has it
    """Declare an option without a value."""
    return click.option(*names, is_flag=True, help=help)


def one_of(*names: str, of: Sequence[str], help: str) -> Callable[[Declared], Declared]:  # noqa: A002 - the same
    """Declare an option whose value is one of a few words; the first one is the default."""
    return click.option(*names, type=click.Choice(of), default=of[0], show_default=True, help=help)


text_or_json = one_of("--format", "form", of=("text", "json"), help="How to print.")


def _checked_limit(ctx: click.Context, _parameter: click.Parameter, given: str | None) -> str | None:
    """Refuse a limit that cannot be read, also where there is nothing to do and nobody asks for it."""
    # The Action gives it to a sync of its own, and writes what that says as an annotation.
    if given and ctx.info_name != "action":
        from pressync.plan.limits import DeleteLimit  # noqa: PLC0415 - few runs name one

        DeleteLimit.parse(given)
    return given


record_id = click.IntRange(1)
# The error for another text names the type, because people swap PATH and ID.
record_id.name = "record id"
paths = click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=completed("documents"))
strict = flag("--strict", help="Treat warnings, such as broken links, as errors.")
renew = flag("--renew", help="Also send unchanged pages to which this version would give a better form.")
keep_going = flag("--keep-going", help="Leave out files with problems and continue with the others.")
overwrite = flag("--overwrite", help="Overwrite edits made on the site with the text of the repository.")
allow_rewind = flag("--allow-rewind", help="Accept a HEAD that does not descend from the commit last synced.")
new_manifest = flag("--new-manifest", help="Start a new manifest, although Git has one for this site.")
mount = click.option(
    "--mount",
    multiple=True,
    metavar="KIND=DIR",
    help="Give WordPress a folder: theme=DIR, plugin=DIR, or wordpress=DIR for its own unpacked files.",
)
notify = flag(
    "--notify", help="Let the site tell its subscribers of posts that are many, old, or back from the trash."
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
    "--rate", type=NumberRange(0, min_open=True), metavar="N", help="The highest number of calls a second."
)
wait = click.option(
    "--wait",
    type=NumberRange(0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait until another run ends.",
)


def revision(command: Declared) -> Declared:
    """`--ref` and `--worktree`."""
    command = flag("--worktree", help="Include edits that are not committed.")(command)
    return click.option("--ref", default="HEAD", metavar="REV", help="Read this commit instead of HEAD.")(
        command
    )


all_sites = flag("--all-sites", help="Do it for every site of the settings, one after the other.")


def planning(command: Declared) -> Declared:
    """Declare the options of `plan`, `sync` and `rehearse` that decide which plan they make."""
    for option in (keep_going, strict, renew, new_manifest, allow_rewind, overwrite, max_delete):
        command = option(command)
    return command


def covers_head(options: PlanCommandOptions | SyncOptions) -> bool:
    """Tell whether a plan or a sync is of everything at HEAD, and of nothing else."""
    return not (options.paths or options.worktree) and options.ref == "HEAD"


class PlanCommandOptions(NamedTuple):
    """The options of `plan`; the `flags` decide which changes the plan has."""

    paths: tuple[str, ...]
    diff: bool | None
    summary: bool
    form: str | None
    playground: bool
    out: Path | None
    exit_code: bool
    drift: bool | None
    as_agent: bool
    ref: str
    worktree: bool
    keep_going: bool
    all_sites: bool
    flags: PlanFlags

    @property
    def is_plain(self) -> bool:
        """Whether the note that everything at HEAD is up to date is enough to answer."""
        asks_more = self.out or self.drift or self.playground or self.as_agent
        asks_more = asks_more or self.flags["strict"] or self.flags["renew"]
        return covers_head(self) and not asks_more and self.form in {None, "text", "json"}


# The flags of a sync with which a person lifts a limit that protects the site.
_LIFTING = frozenset(
    {
        "overwrite",
        "allow_rewind",
        "new_manifest",
        "permanent",
        "again",
        "notify",
        "create_anyway",
        "max_delete",
    }
)


class SyncOptions(NamedTuple):
    """The options of `sync`; the `flags` decide which changes it makes, and how."""

    paths: tuple[str, ...]
    yes: bool
    plan_file: Path | None
    approved: str
    as_agent: bool
    commit_manifest: bool
    ref: str
    worktree: bool
    wait: float
    form: str
    all_sites: bool
    flags: SyncFlags

    @property
    def lifts_limits(self) -> bool:
        """Whether a person has lifted a limit that protects the site."""
        return any(self.flags.get(name) for name in _LIFTING) or self.plan_file is not None

    @property
    def is_plain(self) -> bool:
        """Whether the sync has nothing to do and only a sentence to print if HEAD is up to date."""
        # `overwrite` is also about edits on the site, which the note of the last run does not know.
        asks_more = any(self.flags.get(name) for name in ("strict", "renew", "overwrite"))
        asks_more = asks_more or self.commit_manifest or self.plan_file is not None
        return covers_head(self) and not asks_more and self.form == "text"


class RehearseOptions(NamedTuple):
    """The options of `rehearse`; the `flags` are those of the plan that it makes."""

    stage: str
    mount: tuple[str, ...]
    keep: bool
    look: Path | None
    look_limit: int
    keep_going: bool
    ref: str
    worktree: bool
    form: str
    flags: PlanFlags


_Options = TypeVar("_Options", PlanCommandOptions, SyncOptions, RehearseOptions)


def gathered(kind: type[_Options], values: Mapping[str, Any]) -> _Options:
    """Make the options of a command; the values without a field of their own are its flags."""
    own = {name: value for name, value in values.items() if name in kind._fields}
    own["flags"] = {name: value for name, value in values.items() if name not in own}
    return kind(**own)


AUTO, ALWAYS, NEVER = "auto", "always", "never"


class Globals(NamedTuple):
    """The options of every command; `looked` tells that `cli.plain` has compared, without an answer."""

    directory: Path = Path()
    site: str | None = None
    config_file: Path | None = None
    quiet: bool = False
    verbose: bool = False
    log_format: str = log.TEXT
    color: str = AUTO
    # It has the secrets that no other program gets.
    environ: Mapping[str, str] = os.environ
    looked: bool = False
    # It opens the content of one site among many.
    open_content: Callable[..., Content] | None = None


_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class File(click.Path):
    """A file or folder that a person names. It is relative to the folder of `-C`, like every other path."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - Click's signature
        """Join the path to the folder, then do all that `click.Path` does."""
        below = ctx.obj.directory if ctx and ctx.obj else Path()
        return super().convert(below / value, param, ctx)


class CommonOption(click.Option):
    """An option of every command; `--help` lists these in a section of their own."""

    def get_help_record(self, ctx: click.Context) -> None:
        """Give no line, so that the section with the command's own options leaves this option out."""

    def line(self, ctx: click.Context) -> tuple[str, str]:
        """Give the line of the section with the options of every command."""
        return super().get_help_record(ctx) or ("", "")


def _note(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:  # noqa: ANN401 - of any option
    """Write an option into the globals of the whole call, if somebody gave it."""
    name = str(parameter.name)
    if ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
        return
    given = ctx.obj._asdict()
    match name:
        case "directory":
            # Like Git: a second `-C` begins in the folder of the first one.
            given[name] = _FOLDER.convert(given[name] / value, parameter, ctx)
        case "quiet" | "verbose":
            given |= {"quiet": name == "quiet", "verbose": name == "verbose"}
        case _:
            given[name] = value
    share(ctx, type(ctx.obj)(**given))


def share(ctx: click.Context, globals_: Globals) -> None:
    """Give the globals to this command and to the groups around it, which show its errors."""
    level: click.Context | None = ctx
    while level is not None:
        level.obj, level.color = globals_, colour(globals_.color)
        level = level.parent


def colour(choice: str) -> bool | None:
    """Decide about colour for the whole call; None if each stream has colour where it is a terminal.

    The option comes first, then https://no-color.org, then https://force-color.org. Every text goes through
    `click.echo`, which takes the colour out where this answer is not true.
    """
    if choice != AUTO:
        return choice == ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if any(os.environ.get(name, "0") not in {"", "0"} for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return False if os.environ.get("TERM") == "dumb" else None


def as_tool(globals_: Globals) -> None:
    """Let Git run no program that the clone names, until this command has ended."""
    from pressync.repo import inert  # noqa: PLC0415 - the commands of people need none of it

    click.get_current_context().with_resource(inert.applied(globals_.directory))


def ourselves(globals_: Globals) -> list[str]:
    """Give the words that start pressync in a process of its own, for the same repository and site."""
    # `-P`: Python does not search modules in the current folder, which may have a `click.py`.
    words = [sys.executable, "-P", "-m", "pressync", "-C", str(globals_.directory.absolute())]
    words += [f"--site={globals_.site}"] if globals_.site else []
    return words + ([f"--config={globals_.config_file.absolute()}"] if globals_.config_file else [])


COMMON = (
    CommonOption(
        ["-C", "directory"],
        type=click.Path(file_okay=False),
        metavar="DIRECTORY",
        help="Run as if started in this folder.",
    ),
    CommonOption(
        ["--site"],
        metavar="NAME",
        shell_complete=completed("sites"),
        help="The site to act on; needed only if pressync.toml has several.",
    ),
    CommonOption(
        ["--config", "config_file"],
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Read this file instead of pressync.toml.",
    ),
    CommonOption(["-q", "--quiet"], is_flag=True, help="Print only the requested output, and errors."),
    CommonOption(
        ["-v", "--verbose"], is_flag=True, help="Print every change, including those that succeeded."
    ),
    CommonOption(
        ["--log-format"],
        type=click.Choice(log.FORMS),
        help="How to write to standard error: text, or one JSON object on each line.",
    ),
    CommonOption(
        ["--color"],
        type=click.Choice((AUTO, ALWAYS, NEVER)),
        help="Whether to use colour; auto uses it on a terminal.",
    ),
)
for _option in COMMON:
    # `-C` is read first, because it says where the files of the other options are.
    _option.is_eager, _option.expose_value, _option.callback = _option.name == "directory", False, _note


class Command(click.Command):
    """A command with the options of every command, and with examples."""

    def __init__(self, *arguments: Any, examples: tuple[str, ...] = (), **settings: Any) -> None:  # noqa: ANN401 - Click's
        super().__init__(*arguments, **settings)
        self.examples = examples

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Give the command's own parameters and those of every command, unless it has one of that name."""
        own = super().get_params(ctx)
        taken = {name for parameter in own for name in parameter.opts}
        return [*own, *(option for option in COMMON if taken.isdisjoint(option.opts))]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words, then find the settings file, now that `-C` is known."""
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from pressync.cli import other_words  # noqa: PLC0415 - only an error needs it

            other_words.refuse(self, ctx.command_path, error.option_name, ctx)
            raise
        given = ctx.obj
        if given and given.config_file and not (isinstance(self, click.Group) or ctx.resilient_parsing):
            (option,) = (candidate for candidate in COMMON if candidate.name == "config_file")
            file = _FILE.convert(given.directory / given.config_file, option, ctx)
            share(ctx, given._replace(config_file=file))
        return rest

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the last two sections of `--help`."""
        common = [option.line(ctx) for option in self.get_params(ctx) if isinstance(option, CommonOption)]
        with formatter.section("Options of every command"):
            formatter.write_dl(common)
        if self.examples:
            # A line is not wrapped, so that people can copy it.
            with formatter.section("Examples"):
                formatter.write("".join(f"  {example}\n" for example in self.examples))


def command(*examples: str) -> Callable[[Callable[..., Any]], Command]:
    """Declare a command that gets the `Globals`, with the lines of its section "Examples"."""
    return lambda called: click.command(cls=Command, examples=examples)(click.pass_obj(called))


class Group(Command, click.Group):
    """A command with commands below it."""

    def below(self, *examples: str) -> Callable[[Callable[..., Any]], Command]:
        """Declare a command below it, as `command` does."""

        def declare(called: Callable[..., Any]) -> Command:
            declared = command(*examples)(called)
            self.add_command(declared)
            return declared

        return declare

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; say where an option belongs that stands before its command."""
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = next((word for word in words if word in self.list_commands(ctx)), "")
            below = self.get_command(ctx, name)
            from pressync.cli import other_words  # noqa: PLC0415 - as above

            if below:
                other_words.refuse(below, f"{ctx.command_path} {name}", error.option_name, ctx)
            if below is None or not any(error.option_name in parameter.opts for parameter in below.params):
                raise
            value = other_words.value_of(error.option_name, words[: words.index(name)], below)
            right = f"{ctx.command_path} {name} {error.option_name}{value}"
            problem = f"'{error.option_name}' is an option of `{name}`. Write it after the command: `{right}`"
            raise click.UsageError(problem, ctx) from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word; name similar commands if there is none."""
        word = args[0]
        if not ctx.resilient_parsing and self.get_command(ctx, word) is None:
            later = [name for name in args[1:] if name in self.list_commands(ctx)]
            names = [f"{later[0]} {word}"] if later else self.similar(ctx, word)
            similar = " or ".join(f"`{ctx.command_path} {name}`" for name in names)
            meant = f" Did you mean {similar}?" if similar else ""
            raise click.UsageError(f"No such command '{word}'.{meant}", ctx)
        return super().resolve_command(ctx, args)

    def similar(self, ctx: click.Context, word: str) -> list[str]:
        """Name the commands that somebody may have meant."""
        import difflib  # noqa: PLC0415 - only an error needs it

        return difflib.get_close_matches(word, self.list_commands(ctx), n=2)

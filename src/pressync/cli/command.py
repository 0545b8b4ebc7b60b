"""The base classes of all commands: the options that every command takes, and the examples of `--help`.

People type an option where they think of it. So pressync takes these options before the command and after it,
and the later one wins. An option of Click belongs to one command, so each command gets the same objects, and
they write into the `Globals` of the whole call.
"""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from typing import Any

import click
from click.core import ParameterSource

from pressync.cli import log, options

AUTO, ALWAYS, NEVER = "auto", "always", "never"
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


def share(ctx: click.Context, globals_: Any) -> None:  # noqa: ANN401 - `Globals` is in `main`, which imports this module
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
        shell_complete=options.complete_sites,
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
        rest = super().parse_args(ctx, args)
        given = ctx.obj
        if given and given.config_file and not (isinstance(self, click.Group) or ctx.resilient_parsing):
            (option,) = (each for each in COMMON if each.name == "config_file")
            file = _FILE.convert(given.directory / given.config_file, option, ctx)
            share(ctx, given._replace(config_file=file))
        return rest

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the last two sections of `--help`."""
        common = [each.line(ctx) for each in self.get_params(ctx) if isinstance(each, CommonOption)]
        with formatter.section("Options of every command"):
            formatter.write_dl(common)
        if self.examples:
            # A line is not wrapped, so that people can copy it.
            with formatter.section("Examples"):
                formatter.write("".join(f"  {example}\n" for example in self.examples))


class Group(Command, click.Group):
    """A command with commands below it."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; say where an option belongs that stands before its command."""
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = next((word for word in words if word in self.list_commands(ctx)), "")
            below = self.get_command(ctx, name)
            if below is None or not any(error.option_name in parameter.opts for parameter in below.params):
                raise
            value = _value(error.option_name, words[: words.index(name)], below)
            right = f"{ctx.command_path} {name} {error.option_name}{value}"
            what = f"'{error.option_name}' is an option of `{name}`. Write it after the command: `{right}`"
            raise click.UsageError(what, ctx) from error

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


def _value(option: str, words: list[str], command: click.Command) -> str:
    """Find the value that stands with an option among these words; "" if it takes or has none."""
    typed = next((word for word in words if word.partition("=")[0] == option), "")
    if not typed or any(option in each.opts and getattr(each, "is_flag", False) for each in command.params):
        return ""
    if "=" in typed:
        return f"={quote(typed.partition('=')[2])}" if typed.isprintable() else ""
    value = next(iter(words[words.index(typed) + 1 :]), "")
    return f" {quote(value)}" if value and value.isprintable() else ""

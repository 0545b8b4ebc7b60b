"""The command line: the names of the commands, the global flags, and how an error ends the process.

This module imports only Click. Each command is a module that is imported when it is called, and it imports
the rest when it runs, so that `--version`, `--help` and a run with nothing to do stay fast.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any, NamedTuple

import click

from pressync import __version__
from pressync.cli import log, options

# Command -> the line that `--help` shows. The module of `a-b` is `commands/a_b.py`; its command is `command`.
COMMANDS = {
    "init": "Write a starting pressync.toml, a first page and a template.",
    "plan": "Show what sync would do. Changes nothing.",
    "sync": "Make the site say what the repository says.",
    "pull": "Take edits made on the site into the files, as Markdown.",
    "status": "Show every record and whether it is up to date.",
    "adopt": "Bind a file to a record that exists on the site.",
    "resolve": "Settle a create that got no response.",
    "forget": "Drop a record from the manifest; leave the site alone.",
    "manifest": "Show, merge or verify the manifest: the record of what was sent.",
    "check": "Find the problems of the content: no network, no manifest.",
    "serve": "Run the embedded content service and its web pages.",
    "doctor": "Check everything that a sync needs, with evidence.",
    "hook": "Sync when Git does something: the Git hook.",
    "redirects": "Print old address -> new address for a web server.",
    "config": "Show the settings and where each came from.",
    "schema": "Print the JSON schema of a document that pressync prints.",
    "action": "Run one step of a GitHub workflow, as the Action does.",
    "completion": "Print the script that completes pressync in a shell.",
}

INTERRUPTED = 130


class Globals(NamedTuple):
    """The flags before the command. It is not a dataclass, because to import `dataclasses` costs 5 ms."""

    directory: Path
    site: str | None
    config_file: Path | None
    quiet: bool
    verbose: bool
    log_format: str = log.TEXT


class _Commands(click.Group):
    """A group that lists its commands by name and imports only the called one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - Click's signature
        return list(COMMANDS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # Every word is checked here, before one of them becomes a file name or an argument of Git.
        for word in args:
            if not _is_valid_argument(word):
                raise click.UsageError(f"{word!a} has a NUL, or half of a character.", ctx)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"pressync.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - Click's signature
        form = ctx.params["log_format"]
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort) as interruption:
            if form == log.TEXT and isinstance(interruption, click.Abort):
                # Click raises Abort for Ctrl-C at a question. The next message starts on a new line.
                click.echo(err=True)
            log.write(form, "Interrupted.")
            ctx.exit(INTERRUPTED)
        except click.exceptions.Exit:
            raise
        except Exception as error:
            # `_show` imports our errors only now, because help and a run with nothing to do do not need them.
            code = _show(error, form)
            if code is None:
                raise
            ctx.exit(code)


def _is_valid_argument(word: str) -> bool:
    try:
        return b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False


def _show(error: Exception, form: str) -> int | None:
    """Write an error and give its exit code; None if Click must show the error, or if it is a bug, Python."""
    from pressync.model.errors import ContentError, PressyncError  # noqa: PLC0415

    if isinstance(error, PressyncError):
        for problem in error.problems if isinstance(error, ContentError) else ():
            log.write_problem(form, problem)
        log.write(form, str(error), log.ERROR)
        return error.exit_code
    # Click ends silently when the reader of a pipe is gone.
    if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
        place = f"{error.filename}: " if error.filename else ""
        log.write(form, f"{place}{error.strerror or error}", log.ERROR)
        return PressyncError.exit_code
    if form == log.TEXT:
        return None
    if isinstance(error, click.ClickException):
        log.write(form, error.format_message(), log.ERROR)
        return error.exit_code
    import traceback  # noqa: PLC0415

    log.write(form, repr(error), log.ERROR, traceback="".join(traceback.format_exception(error)))
    return 1


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pressync")
@click.option(
    "-C",
    "directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Run as if started in this folder.",
)
@click.option(
    "--site",
    metavar="NAME",
    shell_complete=options.complete_sites,
    help="The site to act on; needed only if pressync.toml has several.",
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read this file instead of pressync.toml.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only the requested output, and errors.")
@click.option("-v", "--verbose", is_flag=True, help="Print every change, including those that succeeded.")
@click.option(
    "--log-format",
    type=click.Choice(log.FORMS),
    default=log.TEXT,
    help="How to write to standard error: text, or one JSON object on each line.",
)
@click.pass_context
def pressync(
    ctx: click.Context,
    *,
    directory: Path,
    site: str | None,
    config_file: Path | None,
    quiet: bool,
    verbose: bool,
    log_format: str,
) -> None:
    """Make a site say what its Git repository says.

    Content is Markdown, committed under content/. `plan` shows what differs, `sync` sends exactly that.
    With nothing configured the site is the embedded service; `pressync serve` shows it.
    """
    ctx.obj = Globals(directory, site, config_file, quiet, verbose, log_format)

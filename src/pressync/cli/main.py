"""The command line: the names of the commands, the global flags, and how an error ends the process.

This module imports only Click. Each command is a module that is imported when it is called, and it imports
the rest when it runs. So `--version`, `--help` and a run with nothing to do stay fast.
"""

from __future__ import annotations

import importlib
import itertools
import os
from typing import Any

import click

from pressync import __version__
from pressync.cli import log, options

# Command -> the line that `--help` shows. A module has the name of its command, and calls it `command`.
# Python reserves the name `import`, so that module is `import_`.
COMMANDS = {
    "demo": "Show how it works, in two minutes and a folder of its own.",
    "init": "Write a starting pressync.toml, a first page and a template.",
    "plan": "Show what sync would do. Changes nothing.",
    "preview": "Show the work tree as a site on this machine, and follow edits.",
    "rehearse": "Sync to a stage on this machine, and look at the site.",
    "compare": "Compare the old site with the new one, page by page.",
    "sync": "Make the site say what the repository says.",
    "rollback": "Undo a run: the site as it was before.",
    "pull": "Take edits made on the site into the files, as Markdown.",
    "propose": "Take edits made on the site into one branch, and propose it.",
    "import": "Turn a tree of another tool, an export or a site into files.",
    "status": "Show every record and whether it is up to date.",
    "notes": "List the notes of editors with file and line, and resolve them.",
    "explain": "Say why a record is what it is, and what comes next.",
    "adopt": "Bind a file to a record that exists on the site.",
    "resolve": "Settle a create that got no response.",
    "forget": "Drop a record from the manifest; leave the site alone.",
    "manifest": "Show, merge or verify the manifest: the record of what was sent.",
    "check": "Find the problems of what is saved: no network, no manifest.",
    "serve": "Run the embedded content service and its web pages.",
    "doctor": "Check everything that a sync needs, with evidence.",
    "hook": "Sync when Git does something: the Git hook.",
    "redirects": "Print old address -> new address for a web server.",
    "login": "Get an application password from WordPress, into the keyring.",
    "logout": "Remove that password from the keyring, and from the site.",
    "config": "Show the settings and where each came from.",
    "lsp": "Answer an editor: problems as you type, completion, links.",
    "mcp": "Offer tools to an agent: read, check, plan, rehearse, pull.",
    "skill": "Print how an agent works with pressync.",
    "schema": "Print the JSON schema of what pressync prints, or of files.",
    "help": "Explain a message: its section of the guide, without a network.",
    "action": "Run one step of a GitHub workflow, as the Action does.",
    "completion": "Print the script that completes pressync in a shell.",
}

# The sections of `--help`: the commands of a day, then the others by their purpose.
GROUPS = {
    "The commands of a day": (
        *("preview", "check", "plan", "rehearse", "sync"),
        *("status", "explain", "pull", "rollback", "help"),
    ),
    "Begin": ("demo", "init", "import", "adopt", "login", "logout", "hook", "completion"),
    "Write": ("schema", "lsp", "notes", "skill", "mcp"),
    "Publish": ("propose", "action", "redirects"),
    "Look": ("compare", "doctor", "config", "serve"),
    "Repair": ("resolve", "forget", "manifest"),
}

# These commands lie in the module of another, under their own name.
_WITH = {
    "resolve": "adopt",
    "forget": "adopt",
    "logout": "login",
    "doctor": "check",
    "explain": "status",
    "schema": "config",
    "propose": "pull",
    "notes": "pull",
    "completion": "help",
    "skill": "mcp",
    "lsp": "mcp",
}
_EXAMPLES = (
    "pressync init                     # begin: settings, a first page, a template",
    "pressync plan                     # show what differs",
    "pressync sync                     # ask, then send it",
)
_JSON_LOG = "--log-format=json"
# A message of more than two lines of a terminal names the command that explains it.
_LONG = 160
INTERRUPTED = 130


class _Commands(options.Group):
    """A group that lists its commands by name and imports only the called one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - Click's signature
        return list(COMMANDS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # An error in the options must be written in the form that one of them asks for.
        is_json = _JSON_LOG in {*args, *(f"{one}={two}" for one, two in itertools.pairwise(args))}
        options.share(ctx, ctx.obj._replace(log_format=log.JSON) if is_json else ctx.obj)
        # Every word is checked here, before one of them becomes a file name or an argument of Git.
        for word in args:
            if not _is_valid_argument(word):
                raise click.UsageError(f"{word!a} has a NUL, or half of a character.", ctx)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        name = "import_" if cmd_name == "import" else _WITH.get(cmd_name, cmd_name)
        module = importlib.import_module(f"pressync.cli.commands.{name}")
        command: click.Command = getattr(module, cmd_name if cmd_name in _WITH else "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        widest = max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), COMMANDS[name]) for name in names])

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:  # noqa: ANN401 - Click's signature
        # Click reads the options before the command here, and those after it in `invoke`.
        try:
            return super().make_context(*arguments, **more)
        except click.UsageError as error:
            if error.ctx is None or error.ctx.obj.log_format == log.TEXT:
                raise
            log.write(log.JSON, error.format_message(), log.ERROR)
            raise click.exceptions.Exit(error.exit_code) from error

    def similar(self, ctx: click.Context, word: str) -> list[str]:
        from pressync.cli import other_words  # noqa: PLC0415 - only an error needs it

        if word in other_words.COMMANDS:
            return [other_words.COMMANDS[word]]
        if git := other_words.OF_GIT.get(word):
            todo = f"Git does that: `{git}`, commit, and then `pressync sync`."
            raise click.UsageError(f"No such command '{word}'. {todo}", ctx)
        if names := super().similar(ctx, word):
            return names
        groups = ((name, self.get_command(ctx, name)) for name in COMMANDS)
        return [
            f"{n} {word}" for n, group in groups if isinstance(group, click.Group) and word in group.commands
        ]

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - Click's signature
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort) as interruption:
            form = ctx.obj.log_format
            if form == log.TEXT and isinstance(interruption, click.Abort):
                # Click raises Abort for Ctrl-C at a question. The next message starts on a new line.
                click.echo(err=True)
            log.write(form, "Interrupted.")
            ctx.exit(INTERRUPTED)
        except click.exceptions.Exit:
            raise
        except Exception as error:
            # `show` imports our errors only now, because help and a run with nothing to do do not need them.
            code = show(error, ctx.obj.log_format)
            if code is None:
                raise
            ctx.exit(code)


def _is_valid_argument(word: str) -> bool:
    try:
        return b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False


def show(error: Exception, form: str) -> int | None:
    """Write an error and give its exit code; None if Click must show the error, or if it is a bug, Python."""
    from pressync.model.errors import ContentError, PressyncError  # noqa: PLC0415

    if isinstance(error, PressyncError):
        if isinstance(error, ContentError):
            from pressync.cli.report import words  # noqa: PLC0415 - few runs end with problems

            problems = [problem.published if log.is_of_a_job() else problem for problem in error.problems]
            for alike in words.grouped_problems(problems):
                log.write_problem(form, words.merged_problem(alike))
        message = str(error)
        if form == log.TEXT and isinstance(error, ContentError):
            message += f" (`pressync help {error.problems[0].code}` explains the first)"
        elif form == log.TEXT and len(message) > _LONG:
            message += f" (`pressync help {error.name}` says more)"
        log.write(form, message, log.ERROR, code=error.name)
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


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "obj": options.Globals()},
    examples=_EXAMPLES,
)
@click.version_option(__version__, prog_name="pressync")
def pressync() -> None:
    """Make a site say what its Git repository says.

    Content is Markdown, committed under content/. `plan` shows what differs, `sync` sends exactly that.
    With nothing configured the site is the embedded service; `pressync serve` shows it.
    """

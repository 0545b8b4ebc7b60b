"""`pressync mcp` and `lsp`: what agents and editors ask by protocols; `skill`: how an agent works."""

from __future__ import annotations

import click

from pressync.cli import console, options
from pressync.model.errors import ConfigError


@options.command(
    "pressync mcp                           # the settings of an agent call this",
    "pressync mcp --site staging",
)
def command(globals_: options.Globals) -> None:
    """Speak the Model Context Protocol on standard input and output, until it ends.

    It offers status, check, plan, explain, explain_problem, rehearse and pull. None of them writes to a site.
    There is one more if the agent has an account of its own that, as the site says, can only write drafts.

    It needs the package `mcp`: `pip install 'pressync[mcp]'`.
    """
    try:
        from pressync.cli import tool_server
    except ImportError:
        raise _missing("mcp", extra="mcp") from None
    from pressync.app.agents import place_of

    options.as_tool(globals_)
    with console.open_workspace(globals_) as workspace:
        place = place_of(workspace)
    tool_server.serve(globals_, place)


@options.command("pressync skill > AGENTS.md")
def skill(_globals: options.Globals) -> None:
    """Print a skill: how an agent writes, checks, plans and rehearses, and where it stops and asks."""
    from pressync.app import guide

    click.echo(guide.skill(), nl=False)


@options.command(
    "pressync lsp                           # the settings of an editor call this",
    "pressync lsp --site staging",
)
def lsp(globals_: options.Globals) -> None:
    """Speak the Language Server Protocol on standard input and output, until it ends.

    It marks the problems of the text in the editor, saved or not, and completes keys, values and links. It
    needs neither a network nor a password. The problems that only all files together show are for `check`.

    It needs the package `pygls`: `pip install 'pressync[lsp]'`.
    """
    try:
        from pressync.cli import language_server
    except ImportError:
        raise _missing("pygls", extra="lsp") from None
    language_server.serve(globals_)


def _missing(package: str, *, extra: str) -> ConfigError:
    ways = f"`pip install 'pressync[{extra}]'`, or `pipx inject pressync {package}`"
    todo = f"install it beside pressync: {ways}"
    return ConfigError(f"the package `{package}` is not installed", todo=todo)

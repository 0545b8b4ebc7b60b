"""`pressync help` and `completion`: the section of the guide about a name, and words at the keyboard."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from pressync.cli.options import Command

if TYPE_CHECKING:
    from pressync.app.guide import Section

# A paragraph is prose, so it is broken in a pipe too.
_COLUMNS = 80
# Click's scripts set this variable to ask the program; Click makes its name from the program's name.
_VARIABLE = "_PRESSYNC_COMPLETE"


def _names(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    from pressync.app.guide import sections

    return [name for name in sections() if name.startswith(begun)]


@click.command(
    cls=Command,
    examples=("pressync help broken-link", "pressync help not_pulled", "pressync help      # all names"),
)
@click.argument("name", required=False, shell_complete=_names)
@click.pass_context
def command(ctx: click.Context, name: str | None) -> None:
    """Explain NAME: a message, why it comes, and the way out. Needs no network.

    A message ends with its name if it is long. JSON has the name as `code`. The name of a command shows what
    `--help` shows.
    """
    from pressync.app import guide
    from pressync.cli.main import COMMANDS

    if name is None:
        click.echo(_listed(guide.sections()))
        return
    section = guide.find(name)
    if name in COMMANDS:
        group = ctx.find_root().command
        if isinstance(group, click.Group) and (found := group.get_command(ctx, name)):
            below = click.Context(found, info_name=name, parent=ctx.find_root(), obj=ctx.obj)
            click.echo(found.get_help(below))
        if section:
            click.echo("\nMessages with this name:\n")
    elif section is None:
        raise _unknown(ctx, name, [*guide.sections(), *COMMANDS])
    if section:
        click.echo(_explained(section))


def _listed(sections: dict[str, Section]) -> str:
    parts: dict[str, list[str]] = {}
    for section in sections.values():
        parts.setdefault(section.part, []).append(section.name)
    rows = [f"{part}:\n{_fitted('  ' + ', '.join(names), 2)}" for part, names in parts.items()]
    return "\n".join([*rows, "", "`pressync help NAME` explains one. `pressync --help` lists the commands."])


def _explained(section: Section) -> str:
    head = f"{section.name} ({section.part})"
    more = f"In the guide: {', '.join(section.further)}" if section.further else ""
    texts = [head, *section.paragraphs, *filter(None, [more])]
    return "\n\n".join(_fitted(text, 4 if text.startswith(" ") else 0) for text in texts)


def _fitted(text: str, indent: int) -> str:
    from pressync.cli import log
    from pressync.cli.report.layout import wrapped

    return wrapped(text, log.columns(sys.stdout) or _COLUMNS, indent)


def _unknown(ctx: click.Context, name: str, known: list[str]) -> click.UsageError:
    import difflib

    similar = difflib.get_close_matches(name, known, n=2)
    meant = " or ".join(f"`pressync help {each}`" for each in similar)
    return click.UsageError(
        f"No section is called {name!r}. "
        + (f"Did you mean {meant}?" if meant else "`pressync help` lists all."),
        ctx,
    )


@click.command(
    cls=Command,
    examples=(
        'eval "$(pressync completion bash)"',
        "pressync completion fish > ~/.config/fish/completions/pressync.fish",
    ),
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes pressync in a SHELL. Put it where that shell looks for it.

    For bash: eval "$(pressync completion bash)" in ~/.bashrc.
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    root = ctx.find_root()
    if found is None:
        raise click.UsageError(f"Click has no completion for {shell}.")
    click.echo(found(root.command, {}, "pressync", _VARIABLE).source())

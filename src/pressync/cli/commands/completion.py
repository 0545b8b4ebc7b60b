"""`pressync completion`: prints the script that completes commands, options, sites and paths in a shell."""

from __future__ import annotations

import click

from pressync.cli.command import Command

# Click's scripts set this variable to ask the program; Click makes its name from the program's name.
_VARIABLE = "_PRESSYNC_COMPLETE"


@click.command(
    cls=Command,
    examples=(
        'eval "$(pressync completion bash)"',
        "pressync completion fish > ~/.config/fish/completions/pressync.fish",
    ),
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes pressync in a SHELL. Put it where that shell looks for it.

    For bash: eval "$(pressync completion bash)" in ~/.bashrc.
    """
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    root = ctx.find_root()
    if completion is None:
        raise click.UsageError(f"Click has no completion for {shell}.")
    click.echo(completion(root.command, {}, "pressync", _VARIABLE).source())

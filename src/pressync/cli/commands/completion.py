"""`pressync completion`: the script by which a shell completes commands, options, sites and paths."""

from __future__ import annotations

import click

# What Click's scripts set to ask the program; the name follows from that of the program.
_VARIABLE = "_PRESSYNC_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes pressync in a SHELL; put it where that shell looks for it.

    For bash: eval "$(pressync completion bash)" in ~/.bashrc.
    """
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - only this command needs it

    completion = get_completion_class(shell)
    root = ctx.find_root()
    if completion is None:
        raise click.UsageError(f"Click knows no completion for {shell}.")
    click.echo(completion(root.command, {}, "pressync", _VARIABLE).source())

"""`pressync hook`: installs, removes and lists the Git hooks, and runs when they call it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pressync.cli import options
from pressync.cli.command import Group

if TYPE_CHECKING:
    from pressync.cli.main import Globals

_TYPES = ("post-commit", "pre-push", "post-merge", "post-receive", "pre-commit")

_types = click.option(
    "--type",
    "types",
    type=click.Choice(_TYPES),
    multiple=True,
    help="The hook; repeat it for several. Default: post-commit, or post-receive in a bare repository.",
)
_sites = click.option(
    "--site",
    "sites",
    metavar="NAME",
    multiple=True,
    shell_complete=options.complete_sites,
    help="A site to sync; repeat it for several. Default: every site of the settings.",
)
_branch = click.option(
    "--branch",
    metavar="NAME",
    help="The branch of a site whose settings name none. Default: the current branch.",
)
_time_limit = click.option(
    "--time-limit",
    type=options.NumberRange(1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="The longest time that Git waits.",
)
_commit = click.option("--commit", is_flag=True, help="Commit the manifest after each sync.")


@click.group(cls=Group, examples=("pressync hook install", "pressync hook status"))
def command() -> None:
    """Sync when Git does something: the Git hook."""


@command.command(
    examples=(
        "pressync hook install                  # sync each commit",
        "pressync hook install --type pre-commit --type post-merge",
        "pressync hook install --site staging --branch main",
    )
)
@_types
@_sites
@_branch
@_time_limit
@_commit
@click.pass_obj
def install(globals_: Globals, /, *, types: tuple[str, ...], **setup: Any) -> None:  # noqa: ANN401 - `Setup` is typed
    """Install the hook.

    An existing hook stays and is called first. A second install renews the hook of pressync.
    """
    from pressync.app.hooks.setup import Setup  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli import hook  # noqa: PLC0415 - the same

    hook.install(globals_, types, Setup(**setup))


@command.command(examples=("pressync hook uninstall", "pressync hook uninstall --type pre-commit"))
@click.option(
    "--type", "types", type=click.Choice(_TYPES), multiple=True, help="The hook. Default: every type."
)
@click.pass_obj
def uninstall(globals_: Globals, types: tuple[str, ...]) -> None:
    """Remove the hook, and restore the hook that was there before."""
    from pressync.cli import hook  # noqa: PLC0415 - `--help` loads nothing else

    hook.uninstall(globals_, types or _TYPES)


@command.command(examples=("pressync hook status", "pressync hook status -C ../another-clone"))
@click.pass_obj
def status(globals_: Globals) -> None:
    """List the installed hooks, and whether Git calls them.

    Ends with 1 if Git does not call one of them.
    """
    from pressync.cli import hook  # noqa: PLC0415 - `--help` loads nothing else

    hook.status(globals_)


@command.command(
    examples=(
        "pressync hook run post-commit",
        "pressync hook run pre-push origin git@example.org:site.git < /dev/null",
    )
)
@click.argument("hook_type", metavar="TYPE", type=click.Choice(_TYPES))
@click.argument("arguments", nargs=-1)
@_sites
@_branch
@_time_limit
@_commit
@click.pass_obj
def run(globals_: Globals, /, hook_type: str, arguments: tuple[str, ...], **setup: Any) -> None:  # noqa: ANN401 - the same
    """Do the work of the hook of this TYPE, for hooks of your own. Takes the hook's arguments and input."""
    from pressync.app.hooks.setup import Setup  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli import hook  # noqa: PLC0415 - the same

    hook.run(globals_, hook_type, arguments, Setup(**setup))

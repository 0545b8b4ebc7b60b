"""`pressync hook`: puts the Git hooks in, takes them out, tells which are there, and is what they call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import options

if TYPE_CHECKING:
    from pressync.cli.main import Globals

_TYPES = ("post-commit", "pre-push", "post-merge", "post-receive", "pre-commit")

_types = click.option(
    "--type",
    "types",
    type=click.Choice(_TYPES),
    multiple=True,
    help="The hook; may be given several times. Default: post-commit, or post-receive in a bare repository.",
)
_sites = click.option(
    "--site",
    "sites",
    metavar="NAME",
    multiple=True,
    shell_complete=options.sites_there,
    help="A site to sync; may be given several times. Default: every one of the settings.",
)
_branch = click.option(
    "--branch",
    metavar="NAME",
    help="The branch of a site whose settings name none. Default: the one that HEAD is on.",
)
_time_limit = click.option(
    "--time-limit",
    type=click.FloatRange(1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long Git waits, at most.",
)
_commit = click.option("--commit", is_flag=True, help="Commit the manifest after each sync.")


@click.group()
def command() -> None:
    """Sync when Git does something: the Git hook."""


@command.command()
@_types
@_sites
@_branch
@_time_limit
@_commit
@click.pass_obj
def install(
    globals_: Globals,
    *,
    types: tuple[str, ...],
    sites: tuple[str, ...],
    branch: str | None,
    time_limit: float,
    commit: bool,
) -> None:
    """Put the hook in.

    One that is there stays, and is called first. A second time renews ours.
    """
    from pressync.cli import hook  # noqa: PLC0415 - `--help` loads nothing else

    hook.install(globals_, types, sites, branch=branch, time_limit=time_limit, commit=commit)


@command.command()
@click.option(
    "--type", "types", type=click.Choice(_TYPES), multiple=True, help="The hook. Default: every one."
)
@click.pass_obj
def uninstall(globals_: Globals, types: tuple[str, ...]) -> None:
    """Take the hook out, and put back what stood there before."""
    from pressync.cli import hook  # noqa: PLC0415 - the same

    hook.uninstall(globals_, types or _TYPES)


@command.command()
@click.pass_obj
def status(globals_: Globals) -> None:
    """Tell which hooks are there, and whether Git reaches them.

    Ends with 1 if one is not reached.
    """
    from pressync.cli import hook  # noqa: PLC0415 - the same

    hook.status(globals_)


@command.command()
@click.argument("hook_type", metavar="TYPE", type=click.Choice(_TYPES))
@click.argument("arguments", nargs=-1)
@_sites
@_branch
@_time_limit
@_commit
@click.pass_obj
def run(
    globals_: Globals,
    *,
    hook_type: str,
    arguments: tuple[str, ...],
    sites: tuple[str, ...],
    branch: str | None,
    time_limit: float,
    commit: bool,
) -> None:
    """Do what the hook of this TYPE does; for hooks of your own. Takes the hook's arguments and input."""
    from pressync.cli import hook  # noqa: PLC0415 - the same

    hook.run(globals_, hook_type, arguments, sites, branch=branch, time_limit=time_limit, commit=commit)

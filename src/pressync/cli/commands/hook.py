"""`pressync hook`: installs, removes and lists the Git hooks, and runs when they call it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pressync.app.hooks import dispatch, installation
from pressync.app.hooks.installation import (
    POST_COMMIT,
    POST_MERGE,
    POST_RECEIVE,
    PRE_COMMIT,
    PRE_PUSH,
    SWITCH,
    Hook,
    HookPaths,
    Setup,
)
from pressync.cli import log, options
from pressync.model.errors import ConfigError
from pressync.model.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


# The hooks that pressync installs, and what each does.
_DOES = {
    POST_COMMIT: "each commit is synced",
    PRE_PUSH: "what you push is synced before the push",
    POST_MERGE: "each merge and pull is synced",
    POST_RECEIVE: "what is pushed here is synced",
    PRE_COMMIT: "each commit is checked first; wrong content stops the commit",
}

_types = click.option(
    "--type",
    "types",
    type=click.Choice(tuple(_DOES)),
    multiple=True,
    help="The hook; repeat it for several. Default: post-commit, or post-receive in a bare repository.",
)
_sites = click.option(
    "--site",
    "sites",
    metavar="NAME",
    multiple=True,
    shell_complete=options.completed("sites"),
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
_commit = options.flag("--commit", help="Commit the manifest after each sync.")


@click.group(cls=options.Group, examples=("pressync hook install", "pressync hook status"))
def command() -> None:
    """Sync when Git does something: the Git hook."""


@command.below(
    "pressync hook install                  # sync each commit",
    "pressync hook install --type pre-commit --type post-merge",
    "pressync hook install --site staging --branch main",
)
@_types
@_sites
@_branch
@_time_limit
@_commit
def install(globals_: options.Globals, /, *, types: tuple[str, ...], **setup: Any) -> None:  # noqa: ANN401 - `Setup` is typed
    """Install the hook.

    An existing hook stays and is called first. A second install renews the hook of pressync.
    """
    install_hooks(globals_, types, Setup(**setup))


@command.below("pressync hook uninstall", "pressync hook uninstall --type pre-commit")
@click.option(
    "--type", "types", type=click.Choice(tuple(_DOES)), multiple=True, help="The hook. Default: every type."
)
def uninstall(globals_: options.Globals, types: tuple[str, ...]) -> None:
    """Remove the hook, and restore the hook that was there before."""
    paths = installation.find(globals_.directory)
    removed = 0
    for hook_type in types or tuple(_DOES):
        hook = installation.uninstall(paths, hook_type)
        if hook.file:
            removed += 1
            back = f"; the former {hook_type} is back" if hook.chained else ""
            click.echo(f"Removed {_shown(paths, hook.file)}{back}.")
        elif hook.chained:
            click.echo(
                f"{hook_type} belongs to another program now; the hook from before the install is "
                f"{_shown(paths, hook.chained)}."
            )
    if not removed:
        click.echo("No hook of pressync is installed.")


@command.below("pressync hook status", "pressync hook status -C ../another-clone")
def status(globals_: options.Globals) -> None:
    """List the installed hooks, and whether Git calls them.

    Ends with 1 if Git does not call one of them.
    """
    paths = installation.find(globals_.directory)
    hooks = installation.installed(paths)
    if not hooks:
        click.echo(f"No hook of pressync is installed in {_shown(paths, paths.hooks)}.")
    broken = False
    for hook in hooks:
        words = installation.words_of(hook.file) if hook.file else []
        runs = hook.runs and hook.file is not None and os.access(hook.file, os.X_OK)
        click.echo(
            f"{hook.type:<12}  {'runs' if runs else 'does not run'}  {printable(' '.join(words))}".rstrip()
        )
        _tell(paths, hook)
        if words and not os.access(words[0], os.X_OK):
            click.echo(f"{'':<14}{words[0]} is gone: `pressync hook install` notes the present program")
        broken |= not runs
    _tell_doubled(hooks)
    if broken:
        raise SystemExit(1)


@command.below(
    "pressync hook run post-commit", "pressync hook run pre-push origin git@example.org:site.git < /dev/null"
)
@click.argument("hook_type", metavar="TYPE", type=click.Choice(tuple(_DOES)))
@click.argument("arguments", nargs=-1)
@_sites
@_branch
@_time_limit
@_commit
def run(globals_: options.Globals, /, hook_type: str, arguments: tuple[str, ...], **setup: Any) -> None:  # noqa: ANN401 - the same
    """Do the work of the hook of this TYPE, for hooks of your own. Takes the hook's arguments and input."""
    if os.environ.get(SWITCH) == "0":
        return
    paths = installation.find(globals_.directory)
    has_input = hook_type in {PRE_PUSH, POST_RECEIVE} and not sys.stdin.isatty()
    # Read as bytes, because the name of a branch need not be text in this locale.
    git_input = os.fsdecode(sys.stdin.buffer.read()) if has_input else ""

    def say(line: str) -> None:
        # The line stands between Git's own lines, so it names its program.
        log.write(globals_.log_format, line if globals_.log_format == log.JSON else f"pressync: {line}")

    chosen = _completed(globals_, Setup(**setup))
    if not dispatch.answer(
        dispatch.Call(paths, hook_type, chosen, arguments, git_input, say, globals_.quiet, globals_.environ)
    ):
        raise SystemExit(ConfigError.exit_code)


def install_hooks(globals_: options.Globals, types: Sequence[str], setup: Setup) -> None:
    """Install the hooks, and say what they will do.

    :raises ConfigError: the settings are wrong, or a hook cannot be where Git looks for it.
    """
    paths = installation.find(globals_.directory)
    chosen = _completed(globals_, setup)
    types = types or (POST_RECEIVE if paths.root is None else POST_COMMIT,)
    unable = [hook_type for hook_type in types if hook_type not in {POST_COMMIT, POST_MERGE}]
    if setup.commit and unable:
        raise ConfigError(
            f"a {unable[0]} hook cannot commit the manifest",
            where="--commit",
            todo="leave the option out, or install that type alone",
        )
    bound = chosen
    if not chosen.branch and paths.root is not None:
        bound = replace(chosen, branch=dispatch.current_branch(paths))
        sites = () if bound.branch else dispatch.sites(paths, bound, os.environ)
        if any(settings.site.branch is None for settings in sites):
            raise ConfigError("HEAD is detached, and the site names no branch", todo="add `--branch NAME`")
    if set(types) != {PRE_COMMIT}:
        # Git starts a hook after a pull. From here on, settings that a pull brings get no credentials.
        dispatch.begin_with_settings(paths, bound)
    for hook_type in types:
        hook = installation.install(paths, hook_type, bound)
        click.echo(f"Installed {hook_type}: {_DOES[hook_type]}.")
        _tell(paths, hook)
    if set(types) != {PRE_COMMIT}:
        for settings in dispatch.sites(paths, bound, os.environ):
            follows = f"Site {settings.site.name} follows branch {printable(str(settings.site.branch))}."
            click.echo(f"{follows} Git waits {bound.time_limit:g} s at most.")
    _tell_doubled(installation.installed(paths))


def _completed(globals_: options.Globals, setup: Setup) -> Setup:
    """Add the site and the settings file of the global flags."""
    sites = setup.sites or ((globals_.site,) if globals_.site else ())
    config_file = globals_.config_file.absolute() if globals_.config_file else None
    return replace(setup, sites=sites, config_file=config_file)


def _tell_doubled(hooks: Sequence[Hook]) -> None:
    """Warn of two hooks that sync the same commits."""
    if {POST_COMMIT, PRE_PUSH} <= {hook.type for hook in hooks if hook.runs}:
        click.echo(
            f"{POST_COMMIT} and {PRE_PUSH} both sync the same commits. Keep one of them:\n"
            f"`pressync hook uninstall --type {PRE_PUSH}` removes the second."
        )


def _tell(paths: HookPaths, hook: Hook) -> None:
    if hook.chained and hook.file:
        click.echo(f"{'':<14}first calls {_shown(paths, hook.chained)}, the hook that was there before")
    if hook.in_front and hook.runs:
        click.echo(f"{'':<14}{_shown(paths, hook.in_front)} runs first and calls it")
    elif hook.in_front:
        front = _shown(paths, hook.in_front)
        click.echo(f"{'':<14}{front} belongs to another program: `pressync hook install` calls it first")
    if hook.file and paths.root and not paths.hooks.resolve().is_relative_to(paths.common.resolve()):
        click.echo(f"{'':<14}it is for this machine only: do not commit {_shown(paths, hook.file)}")


def _shown(paths: HookPaths, path: Path) -> str:
    return printable(str(path.relative_to(paths.base) if path.is_relative_to(paths.base) else path))

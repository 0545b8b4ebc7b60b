"""The part of `hook` that acts: installs, removes and lists the hooks, and answers Git's calls."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from pressync.app.hooks import branches, hooks_path, installation
from pressync.app.hooks.dispatch import Call, answer
from pressync.app.hooks.setup import (
    POST_COMMIT,
    POST_MERGE,
    POST_RECEIVE,
    PRE_COMMIT,
    PRE_PUSH,
    SWITCH,
    Setup,
)
from pressync.cli import log
from pressync.model.errors import ConfigError
from pressync.model.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pressync.app.hooks.hooks_path import HookPaths
    from pressync.app.hooks.installation import Hook
    from pressync.cli.main import Globals

_DOES = {
    POST_COMMIT: "each commit is synced",
    POST_MERGE: "each merge and pull is synced",
    POST_RECEIVE: "what is pushed here is synced",
    PRE_PUSH: "what you push is synced before it goes",
    PRE_COMMIT: "what you commit is checked first; wrong content stops the commit",
}


def install(
    globals_: Globals,
    types: Sequence[str],
    sites: tuple[str, ...],
    *,
    branch: str | None,
    time_limit: float,
    commit: bool,
) -> None:
    """Install the hooks, and say what they will do.

    :raises ConfigError: the settings are wrong, or a hook cannot stand where Git looks for it.
    """
    there = hooks_path.find(globals_.directory)
    chosen = _setup(globals_, sites, branch, time_limit, commit=commit)
    types = types or (POST_RECEIVE if there.root is None else POST_COMMIT,)
    unable = [hook_type for hook_type in types if hook_type not in {POST_COMMIT, POST_MERGE}]
    if commit and unable:
        raise ConfigError(
            f"a {unable[0]} hook cannot commit the manifest",
            where="--commit",
            todo="leave it out, or install that type by itself",
        )
    bound = chosen if chosen.branch or there.root is None else _bound(there, chosen)
    for hook_type in types:
        hook = installation.install(there, hook_type, bound)
        click.echo(f"Installed {hook_type}: {_DOES[hook_type]}.")
        _tell(there, hook)
    if set(types) != {PRE_COMMIT}:
        _tell_sites(there, bound)


def uninstall(globals_: Globals, types: Sequence[str]) -> None:
    """Remove the hooks, and say what stands there now."""
    there = hooks_path.find(globals_.directory)
    removed = 0
    for hook_type in types:
        hook = installation.uninstall(there, hook_type)
        if hook.file:
            removed += 1
            back = f"; {hook_type} is again what it was before" if hook.chained else ""
            click.echo(f"Removed {_shown(there, hook.file)}{back}.")
        elif hook.chained:
            click.echo(
                f"{hook_type} is another program's by now; what stood there before is "
                f"{_shown(there, hook.chained)}."
            )
    if not removed:
        click.echo("No hook of pressync is installed.")


def status(globals_: Globals) -> None:
    """List the hooks; ends with 1 if one of them is not reached, or cannot run."""
    there = hooks_path.find(globals_.directory)
    hooks = installation.installed(there)
    if not hooks:
        click.echo(f"No hook of pressync is installed in {_shown(there, there.hooks)}.")
    ill = False
    for hook in hooks:
        words = installation.command_words(hook)
        runs = hook.runs and hook.file is not None and os.access(hook.file, os.X_OK)
        click.echo(
            f"{hook.type:<12}  {'runs' if runs else 'does not run'}  {printable(' '.join(words))}".rstrip()
        )
        _tell(there, hook)
        if words and not os.access(words[0], os.X_OK):
            click.echo(f"{'':<14}{words[0]} is gone: `pressync hook install` notes the one that runs now")
        ill |= not runs
    if ill:
        raise SystemExit(1)


def run(
    globals_: Globals,
    hook_type: str,
    arguments: Sequence[str],
    sites: tuple[str, ...],
    *,
    branch: str | None,
    time_limit: float,
    commit: bool,
) -> None:
    """Answer Git's call; ends with 2 if the content is wrong, so that Git must not go on."""
    if os.environ.get(SWITCH) == "0":
        return
    there = hooks_path.find(globals_.directory)
    told = hook_type in {PRE_PUSH, POST_RECEIVE} and not sys.stdin.isatty()
    # Bytes: the name of a branch need not be text in this locale.
    said = os.fsdecode(sys.stdin.buffer.read()) if told else ""
    setup = _setup(globals_, sites, branch, time_limit, commit=commit)

    def say(line: str) -> None:
        # Between Git's own lines, whose word it is must be seen.
        log.write(globals_.log_format, line if globals_.log_format == log.JSON else f"pressync: {line}")

    call = Call(there, hook_type, setup, arguments, said, say, globals_.quiet)
    if not answer(call):
        raise SystemExit(ConfigError.exit_code)


def _setup(
    globals_: Globals, sites: tuple[str, ...], branch: str | None, time_limit: float, *, commit: bool
) -> Setup:
    named = sites or ((globals_.site,) if globals_.site else ())
    config_file: Path | None = globals_.config_file.absolute() if globals_.config_file else None
    return Setup(named, branch, time_limit, commit, config_file)


def _bound(there: HookPaths, setup: Setup) -> Setup:
    """Bind the sites that name no branch to the one that HEAD is on.

    :raises ConfigError: there is such a site, and HEAD is detached.
    """
    branch = branches.current_branch(there)
    if branch is None and any(s.site.branch is None for s in branches.sites(there, setup, os.environ)):
        raise ConfigError("HEAD is detached, and the site names no branch", todo="say `--branch NAME`")
    return Setup(setup.sites, branch, setup.time_limit, setup.commit, setup.config_file)


def _tell_sites(there: HookPaths, setup: Setup) -> None:
    for settings in branches.sites(there, setup, os.environ):
        site = settings.site
        branch = printable(str(site.branch))
        click.echo(f"Site {site.name} follows branch {branch}. Git waits {setup.time_limit:g} s at most.")


def _tell(there: HookPaths, hook: Hook) -> None:
    if hook.chained and hook.file:
        click.echo(f"{'':<14}calls {_shown(there, hook.chained)} first, which stood there before")
    if hook.in_front and hook.runs:
        click.echo(f"{'':<14}{_shown(there, hook.in_front)} stands in front and calls it")
    elif hook.in_front:
        front = _shown(there, hook.in_front)
        click.echo(f"{'':<14}{front} is another program's: `pressync hook install` calls it first")
    if hook.file and there.root and not there.hooks.resolve().is_relative_to(there.common.resolve()):
        click.echo(f"{'':<14}it is for this machine: do not commit {_shown(there, hook.file)}")


def _shown(there: HookPaths, path: Path) -> str:
    return printable(str(path.relative_to(there.base) if path.is_relative_to(there.base) else path))

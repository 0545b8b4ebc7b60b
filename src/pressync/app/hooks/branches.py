"""Finds the branches that got new commits, from what Git tells a hook, and the sites that follow them.

A commit must reach only the sites that follow its branch. So a site without a branch, in its settings or in
the hook, is left alone.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.app.hooks.installation import POST_RECEIVE, PRE_PUSH
from pressync.config import settings as config
from pressync.config.settings import read_text
from pressync.config.used_settings import UsedSettings
from pressync.repo import discover
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.app.hooks.installation import HookPaths, Setup
    from pressync.config.settings import Settings

_HEADS = "refs/heads/"
_NOTHING = re.compile("0+")


def current_branch(paths: HookPaths) -> str | None:
    """Name the branch that HEAD is on; None when it is detached."""
    reference = discover.branch(paths.base)
    return reference.removeprefix(_HEADS) if reference else None


def pushed(paths: HookPaths, hook_type: str, arguments: Sequence[str], stdin: str) -> dict[str, str]:
    """Name the branches that got new commits, each with the revision to read.

    `arguments` and `stdin` are those of the hook, see githooks(5). `pre-push` gets lines of `local-ref
    local-commit remote-ref remote-commit`, `post-receive` of `old new ref`; the other hooks get none.
    """
    if hook_type not in {PRE_PUSH, POST_RECEIVE}:
        branch = current_branch(paths)
        return {branch: "HEAD"} if branch else {}
    found: dict[str, str] = {}
    for row in stdin.split("\n"):
        _, commit, reference, *_ = [*row.split(" "), "", "", ""]
        if reference.startswith(_HEADS) and not _NOTHING.fullmatch(commit):
            found[reference.removeprefix(_HEADS)] = commit
    if hook_type == PRE_PUSH:
        return {branch: commit for branch, commit in found.items() if _is_upstream(paths, branch, arguments)}
    # Two hooks may run in any order, so the tip of the branch may be newer than the commit in `stdin`.
    return {branch: discover.commit(paths.base, f"{_HEADS}{branch}") or commit
            for branch, commit in found.items()}  # fmt: skip


def sites(paths: HookPaths, setup: Setup, environ: Mapping[str, str]) -> list[Settings]:
    """Read the settings of every site that the hook serves, each with the branch that it is synced from.

    The branch in a site's settings comes first, then the hook's branch, then the HEAD of a bare repository.

    :raises ConfigError: the settings are wrong.
    """
    own = read_text(paths.root, paths.base, setup.config_file)
    known = tuple(own.tables.get("sites", {}))
    named = environ.get("PRESSYNC_SITE")
    names = setup.sites or ((named,) if named else known) or (None,)
    found = [config.load(own.text, where=own.where, environ=environ, site=name) for name in names]
    fallback = setup.branch or (current_branch(paths) if paths.root is None else None)
    return [
        replace(settings, site=replace(settings.site, branch=settings.site.branch or fallback))
        for settings in found
    ]


def begin_with_settings(paths: HookPaths, setup: Setup) -> None:
    """Note the settings as they are now as those of the first use, if this clone has not used any.

    :raises ConfigError: they cannot be read.
    """
    if paths.root is not None and setup.config_file is None:
        text = read_text(paths.root, paths.base, None).text
        with Repository(paths.root) as repository:
            UsedSettings(repository, text).begin()


def _is_upstream(paths: HookPaths, branch: str, arguments: Sequence[str]) -> bool:
    """Tell whether a push goes to the branch's remote; a push to a fork or a backup publishes nothing."""
    upstream = discover.setting(paths.base, f"branch.{branch}.remote")
    return not (upstream and arguments) or arguments[0] == upstream

"""Answers one call of a hook by Git, from its arguments to the lines that it prints.

It runs `pressync sync` and `pressync check` as people do. Git has done its work when most hooks run, so a
failure of a site never stops Git. Only wrong content does, in the hooks that Git calls before it acts. A
commit must reach only the sites that follow its branch, so a site without a branch is left alone.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from pressync.app import embedded_server, up_to_date
from pressync.app.hooks import cache, installation, subprocess_run
from pressync.app.hooks.installation import POST_COMMIT, POST_RECEIVE, PRE_COMMIT, PRE_PUSH, SWITCH
from pressync.config import settings as config
from pressync.config.settings import PUSHED, Settings, read_text
from pressync.config.used_settings import UsedSettings
from pressync.repo import discover, shell_tests
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pressync.app.hooks.installation import HookPaths, Setup
    from pressync.app.hooks.subprocess_run import CommandResult

_DONE, _WRONG, _REFUSED = 0, 2, 4
_STAGED = "staged"
_HEADS = "refs/heads/"
_NOTHING = re.compile("0+")
# The reflog is searched this far back for a commit that was amended again and again.
_REFLOG_ROWS = 20


@dataclass(frozen=True, slots=True)
class Call:
    """One call by Git: `say` prints a line, and with `quiet` a success prints nothing."""

    paths: HookPaths
    type: str
    setup: Setup
    arguments: Sequence[str]
    stdin: str
    say: Callable[[str], None]
    quiet: bool = False
    # It has the secrets with which a sync reaches the site.
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)


def answer(call: Call) -> bool:
    """Do the work of the hook; false if the content is wrong, so that Git must not go on.

    :raises ConfigError: the settings are wrong.
    """
    deadline = time.monotonic() + call.setup.time_limit
    if call.type == PRE_COMMIT:
        return _check(call, deadline)
    branches = pushed(call.paths, call.type, call.arguments, call.stdin)
    if not branches:
        return True
    of_settings, served = _tests_and_sites(call)
    _explain_no_branch(call, served, branches)
    ended: list[CommandResult] = []
    for branch, revision in branches.items():
        followers = [settings for settings in served if settings.site.branch == branch]
        before = _site_tests(call, revision, followers)
        results = [_sync(call, settings, revision, deadline) for settings in followers]
        commit, tests = after = _site_tests(call, revision, followers)
        # The cache must describe the state that a sync has seen. In a bare repository another push may have
        # been synced meanwhile, so a sync that left the manifest unchanged is the only proof.
        is_certain = call.paths.root is None and before == after
        if not is_certain:
            location, file = discover.at_head(call.paths.base), call.setup.config_file
            stamps = (up_to_date.read(location, site=s.site.name, config_file=file) for s in followers)
            is_certain = {stamp and stamp.commit for stamp in stamps} <= {commit}
        if is_certain and all(result.code == _DONE for result in results):
            cache.write(call.paths, call.type, branch, [*of_settings, *tests], commit)
        ended += results
    return not any(map(subprocess_run.content_is_wrong, ended))


def _tests_and_sites(call: Call) -> tuple[list[str], list[Settings]]:
    # The tests come first: an edit of the settings after this line fails the next comparison.
    tests = cache.settings_tests(call.paths, call.setup, Path(installation.program()[0]), os.environ)
    return tests, sites(call.paths, call.setup, os.environ)


def _sync(call: Call, settings: Settings, revision: str, deadline: float) -> CommandResult:
    def run(commit: str) -> CommandResult:
        # A sync needs the secrets of this process to reach the site.
        received = {PUSHED: "1"} if call.type == POST_RECEIVE else {}
        environ = {**discover.outside(call.environ), SWITCH: "0", **received}
        return subprocess_run.run(_words(call, settings, commit, deadline), environ, deadline)

    ended = run(revision)
    if ended.code == _REFUSED and call.type == POST_RECEIVE:
        newest = discover.commit(call.paths.base, f"{_HEADS}{settings.site.branch}")
        if newest and newest != revision:
            # The hook of a later push was faster. Its commit is newer than ours, so we sync that one.
            ended = run(newest)
    if ended.code == _DONE and call.quiet:
        return ended
    if call.type == PRE_PUSH and subprocess_run.content_is_wrong(ended):
        # Wrong content stops the push, so people see the whole list of problems.
        lines = subprocess_run.problems(ended)
    else:
        data, home = embedded_server.data_directory(call.paths.embedded_home), ""
        if settings.site.url is None and not embedded_server.is_running(data):
            # The links of the embedded site do not work, because its server does not run.
            home = "`pressync serve` shows it"
        unsaved, limit = _unsaved(call.paths, settings), call.setup.time_limit
        lines = subprocess_run.lines(ended, settings.site.name, limit, home=home, unsaved=unsaved)
    for line in lines:
        call.say(line)
    return ended


def _words(call: Call, settings: Settings, revision: str, deadline: float) -> list[str]:
    """Write the command that syncs one site."""
    paths, setup = call.paths, call.setup
    # `messages` reads the lines, so FORCE_COLOR must not reach them.
    words = ["-q", "--color", "never", "-C", str(paths.base)]
    words += ["--config", str(setup.config_file)] if setup.config_file else []
    # A sync that waits for another run must give up before Git does.
    wait = max(deadline - time.monotonic() - 1, 0)
    words += ["sync", "--site", settings.site.name, "--yes", "--format", "json", "--wait", f"{wait:.1f}"]
    if revision not in {"HEAD", discover.commit(paths.base, "HEAD") if paths.root else ""}:
        # Another branch than HEAD is named: `sync` accepts the name of the site's own branch anywhere.
        tip = f"{_HEADS}{settings.site.branch}"
        words += ["--ref", tip if discover.commit(paths.base, tip) == revision else revision]
    if setup.commit:
        words.append("--commit")
    if _amends_synced_commit(call, settings):
        words.append("--allow-rewind")
    return words


def _check(call: Call, deadline: float) -> bool:
    tests, checked = _tests_and_sites(call)
    environ = {**discover.outside(os.environ), SWITCH: "0"}
    if os.environ.get("GIT_INDEX_FILE"):
        # `git commit FILE` commits an index of its own.
        environ["GIT_INDEX_FILE"] = str(Path(os.environ["GIT_INDEX_FILE"]).absolute())
    words = ["-q", "--color", "never", "-C", str(call.paths.base)]
    words += ["--site", checked[0].site.name, "check", "--staged"]
    ended = subprocess_run.run(words, environ, deadline)
    if ended.code == _DONE:
        folders = [folder for settings in checked for folder in (settings.content, settings.templates)]
        cache.write(call.paths, call.type, _STAGED, [*tests, shell_tests.nothing_staged(folders)])
        return True
    cache.remove(call.paths, call.type, _STAGED)
    for line in subprocess_run.problems(ended):
        call.say(line)
    if ended.stopped:
        call.say(f"the content was not checked within {call.setup.time_limit:g} s; Git goes on")
    return ended.code != _WRONG


def _site_tests(call: Call, revision: str, followers: Sequence[Settings]) -> tuple[str, list[str]]:
    """Give the commit of a revision, and the tests that the sites are still as they are now."""
    commit = discover.commit(call.paths.base, revision)
    return commit, [test for settings in followers for test in cache.site_tests(call.paths, settings, commit)]


def _amends_synced_commit(call: Call, settings: Settings) -> bool:
    """Tell whether HEAD amends the last commit that this hook synced, which is not a rewind."""
    if call.type != POST_COMMIT or not settings.site.branch:
        return False
    synced = cache.commit_of(call.paths, call.type, settings.site.branch)
    for commit, action in discover.moves_of_head(call.paths.base, _REFLOG_ROWS):
        if commit == synced:
            return True
        if not action.startswith("commit (amend)"):
            return False
    return False


def _explain_no_branch(call: Call, sites: Sequence[Settings], pushed: dict[str, str]) -> None:
    """Say why nothing is synced, where a site has no branch or a bare repository's HEAD has no commit."""
    paths = call.paths
    if any(settings.site.branch is None for settings in sites):
        call.say(f"nothing was synced: which branch is the site's? Say `branch` in {config.FILE_NAME}")
    elif paths.root is None and not discover.commit(paths.base, "HEAD"):
        head, branch = current_branch(paths), next(iter(pushed))
        call.say(f"nothing was synced: HEAD of this repository is '{head}', which has no commit")
        call.say(f"next: `git symbolic-ref HEAD {quote(f'{_HEADS}{branch}')}` there, and push again")


def _unsaved(paths: HookPaths, settings: Settings) -> str:
    """Say the next step if the manifest is not committed; nobody commits that of the embedded service."""
    if settings.site.url is None or paths.root is None or not (paths.root / settings.site.manifest).is_file():
        return ""
    from pressync.state import manifest_file  # noqa: PLC0415 - not needed where nothing happened

    status = discover.file_status(paths.root, settings.site.manifest)
    return manifest_file.judged(settings.site.manifest, status).next_step


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
    commits: dict[str, str] = {}
    for row in stdin.split("\n"):
        _, commit, reference, *_ = [*row.split(" "), "", "", ""]
        if reference.startswith(_HEADS) and not _NOTHING.fullmatch(commit):
            commits[reference.removeprefix(_HEADS)] = commit
    if hook_type == PRE_PUSH:
        # A push to a fork or a backup publishes nothing.
        upstreams = {branch: discover.setting(paths.base, f"branch.{branch}.remote") for branch in commits}
        if not arguments:
            return commits
        target = arguments[0]
        return {name: commit for name, commit in commits.items() if (upstreams[name] or target) == target}
    # Two hooks may run in any order, so the tip of the branch may be newer than the commit in `stdin`.
    return {branch: discover.commit(paths.base, f"{_HEADS}{branch}") or commit
            for branch, commit in commits.items()}  # fmt: skip


def sites(paths: HookPaths, setup: Setup, environ: Mapping[str, str]) -> list[Settings]:
    """Read the settings of every site that the hook serves, each with the branch that it is synced from.

    The branch in a site's settings comes first, then the hook's branch, then the HEAD of a bare repository.

    :raises ConfigError: the settings are wrong.
    """
    own = read_text(paths.root, paths.base, setup.config_file)
    all_names = tuple(own.tables.get("sites", {}))
    named = environ.get("PRESSYNC_SITE")
    names = setup.sites or ((named,) if named else all_names) or (None,)
    of_sites = [config.load(own.text, where=own.where, environ=environ, site=name) for name in names]
    fallback = setup.branch or (current_branch(paths) if paths.root is None else None)
    return [
        settings._replace(site=settings.site._replace(branch=settings.site.branch or fallback))
        for settings in of_sites
    ]


def begin_with_settings(paths: HookPaths, setup: Setup) -> None:
    """Note the settings as they are now as those of the first use, if this clone has not used any.

    :raises ConfigError: they cannot be read.
    """
    if paths.root is not None and setup.config_file is None:
        text = read_text(paths.root, paths.base, None).text
        with Repository(paths.root) as repository:
            UsedSettings(repository, text).begin()

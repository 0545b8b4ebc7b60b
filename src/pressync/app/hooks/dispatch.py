"""One call of a hook by Git, from what it was told to the lines that it says.

It must not know documents or services: it runs `pressync sync` and `pressync check` as people do. What
decided its shape: nothing that goes wrong with a site may stop Git, which has done its work by then; only
wrong content does, and only in the hooks that Git calls before it acts.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.app import embedded_server, up_to_date
from pressync.app.hooks import branches, cache, messages, script, subprocess_run
from pressync.app.hooks.hooks_path import outside
from pressync.app.hooks.setup import POST_COMMIT, POST_RECEIVE, PRE_COMMIT, PRE_PUSH, SWITCH
from pressync.config import environment, location
from pressync.config import settings as config
from pressync.repo.run_git import text as git

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pressync.app.hooks.hooks_path import HookPaths
    from pressync.app.hooks.setup import Setup
    from pressync.app.hooks.subprocess_run import Ended
    from pressync.config.settings import Settings

_IN_STEP, _WRONG, _REFUSED = 0, 2, 4
_STAGED = "staged"
# A commit that was amended again and again is looked for this far back.
_LAST = 20


@dataclass(frozen=True, slots=True)
class Call:
    """One call: of which hook, set up how, with what arguments and standard input; `say` prints a line.

    With `quiet`, nothing is said of what went well.
    """

    place: HookPaths
    type: str
    setup: Setup
    arguments: Sequence[str]
    said: str
    say: Callable[[str], None]
    quiet: bool = False


def answer(call: Call) -> bool:
    """Do what the hook is for; false if the content is wrong, so that Git must not go on.

    :raises ConfigError: the settings are wrong.
    """
    deadline = time.monotonic() + call.setup.time_limit
    if call.type == PRE_COMMIT:
        return _check(call, deadline)
    pushed = branches.pushed(call.place, call.type, call.arguments, call.said)
    if not pushed:
        return True
    premises = cache.premises(call.place, call.setup, Path(script.program()[0]), os.environ)
    sites = branches.sites(call.place, call.setup, os.environ)
    _tell_unbound(call, sites, pushed)
    good = True
    for branch, revision in pushed.items():
        served = [settings for settings in sites if settings.site.branch == branch]
        before = _noted(call, served, revision)
        ended = [_sync(call, settings, revision, deadline) for settings in served]
        good &= not any(messages.content_is_wrong(each) for each in ended)
        commit, tests = _noted(call, served, revision)
        # Nothing must have changed since the site was looked at. In a bare repository another push may have
        # been synced meanwhile, so only a sync that left the manifest as it was shows what it belongs to.
        unmoved = call.place.root is None and before == (commit, tests)
        if all(each.code == _IN_STEP for each in ended) and (unmoved or _is_in_step(call, served, commit)):
            cache.remember(call.place, call.type, branch, [*premises, *tests], commit)
    return good


def _sync(call: Call, settings: Settings, revision: str, deadline: float) -> Ended:
    ended = subprocess_run.run(_words(call, settings, revision, deadline), _with_secrets(call), deadline)
    if ended.code == _REFUSED and call.type == POST_RECEIVE:
        newest = git(call.place.base, "rev-parse", f"refs/heads/{settings.site.branch}")
        if newest and newest != revision:
            # A later push was quicker, and what it synced is newer than what we were told.
            ended = subprocess_run.run(
                _words(call, settings, newest, deadline), _with_secrets(call), deadline
            )
    if ended.code != _IN_STEP or not call.quiet:
        for line in _lines(call, settings, ended):
            call.say(line)
    return ended


def _lines(call: Call, settings: Settings, ended: Ended) -> list[str]:
    if call.type == PRE_PUSH and messages.content_is_wrong(ended):
        # It stops a push, so it is all that is to be mended.
        return messages.problems(ended)
    home, unsaved = _home(call.place, settings), _unsaved(call.place, settings)
    return messages.lines(ended, settings.site.name, call.setup.time_limit, home=home, unsaved=unsaved)


def _words(call: Call, settings: Settings, revision: str, deadline: float) -> list[str]:
    """Write the command that syncs one site."""
    place, setup = call.place, call.setup
    words = ["-q", "-C", str(place.base)]
    words += ["--config", str(setup.config_file)] if setup.config_file else []
    # Whoever waits for another run must give up before Git does.
    wait = max(deadline - time.monotonic() - 1, 0)
    words += ["sync", "--site", settings.site.name, "--yes", "--format", "json", "--wait", f"{wait:.1f}"]
    if revision not in {"HEAD", git(place.base, "rev-parse", "HEAD") if place.root else ""}:
        # By its name, the branch of a site is synced from whichever branch is checked out.
        tip = f"refs/heads/{settings.site.branch}"
        words += [
            "--ref",
            tip if git(place.base, "rev-parse", "-q", "--verify", tip) == revision else revision,
        ]
    if setup.commit:
        words.append("--commit")
    if _replaces_what_was_synced(call, settings):
        words.append("--allow-rewind")
    return words


def _check(call: Call, deadline: float) -> bool:
    sites = branches.sites(call.place, call.setup, os.environ)
    premises = cache.premises(call.place, call.setup, Path(script.program()[0]), os.environ)
    environ = _environment()
    if os.environ.get("GIT_INDEX_FILE"):
        # `git commit FILE` commits an index of its own.
        environ["GIT_INDEX_FILE"] = str(Path(os.environ["GIT_INDEX_FILE"]).absolute())
    words = ["-q", "-C", str(call.place.base), "--site", sites[0].site.name, "check", "--staged"]
    ended = subprocess_run.run(words, environ, deadline)
    if ended.code == _IN_STEP:
        folders = [folder for settings in sites for folder in (settings.content, settings.templates)]
        cache.remember(call.place, call.type, _STAGED, [*premises, *cache.nothing_staged(folders)])
        return True
    cache.forget(call.place, call.type, _STAGED)
    for line in messages.problems(ended):
        call.say(line)
    if ended.stopped:
        call.say(f"the content was not checked within {call.setup.time_limit:g} s; Git goes on")
    return ended.code != _WRONG


def _noted(call: Call, served: Sequence[Settings], revision: str) -> tuple[str, list[str]]:
    """Give the commit of a revision, and the tests that the sites are in step with it, as it stands now."""
    commit = git(call.place.base, "rev-parse", "--verify", "-q", f"{revision}^{{commit}}") or ""
    return commit, [test for settings in served for test in cache.in_step(call.place, settings, commit)]


def _is_in_step(call: Call, served: Sequence[Settings], commit: str) -> bool:
    """Whether a clone's sites are in step with this commit, by what their syncs have remembered."""
    file = call.setup.config_file
    found = [up_to_date.read(call.place.base, site=each.site.name, config_file=file) for each in served]
    return all(each is not None and each.commit == commit for each in found)


def _replaces_what_was_synced(call: Call, settings: Settings) -> bool:
    """Whether HEAD is an amended form of the commit that this hook last found in step.

    To amend the last commit is no rewind: it stands where the other stood, made by the same person.
    """
    if call.type != POST_COMMIT or not settings.site.branch:
        return False
    synced = cache.commit_of(call.place, call.type, settings.site.branch)
    said = git(call.place.base, "reflog", f"-{_LAST}", "--format=%H %gs", "HEAD") or ""
    for row in said.splitlines():
        commit, _, action = row.partition(" ")
        if commit == synced:
            return True
        if not action.startswith("commit (amend)"):
            return False
    return False


def _tell_unbound(call: Call, sites: Sequence[Settings], pushed: dict[str, str]) -> None:
    """Say why nothing can be synced where somebody would wonder."""
    place = call.place
    if any(settings.site.branch is None for settings in sites):
        call.say(f"nothing was synced: which branch is the site's? Say `branch` in {config.FILE_NAME}")
    elif place.root is None and git(place.base, "rev-parse", "-q", "--verify", "HEAD") is None:
        head, branch = branches.current_branch(place), next(iter(pushed))
        call.say(f"nothing was synced: HEAD of this repository is '{head}', which has no commit")
        call.say(f"next: `git symbolic-ref HEAD refs/heads/{branch}` there, and push again")


def _environment() -> dict[str, str]:
    return {**outside(os.environ), SWITCH: "0"}


def _with_secrets(call: Call) -> dict[str, str]:
    """Give the environment of a `sync`, which speaks to the site with the secrets of this process."""
    received = {location.PUSHED: "1"} if call.type == POST_RECEIVE else {}
    return {**outside(environment.whole()), SWITCH: "0", **received}


def _home(place: HookPaths, settings: Settings) -> str:
    """Say how to look at the embedded site when it ran for the sync alone: its links lead nowhere then."""
    if settings.site.url is not None or embedded_server.found(embedded_server.data_directory(place.common)):
        return ""
    return "`pressync serve` shows it"


def _unsaved(place: HookPaths, settings: Settings) -> str:
    """Say what is next if Git does not have the manifest as it is.

    That of the embedded service is this clone's own, as the service is.
    """
    if settings.site.url is None or place.root is None or not (place.root / settings.site.manifest).is_file():
        return ""
    from pressync.app import commit_hint  # noqa: PLC0415
    from pressync.state import manifest_location  # noqa: PLC0415 - not needed where nothing happened

    said = git(place.root, *manifest_location.STATUS, settings.site.manifest) or ""
    return commit_hint.next_commit(manifest_location.judged(settings.site.manifest, said))

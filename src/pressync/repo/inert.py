"""Keeps Git from running what the settings of a clone name, where a tool of an agent runs Git.

A tool that writes files can write `.git/config`, the hooks and `.gitattributes`. Git would run the programs
that these name, with the environment of the server of tools. So the settings of the clone itself that name a
program have no effect there; those of the user and of the system keep theirs. Git reads its environment as
settings since version 2.31.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError
from pressync.model.printable import one_line
from pressync.repo import run_git

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_COUNT = "GIT_CONFIG_COUNT"
# The scopes whose files lie in the clone.
_OF_CLONE = frozenset({"local", "worktree"})
# Hooks, signatures, and the settings of submodules, whatever the clone says.
_ALWAYS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.alternateRefsCommand": "true",
    "commit.gpgSign": "false",
    "log.showSignature": "false",
    "push.gpgSign": "false",
    "fetch.recurseSubmodules": "false",
}
# This counts in the place of a setting of the clone, if the user has none. The keys are the beginning and the
# end of its name, between which a clone may write any word.
_IN_PLACE = (
    (re.compile(r"filter\..*\.(?:clean|smudge|process)", re.DOTALL), ""),
    (re.compile(r"filter\..*\.required", re.DOTALL), "false"),
    (re.compile(r"remote\..*\.vcs", re.DOTALL), ""),
    (re.compile(r"http\.(?:.*\.)?cookiefile", re.DOTALL), ""),
)
# Of these, Git takes the first value, so none of ours would count.
_FIRST = re.compile(r"remote\..*\.(?:uploadpack|receivepack)", re.DOTALL)
_HELPER = re.compile(r"credential\.(?:.*\.)?helper", re.DOTALL)
# A variable goes before the setting of the same program.
_VARIABLES = (("GIT_SSH_COMMAND", "core.sshcommand", "ssh"), ("GIT_ASKPASS", "core.askpass", ""))


def variables(directory: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Give the variables with which Git runs no program that the clone at a folder names.

    :raises RepositoryError: Git is not installed, or the clone names what nothing can take back: the work
        tree of another one, or the program of a remote.
    """
    listed = run_git.run("config", "--list", "-z", "--show-scope", "--includes", directory=directory).out
    words = listed.decode(errors="surrogateescape").split("\0")
    scoped = zip(words[::2], (row.partition("\n") for row in words[1::2]), strict=False)
    rows = [(scope, name, value) for scope, (name, _, value) in scoped]
    users = [(name, value) for scope, name, value in rows if scope not in _OF_CLONE]
    clones = {name for scope, name, _ in rows if scope in _OF_CLONE}
    if "core.worktree" in clones:
        _refuse_other_tree(directory)
    for name in sorted(clones - dict(users).keys()):
        if _FIRST.fullmatch(name):
            raise _refused(name, "names a program, and a tool runs none of these")
    pairs = [*_ALWAYS.items(), *_in_place(clones, dict(users)), *_helpers(clones, users)]
    count = int(environ.get(_COUNT) or 0)
    made = {_COUNT: str(count + len(pairs))}
    for number, (name, value) in enumerate(pairs, count):
        made |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    # `ext::` runs any program, and so does a proxy of `git://`.
    made |= {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_PROXY_COMMAND": ""}
    is_chosen = "GIT_SSH" in environ
    for variable, name, usual in _VARIABLES:
        if variable not in environ and not (is_chosen and variable == "GIT_SSH_COMMAND"):
            made[variable] = dict(users).get(name, usual)
    return made


@contextmanager
def applied(directory: Path) -> Iterator[None]:
    """Let the Git commands of this process, and of those that it starts, run no program of the clone.

    :raises RepositoryError: as `variables`.
    """
    before = dict(os.environ)
    os.environ.update(variables(directory, before))
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


def hooks_of_others(directory: Path) -> Path:
    """Find the folder of the hooks that Git runs for everybody else."""
    ask = ("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    return Path(run_git.run(*ask, directory=directory, env={_COUNT: "0"}).text or ".git/hooks")


def _refuse_other_tree(directory: Path) -> None:
    """Refuse files that are not those beside this Git directory; a submodule names its own ones."""
    root, git = (
        Path(run_git.text(directory, "rev-parse", name) or ".")
        for name in ("--show-toplevel", "--absolute-git-dir")
    )
    git_file = root / ".git"
    try:
        named = git_file.read_text().removeprefix("gitdir: ").strip() if git_file.is_file() else ".git"
        is_ours = (root / named).resolve() == git.resolve() and directory.resolve().is_relative_to(
            root.resolve()
        )
    except OSError:
        is_ours = False
    if not is_ours:
        raise _refused("core.worktree", f"names {root}, where a tool reads nothing")


def _refused(name: str, why: str) -> RepositoryError:
    problem = f"{one_line(name)} in the settings of this clone's Git {one_line(why)}"
    todo = f"a person takes it out: `git config --unset {quote(one_line(name))}`"
    return RepositoryError(problem, todo=todo)


def _in_place(names: set[str], users: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in sorted(names):
        for pattern, usual in _IN_PLACE:
            if pattern.fullmatch(name):
                yield name, users.get(name, usual)


def _helpers(names: set[str], users: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Take all helpers back with an empty one, and give those of the user again."""
    if any(map(_HELPER.fullmatch, names)):
        yield "credential.helper", ""
        yield from ((name, value) for name, value in users if _HELPER.fullmatch(name))

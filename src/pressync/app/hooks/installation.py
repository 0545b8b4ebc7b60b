"""The hooks of a repository: their folder, their setup and text; installs them, removes them and lists them.

A hook that was there before may be a program in any language. So it is never edited: it is renamed to
`TYPE.before-pressync`, our hook calls it first, and a second rename restores it byte for byte. The words of
our command are quoted once, here, because paths may have blanks and quotes.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pressync.app import embedded_server
from pressync.model.errors import ConfigError, RepositoryError, storing
from pressync.repo import discover
from pressync.state import atomic_files

POST_COMMIT, POST_MERGE, POST_RECEIVE = "post-commit", "post-merge", "post-receive"
PRE_COMMIT, PRE_PUSH = "pre-commit", "pre-push"
TYPES = (POST_COMMIT, PRE_PUSH, POST_MERGE, POST_RECEIVE, PRE_COMMIT)

# Seconds that Git waits for a site at most, unless the setup of the hook has another limit.
TIME_LIMIT = 60.0

# If this variable is 0, our hooks do nothing. People set it, and so does a hook that commits the manifest.
SWITCH = "PRESSYNC_HOOK"


@dataclass(frozen=True, slots=True)
class Setup:
    """The options of one hook.

    Empty `sites` mean every site of the settings. `branch` is for sites whose settings name none; if it is
    None, Git is asked each time. `time_limit` is in seconds.
    """

    sites: tuple[str, ...] = ()
    branch: str | None = None
    time_limit: float = TIME_LIMIT
    commit: bool = False
    config_file: Path | None = None

    @property
    def words(self) -> list[str]:
        """The same options as arguments of `pressync hook run`."""
        words = [word for site in self.sites for word in ("--site", site)]
        words += ["--branch", self.branch] if self.branch else []
        words += ["--commit"] if self.commit else []
        return [*words, "--time-limit", f"{self.time_limit:g}"]


@dataclass(frozen=True, slots=True)
class HookPaths:
    """A repository's root (None if bare), its common directory, and its hooks folder, all absolute.

    `hooks_path` is the value of `core.hooksPath`, empty where it is not set. `git` is the Git directory of a
    linked work tree.
    """

    root: Path | None
    common: Path
    hooks: Path
    hooks_path: str = ""
    git: Path | None = None

    @property
    def base(self) -> Path:
        """The folder in which Git is started: the root, or the bare repository itself."""
        return self.root or self.common

    @property
    def embedded_home(self) -> Path:
        """The Git directory that has the embedded service of this work tree."""
        return embedded_server.home(self.root, self.git or self.common, self.common)

    @property
    def cache(self) -> Path:
        """The folder of the tests in `hooks.cache`; it is local and never committed."""
        return self.common / "pressync" / "hook"


def find(directory: Path) -> HookPaths:
    """Find the hooks of the repository that holds a folder.

    :raises RepositoryError: there is no repository.
    """
    location = discover.find(directory)
    if discover.is_inside_git_directory(directory):
        raise RepositoryError(
            "this is inside a Git directory", where=str(directory), todo="go to the working tree"
        )
    base = location.root or location.common
    path = discover.setting(base, "core.hooksPath")
    return HookPaths(location.root, location.common, discover.hooks_folder(base), path, location.git)


_TEMPLATE = Path(__file__).with_name("hook.sh")
# This text identifies our hook in any version.
MARK = "# A hook of pressync, "


def program() -> list[str]:
    """Give the words that start this installation of pressync: its command, or its Python."""
    beside_python = Path(sys.executable).with_name("pressync")
    for candidate in (Path(sys.argv[0]), beside_python):
        if candidate.name == "pressync" and candidate.is_file() and os.access(candidate, os.X_OK):
            return [str(candidate.absolute())]
    return python()


def python() -> list[str]:
    """Give the words that start pressync in this Python; `-P` stops imports from the current folder."""
    return [sys.executable, "-P", "-m", "pressync"]


def script(hook_type: str, setup: Setup) -> str:
    """Write the hook of one type."""
    command = program()
    config_file = ["--config", str(setup.config_file.absolute())] if setup.config_file else []
    arguments = [*config_file, "hook", "run", hook_type, *setup.words]
    filled = {
        "TYPE": hook_type,
        "EXECUTABLE": shlex.quote(command[0]),
        "COMMAND": shlex.join([*command, *arguments]),
        "ARGUMENTS": shlex.join(arguments),
    }
    return re.sub("@([A-Z]+)@", lambda match: filled[match[1]], _TEMPLATE.read_text(encoding="utf-8"))


def is_ours(file: Path) -> bool:
    """Tell whether a file is our hook; a symbolic link to our hook is somebody else's."""
    try:
        return not file.is_symlink() and MARK.encode() in file.read_bytes()[:4096]
    except OSError:
        return False


def words_of(file: Path) -> list[str]:
    """Read the words of the command in our hook; the first one is the program."""
    for line in file.read_text(encoding="utf-8", errors="surrogateescape").split("\n"):
        _, separator, command = line.partition('printf %s "$input" | ')
        if separator and command.endswith(' "$@"') and "$before" not in line:
            with suppress(ValueError):  # somebody edited it and left a quotation open
                return shlex.split(command.removesuffix(' "$@"'))
    return []


_BEFORE = ".before-pressync"
_UNWRITABLE = "the hook cannot be written", "make its folder writable"
# The pre-commit framework renames a hook that it finds to this ending, and still runs it.
_LEGACY = ".legacy"


@dataclass(frozen=True, slots=True)
class Hook:
    """One type of hook in a repository: our file, if there is one, and the hooks of others.

    `chained` is the hook that ours calls first. `in_front` is the hook of another tool, in the place where
    Git looks. `runs` tells whether our hook runs.
    """

    type: str
    file: Path | None
    chained: Path | None = None
    in_front: Path | None = None

    @property
    def runs(self) -> bool:
        """Whether Git, or the pre-commit framework in front, runs our file."""
        return self.file is not None and (self.in_front is None or self.file.name.endswith(_LEGACY))


def inspect(paths: HookPaths, hook_type: str) -> Hook:
    """Find the hooks of one type."""
    spot, before = paths.hooks / hook_type, paths.hooks / f"{hook_type}{_BEFORE}"
    others = sorted(paths.hooks.glob(f"{hook_type}.*"))
    file = next((candidate for candidate in (spot, *others) if is_ours(candidate)), None)
    chained = before if os.path.lexists(before) else None
    in_front = spot if file != spot and os.path.lexists(spot) else None
    return Hook(hook_type, file, chained, in_front)


def installed(paths: HookPaths) -> list[Hook]:
    """List our hooks, also one that another tool has overwritten if it called a hook first."""
    hooks = [inspect(paths, hook_type) for hook_type in TYPES]
    return [hook for hook in hooks if hook.file or hook.chained]


def install(paths: HookPaths, hook_type: str, setup: Setup) -> Hook:
    """Install one hook, or rewrite it where it is; a hook of somebody else stays, and ours calls it first.

    :raises ConfigError: this repository cannot have this type, or the folder is not for our hooks alone.
    :raises StorageError: the file cannot be written.
    """
    _refuse(paths, hook_type, setup)
    hook = inspect(paths, hook_type)
    spot = paths.hooks / hook_type
    file = hook.file if hook.runs and hook.file else spot
    if file == spot and hook.in_front and hook.chained:
        raise ConfigError(
            f"another hook replaced the hook of pressync, and {hook.chained.name} still has an earlier one",
            where=str(spot),
            todo=f"merge the two into {hook_type}, remove {hook.chained.name}, and try again",
        )
    with storing(file, *_UNWRITABLE):
        atomic_files.make_folder(paths.hooks)
        if file == spot and hook.in_front:
            spot.rename(paths.hooks / f"{hook_type}{_BEFORE}")
        atomic_files.replace(file, os.fsencode(script(hook_type, setup)), mode=0o777)
    # The cached tests are those of another setup.
    shutil.rmtree(paths.cache / hook_type, ignore_errors=True)
    return inspect(paths, hook_type)


def uninstall(paths: HookPaths, hook_type: str) -> Hook:
    """Remove our hook and restore the one before it; give what was installed.

    :raises StorageError: the folder cannot be written.
    """
    hook = inspect(paths, hook_type)
    with storing(hook.file or paths.hooks, *_UNWRITABLE):
        if hook.file and hook.chained:
            hook.chained.rename(hook.file)
        elif hook.file:
            atomic_files.remove(hook.file)
    shutil.rmtree(paths.cache / hook_type, ignore_errors=True)
    return hook


def _refuse(paths: HookPaths, hook_type: str, setup: Setup) -> None:
    if (hook_type == POST_RECEIVE) != (paths.root is None):
        kind, other = ("bare", "post-receive") if paths.root is None else ("non-bare", "post-commit")
        raise ConfigError(
            f"a {hook_type} hook is not for a {kind} repository",
            where=str(paths.base),
            todo=f"`--type {other}`",
        )
    # The line that does the work of our hook in a hook of somebody else.
    own = " ".join(("pressync hook run", hook_type, *setup.words, '"$@"'))
    folder, spot = paths.hooks.resolve(), paths.hooks / hook_type
    if not any(folder.is_relative_to(root.resolve()) for root in (paths.common, paths.root) if root):
        raise ConfigError(
            f"core.hooksPath is {paths.hooks_path}, which other repositories share, so nothing was written",
            where=str(paths.hooks),
            todo=f"add `[ ! -f pressync.toml ] || {own}` to {hook_type} there, "
            "or give this repository its own with `git config core.hooksPath .git/hooks`",
        )
    if paths.hooks.parts[-2:] == (".husky", "_"):
        raise ConfigError(
            "husky rewrites this folder, so nothing was written",
            where=str(paths.hooks),
            todo=f"add the line `{own}` to .husky/{hook_type}",
        )
    if paths.root and discover.is_tracked(paths.root, str(spot)):
        raise ConfigError(
            "this hook is under version control, so nothing was written",
            where=str(spot),
            todo=f"add the line `{own}` to it",
        )

"""What a hook found in step, written down as the comparison that tells whether it still is.

It must not sync. What decided its shape: the shell must know without Python that nothing has changed, and
a stale "nothing to do" must never be given; so what is written is the very test that the hook runs, over
Git's tree ids and over size, times and inode of the files that decide (the manifest and the settings).
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from pressync.model.errors import StorageError
from pressync.repo import discover
from pressync.repo.run_git import text as git
from pressync.state import private_files
from pressync.state.clone_files import CloneFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pressync.app.hooks.hooks_path import HookPaths
    from pressync.app.hooks.setup import Setup
    from pressync.config.settings import Settings

# The environment that settings come from, as in `up_to_date`.
_VARIABLES = ("PRESSYNC_URL", "PRESSYNC_DIALECT", "PRESSYNC_USER", "PRESSYNC_SITE")
# Name, size, inode, times of content and attributes: what Git's index goes by, in the words of this system.
_STAT = ("stat", "-L", "-f", "%N %z %i %Fm %Fc") if sys.platform == "darwin" else (
    "stat", "-L", "-c", "%n %s %i %y %z")  # fmt: skip
_IN_A_REFERENCE = "ref"


def premises(place: HookPaths, setup: Setup, program: Path, environ: Mapping[str, str]) -> list[str]:
    """Write the tests of what decides which sites are synced and how: environment, settings, program.

    To be taken before the settings are read: a change in between shows in the next comparison.
    """
    values = "\t".join(environ.get(name, "") for name in _VARIABLES)
    names = "\t".join(f"${{{name}-}}" for name in _VARIABLES)
    tests = [f'[ "{names}" = {shlex.quote(values)} ]']
    own = discover.settings_file(place.root, setup.config_file and setup.config_file.absolute())
    tests += _files(place, [program, *([own] if own else [])])
    if place.root is None:
        tests.append(_said(place, "git", "symbolic-ref", "HEAD"))
        if setup.config_file is None:
            tests.append(_said(place, "git", "ls-tree", "--full-tree", "HEAD", "--", discover.SETTINGS))
    return tests


def in_step(place: HookPaths, settings: Settings, commit: str) -> list[str]:
    """Write the tests that one site, in step with a commit, still is."""
    site, notes = settings.site, CloneFiles.of(place.common, settings.site.name)
    folders = (settings.content or ".", settings.templates or ".")
    trees = git(place.base, "ls-tree", "--full-tree", commit, "--", *folders)
    # `$commit` is the hook's: HEAD, or what is pushed.
    asked = f'git ls-tree --full-tree "$commit" -- {shlex.join(folders)}'
    journal = _path(place, notes.journal)
    tests = [f"[ ! -s {journal} ]", f'[ "$({asked})" = {shlex.quote(trees or "")} ]']
    if site.manifest == _IN_A_REFERENCE:
        return [*tests, _said(place, "git", "rev-parse", "-q", "--verify", f"refs/pressync/{site.name}")]
    manifest = place.root / site.manifest if place.root else notes.manifest
    return [*tests, *_files(place, [manifest])]


def nothing_staged(folders: Iterable[str]) -> list[str]:
    """Write the test that the next commit changes nothing that a check reads."""
    paths = sorted({folder or "." for folder in folders} | {discover.SETTINGS})
    return [shlex.join(["git", "--literal-pathspecs", "diff", "--cached", "--quiet", "--", *paths])]


def remember(place: HookPaths, hook_type: str, key: str, tests: Sequence[str], commit: str = "") -> None:
    """Write a comparison down for the hook; where it cannot be written, the hook looks each time."""
    if any("\0" in test for test in tests):
        return
    text = "".join((f"# {commit}\n", " &&\n".join(tests), "\n"))
    file = _file(place, hook_type, key)
    try:
        private_files.write(file, os.fsencode(text))
    except (OSError, StorageError):
        forget(place, hook_type, key)


def forget(place: HookPaths, hook_type: str, key: str) -> None:
    """Forget one comparison."""
    try:
        _file(place, hook_type, key).unlink(missing_ok=True)
    except OSError:
        return


def commit_of(place: HookPaths, hook_type: str, key: str) -> str:
    """Give the commit that was found in step last; empty if none is known."""
    try:
        first, _, _ = (
            _file(place, hook_type, key).read_text(encoding="utf-8", errors="replace").partition("\n")
        )
    except OSError:
        return ""
    return first.removeprefix("# ")


def _file(place: HookPaths, hook_type: str, key: str) -> Path:
    return place.cache / hook_type / f"{key}.seen"


def _said(place: HookPaths, *command: str) -> str:
    """Write the test that Git still says what it says now."""
    said = git(place.base, *command[1:])
    return f'[ "$({shlex.join(command)} 2>/dev/null)" = {shlex.quote(said or "")} ]'


def _files(place: HookPaths, paths: Sequence[Path]) -> list[str]:
    """Write the tests that files are the same as now, or are still not there."""
    there = [path for path in paths if path.exists()]
    absent = [f"[ ! -e {_path(place, path)} ]" for path in paths if path not in there]
    if not there:
        return absent
    command = [*_STAT, *[_relative(place, path) for path in there]]
    try:
        done = subprocess.run(command, cwd=place.base, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        # A system with another stat, or a PATH that has none: no comparison ever holds.
        return ["false"]
    stamps = os.fsdecode(done.stdout).removesuffix("\n")
    asked = " ".join((shlex.join(_STAT), *[_path(place, path) for path in there]))
    return [*absent, f'[ "$({asked} 2>/dev/null)" = {shlex.quote(stamps)} ]']


def _relative(place: HookPaths, path: Path) -> str:
    """Name a file as the hook does: from the root, where Git starts it, so that a moved clone notices."""
    return str(path.relative_to(place.base)) if path.is_relative_to(place.base) else str(path)


def _path(place: HookPaths, path: Path) -> str:
    return shlex.quote(_relative(place, path))

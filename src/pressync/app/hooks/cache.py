"""Writes the facts of an up-to-date site as tests that the hook's shell runs in place of Python.

Python alone takes 1.5 times `import click` and `git rev-parse` to ask the same, and the shell a tenth of that
(measured). The shell must never say wrongly that nothing has changed, so the cache holds the very tests that
it runs. The facts are those of `up_to_date`, over Git's tree ids and over size, times and inode of files. The
shell also tests the file of the program, because an upgrade replaces it.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.app.up_to_date import Fact, files_of, settings_facts, site_facts
from pressync.config.settings import Settings, schema_path
from pressync.model.errors import StorageError
from pressync.repo import discover, shell_tests
from pressync.state import atomic_files
from pressync.state.clone_files import CloneFiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.app.hooks.installation import HookPaths, Setup

# Name, size, inode, times of content and attributes: Git's index compares the same. macOS has its own format.
_STAT = ("stat", "-L", "-f", "%N %z %i %Fm %Fc") if sys.platform == "darwin" else (
    "stat", "-L", "-c", "%n %s %i %y %z")  # fmt: skip


def settings_tests(paths: HookPaths, setup: Setup, program: Path, environ: Mapping[str, str]) -> list[str]:
    """Write the tests of environment, settings and program; call this before the settings are read."""
    file = discover.settings_file(paths.root, setup.config_file and setup.config_file.absolute())
    facts = [Fact("file", (str(program),)), *settings_facts(str(file) if file else None)]
    tests = _tests(paths, facts, environ=environ)
    if paths.root is None:
        tests.append(shell_tests.branch(paths.base))
        if setup.config_file is None:
            tests.append(shell_tests.file_at_head(paths.base, discover.SETTINGS))
    return tests


def site_tests(paths: HookPaths, settings: Settings, commit: str) -> list[str]:
    """Write the tests that one site, up to date with a commit, still is."""
    site = settings.site
    files = CloneFiles.of(paths.common if site.url else paths.embedded_home, site.name)
    manifest = site.reference or str(paths.root / site.manifest if paths.root else files.manifest)
    tests = _tests(paths, site_facts(files_of(settings, paths.base, manifest, files)), commit=commit)
    return tests if paths.root else [*tests, shell_tests.file_at_head(paths.base, schema_path(site.name))]


def write(paths: HookPaths, hook_type: str, key: str, tests: Sequence[str], commit: str = "") -> None:
    """Write tests for the hook; where they cannot be written, the hook starts Python each time."""
    if any("\0" in test for test in tests):
        return
    text = "".join((f"# {commit}\n", " &&\n".join(tests), "\n"))
    file = _file(paths, hook_type, key)
    try:
        atomic_files.write_private(file, os.fsencode(text))
    except (OSError, StorageError):
        remove(paths, hook_type, key)


def remove(paths: HookPaths, hook_type: str, key: str) -> None:
    """Remove the tests of one branch."""
    with suppress(OSError):
        _file(paths, hook_type, key).unlink(missing_ok=True)


def commit_of(paths: HookPaths, hook_type: str, key: str) -> str:
    """Give the last commit that a site was up to date with; empty if none is known."""
    with suppress(OSError):
        text = _file(paths, hook_type, key).read_text(encoding="utf-8", errors="replace")
        return text.partition("\n")[0].removeprefix("# ")
    return ""


def _file(paths: HookPaths, hook_type: str, key: str) -> Path:
    return paths.cache / hook_type / f"{key}.seen"


def _tests(
    paths: HookPaths, facts: Sequence[Fact], *, commit: str = "HEAD", environ: Mapping[str, str] | None = None
) -> list[str]:
    """Write the tests of facts; one call of `stat` looks at all files together."""
    tests, files = [], []
    for kind, names in facts:
        match kind:
            case "variables":
                variables = "\t".join(f"${{{name}-}}" for name in names)
                values = "\t".join((environ or {}).get(name, "") for name in names)
                tests.append(f'[ "{variables}" = {shlex.quote(values)} ]')
            case "file":
                files.append(Path(*names))
            case "empty":
                tests.append(f"[ ! -s {_quoted(paths, Path(*names))} ]")
            case "reference":
                tests.append(shell_tests.reference(paths.base, *names))
            case "trees":
                # The hook sets `$commit`: it is HEAD, or the commit that is pushed.
                tests.append(shell_tests.trees(paths.base, commit, names))
    there = [file for file in files if file.exists()]
    tests += (f"[ ! -e {_quoted(paths, file)} ]" for file in files if file not in there)
    if not there:
        return tests
    command = [*_STAT, *[_relative(paths, file) for file in there]]
    try:
        done = subprocess.run(command, cwd=paths.base, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        # On a system with another `stat`, or with a PATH that has none, a test that always fails is written.
        return ["false"]
    states = os.fsdecode(done.stdout).removesuffix("\n")
    asked = " ".join((shlex.join(_STAT), *[_quoted(paths, file) for file in there]))
    return [*tests, f'[ "$({asked} 2>/dev/null)" = {shlex.quote(states)} ]']


def _relative(paths: HookPaths, file: Path) -> str:
    """Name a file as the hook does, from the root where Git starts it: so a moved clone fails the test."""
    return str(file.relative_to(paths.base)) if file.is_relative_to(paths.base) else str(file)


def _quoted(paths: HookPaths, file: Path) -> str:
    return shlex.quote(_relative(paths, file))

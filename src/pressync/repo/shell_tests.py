"""Writes questions to Git as tests for a shell: each succeeds while Git gives the answer that it gives now.

The installed hook runs these lines before it starts Python. A `directory` is where Git starts the hook.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pressync.repo import discover, run_git

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def branch(directory: Path) -> str:
    """Test that HEAD is on the same branch."""
    return _same(directory, "symbolic-ref", "HEAD")


def file_at_head(directory: Path, name: str) -> str:
    """Test that the commit of HEAD has the same file."""
    return _same(directory, "ls-tree", "--full-tree", "HEAD", "--", name)


def reference(directory: Path, name: str) -> str:
    """Test that a reference is at the same commit."""
    return _same(directory, "rev-parse", "-q", "--verify", name)


def trees(directory: Path, commit: str, names: Iterable[str]) -> str:
    """Test that the commit in the shell's variable `commit` has the files and folders of this commit."""
    said = run_git.text(directory, "ls-tree", "--full-tree", commit, "--", *names)
    return f'[ "$(git ls-tree --full-tree "$commit" -- {shlex.join(names)})" = {shlex.quote(said or "")} ]'


def nothing_staged(folders: Iterable[str]) -> str:
    """Test that the next commit changes neither the settings nor a file of these folders; "" is the root."""
    paths = sorted({folder or "." for folder in folders} | {discover.SETTINGS})
    return shlex.join(["git", "--literal-pathspecs", "diff", "--cached", "--quiet", "--", *paths])


def _same(directory: Path, *arguments: str) -> str:
    printed = run_git.text(directory, *arguments)
    return f'[ "$(git {shlex.join(arguments)} 2>/dev/null)" = {shlex.quote(printed or "")} ]'

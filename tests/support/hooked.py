"""A real repository with real hooks, called by real Git; and a count of how often Python was started."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from click.testing import CliRunner

from pressync.cli.main import pressync

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

ABOUT = "content/pages/about.md"


@dataclass
class Hooked:
    """Runs Git and `pressync hook` in one repository; `starts` is the log of a program that hooks start."""

    repository: SampleRepository
    starts: Path

    @property
    def root(self) -> Path:
        """The repository's folder."""
        return self.repository.root

    @property
    def hooks(self) -> Path:
        """Where Git looks for hooks if nothing else is configured."""
        return self.root / ".git" / "hooks"

    def git(self, *arguments: str, exits: int = 0, environ: dict[str, str] | None = None) -> str:
        """Run Git; give what it and its hooks said to whoever called it."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={**os.environ, **(environ or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == exits, f"git {arguments} ended with {done.returncode}:\n{done.stderr}"
        return done.stderr

    def pressync(self, *arguments: str, exits: int = 0) -> str:
        """Run `pressync` in this process; give everything that it printed."""
        result = CliRunner().invoke(pressync, ["-C", str(self.root), *arguments])
        assert result.exit_code == exits, f"{arguments} ended with {result.exit_code}:\n{result.output}"
        return result.output

    def commit(self, path: str = ABOUT, text: str = "# About\n", *options: str) -> str:
        """Write a file and commit it; give what was said."""
        self.repository.write(path, text)
        self.git("add", "--", path)
        return self.git("commit", "--quiet", "-m", "An edit", *options)

    def started(self) -> int:
        """Tell how often a hook has started its program since the last time of asking."""
        count = self.starts.read_text(encoding="utf-8").count("\n") if self.starts.exists() else 0
        self.starts.unlink(missing_ok=True)
        return count


def counting_program(folder: Path, starts: Path, pressync: Path) -> Path:
    """Make a program that notes that it was started, and is pressync."""
    counting = folder / "bin dir" / "pressync"
    counting.parent.mkdir()
    counting.write_text(
        f'#!/bin/sh\necho started >>"{starts}"\nexec "{pressync}" "$@"\n',
        encoding="utf-8",
    )
    counting.chmod(0o755)
    return counting

"""A real Git repository in a temporary folder, with the few verbs that a test's story needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from tests.support import plain_commit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# No configuration of the person who runs the tests, and one fixed author and clock.
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "A Writer",
    "GIT_AUTHOR_EMAIL": "writer@example.org",
    "GIT_COMMITTER_NAME": "A Writer",
    "GIT_COMMITTER_EMAIL": "writer@example.org",
}

# The line with which `git commit` ends: the branch and the commit.
_COMMIT = re.compile(r"^\[.* ([0-9a-f]{40,64})\]", re.MULTILINE)

# Names that Git quotes, that a glob or an option may mean, or that are not ASCII.
ODD_NAMES = (
    'q"uote.md',
    "two\nlines.md",
    "blank and\ttab.md",
    "über.md",
    "[a]*?.md",
    "-dash.md",
    ":colon.md",
)


def copied(folder: Path, target: Path) -> Path:
    """Copy the repositories of a folder, with all that a clone notes; the remotes are the copies."""
    shutil.copytree(folder, target, symlinks=True, dirs_exist_ok=True)
    for config in (*target.glob("*/.git/config"), *target.glob("*.git/config")):
        config.write_text(config.read_text().replace(str(folder), str(target)))
    return target


class SampleRepository:
    """A repository to write, move, remove and commit in."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def create(cls, root: Path) -> SampleRepository:
        """Make a new, empty repository on branch main.

        It has what `git init` makes, except the samples of hooks. Git itself would take three times as long,
        and a thousand tests begin so.
        """
        git = root / ".git"
        for folder in (
            "branches",
            "hooks",
            "info",
            "objects/info",
            "objects/pack",
            "refs/heads",
            "refs/tags",
        ):
            (git / folder).mkdir(parents=True, exist_ok=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
        (git / "config").write_text(plain_commit.CONFIG, encoding="ascii")
        (git / "description").write_text("A repository of tests\n", encoding="ascii")
        return cls(root)

    def git(self, *arguments: str) -> str:
        """Run Git here and return what it says."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={**os.environ, **_ENVIRONMENT},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file without committing it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def commit(self, files: Mapping[str, str | bytes] | None = None, message: str = "An edit") -> str:
        """Write the files, commit everything there is, and return the commit's id."""
        for path, text in (files or {}).items():
            self.write(path, text)
        author, committer = (
            (_ENVIRONMENT[f"GIT_{role}_NAME"], _ENVIRONMENT[f"GIT_{role}_EMAIL"])
            for role in ("AUTHOR", "COMMITTER")
        )
        is_plain = author == committer and plain_commit.is_plain(os.environ)
        done = plain_commit.commit(self.root, message, *author) if is_plain else None
        return done or self.commit_with_git(message)

    def commit_with_git(self, message: str) -> str:
        """Commit everything as a person does, and return the commit's id."""
        self.git("add", "--all")
        # Git ends a commit with a look whether the repository needs maintenance, which takes as long again.
        # Without `--quiet` it prints the id, so that it need not be asked for.
        printed = self.git(
            *("-c", "maintenance.auto=false", "-c", "core.abbrev=no"),
            *("commit", "--allow-empty", "-m", message),
        )
        found = _COMMIT.search(printed)
        return found[1] if found else self.head()

    def move(self, old: str, new: str) -> None:
        """Move a file without committing."""
        target = self.root / new
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(target)

    def remove(self, *paths: str) -> None:
        """Remove files or folders without committing."""
        for path in paths:
            file = self.root / path
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file)
            else:
                file.unlink()

    def partial_clone(self, folder: Path) -> Path:
        """Make a bare clone without blobs, whose remote is gone."""
        self.git("config", "uploadpack.allowFilter", "true")
        source = f"file://{self.root}"
        self.git("clone", "--quiet", "--bare", "--filter=blob:none", source, str(folder))
        SampleRepository(folder).git("remote", "set-url", "origin", "/nowhere")
        return folder

    def head(self) -> str:
        """Give the commit id of HEAD."""
        return self.git("rev-parse", "HEAD")

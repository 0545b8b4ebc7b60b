"""A repository inside of a repository, whose settings name programs: no command of ours has Git run one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.model.errors import RepositoryError
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

# The sweep tries them all.
COMMANDS = [
    *(("plan", "--worktree", "--diff"), ("sync", "--yes", "--commit"), ("hook", "run", "pre-commit")),
    *(
        pytest.param(words.split(), marks=pytest.mark.sweep)
        for words in (
            *(
                "plan",
                "status",
                "status --worktree",
                "check --worktree",
                "check --staged",
                "doctor",
                "config",
            ),
            *("init --yes", "manifest log", "hook status", "hook install", "hook run post-commit"),
            "action --mode plan",
        )
    ),
]
# Settings that are the name of a program.
PROGRAMS = (
    *(
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "diff.external",
        "gpg.program",
        "diff.evil.textconv",
    ),
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"),
)


class Trap:
    """A bare repository that is committed into another one; `evil` is its folder there."""

    def __init__(self, outer: SampleRepository, folder: Path, *, work_tree: bool) -> None:
        self._note = folder / "it ran"
        program = folder / "program"
        program.write_text(f"#!/bin/sh\necho \"$0 $*\" >>'{self._note}'\ncat\n", encoding="utf-8")
        program.chmod(0o755)
        inner = SampleRepository.create(folder / "inner")
        inner.commit({"content/pages/x.md": "# X\n", ".gitattributes": "* filter=evil diff=evil\n"})
        self.evil = outer.root / "content/evil"
        shutil.copytree(inner.root / ".git", self.evil)
        shutil.rmtree(self.evil / "hooks", ignore_errors=True)
        # Git does not commit empty folders.
        for name in ("refs", "objects", "refs/tags"):
            (self.evil / name / "keep").parent.mkdir(exist_ok=True)
            (self.evil / name / "keep").touch()
        for name in PROGRAMS:
            self._set(name, str(program))
        for name, value in {"core.hooksPath": str(folder), "commit.gpgSign": "true"}.items():
            self._set(name, value)
        shutil.copy(program, folder / "post-commit")
        shutil.copy(program, folder / "pre-commit")
        self._set("core.bare", "false" if work_tree else "true")
        if work_tree:
            self._set("core.worktree", "..")
            (self.evil.parent / ".gitattributes").write_text("* filter=evil diff=evil\n", encoding="utf-8")
        outer.commit()
        self.forget()

    def _set(self, name: str, value: str) -> None:
        subprocess.run(["git", "config", "--file", self.evil / "config", name, value], check=True)

    def forget(self) -> None:
        """Forget which programs ran."""
        self._note.unlink(missing_ok=True)

    @property
    def ran(self) -> list[str]:
        """Tell which programs ran."""
        return self._note.read_text(encoding="utf-8").splitlines() if self._note.exists() else []


@pytest.fixture(params=[True, False], ids=["with a work tree", "bare"])
def trap(request: pytest.FixtureRequest, repository: SampleRepository, tmp_path: Path) -> Trap:
    """Clone a repository that a stranger has committed another one into; Git itself runs its programs."""
    made = Trap(repository, tmp_path, work_tree=request.param)
    if request.param:
        subprocess.run(["git", "status"], cwd=made.evil, capture_output=True, check=False)
        assert made.ran
        made.forget()
    return made


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_runs_a_program_of_it(trap: Trap, program: Path, command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [program, *command],
        cwd=trap.evil,
        env={"PATH": "/usr/bin:/bin", "GITHUB_EVENT_NAME": "push", "GIT_CONFIG_GLOBAL": "/dev/null"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert trap.ran == []
    assert done.returncode in {1, 2}
    assert "was committed into the one at" in done.stdout + done.stderr


@pytest.mark.parametrize("below", ["", "objects", "refs/heads"])
def test_it_is_refused_with_the_way_out(trap: Trap, below: str) -> None:
    with pytest.raises(RepositoryError) as refused:
        Repository(trap.evil / below)
    assert str(refused.value).startswith(f"{trap.evil}: this repository was committed into")
    assert "`-C`" in str(refused.value)


def test_the_repository_around_it_is_used_as_ever(trap: Trap, repository: SampleRepository) -> None:
    for folder in (repository.root, trap.evil.parent):
        with Repository(folder) as opened:
            assert opened.root == repository.root
            assert opened.tree(opened.commit()).files
            opened.worktree(["content"])
            opened.uncommitted(["content"])
    assert trap.ran == []


def test_a_bare_repository_that_nobody_committed_is_used(
    repository: SampleRepository,
) -> None:
    repository.commit({"a.md": "# A\n"})
    server = repository.root / "server.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", repository.root, server], check=True)
    with Repository(server) as opened:
        assert opened.root is None
        assert opened.commit()


@pytest.mark.sweep
def test_a_watcher_that_the_settings_name_does_not_run(repository: SampleRepository, tmp_path: Path) -> None:
    note = tmp_path / "it ran"
    repository.commit({"content/pages/a.md": "# A\n"})
    repository.git("config", "core.fsmonitor", f"touch '{note}' #")
    with Repository(repository.root) as opened:
        opened.uncommitted([""])
        opened.worktree([""])
    done = subprocess.run(
        [sys.executable, "-m", "pressync", "plan"], cwd=repository.root, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert not note.exists()
